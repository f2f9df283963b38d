"""Tests of a worker's connections: a full worker still accepts a new one."""

import asyncio
import gc
import resource
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from service import supervisor
from service.http import connections, listeners
from service.http.connections import max_connections
from service.limits import (
    ACQUIRE_SECONDS,
    DRAIN_SECONDS,
    MAX_CONNECTIONS,
    STOP_SECONDS,
    WRITE_SECONDS,
)
from service.webhooks import webhook_sender
from tests.support.connection_server import GET, ROOM, ConnectionServer, is_closed, opened, status
from tests.support.time_limits import until, within

pytestmark = pytest.mark.contract("Connections")


@pytest.fixture
async def server() -> AsyncIterator[ConnectionServer]:
    async with opened() as made:
        yield made


async def test_new_connections_evict_idle_ones(server: ConnectionServer) -> None:
    idle = [await server.come() for _ in range(3 * ROOM)]
    assert await status(await server.come(GET % b"quick")) == b"200"
    gone = [await is_closed(reader) for reader in idle]
    assert gone == [True] * (2 * ROOM + 1) + [False] * (ROOM - 1)


async def test_the_most_recently_active_connection_stays(server: ConnectionServer) -> None:
    readers = [await server.come() for _ in range(ROOM)]
    await server.say(0, GET % b"quick")
    assert await status(readers[0]) == b"200"
    for _ in range(ROOM - 1):
        readers.append(await server.come())
    assert [await is_closed(reader) for reader in readers] == [
        *(False, True, True, True),
        *[False] * (ROOM - 1),
    ]


async def test_a_request_under_way_stays(server: ConnectionServer) -> None:
    slow = [await server.come(GET % b"slow") for _ in range(ROOM - 1)]
    for _ in range(2 * ROOM):
        assert await status(await server.come(GET % b"quick")) == b"200"
    slow.append(await server.come(GET % b"slow"))
    assert await is_closed(await server.come())
    server.open.set()
    assert [await status(reader) for reader in slow] == [b"200"] * ROOM


async def test_what_the_parser_refuses_waits_for_no_collection_of_garbage(
    server: ConnectionServer,
) -> None:
    def is_there() -> bool:
        errors = (each for each in gc.get_objects() if issubclass(type(each), HttpProcessingError))
        return any("-unheard-of" in str(each) for each in errors)

    gc.disable()
    try:
        assert await status(await server.come(b"-unheard-of\r\n\r\n")) == b"400"
        server.writers[0].close()
        await until(lambda: not is_there())
    finally:
        gc.enable()


@pytest.mark.contract("Shares")
async def test_a_request_whose_caller_is_gone_is_given_up(server: ConnectionServer) -> None:
    """aiohttp cancels its handler (`handler_cancellation`)."""
    await server.come(GET % b"slow")
    server.writers[0].transport.abort()
    async with within(5):
        await server.given_up.wait()


def test_files_that_a_worker_needs_are_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = []
    for soft in (1024, 300, 50, 10**6, resource.RLIM_INFINITY):
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        rooms.append(max_connections(10))
    assert rooms == [914, 190, 1, MAX_CONNECTIONS, MAX_CONNECTIONS]


async def test_connected_clients_get_connection_close_on_a_stop(
    server: ConnectionServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its next answer says that it is the last one, and then the connection ends, not before."""
    monkeypatch.setattr(connections, "DRAIN_SECONDS", 5)
    keep_alive, slow = await server.come(GET % b"quick"), await server.come(GET % b"slow")
    assert await status(keep_alive) == b"200"
    new = await server.come()
    stopping = asyncio.create_task(server.runner.cleanup())
    await asyncio.sleep(0.05)
    await server.say(2, GET % b"quick")
    await server.say(0, GET % b"quick")
    server.open.set()
    for reader in (keep_alive, slow, new):
        async with within(5):
            head = await reader.readuntil(b"\r\n\r\n")
            assert b"\r\nConnection: close\r\n" in head
            assert len(await reader.read()) == 1
    async with within(2):
        await stopping


async def test_a_delayed_stop_accepts_connections_meanwhile(
    server: ConnectionServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.runner, "_stop_delay", 600)
    stopping = asyncio.create_task(server.runner.cleanup())
    await asyncio.sleep(0)
    assert await status(await server.come(GET % b"quick")) == b"200"
    assert not stopping.done()
    stopping.cancel()


async def test_idle_connections_do_not_delay_a_stop(
    server: ConnectionServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "DRAIN_SECONDS", 0.1)
    resting = await server.come(GET % b"quick")
    assert await status(resting) == b"200"
    async with within(2):
        await server.runner.cleanup()
    assert await is_closed(resting)


async def test_the_time_of_a_drain_counts_in_that_of_running_requests(
    server: ConnectionServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "DRAIN_SECONDS", 0.2)
    monkeypatch.setattr(server.runner, "_shutdown_timeout", 0.2)
    await server.come(GET % b"slow")
    await server.runner.cleanup()
    assert server.runner._shutdown_timeout == 0.1, "what the drain took is gone"
    assert server.given_up.is_set()


def test_a_stop_ends_within_its_time() -> None:
    """Operating, Starting: after running requests come deliveries, then transactions."""
    grace = supervisor._GRACE_SECONDS
    assert grace > WRITE_SECONDS
    assert grace > listeners.CLOSE_SECONDS + DRAIN_SECONDS
    assert grace + webhook_sender._STOP_SECONDS + ACQUIRE_SECONDS < STOP_SECONDS


async def test_a_connection_that_ends_in_nonsense_makes_way(server: ConnectionServer) -> None:
    nonsense = [await server.come(b"NONSENSE\r\n\r\n") for _ in range(ROOM)]
    assert await status(await server.come(GET % b"quick")) == b"200"
    async with within(5):
        for reader in nonsense[1:]:
            assert (await reader.readuntil(b"\r\n\r\n"))[9:12] == b"400"


@pytest.mark.contract("Envelope")
async def test_failures_of_the_handler_get_the_error_envelope(
    server: ConnectionServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> web.Response:
        raise RuntimeError("inside")

    monkeypatch.setattr(server.runner.server, "request_handler", fail)
    reader = await server.come(GET % b"quick")
    async with within(5):
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b'"code":"server_error"' in answer
    assert b"inside" not in answer
    assert b"\r\nServer:" not in answer
