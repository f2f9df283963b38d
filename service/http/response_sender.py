"""Response sender: sends responses, and aborts the connections of clients that read too slowly.

Without it unread responses stay in memory (``make attack``: untaken, document). The middleware
sends all its responses through it; others, such as those of ``parser_errors``, do not pass it.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from aiohttp import HttpVersion11, web

from service.http.connections import HttpConnection
from service.http.envelope import ApiResponse
from service.limits import (
    RESPONSE_IDLE_SECONDS,
    RESPONSE_PIECE_BYTES,
    RESPONSE_SECONDS,
    STREAM_SECONDS,
)

_log = logging.getLogger("service")
_LARGE_BYTES: Final = 60_000
"""Size from which writing a body may wait for the client: the transport buffers 64 KiB."""
_TIMED_BYTES: Final = 8 * RESPONSE_PIECE_BYTES
"""Size from which a body takes a timer: pieces below it keep RESPONSE_SECONDS."""


class StreamedResponse(ApiResponse):
    """Response, 200, whose chunks are generated while it is sent.

    After more than 64 KiB, the next ones wait while the write buffer is full. The sender calls
    ``stream`` and, in every case, ``close``. An error of a chunk can no longer become an error
    response.
    """

    def __init__(
        self,
        chunks: AsyncIterator[bytes],
        headers: dict[str, str],
        close: Callable[[], Awaitable[object]],
    ) -> None:
        super().__init__(200, headers=headers)
        self._chunks = chunks
        self.close = close
        """Releases the resources of the chunks, such as a database snapshot; awaited once."""

    @property
    def content_length(self) -> None:
        """Return None."""

    async def stream(self, request: web.Request) -> None:
        """Send the head and the chunks; to HEAD send no chunks.

        Raise ConnectionError if the client has gone, or if a chunk failed. In the latter case log
        the error and abort the connection, so that the client does not take the body for complete.
        A chunk that fails with a ConnectionError counts as a client that has gone.
        """
        if request.method == "HEAD":
            await request.writer.write(self.head(request))
            return
        is_chunked = request.version is HttpVersion11
        if is_chunked:
            self.headers["Transfer-Encoding"] = "chunked"
        self.keep_alive = self.keep_alive and is_chunked
        await request.writer.write(self.head(request))
        if is_chunked:
            request.writer.enable_chunking()
        try:
            async for chunk in self._chunks:
                await _write_pieces(request, chunk)
            await request.writer.write_eof()
        except ConnectionError:
            raise
        except Exception as error:
            _log.exception("a response broke off")
            if request.transport is not None:
                request.transport.abort()
            raise ConnectionAbortedError("the response broke off") from error


async def send(request: web.Request, response: ApiResponse) -> None:
    """Send a response. Return when the transport has it all, or the connection is closed.

    Abort the connection if the client takes nothing for RESPONSE_IDLE_SECONDS, or if the whole
    takes RESPONSE_SECONDS, a stream STREAM_SECONDS. Raise no ConnectionError, but any other error.
    Set ``Connection: close`` if the connection is ending. Close a streamed response in every case.
    """
    connection, transport = request.protocol, request.transport
    if isinstance(connection, HttpConnection) and connection.is_ending:
        response.keep_alive = False
    is_behind = transport is not None and transport.get_write_buffer_size() > 0
    try:
        if isinstance(response, StreamedResponse):
            await _stream(request, response)
        elif is_behind or len(response.body) >= _LARGE_BYTES:
            await _send_pieces(request, response, is_behind=is_behind)
        else:
            await response.prepare(request)
    except (ConnectionError, TimeoutError):
        # aiohttp's server, which finishes the response next, handles the closed connection.
        response.keep_alive = False
        if transport is not None:
            transport.abort()


async def _send_pieces(request: web.Request, response: ApiResponse, *, is_behind: bool) -> None:
    body = response.body
    is_timed = is_behind or len(body) >= _TIMED_BYTES
    async with asyncio.timeout(RESPONSE_SECONDS if is_timed else None):
        head = response.head(request)
        await _write_pieces(request, b"" if request.method == "HEAD" else body, head)


async def _stream(request: web.Request, response: StreamedResponse) -> None:
    try:
        async with asyncio.timeout(STREAM_SECONDS):
            await response.stream(request)
    finally:
        await response.close()


async def _write_pieces(request: web.Request, data: bytes, head: bytes = b"") -> None:
    """Write data; raise ConnectionAbortedError if a piece takes RESPONSE_IDLE_SECONDS.

    A head is sent with the first piece: a packet of its own would wake the client once more.
    """
    with memoryview(data) as view:
        for start in range(0, max(len(view), bool(head)), RESPONSE_PIECE_BYTES):
            piece = view[start : start + RESPONSE_PIECE_BYTES]
            first = b"".join((head, piece)) if head and not start else piece
            await request.writer.write(first, drain=False)  # type: ignore[call-arg]
            if request.protocol.writing_paused:  # Most clients read at once.
                try:
                    async with asyncio.timeout(RESPONSE_IDLE_SECONDS):
                        await request.writer.drain()
                except TimeoutError:
                    raise ConnectionAbortedError("the client reads nothing") from None
