"""Retention: background deletion of expired stored responses, changes and audit entries.

Each worker handles the next 100 organizations, in order of id, a minute after it has handled those
before. After the last one it begins again with the first.
"""

import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from aiohttp import web

from service import background
from service.database.connections import Connection, Database
from service.errors import ApiError
from service.feed import change_feed
from service.http.context import DATABASE
from service.idempotency import stored_responses
from service.idempotency.stored_responses import STORED_RESPONSES, StoredResponses
from service.organizations import audit

_PAUSE_SECONDS: Final = 60
_STEP: Final = 100
"""Maximum number of organizations in a step, as the statement has it."""


async def run_retention(
    app: web.Application, changes_days: int, audit_days: int, history_days: int
) -> AsyncIterator[None]:
    """Delete expired rows in the background while the application runs.

    Changes, versions and audit entries expire after days, stored responses after IDEMPOTENCY_HOURS.
    Also add STORED_RESPONSES to the application, for the idempotent writes of the worker.
    """
    app[STORED_RESPONSES] = StoredResponses()
    retention = Retention(app[DATABASE], changes_days, audit_days, history_days)
    task = background.repeat(retention.delete_next, _PAUSE_SECONDS)
    yield
    task.cancel()


class Retention:
    """Cursor over the organizations: each step continues after the last id of the step before."""

    def __init__(
        self,
        database: Database,
        changes_days: int,
        audit_days: int = 36_500,
        history_days: int = 36_500,
    ) -> None:
        self._database = database
        self._changes_days, self._audit_days = changes_days, audit_days
        self._history_days = history_days
        self._last = 0
        self._read_ids: list[int] = []
        """Ids that earlier steps have read, in order."""
        self._heads: dict[int, int] = {}
        """Number of the newest audit entry that was logged, by organization id."""

    async def delete_next(self) -> None:
        """Delete all expired rows of the next 100 organizations.

        After the last organization a step deletes nothing; the next one begins with the first.

        Each batch of rows is a transaction of its own. An organization that fails keeps no rows of
        the others: on a cluster those of one node may be out of reach. Raise the last ApiError at
        the end of the step. After a minute a failure ends it.
        """
        failure, deadline = None, time.monotonic() + _PAUSE_SECONDS
        ids = await self._next_ids()
        if not ids:
            self._last = 0
        for organization_id in ids:
            self._last = organization_id
            try:
                await self._delete(organization_id)
            except ApiError as error:
                failure = error
                if time.monotonic() > deadline:
                    break
        if failure is not None:
            raise failure

    async def _next_ids(self) -> list[int]:
        """Return the ids of the next 100 organizations, those read before if a node is away.

        Raise ApiError if they cannot be read and none were before.
        """
        organizations = partial(stored_responses.organizations, after=self._last)
        try:
            ids = await self._database.poll(organizations)
        except ApiError:
            if not self._read_ids:
                raise
            return [each for each in self._read_ids if each > self._last][:_STEP]
        last = ids[-1] if len(ids) == _STEP else math.inf
        others = [each for each in self._read_ids if not self._last < each <= last]
        self._read_ids = sorted([*others, *ids])
        return ids

    async def _delete(self, organization_id: int) -> None:
        """Delete all expired rows of an organization, and log the head of its audit log.

        Raise ApiError if the database fails.
        """
        days = (self._changes_days, self._audit_days, self._history_days)
        for deletion in _deletions(organization_id, *days):
            while await self._database.write(deletion, organization_id):
                pass
        # Commands have no log of their own.
        read = partial(audit.ends, organization_id=organization_id)
        ends = await self._database.read(read, organization_id)
        if ends is not None and ends["last_n"] != self._heads.get(organization_id):
            self._heads[organization_id] = ends["last_n"]
            audit.log_head(organization_id, ends["last_n"], ends["last_hash"])


def _deletions(
    organization_id: int, changes_days: int, audit_days: int, history_days: int
) -> Iterator[Callable[[Connection], Awaitable[bool]]]:
    """Yield the work of an organization's transactions; each is repeated until it returns False.

    The order is stored responses, numbering of changes, changes: only numbered ones are deleted.
    Versions go with their changes, or before them.
    """
    now = datetime.now(UTC)
    expiry, audit_expiry, history_expiry = (
        now - timedelta(days=days) for days in (changes_days, audit_days, history_days)
    )
    yield partial(stored_responses.delete_expired, organization_id=organization_id)
    yield partial(change_feed.assign_sequence_numbers, organization_id=organization_id)
    yield partial(change_feed.delete_expired, organization_id=organization_id, before=expiry)
    if 0 < history_days < changes_days:
        versions = change_feed.delete_expired_versions
        yield partial(versions, organization_id=organization_id, before=history_expiry)
    yield partial(audit.delete_expired, organization_id=organization_id, before=audit_expiry)
