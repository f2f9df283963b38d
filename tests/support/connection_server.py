"""Connection server: a small server on the service's connection handling, and its clients."""

import asyncio
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from service.http import connections
from service.http.connections import Runner
from tests.support.time_limits import scaled, within

ROOM = 4
GET = b"GET /%b HTTP/1.1\r\nHost: here\r\n\r\n"


@web.middleware
async def last_is_told(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Announce the end of a connection as the service does."""
    response = await handler(request)
    assert isinstance(request.protocol, connections.HttpConnection)
    if request.protocol.is_ending:
        response.force_close()
    return response


class ConnectionServer:
    """Server with room for four connections, and connections to it."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.given_up = asyncio.Event()
        app = web.Application(middlewares=[last_is_told], client_max_size=2**24)
        app.router.add_route("*", "/{name}", self._answer)
        self.runner = Runner(app, connections=ROOM, handler_cancellation=True, lingering_time=2)
        self.writers: list[StreamWriter] = []

    async def _answer(self, request: web.Request) -> web.Response:
        if request.match_info["name"] == "read":
            await request.read()
        if request.match_info["name"] == "slow":
            try:
                await self.open.wait()
            except asyncio.CancelledError:
                self.given_up.set()
                raise
        return web.Response(body=bytes(2**25 if request.match_info["name"] == "large" else 1))

    async def start(self) -> None:
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", 0).start()

    async def come(self, sent: bytes = b"", *, buffer: int = 2**16) -> StreamReader:
        """Open a connection; return its reader once the server has seen what it sends."""
        with socket.socket() as ours:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            ours.setblocking(False)
            await asyncio.get_running_loop().sock_connect(ours, self.runner.addresses[0])
            reader, writer = await asyncio.open_connection(sock=ours.dup(), limit=buffer)
        self.writers.append(writer)
        writer.write(sent)
        await asyncio.sleep(0.02)
        return reader

    async def say(self, number: int, sent: bytes) -> None:
        """Send on an earlier connection."""
        self.writers[number].write(sent)
        await asyncio.sleep(0.02)


@asynccontextmanager
async def opened() -> AsyncIterator[ConnectionServer]:
    """Serve until the context is left; then all callers are gone."""
    made = ConnectionServer()
    await made.start()
    try:
        yield made
    finally:
        made.open.set()
        for writer in made.writers:
            writer.transport.abort()
        await made.runner.cleanup()


async def is_closed(reader: StreamReader) -> bool:
    """Return whether the server has closed the connection, on which nothing is left to read."""
    try:
        async with asyncio.timeout(scaled(0.05)):
            return await reader.read(1) == b""
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True


async def status(reader: StreamReader) -> bytes:
    """Return the status of an answer whose body is one byte."""
    async with within(5):
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(1)
    return head[9:12]
