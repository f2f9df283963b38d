"""Body scheduler: fair queue for the CPU time of large request bodies, one per worker.

Bodies of SCHEDULED_BODY_BYTES or more and compressed bodies are large (``request_body``). The
selection of fields from large documents enters it, too (``handlers.parameters``).
Parsing and validating 1,000 items blocks the event loop for about 0.1 s. If forty such bodies
arrive together, asyncio would process all of them before it serves any other connection: callers of
other organizations wait for 7 to 10 s. So the scheduler starts one at a time, round robin over the
organizations. Without its pauses they wait twice as long (``make attack``: refused).
"""

import asyncio
import time
from collections import deque
from typing import Final

from aiohttp import web

from service.shares.contention import CONTENTION, ContentionSignal

ENTER_AGAIN_BYTES: Final = 2**20
"""Bytes of a body above which it enters again between parsing and validation."""
_CONTENTION_SECONDS: Final = 1
"""Seconds after the end of contention in which the scheduler still pauses before queued bodies."""
_PAUSE_FACTOR: Final = 2
"""Length of a pause, as a multiple of the last body's time."""
_MAX_PAUSE_SECONDS: Final = 0.5


class BodyScheduler:
    """Queues of large bodies by organization.

    Each organization's bodies start in the order of arrival. The scheduler pauses after a body if
    another one is queued and several organizations have been active in the last second
    (``ContentionSignal``). A pause lasts twice the time that the body took, at most 0.5 s. So,
    under contention, large bodies of up to 0.25 s take at most 1/3 of the event loop's time.
    """

    def __init__(self, contention: ContentionSignal = CONTENTION) -> None:
        self._contention = contention
        self._queues: dict[int, deque[asyncio.Future[None]]] = {}
        """Queue by organization id, the next organization first."""
        self._is_busy = False
        self._started = 0.0
        """Time when the last body started, by the monotonic clock."""

    async def enter(self, organization_id: int, *, again: bool = False) -> None:
        """Wait until the body may start; return without suspending if the scheduler is idle.

        It is busy during a body's time and the pause after it. A body's time ends when the calling
        task next suspends, so the work must follow without an ``await``, or be entered ``again``,
        ahead of the organization's other bodies. There is nothing to release. A canceled caller
        stays queued until its turn, and is skipped then.
        """
        # Bodies with errors never reach the database, whose fair queue records all others.
        self._contention.record(organization_id)
        loop = asyncio.get_running_loop()
        if not self._is_busy:
            self._is_busy = True
            self._started = time.monotonic()
            loop.call_soon(self._finish)
            return
        start = loop.create_future()
        queue = self._queues.setdefault(organization_id, deque())
        if again:
            queue.appendleft(start)
        else:
            queue.append(start)
        await start
        self._started = time.monotonic()

    def _finish(self) -> None:
        """Start the next body, at once or after a pause under contention."""
        loop, seconds = asyncio.get_running_loop(), time.monotonic() - self._started
        if self._queues and self._contention.is_contended(_CONTENTION_SECONDS):
            loop.call_later(min(_PAUSE_FACTOR * seconds, _MAX_PAUSE_SECONDS), self._start_next)
        else:
            self._start_next()

    def _start_next(self) -> None:
        start = self._dequeue()
        if start is None:
            self._is_busy = False
            return
        start.set_result(None)
        # set_result has scheduled the body's task already, so it runs before _finish.
        asyncio.get_running_loop().call_soon(self._finish)

    def _dequeue(self) -> "asyncio.Future[None] | None":
        """Remove and return the next start that is not canceled; None if no body is queued."""
        while self._queues:
            organization_id, queue = next(iter(self._queues.items()))
            del self._queues[organization_id]
            start = queue.popleft()
            if queue:
                self._queues[organization_id] = queue
            if not start.done():
                return start
        return None


BODY_SCHEDULER: web.AppKey[BodyScheduler] = web.AppKey("body_scheduler", BodyScheduler)
