"""Two servers on one database: one caches responses, the other does not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp.test_utils import TestClient

from service.http import metrics
from tests.support.api import Answer, Api, issue_key
from tests.support.serving import serving


@dataclass
class Servers:
    """Callers of one organization: through a server with a cache, and one without."""

    cached: Api
    fresh: Api
    compared: int = 0

    async def compare(self, path: str) -> None:
        """Read a path through both; raise AssertionError unless the responses are equal."""
        cached, fresh = await self.cached.get(path), await self.fresh.get(path)
        assert shown(cached) == shown(fresh), path
        self.compared += 1


def shown(answer: Answer) -> tuple[Any, ...]:
    """Return what a caller sees of a response, whichever server sent it."""
    headers = ("ETag", "Content-Type", "Total-Count", "Accept-Patch", "Vary")
    return answer.status, answer.raw, [answer.headers.get(name) for name in headers]


@asynccontextmanager
async def _two_servers(dsn: str) -> AsyncIterator[Servers]:
    key = await issue_key(dsn, 1)
    async with (
        serving(dsn) as cached,
        serving(dsn, RESPONSE_CACHE_MIB="0") as fresh,
        TestClient(cached) as cached_client,
        TestClient(fresh) as fresh_client,
    ):
        yield Servers(Api(cached_client, key), Api(fresh_client, key))


@pytest.fixture
async def servers(demo_dsn: str) -> AsyncIterator[Servers]:
    """Servers on a database of the test's own."""
    async with _two_servers(demo_dsn) as servers:
        yield servers


@pytest.fixture(scope="module")
async def shared_servers(shared_dsn: str) -> AsyncIterator[Servers]:
    """Servers on the database that tests share, for tests that only read."""
    async with _two_servers(shared_dsn) as servers:
        yield servers


def hits() -> float:
    """Return the number of reads that the cache has answered in this process."""
    return float(metrics.CACHE_HITS.value)
