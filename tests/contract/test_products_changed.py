"""A shop's copy by ``changedSince`` of products stays equal to a full read (contract, Products)."""

from datetime import UTC, datetime, timedelta
from random import Random

import asyncpg
import pytest

from tests.support.api import Api
from tests.support.sampling import examples, settle_seed
from tests.support.shop import FIELDS, Copy, Shop

pytestmark = [
    pytest.mark.contract("Products"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]
ROUNDS = examples(35, 3_000)
STYLES = 5
STEP = timedelta(hours=5)


class Time:
    """The time of reads, five hours apart: writes happen an hour before each."""

    def __init__(self, database: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = datetime.now(UTC)
        self._database, self._last = database, 0
        monkeypatch.setattr(
            "service.resources.assortment.effective_prices.today", lambda: self.now.date()
        )

    async def pass_by(self) -> str:
        """Go on, and return the time of the read before; make new changes an hour old."""
        before = self.now.isoformat()
        self.now += STEP
        await self._database.execute(
            "update change set at = $1 where id > $2", self.now - timedelta(hours=1), self._last
        )
        self._last = await self._latest()
        return before

    async def begin(self) -> None:
        await self._database.execute(
            "update change set at = $1 where at > $1", self.now - timedelta(days=1)
        )
        self._last = await self._latest()

    async def _latest(self) -> int:
        return int(await self._database.fetchval("select coalesce(max(id), 0) from change"))


async def test_a_copy_stays_equal(api: Api, demo_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(api, Random(f"{settle_seed()} shop"))
    await shop.open(STYLES)
    numbers = [("style.number", f"SHOP-{number}") for number in range(STYLES)]
    channels = [("channelId", str(channel)) for channel in shop.ids["channels"]]
    copies = [
        Copy(api, channels[0], *numbers),
        Copy(api, channels[1], *numbers, ("isComplete", "true"), ("pageSize", "2")),
    ]
    database = await asyncpg.connect(demo_dsn)
    time = Time(database, monkeypatch)
    await api.get("/api/changes", {"from": "now"})
    await time.begin()
    for copy in copies:
        await copy.read()
    assert len(copies[0].products) == STYLES
    listed = 0
    for number in range(ROUNDS):
        before = set(shop.done)
        for _ in range(shop.random.randint(1, 2)):
            shop.day = time.now.date()
            await shop.write()
        await api.get("/api/changes", {"from": "now"})  # numbers the changes
        since = await time.pass_by()
        for copy in copies:
            await copy.read(since)
            assert not await copy.differences(), (number, shop.done - before)
        listed += copies[0].listed
    await database.close()
    assert listed < ROUNDS * STYLES / 2
    assert len(shop.done) > len(FIELDS)
