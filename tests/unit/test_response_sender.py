"""Tests of the response sender: stalled clients are aborted, slow ones are served."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from unittest import mock

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from service.http import response_sender
from service.http.envelope import ApiResponse
from tests.support.time_limits import scaled, until

pytestmark = pytest.mark.contract("Budgets")

#: More than the system's own buffers hold.
LONG = bytes(32 * 2**20)
CRLF = b"\r\n"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are given up soon."""
    monkeypatch.setattr(response_sender, "RESPONSE_IDLE_SECONDS", scaled(0.4))


@asynccontextmanager
async def response_to(
    body: bytes, requests: bytes = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
) -> AsyncIterator[tuple[list[web.Request], asyncio.StreamReader]]:
    """Serve this body to a client that has not read anything yet; yield requests under way."""
    under_way = list[web.Request]()

    async def answer(request: web.Request) -> ApiResponse:
        response = ApiResponse(200, body)
        under_way.append(request)
        await response_sender.send(request, response)
        under_way.remove(request)
        return response

    app = web.Application()
    app.router.add_get("/", answer)  # type: ignore[arg-type]
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    connected = socket.create_connection(runner.addresses[0])
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    reader, writer = await asyncio.open_connection(sock=connected, limit=65536)
    try:
        writer.write(requests)
        yield under_way, reader
    finally:
        writer.close()
        await runner.cleanup()


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
    async with response_to(LONG) as (under_way, reader):
        assert await rest(reader) == len(LONG)
        await until(lambda: not under_way)


async def test_an_answer_that_is_taken_slowly_arrives_whole() -> None:
    async with response_to(LONG) as (under_way, reader):
        await asyncio.sleep(0.2)
        assert under_way
        assert await rest(reader, pause=0.002) == len(LONG)


async def test_an_answer_that_is_not_taken_ends() -> None:
    async with response_to(LONG) as (under_way, reader):
        await until(lambda: bool(under_way))
        await until(lambda: not under_way)
        assert await rest(reader) < len(LONG)


async def test_an_answer_that_takes_too_long_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_sender, "RESPONSE_SECONDS", 0.3)
    async with response_to(LONG) as (_, reader):
        assert await rest(reader, pause=0.05) < len(LONG)


async def test_the_head_of_a_long_answer_is_sent_with_its_first_piece() -> None:
    options = {"writer": mock.AsyncMock(), "transport": mock.Mock(get_write_buffer_size=int)}
    request = make_mocked_request("GET", "/", **options)
    await response_sender.send(request, ApiResponse(200, LONG[: 2**17]))
    sent = [len(call.args[0]) for call in options["writer"].write.await_args_list]
    assert sent[0] > sent[1] == 2**16


@pytest.mark.parametrize("body", [b"", b"short", bytes(2**17)], ids=["none", "short", "long"])
async def test_pipelined_requests_are_answered_in_turn(body: bytes) -> None:
    """HEAD gets no body, HTTP/1.0 stays open if it asks for that, and the last request closes."""
    requests = (
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\nHEAD / HTTP/1.1\r\nHost: x\r\n\r\n"
        b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    async with response_to(body, requests) as (_, reader):
        for sent, connection in ((body, b""), (b"", b""), (body, b"keep-alive"), (body, b"close")):
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 OK\r\n")
            assert b"\r\nContent-Length: %d\r\n" % len(body) in head
            assert (b"\r\nContent-Type: application/json\r\n" in head) == bool(body)
            assert head.partition(b"\r\nConnection: ")[2] == (connection and connection + CRLF * 2)
            assert await reader.readexactly(len(sent)) == sent
        assert await reader.read() == b""


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b", "a\rb", "a\nb", "a\0b"])
def test_a_header_that_would_break_its_line_is_refused(value: str) -> None:
    response = ApiResponse(200, headers={"Location": value})
    with pytest.raises(ValueError, match="line break"):
        response.head(make_mocked_request("GET", "/"))
