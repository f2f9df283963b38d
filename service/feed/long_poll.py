"""Long poll: a worker polls the database for the organizations that wait (contract, Changes)."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from functools import partial

from aiohttp import web

from service.database.connections import Connection, Database
from service.database.organization_poller import OrganizationPoller
from service.errors import too_many_requests
from service.feed import change_feed
from service.feed.change_feed import FeedHead
from service.http.budgets import ADMISSION
from service.http.connections import max_connections
from service.http.context import CALLERS, DATABASE, authenticate, caller_of
from service.limits import MAX_WAITING
from service.organizations import audit


class ChangeWaiters:
    """Waiting readers of a worker; a poller looks for changes of their organizations.

    Beyond ``max_waiting`` readers of all organizations the longest wait ends, which gives an empty
    page. The bound is below the limit of connections: otherwise a burst of new connections would
    find only its own ones to close. Numbering the changes takes a connection of the pool.
    """

    def __init__(
        self,
        database: Database,
        max_waiting: int,
        heads: Callable[..., Awaitable[Mapping[int, FeedHead]]] = change_feed.feed_heads,
    ) -> None:
        self._database = database
        self._max_waiting = max_waiting
        self._waiters: defaultdict[int, dict[asyncio.Future[bool], int]] = defaultdict(dict)
        """By organization id: readers with the sequence number after which they wait."""
        self._oldest_first: dict[asyncio.Future[bool], None] = {}
        """All waiting readers; the one that has waited longest comes first."""
        self._poller = OrganizationPoller(database, self._waiters.keys, heads, self._notify)
        self._is_stopped = False

    async def wait(self, organization_id: int, after: int, timeout_seconds: float) -> bool:
        """Wait for changes after a sequence number; return False if none came in time.

        True means that the organization has new changes, of any collection, and that the first of
        them are numbered. Raise ApiError ``too_many_requests`` if MAX_WAITING readers of the
        organization wait in this worker already. ``end`` and another reader beyond ``max_waiting``
        may end the wait early, with False. A failed poll does not.
        """
        if self._is_stopped:
            return False
        waiters = self._waiters[organization_id]
        if len(waiters) >= MAX_WAITING:
            raise too_many_requests()
        if len(self._oldest_first) >= self._max_waiting:
            self._end_longest()
        waiter = asyncio.get_running_loop().create_future()
        waiters[waiter] = after
        self._oldest_first[waiter] = None
        self._poller.start()
        try:
            await asyncio.wait([waiter], timeout=timeout_seconds)
            return waiter.done() and waiter.result()
        finally:
            waiters.pop(waiter, None)
            self._oldest_first.pop(waiter, None)
            if not waiters:
                self._waiters.pop(organization_id, None)

    def end(self) -> None:
        """End all waits; later ones return False at once."""
        self._is_stopped = True
        for waiters in self._waiters.values():
            _wake(waiters, for_changes=False)
        self._poller.stop()

    def _end_longest(self) -> None:
        """End the longest wait, with False."""
        waiter = next((each for each in self._oldest_first if not each.done()), None)
        if waiter is not None:
            del self._oldest_first[waiter]
            waiter.set_result(False)

    async def _notify(self, organization_id: int, head: FeedHead) -> None:
        """Number a batch of unnumbered changes, if any; wake the readers that have new changes."""
        if head.is_behind:
            assign_numbers = partial(
                change_feed.assign_sequence_numbers, organization_id=organization_id
            )
            await self._database.write(assign_numbers, organization_id)
        waiters = self._waiters.get(organization_id, {})
        ready = [waiter for waiter, n in waiters.items() if head.is_behind or head.last > n]
        _wake(ready, for_changes=True)


def _wake(waiters: Iterable[asyncio.Future[bool]], *, for_changes: bool) -> None:
    for waiter in waiters:
        if not waiter.done():
            waiter.set_result(for_changes)


CHANGE_WAITERS: web.AppKey[ChangeWaiters] = web.AppKey("change_waiters", ChangeWaiters)
AUDIT_WAITERS: web.AppKey[ChangeWaiters] = web.AppKey("audit_waiters", ChangeWaiters)
"""Readers of the audit log, whose heads are never behind."""


async def wait_for(
    request: web.Request, waiters: web.AppKey[ChangeWaiters], after: int, timeout_seconds: float
) -> bool:
    """Wait as ``ChangeWaiters.wait`` does, or until the key is deleted; authenticate again.

    A wait takes no database connection and does not count in the admission limit. Raise ApiError
    ``unauthorized`` if the key became invalid, and ``too_many_requests`` if too many readers wait.
    """
    app, caller = request.app, caller_of(request)
    wait = app[waiters].wait(caller.organization_id, after, timeout_seconds)
    waiting = asyncio.ensure_future(wait)
    try:
        with (
            app[ADMISSION].exempt(caller.organization_id),
            app[CALLERS].changes.watch(caller.full_key_id, waiting.cancel),
        ):
            await asyncio.wait([waiting])
    finally:
        waiting.cancel()
    await authenticate(request, again=True)
    return not waiting.cancelled() and waiting.result()


async def run_change_waiters(app: web.Application) -> AsyncIterator[None]:
    """Add the change waiters to the application.

    Readers of changes on half of a worker's connections can wait, and those of the audit log on an
    eighth. If the limit of open files lowers the connection limit, the shares are slightly above.
    """
    max_waiting = max_connections(0) // 2
    app[CHANGE_WAITERS] = ChangeWaiters(app[DATABASE], max_waiting)
    app[AUDIT_WAITERS] = ChangeWaiters(app[DATABASE], max_waiting // 4, _audit_heads)
    yield


async def _audit_heads(connection: Connection, organization_ids: list[int]) -> dict[int, FeedHead]:
    heads = await audit.heads(connection, organization_ids)
    return {organization_id: FeedHead(n, is_behind=False) for organization_id, n in heads.items()}


async def end_change_waits(app: web.Application) -> None:
    """End all waits at a shutdown, which waits for open requests."""
    app[CHANGE_WAITERS].end()
    app[AUDIT_WAITERS].end()
