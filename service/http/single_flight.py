"""What many ask for at once, and what is made for all of them by one."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

SECONDS: Final = 1


class SingleFlightCache(Generic[T]):
    """A result, or a failure, that is given again for SECONDS; whoever asks earlier waits for it.

    Making it takes at most that share of the time: what takes long to make is given for longer.
    """

    def __init__(self, *, share: float = 1.0) -> None:
        self._share = share
        self._making: asyncio.Future[T] | None = None
        self._until = 0.0

    async def get(self, make: Callable[[], Awaitable[T]]) -> T:
        """The last result, or else what `make` returns or raises."""
        if self._making is None or (self._making.done() and time.monotonic() >= self._until):
            self._making = asyncio.ensure_future(self._make(make))
            self._making.add_done_callback(_look)
        # Who waits may go away; the others still wait for the same.
        return await asyncio.shield(self._making)

    async def _make(self, make: Callable[[], Awaitable[T]]) -> T:
        started = time.monotonic()
        try:
            return await make()
        finally:
            ended = time.monotonic()
            self._until = max(ended + SECONDS, started + (ended - started) / self._share)


def _look(made: "asyncio.Future[T]") -> None:
    """See a failure, which everybody who asked for it may have gone away from."""
    if not made.cancelled():
        made.exception()
