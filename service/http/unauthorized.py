"""Rate limit of 401 responses: caps the time that requests without a valid key take of a worker.

Such a request costs about as much as a light read, and no organization's limits apply to it. Keys
guessed on 400 connections would take most of the event loop. Their responses are delayed instead.
"""

import asyncio
import random

from aiohttp import web

from service.error_types import ErrorType
from service.limits import UNAUTHORIZED_BURST, UNAUTHORIZED_DELAY_SECONDS, UNAUTHORIZED_RATE


class UnauthorizedThrottle:
    """Token bucket: responses beyond UNAUTHORIZED_RATE wait up to UNAUTHORIZED_DELAY_SECONDS."""

    def __init__(self) -> None:
        self._refilled_at = 0.0
        """Time when the tokens taken so far are refilled, by the clock of the event loop."""
        self._delayed: dict[asyncio.Future[None], None] = {}
        """Delays that run, the oldest first."""

    async def delay(self) -> None:
        """Wait until the response may be sent."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        full_since = now - UNAUTHORIZED_BURST / UNAUTHORIZED_RATE
        self._refilled_at = max(self._refilled_at, full_since) + 1 / UNAUTHORIZED_RATE
        if self._refilled_at <= now:
            return
        seconds = self._refilled_at - now
        if seconds > UNAUTHORIZED_DELAY_SECONDS:
            self._refilled_at = now + UNAUTHORIZED_DELAY_SECONDS
            # With one delay for all, these responses would be sent in bursts. So it is random.
            seconds = random.uniform(UNAUTHORIZED_DELAY_SECONDS / 2, UNAUTHORIZED_DELAY_SECONDS)
        elapsed = loop.create_future()
        self._delayed[elapsed] = None
        timer = loop.call_later(seconds, _end, elapsed)
        try:
            await elapsed
        finally:
            timer.cancel()
            self._delayed.pop(elapsed, None)

    def make_room(self) -> bool:
        """End the longest running delay; return False if none runs."""
        for elapsed in self._delayed:
            if not elapsed.done():
                del self._delayed[elapsed]
                elapsed.set_result(None)
                return True
        return False


def _end(elapsed: "asyncio.Future[None]") -> None:
    if not elapsed.done():
        elapsed.set_result(None)


UNAUTHORIZED: web.AppKey[UnauthorizedThrottle] = web.AppKey(
    ErrorType.UNAUTHORIZED, UnauthorizedThrottle
)
