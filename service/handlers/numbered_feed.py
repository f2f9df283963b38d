"""Feed state of an organization, read after its committed changes have sequence numbers.

Source: contract, Changes.
"""

from contextlib import suppress
from functools import partial

from service.database.connections import Database
from service.errors import ApiError
from service.queries.change_feed import assign_sequence_numbers
from service.queries.feed_version import FeedState, read_state


async def read_numbered_state(database: Database, organization_id: int) -> FeedState:
    """Return the state; first assign sequence numbers if some changes lack them.

    Return the state without them if that fails.
    """
    read = partial(read_state, organization_id=organization_id)
    state = await database.read(read, organization_id)
    if state.epoch and state.version is not None:
        return state
    number = partial(assign_sequence_numbers, organization_id=organization_id)
    with suppress(ApiError):  # the next reader tries again
        await database.write(number, organization_id)
        return await database.read(read, organization_id)
    return state
