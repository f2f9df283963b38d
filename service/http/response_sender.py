"""Response sender: sends responses, and aborts the connections of clients that read too slowly.

The middleware sends all its responses through the sender of its worker. Other responses, such as
those to malformed requests (``parser_errors``), do not pass through it.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from aiohttp import HttpVersion11, hdrs, web
from aiohttp.helpers import rfc822_formatted_time

from service import background
from service.http.connections import HttpConnection
from service.http.streamed_response import StreamedResponse
from service.limits import RESPONSE_IDLE_SECONDS, RESPONSE_SECONDS, STREAM_SECONDS

_CHECK_SECONDS: Final = 1
_LARGE_BYTES: Final = 2**20
_CHUNK_BYTES: Final = 2**18
"""Bytes of a large body that are written at a time, and so are in memory twice."""


class _SlowResponse:
    """Progress of a response that was still in flight at a check; its times begin there."""

    __slots__ = ("_progress_at", "_request", "_started", "_written")

    def __init__(self, request: web.Request, now: float) -> None:
        self._request = request
        self._started = self._progress_at = now
        self._written = (0, 0)
        """Bytes written so far, and bytes of them that the kernel has not taken yet."""

    def check(self, now: float, max_seconds: float) -> None:
        """Abort the connection after RESPONSE_IDLE_SECONDS without progress, or ``max_seconds``.

        Progress is a byte that the service has written or the kernel has taken. So a stream that
        generates nothing for as long is aborted as well.
        """
        transport = self._request.transport
        if transport is None:
            return
        written = (self._request.writer.output_size, transport.get_write_buffer_size())
        if written != self._written:
            self._written, self._progress_at = written, now
        idle_seconds, seconds = now - self._progress_at, now - self._started
        if idle_seconds > RESPONSE_IDLE_SECONDS or seconds > max_seconds:
            transport.abort()


class ResponseSender:
    """Set of the responses in flight, which one timer checks once a second.

    A timer per response would cost more, and most responses are read at once. Timeouts count from
    the first check of a response, up to 1 s after its begin.
    """

    def __init__(self) -> None:
        self._in_flight = dict[int, web.Request]()
        """Requests by their ``id()``, which is the key of the others, too."""
        self._slow = dict[int, _SlowResponse]()
        self._streams = set[int]()

    async def send(self, request: web.Request, response: web.StreamResponse) -> None:
        """Send a response. Return when the transport has it all, or the connection is closed.

        Raise no ConnectionError, but any other error. Set ``Connection: close`` if the connection
        is ending, and close a streamed response in every case.
        """
        key = id(request)
        self._in_flight[key] = request
        try:
            connection = request.protocol
            if isinstance(connection, HttpConnection) and connection.is_ending:
                response.force_close()
            if not await _send_fast(request, response):
                if isinstance(response, StreamedResponse):
                    await self._stream(request, response)
                else:
                    await response.prepare(request)
                    await _write(request, response)
        except ConnectionError:
            pass  # aiohttp's server, which finishes the response next, handles it
        finally:
            del self._in_flight[key]
            if self._slow:
                self._slow.pop(key, None)

    async def _stream(self, request: web.Request, response: StreamedResponse) -> None:
        self._streams.add(id(request))
        try:
            await response.prepare(request)
            await response.stream(request)
        finally:
            self._streams.discard(id(request))
            await response.close()

    async def check(self) -> None:
        """Abort the connections of clients that have exceeded a timeout.

        These are RESPONSE_IDLE_SECONDS without progress, and RESPONSE_SECONDS for the whole
        response, of a stream STREAM_SECONDS.
        """
        now = asyncio.get_running_loop().time
        for key, request in list(self._in_flight.items()):
            max_seconds = STREAM_SECONDS if key in self._streams else RESPONSE_SECONDS
            self._slow.setdefault(key, _SlowResponse(request, now())).check(now(), max_seconds)


async def _send_fast(request: web.Request, response: web.StreamResponse) -> bool:
    """Send a response if it is a simple one; else do nothing and return False.

    A simple response has a body of at least 1 byte and less than 1 MiB, without cookies and without
    compression by aiohttp, to an HTTP/1.1 request other than HEAD. aiohttp's general path takes
    about a third longer.
    """
    body = response.body if isinstance(response, web.Response) else None
    if (
        type(body) is not bytes
        or not 0 < len(body) < _LARGE_BYTES
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
    """Write the body of a prepared response, one of _LARGE_BYTES or more in chunks; none to HEAD.

    A body that aiohttp compresses is written at once.
    """
    body = response.body if isinstance(response, web.Response) else None
    if not isinstance(body, bytes) or len(body) < _LARGE_BYTES or response.compression:
        await response.write_eof()
        return
    if request.method != "HEAD":
        with memoryview(body) as view:
            for start in range(0, len(view), _CHUNK_BYTES):
                await response.write(view[start : start + _CHUNK_BYTES])
    # Response.write_eof would write the body again.
    await web.StreamResponse.write_eof(response)


RESPONSE_SENDER: web.AppKey[ResponseSender] = web.AppKey("response_sender", ResponseSender)


async def run_response_sender(app: web.Application) -> AsyncIterator[None]:
    """Create the application's response sender, and run its timer while the application runs."""
    app[RESPONSE_SENDER] = ResponseSender()
    timer = background.repeat(app[RESPONSE_SENDER].check, _CHECK_SECONDS)
    yield
    timer.cancel()
