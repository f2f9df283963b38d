"""Answers, until their callers have taken them."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from aiohttp import HttpVersion11, hdrs, web
from aiohttp.helpers import rfc822_formatted_time

from service import background
from service.http.connections import Connection

IDLE_SECONDS: Final = 30
"""Without a byte taken."""
LONGEST_SECONDS: Final = 300
"""From the first byte to the last."""
_LOOK_SECONDS: Final = 1
_LONG: Final = 2**20
_SLICE: Final = 2**18
"""Bytes of a long body that are written at once: so much of it is in memory twice."""


class _SlowResponse:
    """One answer that is not taken at once."""

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


class ResponseSender:
    """The answers on their way, all looked at by one timer: most are taken at once."""

    def __init__(self) -> None:
        self._under_way = dict[int, web.Request]()
        self._slow = dict[int, _SlowResponse]()

    async def send(self, request: web.Request, response: web.StreamResponse) -> None:
        """Send an answer; returns when it is taken, or when its connection is closed."""
        number = id(request)
        self._under_way[number] = request
        try:
            connection = request.protocol
            if isinstance(connection, Connection) and connection.is_ending:
                response.force_close()
            if not await _sent_whole(request, response):
                await response.prepare(request)
                await _write(request, response)
        except ConnectionError:
            pass  # the server, which looks at the answer next, meets it too
        finally:
            del self._under_way[number]
            if self._slow:
                self._slow.pop(number, None)

    async def look(self) -> None:
        """Look at all of them."""
        now = asyncio.get_running_loop().time
        for number, request in list(self._under_way.items()):
            self._slow.setdefault(number, _SlowResponse(request, now())).look(now())


async def _sent_whole(request: web.Request, response: web.StreamResponse) -> bool:
    """Whether the answer was of the usual kind: bytes of moderate length, sent as they are.

    aiohttp prepares for every other kind at each step, which takes a third of the time that it
    takes to send this one.
    """
    body = response.body if isinstance(response, web.Response) else None
    if (
        type(body) is not bytes
        or not 0 < len(body) < _LONG
        or response.compression
        or response._cookies
        or request.version is not HttpVersion11
        or request.method == "HEAD"
    ):
        return False
    headers, writer = response.headers, request.writer
    headers[hdrs.CONTENT_LENGTH] = str(len(body))
    headers[hdrs.DATE] = rfc822_formatted_time()
    if response._keep_alive is None:
        response._keep_alive = request.keep_alive
    if not response._keep_alive:
        headers[hdrs.CONNECTION] = "close"
    await writer.write_headers(f"HTTP/1.1 {response.status} {response.reason}", headers)
    await writer.write_eof(body)
    response._eof_sent = True
    return True


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


RESPONSE_SENDER: web.AppKey[ResponseSender] = web.AppKey("deliveries", ResponseSender)


async def run_response_sender(app: web.Application) -> AsyncIterator[None]:
    """Look at the application's deliveries as long as it runs."""
    app[RESPONSE_SENDER] = ResponseSender()
    looking = background.repeat(app[RESPONSE_SENDER].look, _LOOK_SECONDS)
    yield
    looking.cancel()
