"""Request head limits: size, time to arrive, and number of pipelined requests.

A parsed head takes several times its bytes in memory, and clients need no key to send one. Limits
of a single line and of the number of headers are the parser's (``parser_limits``).
"""

import asyncio
from typing import Any

from aiohttp import web_protocol
from aiohttp.http_parser import RawRequestMessage
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader
from aiohttp.web_protocol import RequestHandler, RequestPayloadError, _ErrInfo

from service.http.parser_errors import HeadTooLongError
from service.limits import HEAD_SECONDS, MAX_HEAD_BYTES, MAX_QUEUED

# Every connection and its parser reads this global. aiohttp's default is 32 requests.
web_protocol.MAX_MSG_QUEUE_SIZE = MAX_QUEUED


class HeadReader(RequestHandler):
    """aiohttp's connection with limits on request heads.

    While a request is in progress, at most MAX_QUEUED more are parsed. Further data stays unparsed,
    and reading pauses, until one of them is taken out of the queue; aiohttp then calls
    ``data_received(b"")``, which parses the rest. A disconnect during the pause is noticed only
    when reading goes on. A head of more than MAX_HEAD_BYTES gets 431. A connection without a
    complete head within HEAD_SECONDS of its first byte, or at first of the connection's start, is
    closed without a response. That timeout runs only while no request is in progress.
    """

    __slots__ = ("_body", "_has_deadline", "_head_bytes", "_unparsed")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._body: StreamReader = EMPTY_PAYLOAD
        self._has_deadline = False
        self._head_bytes = 0
        self._unparsed = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the timeout of the first head, which its first byte starts anew."""
        super().connection_made(transport)
        self._start_head_timeout()

    def data_received(self, data: bytes) -> None:
        """Parse data in pieces of at most MAX_HEAD_BYTES bytes, while the queue has room.

        Data after a malformed request is discarded, for the connection closes after its response.
        """
        if self._messages and isinstance(self._messages[-1][0], _ErrInfo):
            return
        if self._unparsed:
            data, self._unparsed = self._unparsed + data, b""
        if len(data) <= MAX_HEAD_BYTES:
            self._parse(data)
            return
        for start in range(0, len(data), MAX_HEAD_BYTES):
            if len(self._messages) >= MAX_QUEUED:
                self._unparsed = data[start:]
                return
            self._parse(data[start : start + MAX_HEAD_BYTES])

    def _parse(self, data: bytes) -> None:
        """Parse a piece. A malformed request or an oversized head ends the connection."""
        messages, count = self._messages, self._request_count
        is_body = not (messages[-1][1] if messages else self._body).is_eof()
        super().data_received(data)
        if self._request_count != count:
            if isinstance(messages[-1][0], _ErrInfo):
                self._fail_body()
            elif self._head_bytes + len(data) > MAX_HEAD_BYTES:
                self._refuse_long_heads()
            self._head_bytes = 0
            self._has_deadline = False
        elif not is_body and not self._close:
            self._count_head(len(data))

    def _count_head(self, received: int) -> None:
        """Count the bytes of an incomplete head, also while another request is in progress.

        Its timeout runs only while no request is in progress.
        """
        self._head_bytes += received
        awaits_request = self._waiter is not None and not self._waiter.done()
        if awaits_request and not self._has_deadline:
            self._has_deadline = True
            self._start_head_timeout()
        if self._head_bytes > MAX_HEAD_BYTES:
            self._messages.append(_too_long())
            if self._waiter is not None and awaits_request:
                self._close = True
                self._waiter.set_result(None)
            else:
                self._pause_reading_for_buffer()

    def _refuse_long_heads(self) -> None:
        """Replace queued requests whose complete heads are too long by errors."""
        for index, (message, _) in enumerate(self._messages):
            if not isinstance(message, _ErrInfo) and _length(message) > MAX_HEAD_BYTES:
                self._messages[index] = _too_long()

    def _fail_body(self) -> None:
        """Turn a parser error inside a body into an error of that body, not of another request."""
        body = self._messages[-2][1] if len(self._messages) > 1 else self._body
        if not body.is_eof():
            self._messages.pop()
            self._close = True
            body.set_exception(RequestPayloadError())

    def _start_head_timeout(self) -> None:
        """Start the timeout: close the connection in HEAD_SECONDS without a complete head."""
        closes_at = self._next_keepalive_close_time = self._loop.time() + HEAD_SECONDS
        if self._keepalive_handle is not None:
            self._keepalive_handle.cancel()
        self._keepalive_handle = self._loop.call_at(closes_at, self._process_keepalive)


def _too_long() -> tuple[_ErrInfo, StreamReader]:
    """Return the queue entry of a request whose head is too long."""
    return _ErrInfo(431, HeadTooLongError(), ""), EMPTY_PAYLOAD


def _length(message: RawRequestMessage) -> int:
    """Return the bytes of the target and the header lines, ``: `` and CRLF included.

    Method and version of the request line do not count.
    """
    return len(message.path) + sum(
        len(name) + len(value) + 4 for name, value in message.raw_headers
    )
