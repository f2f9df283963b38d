"""Rate limit of 401 responses in each worker: above UNAUTHORIZED_RATE a second they are delayed.

A request without a valid key costs about as much as a light read, and no organization's limits
apply to it. Keys guessed on 400 connections would take most of the event loop. No delay exceeds
UNAUTHORIZED_DELAY_SECONDS: then each connection still gets one or two responses a second, so many
connections get more than the rate. A 401 to a caller whose key was valid when the request began is
not delayed.
"""

import asyncio
import random

from aiohttp import web

from service.limits import UNAUTHORIZED_BURST, UNAUTHORIZED_DELAY_SECONDS, UNAUTHORIZED_RATE


class UnauthorizedThrottle:
    """Token bucket of UNAUTHORIZED_BURST tokens, with UNAUTHORIZED_RATE new ones a second.

    Responses without a token wait for the next one. If that takes more than
    UNAUTHORIZED_DELAY_SECONDS, they wait for a random time from half of that to all of it.
    """

    def __init__(self) -> None:
        self._refilled_at = 0.0
        """Time at which the token taken last is available, by the clock of the event loop."""
        self._delayed: dict[asyncio.Future[None], None] = {}
        """Delays that run, the oldest first."""

    async def delay(self) -> None:
        """Wait until the next response may be sent; return at once while there are tokens.

        The wait ends early by ``make_room``.
        """
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
        """End the delay that has run for longest; return False if none runs.

        The eviction of connections calls it: the connection closes after its 401 response.
        """
        for elapsed in self._delayed:
            if not elapsed.done():
                del self._delayed[elapsed]
                elapsed.set_result(None)
                return True
        return False


def _end(elapsed: "asyncio.Future[None]") -> None:
    if not elapsed.done():
        elapsed.set_result(None)


UNAUTHORIZED_THROTTLE: web.AppKey[UnauthorizedThrottle] = web.AppKey(
    "unauthorized_throttle", UnauthorizedThrottle
)
