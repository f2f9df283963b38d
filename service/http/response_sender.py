"""Response sender: sends responses, and aborts the connections of clients that read too slowly.

The middleware sends all its responses through it. Other responses, such as those to malformed
requests (``parser_errors``), do not pass through it.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Final

from aiohttp import HttpVersion11, hdrs, web
from aiohttp.helpers import rfc822_formatted_time

from service.http.connections import HttpConnection
from service.limits import (
    RESPONSE_IDLE_SECONDS,
    RESPONSE_PIECE_BYTES,
    RESPONSE_SECONDS,
    STREAM_SECONDS,
)

_log = logging.getLogger("service")
_LARGE_BYTES: Final = 60_000
"""Size from which writing a body may wait for the client: the transport buffers 64 KiB."""
_FAST_BYTES: Final = 8 * RESPONSE_PIECE_BYTES
"""Size from which a body takes aiohttp's general path: pieces below it keep RESPONSE_SECONDS."""


class StreamedResponse(web.StreamResponse):
    """Response, 200, whose chunks are generated while it is sent.

    After more than 64 KiB, the next ones wait while the write buffer is full. The sender calls
    ``prepare``, ``stream`` and, in every case, ``close``. An error of a chunk can no longer
    become an error response.
    """

    def __init__(
        self,
        chunks: AsyncIterator[bytes],
        headers: Mapping[str, str],
        close: Callable[[], Awaitable[object]],
    ) -> None:
        super().__init__(headers=headers)
        self._chunks = chunks
        self.close = close
        """Releases the resources of the chunks, such as a database snapshot; awaited once."""

    async def stream(self, request: web.Request) -> None:
        """Send the chunks of the prepared response, and end it; to HEAD send no chunks.

        Raise ConnectionError if the client has gone, or if a chunk failed. In the latter case log
        the error and abort the connection, so that the client does not take the body for complete.
        A chunk that fails with a ConnectionError counts as a client that has gone.
        """
        try:
            if request.method != "HEAD":
                async for chunk in self._chunks:
                    await _write_pieces(request, chunk)
            await self.write_eof()
        except ConnectionError:
            raise
        except Exception as error:
            _log.exception("a response broke off")
            if request.transport is not None:
                request.transport.abort()
            raise ConnectionAbortedError("the response broke off") from error


async def send(request: web.Request, response: web.StreamResponse) -> None:
    """Send a response. Return when the transport has it all, or the connection is closed.

    Abort the connection if the client takes nothing for RESPONSE_IDLE_SECONDS, or if the whole
    takes RESPONSE_SECONDS, a stream STREAM_SECONDS. Raise no ConnectionError, but any other error.
    Set ``Connection: close`` if the connection is ending. Close a streamed response in every case.
    """
    connection = request.protocol
    if isinstance(connection, HttpConnection) and connection.is_ending:
        response.force_close()
    try:
        if isinstance(response, StreamedResponse):
            await _stream(request, response)
        elif not await _send_fast(request, response):
            async with asyncio.timeout(RESPONSE_SECONDS):
                await response.prepare(request)
                await _write(request, response)
    except (ConnectionError, TimeoutError):
        # aiohttp's server, which finishes the response next, handles the closed connection.
        if request.transport is not None:
            request.transport.abort()


async def _stream(request: web.Request, response: StreamedResponse) -> None:
    try:
        async with asyncio.timeout(STREAM_SECONDS):
            await response.prepare(request)
            await response.stream(request)
    finally:
        await response.close()


async def _write_pieces(request: web.Request, data: bytes) -> None:
    """Write data; raise ConnectionAbortedError if a piece takes RESPONSE_IDLE_SECONDS."""
    with memoryview(data) as view:
        for start in range(0, len(view), RESPONSE_PIECE_BYTES):
            piece = view[start : start + RESPONSE_PIECE_BYTES]
            await request.writer.write(piece, drain=False)  # type: ignore[call-arg]
            if request.protocol.writing_paused:  # Most clients read at once.
                try:
                    async with asyncio.timeout(RESPONSE_IDLE_SECONDS):
                        await request.writer.drain()
                except TimeoutError:
                    raise ConnectionAbortedError("the client reads nothing") from None


async def _send_fast(request: web.Request, response: web.StreamResponse) -> bool:
    """Send a response if it is a simple one; else do nothing and return False.

    A simple response has a body of at least 1 byte and less than _FAST_BYTES, without cookies and
    without compression by aiohttp, to an HTTP/1.1 request other than HEAD, behind no unread
    response. aiohttp's general path takes about a third longer.
    """
    body = response.body if isinstance(response, web.Response) else None
    if (
        type(body) is not bytes
        or not 0 < len(body) < _FAST_BYTES
        or response.compression
        or response._cookies
        or request.version is not HttpVersion11
        or request.method == "HEAD"
        or request.transport is None
        or request.transport.get_write_buffer_size()
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
    if len(body) < _LARGE_BYTES:
        await writer.write_eof(body)
    else:
        await _write_pieces(request, body)
        await writer.write_eof()
    response._eof_sent = True
    return True


async def _write(request: web.Request, response: web.StreamResponse) -> None:
    """Write the body of a prepared response, one of _LARGE_BYTES or more in pieces; none to HEAD.

    A body that aiohttp compresses is written at once.
    """
    body = response.body if isinstance(response, web.Response) else None
    if not isinstance(body, bytes) or len(body) < _LARGE_BYTES or response.compression:
        await response.write_eof()
        return
    if request.method != "HEAD":
        await _write_pieces(request, body)
    # Response.write_eof would write the body again.
    await web.StreamResponse.write_eof(response)
