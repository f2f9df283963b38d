"""Tests of the response sender: stalled clients are aborted, slow ones are served."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from aiohttp import web

from service.http import response_sender
from service.http.response_sender import RESPONSE_SENDER, run_response_sender
from tests.support.time_limits import scaled, until

pytestmark = pytest.mark.contract("Budgets")

#: More than the system's own buffers hold.
LONG = bytes(32 * 2**20)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are looked at often, and given up soon."""
    monkeypatch.setattr(response_sender, "_CHECK_SECONDS", 0.02)
    monkeypatch.setattr(response_sender, "RESPONSE_IDLE_SECONDS", scaled(0.4))


@asynccontextmanager
async def response_to(body: bytes) -> AsyncIterator[tuple[web.Application, asyncio.StreamReader]]:
    """Serve this body to a client that has not read anything yet."""

    async def answer(request: web.Request) -> web.Response:
        response = web.Response(body=body)
        await app[RESPONSE_SENDER].send(request, response)
        return response

    app = web.Application()
    app.router.add_get("/", answer)
    app.cleanup_ctx.append(run_response_sender)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    connected = socket.create_connection(runner.addresses[0])
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    reader, writer = await asyncio.open_connection(sock=connected, limit=65536)
    try:
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        yield app, reader
    finally:
        writer.close()
        await runner.cleanup()


def under_way(app: web.Application) -> int:
    return len(app[RESPONSE_SENDER]._in_flight)


async def rest(reader: asyncio.StreamReader, *, pause: float = 0) -> int:
    """Return how many bytes of the body arrive."""
    await reader.readuntil(b"\r\n\r\n")
    size = 0
    with suppress(ConnectionError):
        while size < len(LONG) and (piece := await reader.read(2**20)):
            size += len(piece)
            await asyncio.sleep(pause)
    return size


async def test_an_answer_that_is_taken_arrives_whole() -> None:
    async with response_to(LONG) as (app, reader):
        assert await rest(reader) == len(LONG)
        assert under_way(app) == 0


async def test_an_answer_that_is_taken_slowly_arrives_whole() -> None:
    async with response_to(LONG) as (app, reader):
        await asyncio.sleep(0.2)
        assert under_way(app) == 1
        assert await rest(reader, pause=0.002) == len(LONG)


async def test_an_answer_that_is_not_taken_ends() -> None:
    async with response_to(LONG) as (app, reader):
        await until(lambda: under_way(app) == 1)
        await until(lambda: under_way(app) == 0)
        assert await rest(reader) < len(LONG)


async def test_an_answer_that_takes_too_long_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_sender, "RESPONSE_SECONDS", 0.3)
    async with response_to(LONG) as (_, reader):
        assert await rest(reader, pause=0.05) < len(LONG)
