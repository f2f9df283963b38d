"""Rate limit of 401 responses: caps the time that requests without a valid key take of a worker.

Such a request costs about as much as a light read, and no organization's limits apply to it. Keys
guessed on 400 connections would take most of the event loop. Their responses are delayed instead.
"""

import asyncio
import random
from typing import Final

from aiohttp import web

from service.error_types import ErrorType

PER_SECOND: Final = 100
"""Sustained rate of responses of a worker without a delay."""
BURST: Final = 100
"""Capacity of the token bucket: responses without a delay after an idle time."""
LONGEST_SECONDS: Final = 1.0
"""Maximum delay."""


class UnauthorizedThrottle:
    """Token bucket: 401 responses beyond PER_SECOND are delayed by up to LONGEST_SECONDS."""

    def __init__(self) -> None:
        self._refilled_at = 0.0
        """Time when the tokens taken so far are refilled, by the clock of the event loop."""
        self._delayed: dict[asyncio.Future[None], None] = {}
        """Delays that run, the oldest first."""

    async def delay(self) -> None:
        """Wait until the response may be sent."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._refilled_at = max(self._refilled_at, now - BURST / PER_SECOND) + 1 / PER_SECOND
        if self._refilled_at <= now:
            return
        seconds = self._refilled_at - now
        if seconds > LONGEST_SECONDS:
            self._refilled_at = now + LONGEST_SECONDS
            # With one delay for all, these responses would be sent in bursts. So it is random.
            seconds = random.uniform(LONGEST_SECONDS / 2, LONGEST_SECONDS)
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
