"""Name look-ups: DNS resolution in threads of their own, whose slots organizations share.

Problem: a name server that never answers holds a thread for many seconds, and the threads of the
event loop are few. With a slot pool it delays its own organization only.
"""

import asyncio
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final

from service.shares.slot_pool import SlotPool

_THREADS: Final = 64
"""Maximum number of look-ups of a worker at a time."""
_RETRY_SECONDS: Final = 0.05
"""Time between two tries to take a slot."""


class NameLookups:
    """Thread pool for ``getaddrinfo``, with a slot for each thread; one in each worker."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, "webhook-names")
        self._slots = SlotPool(_THREADS)

    async def resolve(self, organization_id: int, host: str, port: int) -> list[str]:
        """Return the IPv4 and IPv6 addresses of a host as text, in the resolver's order.

        Raise OSError if it has none, ValueError if the name cannot be encoded. Wait for a slot and
        for the answer without a limit of time: callers set one. Nothing is cached. A look-up keeps
        its slot until its thread is free, even if its caller was canceled.
        """
        # A look-up that waits for its share is rare, and an event would wake all of them.
        while not self._slots.enter(organization_id):  # noqa: ASYNC110
            await asyncio.sleep(_RETRY_SECONDS)
        loop = asyncio.get_running_loop()
        future = self._pool.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        future.add_done_callback(partial(self._free, loop, organization_id))
        rows = await asyncio.wrap_future(future)
        return [str(row[4][0]) for row in rows]

    def close(self) -> None:
        """Give up the threads without waiting for look-ups that hang. No look-up can follow."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _free(
        self, loop: asyncio.AbstractEventLoop, organization_id: int, _: "Future[Any]"
    ) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._slots.leave, organization_id)
