"""Feed state, read after numbering changes where positions or versions need it; and its headers.

Source: contract, Changes.
"""

from contextlib import suppress
from functools import partial

from service.database.connections import Database
from service.errors import ApiError
from service.http.headers import X_CHANGES_AFTER, X_CHANGES_CURSOR, X_CHANGES_EPOCH
from service.listing.changes import cursor_after
from service.queries.change_feed import assign_sequence_numbers
from service.queries.feed_version import MAX_UNNUMBERED, FeedState, read_state


async def read_numbered_state(
    database: Database, organization_id: int, *, max_unnumbered: int = MAX_UNNUMBERED
) -> FeedState:
    """Return the state; first assign sequence numbers if the feed has not begun, or to a batch.

    A batch is numbered if more than ``max_unnumbered`` changes lack a number, with 0 all of them.
    If numbering fails, return the state as it was: ``epoch`` may be 0, and ``version`` None. Raise
    ApiError if the state cannot be read at first.
    """
    read = partial(read_state, organization_id=organization_id)
    state = await database.read(read, organization_id)
    if state.epoch and state.unnumbered <= max_unnumbered:
        return state
    number = partial(assign_sequence_numbers, organization_id=organization_id)
    with suppress(ApiError):  # the next reader tries again
        while await database.write(number, organization_id) and not max_unnumbered:
            pass
        return await database.read(read, organization_id)
    return state


def position_headers(state: FeedState, organization_id: int) -> dict[str, str]:
    """Return the headers from which a reader of records can follow their changes.

    They name the position after ``state.last``: records that are read after the state may show
    later changes, which the feed then repeats. ``state.epoch`` must not be 0.
    """
    return {
        X_CHANGES_CURSOR: cursor_after(state.last, state.epoch, organization_id),
        X_CHANGES_AFTER: str(state.last),
        X_CHANGES_EPOCH: str(state.epoch),
    }
