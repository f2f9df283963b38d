"""Answers, until their callers have taken them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from aiohttp import web

from service.http.accounts import release
from service.http.connections import Connection

IDLE_SECONDS: Final = 30
"""Without a byte taken."""
LONGEST_SECONDS: Final = 300
"""From the first byte to the last."""
_LOOK_SECONDS: Final = 1
_LONG: Final = 2**20
_SLICE: Final = 2**18
"""Bytes of a long body that are written at once: so much of it is in memory twice."""


class _Delivery:
    """One answer on its way."""

    __slots__ = ("_progress", "_request", "_seen", "_since")

    def __init__(self, request: web.Request, now: float) -> None:
        self._request = request
        self._since = self._progress = now
        self._seen = (0, 0)

    def look(self, now: float) -> None:
        """End the connection of a caller that takes nothing, or too little."""
        transport = self._request.transport
        if transport is None:
            return
        seen = (self._request.writer.output_size, transport.get_write_buffer_size())
        if seen != self._seen:
            self._seen, self._progress = seen, now
        if now - self._progress > IDLE_SECONDS or now - self._since > LONGEST_SECONDS:
            transport.abort()


class Deliveries:
    """The answers on their way, all looked at by one timer: most are taken at once."""

    def __init__(self) -> None:
        self._under_way = set[_Delivery]()

    async def deliver(self, request: web.Request, response: web.StreamResponse) -> None:
        """Send an answer; returns when it is taken, or when its connection is closed."""
        delivery = _Delivery(request, asyncio.get_running_loop().time())
        self._under_way.add(delivery)
        if isinstance(request.protocol, Connection) and request.protocol.is_ending:
            response.force_close()
        try:
            await response.prepare(request)
            await _write(request, response)
        except ConnectionError:
            pass  # the server, which looks at the answer next, meets it too
        finally:
            self._under_way.remove(delivery)

    async def look(self) -> None:
        """Look at all of them, again and again."""
        now = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            for delivery in list(self._under_way):
                delivery.look(now())


async def _write(request: web.Request, response: web.StreamResponse) -> None:
    body = response.body if isinstance(response, web.Response) else None
    if not isinstance(body, bytes) or len(body) < _LONG or response.compression:
        await response.write_eof()
        return
    if request.method != "HEAD":
        with memoryview(body) as view:
            for start in range(0, len(view), _SLICE):
                await response.write(view[start : start + _SLICE])
    # A Response's own would write its body.
    await web.StreamResponse.write_eof(response)


DELIVERIES: web.AppKey[Deliveries] = web.AppKey("deliveries", Deliveries)


async def deliveries(app: web.Application) -> AsyncIterator[None]:
    """Look at the application's deliveries as long as it runs."""
    app[DELIVERIES] = Deliveries()
    looking = asyncio.create_task(app[DELIVERIES].look())
    yield
    looking.cancel()


@web.middleware
async def delivered(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """The handler's answer, delivered; until then its organization holds what it holds."""
    try:
        response = await handler(request)
        await request.app[DELIVERIES].deliver(request, response)
        return response
    finally:
        release(request)
