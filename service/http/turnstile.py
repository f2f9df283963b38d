"""Turnstile: the event loop starts one large body at a time, organizations in turn.

A body of 1,000 items takes the event loop about 0.1 s before its first statement. If forty arrive
together, asyncio would run all of them before it looks at any other connection: light requests of
other organizations would wait for seconds.
"""

import asyncio
import time
from collections import deque
from typing import Final

from aiohttp import web

from service.database.fair_queue import COMERS, ContentionSignal

LARGE: Final = 1024
"""Bytes; what smaller bodies take is near to what any request takes."""
_SEVERAL_SECONDS: Final = 1
_PAUSE: Final = 2
"""Times as long as the last body took."""
_LONGEST_PAUSE_SECONDS: Final = 0.5


class Turnstile:
    """Queue of large bodies.

    While several organizations are active, the event loop is left to other requests after each body
    for twice as long as the body took: large bodies have a third of its time at most.
    """

    def __init__(self, comers: ContentionSignal = COMERS) -> None:
        self._comers = comers
        self._queues: dict[int, deque[asyncio.Future[None]]] = {}
        """By organization, the one whose turn is next first."""
        self._is_closed = False
        self._started = 0.0

    async def enter(self, organization_id: int) -> None:
        """Wait for the turn of the body; what follows until the next await is its time."""
        loop = asyncio.get_running_loop()
        if not self._is_closed:
            self._is_closed = True
            self._started = time.monotonic()
            loop.call_soon(self._pass)
            return
        turn = loop.create_future()
        self._queues.setdefault(organization_id, deque()).append(turn)
        await turn
        self._started = time.monotonic()

    def _pass(self) -> None:
        """Open for the next body, once the last one has had its time."""
        loop, took = asyncio.get_running_loop(), time.monotonic() - self._started
        if self._queues and self._comers.is_contended(_SEVERAL_SECONDS):
            loop.call_later(min(_PAUSE * took, _LONGEST_PAUSE_SECONDS), self._open)
        else:
            self._open()

    def _open(self) -> None:
        turn = self._next()
        if turn is None:
            self._is_closed = False
            return
        turn.set_result(None)
        # Its task comes first: it was woken before this is planned.
        asyncio.get_running_loop().call_soon(self._pass)

    def _next(self) -> "asyncio.Future[None] | None":
        """Take the next body out of its queue; those whose callers have hung up are left out."""
        while self._queues:
            organization_id, queue = next(iter(self._queues.items()))
            del self._queues[organization_id]
            turn = queue.popleft()
            if queue:
                self._queues[organization_id] = queue
            if not turn.done():
                return turn
        return None


TURNSTILE: web.AppKey[Turnstile] = web.AppKey("turnstile", Turnstile)
