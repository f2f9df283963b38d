"""HTTP connections of a worker: connection limit, eviction and graceful shutdown.

Each connection is an open file. At the limit a new connection evicts the idle one that is nearest
to its timeout, or is aborted if none is idle. Without eviction a few thousand idle connections
lock out all other callers (``make attack``: idle, heads, followers). Malformed requests end by a
lingering close, else who still sends gets a reset in place of the error (``_linger``).
"""

import asyncio
import heapq
import resource
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from operator import attrgetter
from typing import Any, Final

from aiohttp import HttpVersion10, HttpVersion11, hdrs, web, web_protocol
from aiohttp.http_exceptions import BadHttpMessage, HttpProcessingError
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader
from aiohttp.web_protocol import RequestHandler, RequestPayloadError, _ErrInfo

from service.error_types import ErrorType
from service.errors import api_error
from service.http import listeners
from service.http.context import STOPPING
from service.http.envelope import ApiResponse
from service.http.parser_errors import ON_PARSER_ERROR, parser_error, parser_error_response
from service.limits import DRAIN_SECONDS, KEEP_ALIVE_SECONDS, MAX_CONNECTIONS, MAX_QUEUED

# Each connection and its parser read this global. aiohttp would parse 32 requests ahead.
web_protocol.MAX_MSG_QUEUE_SIZE = MAX_QUEUED

_EVICTION_BATCH: Final = 64
"""Idle connections that are sorted at a time."""
LINGER_SECONDS: Final = 2
"""Maximum seconds for which data after a malformed request is read and discarded."""
_OTHER_FILES: Final = 100
"""Estimated number of a worker's other open files: logs, metrics, the event loop's own."""


def raise_file_limit() -> None:
    """Raise the limit of open files, also of later children, to the hard one if that may be."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS refuses RLIM_INFINITY
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def max_connections(reserved_files: int) -> int:
    """Return the connection limit of a worker that needs ``reserved_files`` more open files.

    It is MAX_CONNECTIONS, or less if the process may open fewer files, and at least 1.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(1, min(MAX_CONNECTIONS, soft - reserved_files - _OTHER_FILES))


class Runner(web.AppRunner):
    """aiohttp's runner of an application, with a connection limit and a graceful shutdown."""

    def __init__(
        self, app: web.Application, *, connections: int, stop_delay: float = 0, **options: Any
    ) -> None:
        super().__init__(app, keepalive_timeout=KEEP_ALIVE_SECONDS, **options)
        self._max_connections = connections
        self._stop_delay = stop_delay

    def _reg_site(self, site: web.BaseSite) -> None:
        """Register a listener, with a longer accept queue than aiohttp's."""
        site._backlog = listeners.BACKLOG
        super()._reg_site(site)

    async def _make_server(self) -> web.Server:
        """Return the server with the connection limit in place of aiohttp's."""
        server, app = await super()._make_server(), self._app
        return _Server(server, self._max_connections, app.get(ON_PARSER_ERROR))

    async def cleanup(self) -> None:
        """Serve on for ``stop_delay`` s, stop accepting, drain connections, let aiohttp shut down.

        The application is not ready from the beginning. aiohttp closes idle connections, and ends
        requests that outlast its shutdown timeout.
        """
        if (stopping := self.app.get(STOPPING)) is not None:
            stopping.set()
        await asyncio.sleep(self._stop_delay)
        deadline = time.monotonic() + self._shutdown_timeout
        if isinstance(self.server, _Server):
            self.server.is_draining = True
            await listeners.close(self.sites)
            await self.server.drain()
        # The time of the steps before counts as well; aiohttp takes 0 for no timeout.
        self._shutdown_timeout = max(0.1, deadline - time.monotonic())
        await super().cleanup()


class HttpConnection(RequestHandler):
    """aiohttp's connection, with the states that eviction and draining need.

    It refuses HTTP versions other than 1.0 and 1.1, and closes after refused requests and those for
    a protocol upgrade.
    """

    __slots__ = ("_body", "_lingers")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._body: StreamReader = EMPTY_PAYLOAD
        self._lingers = False

    @property
    def is_idle(self) -> bool:
        """Return whether no request is queued or in progress, or the connection lingers.

        An incomplete head is no request yet. The client may still have to read the last response.
        """
        return self._lingers or (not self._request_in_progress and not self._messages)

    @property
    def is_ending(self) -> bool:
        """Return whether the connection closes after the next response."""
        server = self._manager
        return self._close or (isinstance(server, _Server) and server.is_draining)

    @property
    def closes_at(self) -> float:
        """Return the time of the keep-alive timeout, by the clock of the event loop.

        It runs from the start of the connection or the last response until a head is complete.
        """
        return self._next_keepalive_close_time

    def data_received(self, data: bytes) -> None:
        """Parse data, or discard it after a malformed request, whose response closes.

        A parser error inside a body becomes an error of that body, not of another request.
        """
        if self._messages and isinstance(self._messages[-1][0], _ErrInfo):
            return
        count = self._request_count
        super().data_received(data)
        if self._request_count != count and isinstance(self._messages[-1][0], _ErrInfo):
            body = self._messages[-2][1] if len(self._messages) > 1 else self._body
            if not body.is_eof():
                self._messages.pop()
                self._close = True
                body.set_exception(RequestPayloadError())

    def _handle_request(
        self,
        request: web.BaseRequest,
        start: float | None,
        handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
    ) -> Coroutine[Any, Any, tuple[web.StreamResponse, bool]]:
        """Mark the request as in progress at once, and refuse it if its version is wrong.

        aiohttp marks it when its task starts; until then an eviction would take it for idle.
        """
        self._request_in_progress = True
        self._body = request.content
        message = request._message
        # HTTP/1.0 has no transfer codings (RFC 9112, 6.1). The parser accepts any version, which
        # aiohttp would repeat in the response.
        is_1_0 = message.version is HttpVersion10 and hdrs.TRANSFER_ENCODING not in message.headers
        if message.version is not HttpVersion11 and not is_1_0:
            refuse = self._make_error_handler(_ErrInfo(400, BadHttpMessage(""), ""))
            return super()._handle_request(request, start, refuse)
        if message.upgrade:
            # The parser stops at a protocol upgrade and may have dropped the bytes after it, so the
            # connection closes after the response.
            request._message = message._replace(should_close=True)
        return super()._handle_request(request, start, handler)

    def _make_error_handler(
        self, err_info: _ErrInfo
    ) -> Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]:
        """Return the handler of a request that the parser refused."""

        async def refuse(request: web.BaseRequest) -> web.StreamResponse:
            self._close = True
            # With its traceback, it and what was read would stay until garbage is collected.
            response = parser_error_response(parser_error(err_info.exc.with_traceback(None)))
            await response.prepare(request)
            if isinstance(self._manager, _Server):
                self._manager.on_parser_error(request, response)
            await self._linger()
            return response  # type: ignore[return-value]

        return refuse

    async def _linger(self) -> None:
        """Read and discard until the client closes, for at most LINGER_SECONDS.

        This is the lingering close of RFC 9112, section 9.6. Without it a client that still sends
        gets a reset in place of the response (``tests/contract/test_raw_requests.py``).
        """
        if self.transport is not None and not self.transport.is_closing():
            self._lingers = True
            self.transport.write_eof()
            await asyncio.sleep(LINGER_SECONDS)

    def log_exception(self, *args: Any, **options: Any) -> None:
        """Log an exception, but no malformed or incomplete request: these could flood the log."""
        error = options.get("exc_info")
        if isinstance(error, RequestPayloadError | HttpProcessingError):
            # The request's stream keeps the error, whose traceback would keep the request.
            error.with_traceback(None)
        else:
            super().log_exception(*args, **options)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Return the 500 response for a defect outside of the middleware, and log the defect.

        ``status`` does not count. Raise ConnectionError if part of another response has been sent.
        """
        self.log_exception(
            "Request failed outside of the middleware (%s, %s)", status, message, exc_info=exc
        )
        if request.writer.output_size > 0:
            raise ConnectionError("part of another response has been sent already")
        return parser_error_response(  # type: ignore[return-value]
            api_error(ErrorType.SERVER_ERROR)
        )


class _Server(web.Server):
    """aiohttp's server with a connection limit and draining: the set of its open connections."""

    def __init__(
        self,
        server: web.Server,
        max_connections: int,
        on_parser_error: Callable[[web.BaseRequest, ApiResponse], None] | None,
    ) -> None:
        super().__init__(
            server.request_handler,
            request_factory=server.request_factory,
            handler_cancellation=server.handler_cancellation,
            loop=server._loop,
            **server._kwargs,
        )
        self._max_connections = max_connections
        self.on_parser_error = on_parser_error or (lambda _request, _response: None)
        """Called after the response to a request that the parser refused."""
        self._victims: list[tuple[float, HttpConnection]] = []
        """Idle connections and their timeouts when they were sorted, the nearest timeout last."""
        self.is_draining = False
        self._is_empty = asyncio.Event()
        self._open: set[HttpConnection] = set()

    def __call__(self) -> HttpConnection:
        """Return the protocol of a new connection."""
        return HttpConnection(self, loop=self._loop, **self._kwargs)

    def connection_made(self, handler: RequestHandler, transport: asyncio.Transport) -> None:
        """Add the connection; at the limit abort an idle one, or the new one if none is idle."""
        assert isinstance(handler, HttpConnection)
        super().connection_made(handler, transport)
        if len(self._open) >= self._max_connections:
            victim = self._idle() or handler
            self._open.discard(victim)
            self._connections[victim].abort()
            if victim is handler:
                return
        self._open.add(handler)

    def _idle(self) -> "HttpConnection | None":
        """Remove and return the victim with the nearest timeout; None if no connection is idle.

        Connections that became idle after the sort are considered when no victim is left.
        """
        while self._victims:
            closes_at, victim = self._victims.pop()
            if victim in self._open and victim.is_idle and victim.closes_at == closes_at:
                return victim
        idle = (connection for connection in self._open if connection.is_idle)
        nearest = heapq.nsmallest(_EVICTION_BATCH, idle, key=attrgetter("closes_at"))
        self._victims = [(connection.closes_at, connection) for connection in reversed(nearest)]
        return self._victims.pop()[1] if self._victims else None

    def connection_lost(self, handler: RequestHandler, exc: BaseException | None = None) -> None:
        """Remove the connection, and end the drain with the last one."""
        assert isinstance(handler, HttpConnection)
        self._open.discard(handler)
        if self.is_draining and not self._open:
            self._is_empty.set()
        super().connection_lost(handler, exc)

    async def drain(self) -> None:
        """Wait up to DRAIN_SECONDS for all connections to close; close none itself.

        Meanwhile and afterwards every response closes its connection.
        """
        self.is_draining = True
        self._is_empty.clear()
        if self._open:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_empty.wait(), DRAIN_SECONDS)
