"""Tests of concurrent reads that share statements of the response cache."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from service.http import metrics
from tests.support.api import Answer
from tests.support.cached_servers import Servers, cached_servers, hits
from tests.support.time_limits import within

pytestmark = pytest.mark.contract("Envelope")

COLORS = "/api/colors"
_WAITING = "select pid from pg_locks where not granted and relation = 'color'::regclass"


@pytest.fixture
async def servers(demo_dsn: str) -> AsyncIterator[Servers]:
    """Servers on a database of the test's own."""
    async with cached_servers(demo_dsn) as running:
        yield running


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
            await connection.execute("select pg_cancel_backend($1)", process)
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
