"""Single-flight cache: concurrent callers share one computation and its result."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

SECONDS: Final = 1
"""Minimum lifetime of a result, in seconds after the end of its computation."""


class SingleFlightCache(Generic[T]):
    """Cache of one result or exception, without a key, for SECONDS or longer.

    Computing takes at most ``share`` of the time (above 0, up to 1), so the result of a slow
    computation is cached longer. Callers of one instance must pass equivalent computations.
    """

    def __init__(self, *, share: float = 1.0) -> None:
        self._share = share
        self._computation: asyncio.Future[T] | None = None
        self._expires_at = 0.0

    async def get(self, compute: Callable[[], Awaitable[T]]) -> T:
        """Return the cached result or raise the cached exception; compute it if none is valid.

        A computation that runs already serves this caller, too: then ``compute`` is not called. It
        goes on even if all callers are canceled.
        """
        computation = self._computation
        if computation is None or (computation.done() and time.monotonic() >= self._expires_at):
            self._computation = computation = asyncio.ensure_future(self._compute(compute))
            computation.add_done_callback(_retrieve_exception)
        # A caller that is canceled does not cancel the computation for the others.
        return await asyncio.shield(computation)

    async def _compute(self, compute: Callable[[], Awaitable[T]]) -> T:
        started = time.monotonic()
        try:
            return await compute()
        finally:
            ended = time.monotonic()
            self._expires_at = max(ended + SECONDS, started + (ended - started) / self._share)


def _retrieve_exception(computation: "asyncio.Future[T]") -> None:
    """Retrieve the exception: asyncio logs one that no caller is left to retrieve."""
    if not computation.cancelled():
        computation.exception()
