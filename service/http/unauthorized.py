"""Rate limit of 401 answers: requests without a valid key get little of a worker's time.

Such a request costs about as much as a light read, and no organization's limits apply to it: 400
connections that send bad keys would have most of the event loop. Their answers are delayed instead.
"""

import asyncio
import random
from typing import Final

from aiohttp import web

from service.error_types import ErrorType

PER_SECOND: Final = 100
"""Answers of a worker that are not delayed, for any length of time."""
BURST: Final = 100
"""Answers that are not delayed after a rest."""
LONGEST_SECONDS: Final = 1.0


class UnauthorizedThrottle:
    """Delays 401 answers beyond PER_SECOND by up to LONGEST_SECONDS (token bucket)."""

    def __init__(self) -> None:
        self._next = 0.0
        """When the tokens that were taken are made up for, by the clock of the event loop."""
        self._delayed: dict[asyncio.Future[None], None] = {}
        """The one that has waited longest first."""

    async def delay(self) -> None:
        """Return when the answer may be sent."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._next = max(self._next, now - BURST / PER_SECOND) + 1 / PER_SECOND
        if self._next <= now:
            return
        seconds = self._next - now
        if seconds > LONGEST_SECONDS:
            self._next = now + LONGEST_SECONDS
            # Random, or all that are delayed for the longest time would be answered together.
            seconds = random.uniform(LONGEST_SECONDS / 2, LONGEST_SECONDS)
        over = loop.create_future()
        self._delayed[over] = None
        timer = loop.call_later(seconds, _end, over)
        try:
            await over
        finally:
            timer.cancel()
            self._delayed.pop(over, None)

    def make_room(self) -> bool:
        """Have the answer sent that is delayed for longest; return False if none is."""
        for over in self._delayed:
            if not over.done():
                del self._delayed[over]
                over.set_result(None)
                return True
        return False


def _end(over: "asyncio.Future[None]") -> None:
    if not over.done():
        over.set_result(None)


UNAUTHORIZED: web.AppKey[UnauthorizedThrottle] = web.AppKey(
    ErrorType.UNAUTHORIZED, UnauthorizedThrottle
)
