"""Tests of concurrent reads that share statements of the response cache."""

import asyncio
from typing import Any

import asyncpg
import pytest
from aiohttp import web

from service.handlers.response_cache import ResponseCache
from service.http import metrics
from service.http.envelope import ApiResponse
from service.http.router import Handler
from tests.support.api import Answer, replacing
from tests.support.cached_servers import Servers, hits
from tests.support.cached_servers import servers as servers  # a fixture
from tests.support.time_limits import scaled, within

pytestmark = pytest.mark.contract("Envelope")

COLORS = "/api/colors"
_WAITING = "select pid from pg_locks where not granted and relation = 'color'::regclass"


async def _reader_waits(connection: asyncpg.Connection) -> int:
    """Return the process of a reader that waits for the lock on colors, once there is one."""
    async with within(30):
        while True:
            process = await connection.fetchval(_WAITING)
            if process:
                return int(process)
            await asyncio.sleep(0.01)


async def test_concurrent_reads_of_a_target_share_its_statements(
    servers: Servers, demo_dsn: str
) -> None:
    await servers.compare(f"{COLORS}/1")
    before, misses = hits(), metrics.CACHE_MISSES.value
    connection = await asyncpg.connect(demo_dsn)
    try:
        async with connection.transaction():
            await connection.execute("lock table color in access exclusive mode")
            readers = [asyncio.create_task(servers.cached.get(COLORS)) for _ in range(5)]
            await _reader_waits(connection)
            late = asyncio.create_task(servers.cached.get(COLORS))
            await asyncio.sleep(0.05)
    finally:
        await connection.close()
    answers = await asyncio.gather(*readers, late)
    assert len({answer.raw for answer in answers}) == 1
    assert metrics.CACHE_MISSES.value == misses + 1
    assert hits() == before + 5


async def test_a_failed_read_is_shared_with_nobody(servers: Servers, demo_dsn: str) -> None:
    """Each of the concurrent readers of a failed statement tries for itself."""
    await servers.compare(f"{COLORS}/1")
    before = hits()
    connection = await asyncpg.connect(demo_dsn)
    try:
        async with connection.transaction():
            await connection.execute("lock table color in access exclusive mode")
            readers = [asyncio.create_task(servers.cached.get(COLORS)) for _ in range(3)]
            process = await _reader_waits(connection)
            await connection.execute("select pg_cancel_backend($1::integer)", process)
            await asyncio.wait(readers, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await connection.close()
    answers = await asyncio.gather(*readers)
    assert sorted(answer.status for answer in answers) == [200, 200, 503]
    assert hits() <= before + 1
    await servers.compare(COLORS)


async def test_a_canceled_reader_leaves_the_poll_to_the_others(servers: Servers) -> None:
    await servers.compare(COLORS)
    readers = [asyncio.create_task(servers.cached.get(COLORS)) for _ in range(20)]
    await asyncio.sleep(0.001)
    for reader in readers[::2]:
        reader.cancel()
    answers = await asyncio.gather(*readers, return_exceptions=True)
    assert all(answer.status == 200 for answer in answers if isinstance(answer, Answer))
    await servers.compare(COLORS)


async def test_a_read_that_began_before_a_write_is_of_no_use_after_it(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its response, which ends after the write, is neither shared nor cached as a current one."""
    path, respond = f"{COLORS}/1", ResponseCache.respond
    has_read, may_end = asyncio.Event(), asyncio.Event()

    async def respond_late(self: ResponseCache, request: web.Request, handler: Handler) -> Any:
        async def late(request: web.Request) -> ApiResponse:
            response = await handler(request)
            if not has_read.is_set():
                has_read.set()
                await may_end.wait()
            return response

        return await respond(self, request, late)

    await servers.compare(f"{COLORS}/2")
    monkeypatch.setattr(ResponseCache, "respond", respond_late)
    early = asyncio.create_task(servers.cached.get(path))
    async with within(10):
        await has_read.wait()
    written = await servers.fresh.patch(path, replacing("/name", "Written meanwhile"))
    assert written.status == 200, written.raw
    later = asyncio.create_task(servers.cached.get(path))
    await asyncio.sleep(scaled(0.1))
    may_end.set()
    assert (await early).data["name"] != "Written meanwhile"
    assert (await later).data["name"] == "Written meanwhile"
    await servers.compare(path)
