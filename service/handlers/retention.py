"""Stored answers and changes that are old go by themselves, whether or not anybody comes again."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from aiohttp import web

from service import background
from service.database.connections import Connection, Database
from service.http.context import DATABASE
from service.idempotency import stored_responses
from service.idempotency.stored_responses import STORED_RESPONSES, StoredResponses
from service.queries import change_feed

_PAUSE_SECONDS: Final = 60


async def clearing(app: web.Application, changes_days: int) -> AsyncIterator[None]:
    """Clear what is old as long as the application runs."""
    app[STORED_RESPONSES] = StoredResponses()
    clearer = _Clearer(app[DATABASE], changes_days)
    task = background.repeat(clearer.clear_some, _PAUSE_SECONDS)
    yield
    task.cancel()


class _Clearer:
    """Clears what is old of some organizations, then of the next."""

    def __init__(self, database: Database, changes_days: int) -> None:
        self._database = database
        self._changes_days = changes_days
        self._last = 0

    async def clear_some(self) -> None:
        """Take one step, which the next one follows."""
        self._last = await clear_some(self._database, self._last, self._changes_days)


async def clear_some(database: Database, after: int, changes_days: int) -> int:
    """Clear what is old of the next organizations after an id; the last one's id, or 0."""
    ids = await database.look_up(partial(stored_responses.organizations, after=after))
    for one in ids:
        for step in _steps(one, changes_days):
            while await database.write(step, one):
                pass
    return ids[-1] if ids else 0


def _steps(
    organization_id: int, changes_days: int
) -> Iterator[Callable[[Connection], Awaitable[bool]]]:
    """What there is to do for an organization, each until it answers that there is no more."""
    old = datetime.now(UTC) - timedelta(days=changes_days)
    yield partial(stored_responses.delete_expired, organization_id=organization_id)
    yield partial(change_feed.assign_sequence_numbers, organization_id=organization_id)
    yield partial(change_feed.delete_expired, organization_id=organization_id, before=old)
