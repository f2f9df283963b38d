"""Tests of request heads: bounds on their time and their number, and pipelining."""

import asyncio
from asyncio import StreamWriter
from collections.abc import AsyncIterator

import pytest

from service.http import connections
from service.limits import MAX_QUEUED
from tests.support.connection_server import GET, ConnectionServer, is_closed, opened, status
from tests.support.time_limits import within

pytestmark = pytest.mark.contract("Connections", "Limits")


@pytest.fixture
async def server() -> AsyncIterator[ConnectionServer]:
    async with opened() as made:
        yield made


async def test_a_head_has_to_come_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "KEEP_ALIVE_SECONDS", 0.2)
    async with opened() as server:
        begun = [
            await server.come(),
            await server.come(GET[:20]),
            await server.come(GET % b"quick"),
        ]
        assert await status(begun[2]) == b"200"
        await server.say(2, GET[:20])
        await asyncio.sleep(0.5)
        assert [await is_closed(reader) for reader in begun] == [True] * 3


async def filled(writer: StreamWriter, sent: bytes) -> int:
    """Return how much the server and the kernels took before they took no more."""
    size = writer.transport.get_write_buffer_size
    for count in range(400):
        writer.write(sent)
        before = size()
        for _ in range(10):
            await asyncio.sleep(0.01)
            if size() < before:
                break
        else:
            return count * len(sent)
    raise AssertionError("The server reads without end.")


async def test_little_is_read_while_a_request_is_under_way(server: ConnectionServer) -> None:
    """aiohttp parses 32 requests ahead by default, which are 20 times their bytes."""
    await server.come(GET % b"slow")
    [connection] = server.runner.server.connections  # type: ignore[union-attr]
    assert isinstance(connection, connections.HttpConnection)
    await filled(server.writers[0], (GET % b"quick") * (2**18 // len(GET)))
    assert len(connection._messages) <= MAX_QUEUED


@pytest.mark.parametrize("number", [2, 3, 4, 100, 5000])
async def test_requests_sent_at_once_are_all_answered(
    server: ConnectionServer, number: int
) -> None:
    reader = await server.come((GET % b"quick") * number)
    for _ in range(number):
        assert await status(reader) == b"200"
    await server.say(0, GET % b"quick")
    assert await status(reader) == b"200"


async def test_bodies_behind_a_request_are_read_in_their_turn(server: ConnectionServer) -> None:
    post = b"POST /read HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n"
    bodies = [bytes(size) for size in (1, 300_000, 0, 70_000, 2_000_000)]
    reader = await server.come(GET % b"slow")
    sent = b"".join(post % len(body) + body + GET % b"quick" for body in bodies)
    server.writers[0].write(sent)
    await asyncio.sleep(0.05)
    server.open.set()
    for _ in range(1 + 2 * len(bodies)):
        assert await status(reader) == b"200"


@pytest.mark.parametrize("protocol", [b"h2c", b"websocket"])
async def test_no_request_behind_an_upgrade_stalls(
    server: ConnectionServer, protocol: bytes
) -> None:
    """The parser drops what stands behind, or keeps it for the other protocol."""
    upgrade = b"Connection: Upgrade\r\nUpgrade: %b\r\n\r\n" % protocol
    reader = await server.come((GET[:-2] + upgrade) % b"quick" + GET % b"quick")
    async with within(5):
        answer = await reader.read()
    assert answer.count(b"HTTP/1.1 200 OK\r\n") == 1
    assert b"\r\nConnection: close\r\n" in answer
