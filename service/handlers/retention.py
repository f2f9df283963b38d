"""Retention: background deletion of expired stored responses and changes.

Each worker handles the next 100 organizations, in order of id, a minute after it has handled those
before. After the last one it begins again with the first.
"""

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


async def run_retention(app: web.Application, changes_days: int) -> AsyncIterator[None]:
    """Delete expired rows in the background while the application runs.

    Changes expire after ``changes_days`` days, stored responses after IDEMPOTENCY_HOURS. Also add
    STORED_RESPONSES to the application, for the idempotent writes of the worker.
    """
    app[STORED_RESPONSES] = StoredResponses()
    retention = Retention(app[DATABASE], changes_days)
    task = background.repeat(retention.delete_next, _PAUSE_SECONDS)
    yield
    task.cancel()


class Retention:
    """Cursor over the organizations: each step continues after the last id of the step before."""

    def __init__(self, database: Database, changes_days: int) -> None:
        self._database = database
        self._changes_days = changes_days
        self._last = 0

    async def delete_next(self) -> None:
        """Delete all expired rows of the next 100 organizations.

        After the last organization a step deletes nothing; the next one begins with the first.

        Each batch of rows is a transaction of its own. Raise ApiError if the database fails. The
        step then ends, and the next one continues after the organization that failed: an error that
        only this one has keeps no rows of the others.
        """
        organizations = partial(stored_responses.organizations, after=self._last)
        ids = await self._database.look_up(organizations)
        if not ids:
            self._last = 0
        for organization_id in ids:
            self._last = organization_id
            for deletion in _deletions(organization_id, self._changes_days):
                while await self._database.write(deletion, organization_id):
                    pass


def _deletions(
    organization_id: int, changes_days: int
) -> Iterator[Callable[[Connection], Awaitable[bool]]]:
    """Yield the work of an organization's transactions; each is repeated until it returns False.

    The order is stored responses, numbering of changes, changes: only numbered ones are deleted.
    """
    expiry = datetime.now(UTC) - timedelta(days=changes_days)
    yield partial(stored_responses.delete_expired, organization_id=organization_id)
    yield partial(change_feed.assign_sequence_numbers, organization_id=organization_id)
    yield partial(change_feed.delete_expired, organization_id=organization_id, before=expiry)
