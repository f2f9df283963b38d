"""How many connections a worker holds: what its open files allow, and always room for one more.

Each connection is a file. Before files run out, the connection on which nothing has happened for
longest makes way for the new one; a connection with a request under way never does.

What ends a connection is said on it first: a request that is none gets its answer, and who is still
being served while the worker stops is told that this answer is the last one.
"""

import asyncio
import resource
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from aiohttp import HttpVersion10, HttpVersion11, hdrs, web
from aiohttp.http_exceptions import BadHttpMessage, HttpProcessingError
from aiohttp.http_parser import RawRequestMessage
from aiohttp.web_protocol import RequestHandler, RequestPayloadError, _ErrInfo

from service.error_types import ErrorType
from service.errors import api_error
from service.http import listeners
from service.http.context import MAKE_ROOM
from service.http.eviction import Eviction
from service.http.heads import HEAD_SECONDS, HeadReader
from service.http.parser_errors import ON_PARSER_ERROR, ParserErrorResponse, parser_error

MAX_CONNECTIONS: Final = 1000
"""Connections of a worker, whatever its files allow: what they begin to send takes memory, too."""
KEEP_ALIVE_SECONDS: Final = 75
NEW_SECONDS: Final = 1
"""How long a connection without a request does not count as idle."""
LINGER_SECONDS: Final = 2
"""What comes after a request that is none is taken for so long, and dropped."""
DRAIN_SECONDS: Final = 2
"""How long a worker that stops waits for callers to hear that the connection ends."""
_OTHER_FILES: Final = 100
"""What a worker has open besides: logs, metrics, files that it sends, the event loop's own."""
_QUEUE: Final = 2048
"""Connections that the kernel keeps for a worker at work; aiohttp's worker would ask for 128."""


def raise_file_limit() -> None:
    """Let this process and its children have as many open files as the system lets them."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS refuses what it calls unlimited
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def max_connections(taken: int) -> int:
    """How many connections a worker may hold that needs so many files for other known things."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(1, min(MAX_CONNECTIONS, soft - taken - _OTHER_FILES))


class Runner(web.AppRunner):
    """aiohttp's runner of an application, which holds at most so many connections."""

    def __init__(self, app: web.Application, *, connections: int, **options: Any) -> None:
        super().__init__(app, keepalive_timeout=KEEP_ALIVE_SECONDS, **options)
        self._most = connections

    def _reg_site(self, site: web.BaseSite) -> None:
        site._backlog = _QUEUE
        super()._reg_site(site)

    async def _make_server(self) -> web.Server:
        made, app = await super()._make_server(), self._app
        make_room = app.get(MAKE_ROOM, lambda: False)
        return _Server(made, self._most, app.get(ON_PARSER_ERROR), make_room)

    async def cleanup(self) -> None:
        """Stop accepting, tell callers on open connections that these end, then end them."""
        if isinstance(self.server, _Server):
            self.server.is_draining = True
            await listeners.close(self.sites)
            await self.server.drain()
        await super().cleanup()


class Connection(HeadReader):
    """aiohttp's connection, and the states of it that the server asks for."""

    __slots__ = ("_lingers",)

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._lingers = False

    @property
    def is_idle(self) -> bool:
        """Whether no request is under way; the last answer may still be on its way."""
        return self._lingers or (not self._request_in_progress and not self._messages)

    @property
    def is_new(self) -> bool:
        """Whether its first request may still be on its way: it was made a moment ago."""
        is_unused = self.is_idle and not self._request_count
        return is_unused and self.closes_at - self._loop.time() > HEAD_SECONDS - NEW_SECONDS

    @property
    def is_ending(self) -> bool:
        """Whether the next answer is the last.

        What follows cannot be read, or the worker stops or has too many connections.
        """
        server = self._manager
        return self._close or (isinstance(server, _Server) and server.ends_connections)

    @property
    def body_arrives(self) -> bool:
        """Whether the body of a request is not complete."""
        return not self._body.is_eof()

    @property
    def closes_at(self) -> float:
        """When it is closed for resting, by the clock of the event loop."""
        return self._next_keepalive_close_time

    def _handle_request(
        self,
        request: web.BaseRequest,
        start: float | None,
        handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
    ) -> Coroutine[Any, Any, tuple[web.StreamResponse, bool]]:
        """The same as ever; what aiohttp does when the task begins is done when it is made."""
        self._request_in_progress = True
        self._body = request.content
        message = request._message
        if message.version is not HttpVersion11 and not _is_earlier(message):
            refuse = self._make_error_handler(_ErrInfo(400, BadHttpMessage(""), ""))
            return super()._handle_request(request, start, refuse)
        if message.upgrade:
            # The parser ends at a request that asks for another protocol. It may have dropped what
            # stood behind it, so the answer says that the connection ends.
            request._message = message._replace(should_close=True)
        return super()._handle_request(request, start, handler)

    def _make_error_handler(
        self, err_info: _ErrInfo
    ) -> Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]:
        """What answers a request that the parser refuses."""

        async def refuse(request: web.BaseRequest) -> web.StreamResponse:
            self._close = True
            # aiohttp takes what it cannot read for the older version.
            request._version = HttpVersion11
            response = ParserErrorResponse(parser_error(err_info.exc))
            await response.prepare(request)
            await response.write_eof()
            if isinstance(self._manager, _Server):
                self._manager.tell(request, response)
            await self._linger()
            return response

        return refuse

    async def _linger(self) -> None:
        """Take what is still sent: a connection closed before loses its answer (RFC 9112, 9.6)."""
        if self.transport is not None and not self.transport.is_closing():
            self._lingers = True
            self.transport.write_eof()
            await asyncio.sleep(LINGER_SECONDS)

    def log_exception(self, *args: Any, **options: Any) -> None:
        """Log a defect, and no request that is none or breaks off: callers could fill the log."""
        if not isinstance(options.get("exc_info"), RequestPayloadError | HttpProcessingError):
            super().log_exception(*args, **options)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The answer where no handler had one, which is a defect."""
        self.log_exception("Answering failed (%s, %s)", status, message, exc_info=exc)
        if request.writer.output_size > 0:
            raise ConnectionError("A part of another answer is sent already.")
        return ParserErrorResponse(
            api_error(ErrorType.SERVER_ERROR, message="Something went wrong here.")
        )


def _is_earlier(message: RawRequestMessage) -> bool:
    """Return whether it is HTTP/1.0 without a transfer coding (RFC 9112, 6.1).

    The parser takes every other version for 1.1, which would be answered as it came.
    """
    return message.version is HttpVersion10 and hdrs.TRANSFER_ENCODING not in message.headers


class _Server(web.Server):
    """The connections of a worker."""

    def __init__(
        self,
        made: web.Server,
        most: int,
        tell: Callable[[web.BaseRequest, web.Response], None] | None,
        make_room: Callable[[], bool],
    ) -> None:
        super().__init__(
            made.request_handler,
            request_factory=made.request_factory,
            handler_cancellation=made.handler_cancellation,
            loop=made._loop,
            **made._kwargs,
        )
        self._most = most
        self.tell = tell or (lambda _request, _response: None)
        """Told of every request that the parser refused."""
        self._eviction = Eviction(most, make_room)
        self.is_draining = False
        self._is_empty = asyncio.Event()
        self._held: set[Connection] = set()

    def __call__(self) -> Connection:
        return Connection(self, loop=self._loop, **self._kwargs)

    def connection_made(self, handler: RequestHandler, transport: asyncio.Transport) -> None:
        """Let the connection in; one more than there is room for ends another, or is ended."""
        assert isinstance(handler, Connection)
        super().connection_made(handler, transport)
        if len(self._held) >= self._most:
            leaving = self._eviction.choose(self._held, handler)
            if leaving is not None:
                self._held.discard(leaving)
                self._connections[leaving].abort()
            if leaving is handler:
                return
        self._held.add(handler)

    @property
    def ends_connections(self) -> bool:
        """Whether each answer is the last one on its connection."""
        return self.is_draining or len(self._held) > self._most

    def connection_lost(self, handler: RequestHandler, exc: BaseException | None = None) -> None:
        """Forget the connection."""
        assert isinstance(handler, Connection)
        self._held.discard(handler)
        if self.is_draining and not self._held:
            self._is_empty.set()
        super().connection_lost(handler, exc)

    async def drain(self) -> None:
        """Wait until nobody is connected, though not for long; whoever asks meanwhile is told."""
        self.is_draining = True
        self._is_empty.clear()
        if self._held:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_empty.wait(), DRAIN_SECONDS)
