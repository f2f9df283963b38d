"""Readers that wait for changes: one look tells all of a worker (contract, Changes)."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import Final

from aiohttp import web

from service import background
from service.database.connections import Database
from service.database.errors import too_many_requests
from service.http.context import DATABASE, MAKE_ROOM
from service.http.unauthorized import UNAUTHORIZED
from service.queries import change_feed
from service.queries.change_feed import FeedHead

MAX_WAITING: Final = 256
"""Of one organization in one worker."""
INTERVAL_SECONDS: Final = 0.25


class ChangeWaiters:
    """Looks for changes as long as anyone waits for some."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: defaultdict[int, dict[asyncio.Future[bool], int]] = defaultdict(dict)
        self._in_order: dict[asyncio.Future[bool], None] = {}
        """All waiting readers, the one that has waited longest first."""
        self._looking: asyncio.Task[None] | None = None
        self._is_over = False

    async def wait(self, organization_id: int, after: int, seconds: float) -> bool:
        """Whether the organization has changes after that number, which it waits for so long.

        Raises ApiError ``too_many_requests`` where too many wait already.
        """
        if self._is_over:
            return False
        waiting = self._waiting[organization_id]
        if len(waiting) >= MAX_WAITING:
            raise too_many_requests()
        turn = asyncio.get_running_loop().create_future()
        waiting[turn] = after
        self._in_order[turn] = None
        if self._looking is None or self._looking.done():
            self._looking = background.repeat(self._look, INTERVAL_SECONDS)
        try:
            await asyncio.wait([turn], timeout=seconds)
            return turn.done() and turn.result()
        finally:
            waiting.pop(turn, None)
            self._in_order.pop(turn, None)
            if not waiting:
                self._waiting.pop(organization_id, None)

    def end(self) -> None:
        """Let nobody wait any longer."""
        self._is_over = True
        for waiting in self._waiting.values():
            _wake(waiting, for_changes=False)
        if self._looking is not None:
            self._looking.cancel()

    def make_room(self) -> bool:
        """End the wait of the reader that has waited longest; return False if none waits.

        Its empty page ends its connection, because the worker then has too many.
        """
        for turn in self._in_order:
            if not turn.done():
                del self._in_order[turn]
                turn.set_result(False)
                return True
        return False

    async def _look(self) -> bool:
        """Wake readers for whom there is something; return whether nobody waits any longer."""
        for one in await self._news():
            await self._tell(one)
        return not self._waiting

    async def _news(self) -> list[FeedHead]:
        ids = list(self._waiting)
        if not ids:
            return []
        return await self._database.look_up(partial(change_feed.heads, organization_ids=ids))

    async def _tell(self, found: FeedHead) -> None:
        """Wake those for whom there is something, once it is numbered for all of them."""
        if found.is_behind:
            one = found.organization_id
            await self._database.write(
                partial(change_feed.assign_sequence_numbers, organization_id=one), one
            )
        waiting = self._waiting.get(found.organization_id, {})
        told = [turn for turn, n in waiting.items() if found.is_behind or found.last > n]
        _wake(told, for_changes=True)


def _wake(waiting: Iterable[asyncio.Future[bool]], *, for_changes: bool) -> None:
    for turn in waiting:
        if not turn.done():
            turn.set_result(for_changes)


CHANGE_WAITERS: web.AppKey[ChangeWaiters] = web.AppKey("watch", ChangeWaiters)


async def watching(app: web.Application) -> AsyncIterator[None]:
    """Look for changes as long as the application runs."""
    app[CHANGE_WAITERS] = watch = ChangeWaiters(app[DATABASE])
    unauthorized = app[UNAUTHORIZED]
    app[MAKE_ROOM] = lambda: unauthorized.make_room() or watch.make_room()
    yield


async def end_watching(app: web.Application) -> None:
    """Answer those who wait: a stop waits for them."""
    app[CHANGE_WAITERS].end()
