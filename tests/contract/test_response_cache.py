"""Tests of the response cache: no cached response is older than the request for it.

Two servers share a database: one caches responses, the other does not. Responses of both are equal
whatever was written in between.
"""

import asyncio
from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import Any, cast

import asyncpg
import pytest

from service.batches.change_recorder import record_settings
from service.database.connections import Database
from service.feed import numbered_feed
from service.feed.numbered_feed import FeedState, read_numbered_state
from service.handlers import cache_entries, response_cache
from service.handlers.response_cache import RESPONSE_CACHE
from service.organizations import caller as organizations_caller
from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from service.routes import collection_path
from tests.contract.test_change_entries import WRITES
from tests.support.api import Answer, Api, replacing
from tests.support.cached_servers import Servers, hits, shown
from tests.support.cached_servers import servers as servers  # a fixture
from tests.support.cached_servers import shared_servers as shared_servers  # a fixture
from tests.support.changes import Follower
from tests.support.inserted_rows import execute
from tests.support.offenders import in_each
from tests.support.priced_styles import price
from tests.support.sampling import Sample
from tests.support.time_limits import until

pytestmark = pytest.mark.contract("Envelope")

COLORS = "/api/colors"
LISTS = [collection_path(resource) for resource in MASTER_RECORDS]
PRICES = "/api/effective-prices?priceListId=1"
ONE_DAY = timedelta(1)
COMPUTED = (PRICES, "/api/products?channelId=1&pageSize=10")


class Compared(Api):
    """Caller whose every write is followed by reads through both servers."""

    def __init__(self, servers: Servers, paths: Sequence[str], random: Random) -> None:
        super().__init__(servers.fresh.client, servers.fresh.key)
        self.servers = servers
        self.paths = [*paths]
        self.random = random

    async def call(self, method: str, path: str, *arguments: Any, **options: Any) -> Answer:
        """Return the response to a request; compare the reads before and after a write."""
        if method == "GET":
            return await super().call(method, path, *arguments, **options)
        if path.rpartition("/")[2].isdigit():
            self.paths += [path, f"{path}?form=writable"]
        listed = self.random.choice(LISTS), self.random.choice(COMPUTED)
        chosen = {self.paths[0], *self.paths[-2:], *listed}
        for read in chosen:
            await self.servers.compare(read)
        answer = await super().call(method, path, *arguments, **options)
        for read in chosen:
            await self.servers.compare(read)
        return answer


@pytest.mark.parametrize("resource", MASTER_RECORDS, ids=lambda resource: resource.name)
async def test_no_response_is_stale_after_any_write(
    resource: MasterRecord, servers: Servers, sample: Sample
) -> None:
    root, before = collection_path(resource), hits()
    for write in sample(WRITES, 3):
        random = Random(f"{write.__name__} {resource.name}")
        await write(Compared(servers, [root, f"{root}?pageSize=2"], random), resource, random)
    assert hits() - before > servers.compared / 8


async def test_prices_follow_writes_and_days(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    style, day = (await servers.fresh.get(PRICES)).data[0]["styleId"], date(2032, 1, 1)
    monkeypatch.setattr("service.resources.assortment.effective_prices.today", lambda: day)
    for amount in ("10.00", "11.00"):
        prices = {"prices": [price(amount, last=str(day)), price("12.00", str(day + ONE_DAY))]}
        assert (await servers.fresh.put(f"/api/styles/{style}/prices/1", prices)).status == 200
        for path in COMPUTED * 2:
            await servers.compare(path)
    before = hits()
    for expected in (11, 12):
        for _ in range(2):
            answer = await servers.cached.get(f"{PRICES}&styleId={style}")
            assert {row["amount"] for row in answer.data} == {expected}
        day += ONE_DAY
    assert hits() == before + 2


async def test_numbering_keeps_responses(servers: Servers) -> None:
    """Readers of the change feed number changes; the data stays as it is."""
    follower = Follower(servers.fresh, collection="colors")
    await follower.begin()
    await servers.fresh.patch(f"{COLORS}/1", replacing("/name", "Numbered"))
    await servers.compare(f"{COLORS}/1")
    assert len(await follower.entries()) == 1
    before = hits()
    await servers.compare(f"{COLORS}/1")
    assert hits() == before + 1


async def test_many_changes_without_a_number_are_numbered(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbered_feed, "MAX_UNNUMBERED", 3)
    for count in range(5):
        await servers.fresh.patch(f"{COLORS}/1", replacing("/name", f"Name {count}"))
    for _ in range(3):
        await servers.compare(f"{COLORS}/1")
    before = hits()
    await servers.compare(f"{COLORS}/1")
    assert hits() == before + 1


async def test_positions_need_no_poll_while_others_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """A poll that has numbered all changes before it counts, although later ones have no number."""
    polls = list[int]()

    async def read(_: Database, __: int, most: int) -> FeedState:
        polls.append(most)
        return FeedState(1, len(polls), unnumbered=3, is_numbered=not most)

    monkeypatch.setattr(response_cache, "read_numbered_state", read)
    cache = response_cache.ResponseCache(cast(Database, None), 0, "")
    first = await cache.position_headers(1)
    assert await cache.position_headers(1) == first
    assert polls == [0]


async def test_settings_are_seen(
    servers: Servers, demo_dsn: str, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Features of an organization change documents of its records."""
    monkeypatch.setattr(organizations_caller, "KEY_CACHE_SECONDS", 0)
    paths = [*sample(LISTS, 10), COLORS, "/api/size-ranges"]
    connection = await asyncpg.connect(demo_dsn)
    try:
        for features in ("pro = not pro", "multiple_language = not multiple_language"):
            for path in paths:
                await servers.compare(path)
            async with connection.transaction():
                await connection.execute(f"update organization set {features} where id = 1")
                await record_settings(connection, 1, is_shown=True)
            for path in paths:
                await servers.compare(path)
    finally:
        await connection.close()


async def test_a_response_lives_for_a_bounded_time(
    servers: Servers, demo_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Data that is changed by SQL alone is seen when the response has expired."""
    monkeypatch.setattr(cache_entries, "RESPONSE_CACHE_SECONDS", 0.05)
    await servers.compare(f"{COLORS}/1")
    await execute(demo_dsn, "update color set name = 'By SQL' where organization_id = 1")
    await asyncio.sleep(0.06)
    await servers.compare(f"{COLORS}/1")


@in_each(
    "headers",
    [
        {"Accept-Encoding": "gzip"},
        {"Accept-Encoding": "deflate"},
        {"Prefer": "count=exact"},
        {"Prefer": "count=exact, return=minimal"},
        {"Accept-Encoding": "gzip", "Prefer": "count=exact"},
    ],
)
async def test_headers_choose_the_response(
    shared_servers: Servers, headers: dict[str, str]
) -> None:
    cache, fresh_one = shared_servers.cached, shared_servers.fresh
    for _ in range(2):
        for sent in (headers, {}, headers):
            cached = await cache.get(COLORS, headers=sent)
            fresh = await fresh_one.get(COLORS, headers=sent)
            assert shown(cached) == shown(fresh)
            tag = {"If-None-Match": cached.headers["ETag"]}
            assert (await cache.get(COLORS, headers=sent | tag)).status == 304
            head = await cache.call("HEAD", COLORS, headers=sent)
            assert (head.status, head.raw) == (200, b"")
            assert head.headers["ETag"] == cached.headers["ETag"]


async def test_failures_are_not_cached(shared_servers: Servers) -> None:
    for path in (f"{COLORS}/{2**62}", f"{COLORS}?colour=red", f"{COLORS}/x"):
        before = hits()
        for _ in range(3):
            await shared_servers.compare(path)
        assert hits() == before


async def test_organizations_share_nothing(
    shared_servers: Servers, shared_keys: dict[str, str]
) -> None:
    other = Api(shared_servers.cached.client, shared_keys["other"])
    for _ in range(2):
        mine, theirs = await shared_servers.cached.get(COLORS), await other.get(COLORS)
        assert mine.raw != theirs.raw
        await shared_servers.compare(COLORS)


async def test_the_cache_has_a_bound(servers: Servers) -> None:
    server: Any = servers.cached.client.server
    cache = server.app[RESPONSE_CACHE]
    cache._max_bytes = 48 * 1024
    for size in range(1, 41):
        await servers.cached.get(f"{COLORS}?pageSize={size}", headers={"Accept-Encoding": "gzip"})
        await servers.cached.get(f"{COLORS}?pageSize={size}", headers={"Accept-Encoding": "gzip"})
        assert cache.size <= cache._max_bytes / response_cache.MAX_ORGANIZATION_SHARE
    organization = cache._organizations[1]
    assert cache.size == sum(entry.weight for entry in organization.entries.values()) > 0
    for _ in range(2):
        await servers.compare(f"{COLORS}?pageSize=3")
    before = hits()
    await servers.compare(f"{COLORS}?pageSize=3")
    assert hits() == before + 1


async def test_reads_that_are_not_repeated_evict_nothing(servers: Servers) -> None:
    server: Any = servers.cached.client.server
    cache = server.app[RESPONSE_CACHE]
    cache._max_bytes = 64 * 1024
    for size in range(1, 31):
        await servers.cached.get(f"{COLORS}?pageSize={size}")
    full = list(cache._organizations[1].entries)
    assert 5 < len(full) < 30
    for size in range(31, 51):
        await servers.cached.get(f"{COLORS}?pageSize={size}")
    assert list(cache._organizations[1].entries) == full
    await servers.cached.get(f"{COLORS}?pageSize=5")
    assert list(cache._organizations[1].entries) != full


async def test_reads_bypass_the_cache_while_every_poll_finds_a_change(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are as fresh as others; a poll beside them finds out when changes become rare."""
    polls = [0]

    async def counted(*arguments: Any, **options: Any) -> Any:
        polls[0] += 1
        return await read_numbered_state(*arguments, **options)

    monkeypatch.setattr(response_cache, "read_numbered_state", counted)
    monkeypatch.setattr(cache_entries, "_VOLATILE_POLL_SECONDS", 60)
    for number in range(2 * cache_entries._VOLATILE_POLLS):
        assert (await servers.fresh.post(COLORS, {"name": f"Madder {number}"})).status == 201
        await servers.compare(COLORS)
    # The other server polls once for the position of its first list.
    assert polls[0] == cache_entries._VOLATILE_POLLS + 1
    monkeypatch.setattr(cache_entries, "_VOLATILE_POLL_SECONDS", 0)
    server: Any = servers.cached.client.server
    organization = server.app[RESPONSE_CACHE]._organizations[1]
    before = hits()
    for volatile in (True, False):
        await servers.compare(COLORS)
        await until(lambda: not organization.is_polling)
        assert organization.is_volatile == volatile, "the first poll saw the last change"
    assert hits() == before
    for _ in range(4):
        await servers.compare(COLORS)
    assert hits() >= before + 2
