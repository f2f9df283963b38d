"""A shop's copy of products over kills of workers, restarts, and days that pass.

``TEST_SHOP_WRITES`` is the number of random writes.
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final, cast

import aiohttp
import asyncpg
import pytest

from tests.support.api import Api, issue_key
from tests.support.processes import Running, running
from tests.support.sampling import settle_seed
from tests.support.shop import FIELDS, Copy, Shop
from tests.support.time_limits import scaled

pytestmark = [pytest.mark.contract("Products"), pytest.mark.plain_postgresql]
WRITES: Final = int(os.environ.get("TEST_SHOP_WRITES") or "40")
STYLES: Final = 5
WRITERS: Final = 3
_WORKERS: Final = 2
_DAY: Final = timedelta(days=1)
_LONG_AGO: Final = (
    "update change set at = at - $2::interval where at > $1::timestamptz - $2::interval"
)
#: As if a day passed: everything is a day older.
_A_DAY_PASSES: Final = (
    "update change set at = at - interval '1 day'",
    "update style_price set valid_from = valid_from - 1, valid_to = valid_to - 1",
    "update price_list set valid_from = valid_from - 1, valid_to = valid_to - 1",
)


class Service:
    """A service with workers, which can be restarted, and an API that follows it."""

    def __init__(self, start: Callable[[], Any], key: str) -> None:
        self._start, self._stack = start, ExitStack()
        self.api = Api(cast(Any, None), key)

    async def restart(self) -> None:
        await self.stop()
        self.running: Running = self._stack.enter_context(self._start())
        connector = aiohttp.TCPConnector(force_close=True)
        self.api.client = cast(
            Any, aiohttp.ClientSession(self.running.base_url, connector=connector)
        )

    async def stop(self) -> None:
        if self.api.client is not None:
            await self.api.client.close()
        self._stack.close()

    async def kill(self, delay: float) -> None:
        """Kill a worker after a while, and wait until there is another one."""
        await asyncio.sleep(delay)
        for worker in self.running.workers()[:1]:
            worker.kill()
        for _ in range(round(scaled(300))):
            await asyncio.sleep(0.1)
            if len(self.running.workers()) == _WORKERS and await self._answers():
                return
        raise AssertionError("The workers do not return.")

    async def _answers(self) -> bool:
        try:
            return (await self.api.get("/api/changes", {"from": "now"})).status == 200
        except aiohttp.ClientError:
            return False


def aged(document: Any) -> Any:
    """Return a product whose prices end a day earlier."""
    if isinstance(document, list):
        return [*map(aged, document)]
    if not isinstance(document, dict):
        return document
    aged_values = {name: aged(value) for name, value in document.items()}
    if document.get("validTo"):
        aged_values["validTo"] = str(date.fromisoformat(document["validTo"]) - _DAY)
    return aged_values


async def write(shop: Shop, count: int) -> None:
    """Write so often; what a killed worker has written or not is left open."""
    for _ in range(count):
        try:
            await shop.write()
        except aiohttp.ClientError:
            await asyncio.sleep(0.1)


async def test_a_copy_stays_equal_over_kills_and_restarts(demo_dsn: str, tmp_path: Path) -> None:
    random, key = Random(f"{settle_seed()} kills"), await issue_key(demo_dsn, 1)
    settings = {"DATABASE_URL": demo_dsn, "WORKERS": str(_WORKERS), "LOG_LEVEL": "critical"}
    service = Service(lambda: running(tmp_path, "serve", **settings), key)
    await service.restart()
    database = await asyncpg.connect(demo_dsn)
    try:
        await follow(service, database, random)
    finally:
        await database.close()
        await service.stop()


async def follow(service: Service, database: asyncpg.Connection, random: Random) -> None:
    """Write, strike and read in turn; raise AssertionError for a copy that differs."""
    api, shop = service.api, Shop(service.api, random)
    await shop.open(STYLES)
    copies = [
        Copy(api, ("channelId", str(channel)), *(("style.number", f"SHOP-{n}") for n in range(5)))
        for channel in shop.ids["channels"]
    ]
    copies[1].query += (("isComplete", "true"), ("pageSize", "2"))
    since: datetime | None = None
    done = listed = 0
    while True:
        await api.get("/api/changes", {"from": "now"})  # numbers the changes
        begun: datetime = await database.fetchval("select now()")
        for copy in copies:
            await copy.read(since.isoformat() if since else None)
            assert not await copy.differences(), (done, since)
        listed += copies[0].listed * (since is not None)
        if done >= WRITES:
            break
        since = begun
        await database.execute(_LONG_AGO, begun, timedelta(hours=5))
        if random.random() < 0.1:
            since -= _DAY
            for text in _A_DAY_PASSES:
                await database.execute(text)
            for copy in copies:
                copy.products = aged(copy.products)
        if random.random() < 0.02:
            await service.restart()
        count = random.choice((1, 1, 3, 12))
        writers = WRITERS if count == 12 else 1
        writes = [write(shop, count // writers) for _ in range(writers)]
        if random.random() < 0.06:
            writes.append(service.kill(random.uniform(0, 0.05)))
        await asyncio.gather(*writes)
        done += count
    assert len(shop.done) > min(len(FIELDS), WRITES // 4)
    assert listed
