"""Request heads as they arrive: bounds on their bytes, their time and their number.

Parsed heads take several times their bytes in memory, and whoever sends them needs no key.
"""

import asyncio
from typing import Any, Final

from aiohttp import web_protocol
from aiohttp.http_parser import RawRequestMessage
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader
from aiohttp.web_protocol import RequestHandler, RequestPayloadError, _ErrInfo

from service.http.parser_errors import HeadTooLongError

HEAD_SECONDS: Final = 30
"""For a request's head, from its first byte, or from the start of the connection."""
LONGEST_HEAD: Final = 64 * 1024
"""Bytes; a head that is still not complete then never will be."""
MAX_QUEUED: Final = 2
"""Parsed requests that wait behind the one under way. Then reading from the connection stops."""

# Used by every connection and its parser. aiohttp queues 32 requests, each with a head of its own.
web_protocol.MAX_MSG_QUEUE_SIZE = MAX_QUEUED


class HeadReader(RequestHandler):
    """aiohttp's connection with bounds on heads, whether or not a request is under way.

    While a request is under way, at most MAX_QUEUED more are parsed. What came with them stays
    unparsed, and nothing else is read, until one of them is taken. A caller that hangs up after it
    has sent more than that is noticed when its next request is taken.
    """

    __slots__ = ("_body", "_has_deadline", "_head_bytes", "_unparsed")

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._body: StreamReader = EMPTY_PAYLOAD
        self._has_deadline = False
        self._head_bytes = 0
        self._unparsed = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first head."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Parse what came, in pieces no longer than a head may be.

        What stands behind something unreadable is never answered, so it is dropped.
        """
        if self._messages and isinstance(self._messages[-1][0], _ErrInfo):
            return
        if self._unparsed:
            data, self._unparsed = self._unparsed + data, b""
        if len(data) <= LONGEST_HEAD:
            self._parse(data)
            return
        for start in range(0, len(data), LONGEST_HEAD):
            if len(self._messages) >= MAX_QUEUED:
                self._unparsed = data[start:]
                return
            self._parse(data[start : start + LONGEST_HEAD])

    def _parse(self, data: bytes) -> None:
        """Parse a piece; what cannot be read, and a head that is too long, end the connection."""
        messages, count = self._messages, self._request_count
        is_body = not (messages[-1][1] if messages else self._body).is_eof()
        super().data_received(data)
        if self._request_count != count:
            if isinstance(messages[-1][0], _ErrInfo):
                self._break_off()
            elif self._head_bytes + len(data) > LONGEST_HEAD:
                self._refuse_long_heads()
            self._head_bytes = 0
            self._has_deadline = False
        elif not is_body and not self._close:
            self._count_head(len(data))

    def _count_head(self, received: int) -> None:
        """Count bytes of a head that is not complete, also while another request is under way."""
        self._head_bytes += received
        is_idle = self._waiter is not None and not self._waiter.done()
        if is_idle and not self._has_deadline:
            self._has_deadline = True
            self._await_head()
        if self._head_bytes > LONGEST_HEAD:
            self._messages.append(_too_long())
            if self._waiter is not None and is_idle:
                self._close = True
                self._waiter.set_result(None)
            else:
                self._pause_reading_for_buffer()

    def _refuse_long_heads(self) -> None:
        """Refuse the queued requests whose heads came whole but are too long."""
        for index, (message, _) in enumerate(self._messages):
            if not isinstance(message, _ErrInfo) and _length(message) > LONGEST_HEAD:
                self._messages[index] = _too_long()

    def _break_off(self) -> None:
        """Let what cannot be read end a body that it stands in; elsewhere it is a request."""
        body = self._messages[-2][1] if len(self._messages) > 1 else self._body
        if not body.is_eof():
            self._messages.pop()
            self._close = True
            body.set_exception(RequestPayloadError())

    def _await_head(self) -> None:
        """Close the connection in HEAD_SECONDS unless a head is complete by then."""
        closes_at = self._next_keepalive_close_time = self._loop.time() + HEAD_SECONDS
        if self._keepalive_handle is not None:
            self._keepalive_handle.cancel()
        self._keepalive_handle = self._loop.call_at(closes_at, self._process_keepalive)


def _too_long() -> tuple[_ErrInfo, StreamReader]:
    """Return the queue entry that answers a head that is too long."""
    return _ErrInfo(431, HeadTooLongError(), ""), EMPTY_PAYLOAD


def _length(message: RawRequestMessage) -> int:
    """Return the bytes of a request's head, but for white space and the request line's ends."""
    return len(message.path) + sum(len(name) + len(text) + 4 for name, text in message.raw_headers)
