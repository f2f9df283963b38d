"""GTINs while workers are killed: no number is given twice, and none is lost.

The callers allocate numbers of two ranges and generate SKUs with numbers of them, all at once.
``TEST_NUMBER_KILLS`` sets the number of kills; ``--log-cli-level=INFO
--log-disable=aiohttp.access`` shows what was given.
"""

import asyncio
import contextlib
import logging
import os
from collections import Counter
from random import Random
from typing import Any, Final

import aiohttp
import asyncpg
import orjson
import pytest

from service.schemas.formats import check_digit
from tests.faults.stage import OwnServer, stage
from tests.faults.test_webhooks import insist
from tests.faults.work import Batch
from tests.support.api import Answer, Api
from tests.support.processes import kill

pytestmark = pytest.mark.contract("Allocation of barcodes", "SKU generations", "Idempotency")

KILLS: Final = int(os.environ.get("TEST_NUMBER_KILLS") or "3")
CALLERS: Final = 8
_SEED: Final = 38
_LOG: Final = logging.getLogger(__name__)
_ALLOCATE, _GENERATE = "/api/barcodes/allocate", "/api/style-skus/generate"
_PREFIXES: Final = ("9520001", "9520002")
_SIZES: Final = 4


class Shop:
    """Two ranges of numbers, a size range and two colors that all callers use."""

    async def fill(self, api: Api) -> None:
        ranges = [
            {"name": prefix, "type": "gtin13", "companyPrefix": prefix} for prefix in _PREFIXES
        ]
        short = {**ranges[0], "companyPrefix": "9520003", "lastReference": 6}
        *self.ranges, self.short = await _ids(api, "barcode-ranges", *ranges, short)
        [self.sizes] = await _ids(api, "size-ranges", {"name": "Numbers"})
        sizes = [{"name": f"Size {number}"} for number in range(_SIZES)]
        await insist(api, "PUT", f"/api/size-ranges/{self.sizes}/sizes", sizes)
        colors = [{"name": name, "userDefinedId": name} for name in ("First", "Second")]
        self.colors = await _ids(api, "colors", *colors)


async def _ids(api: Api, collection: str, *items: dict[str, Any]) -> list[int]:
    answer = await insist(api, "POST", f"/api/{collection}", [*items])
    return [record["id"] for record in answer.data]


class Caller:
    """Caller that sends one request after another, each until it knows its outcome."""

    def __init__(self, on: OwnServer, shop: Shop, name: str) -> None:
        self._on, self._shop, self._name = on, shop, name
        self._random = Random(name)
        self.numbers: list[str] = []
        """Numbers that responses gave."""
        self.of_skus: dict[int, str] = {}
        """Number of each SKU that responses gave one."""
        self.done: Counter[str] = Counter()

    async def work(self, is_over: asyncio.Event) -> None:
        """Send requests until the event."""
        choices = (self._allocate, self._allocate, self._generate, self._try, self._fail)
        while not is_over.is_set():
            choice = self._random.choice(choices)
            await choice()
            self.done[choice.__name__.strip("_")] += 1

    async def _allocate(self) -> None:
        answer = await self._settle(_ALLOCATE, self._counts())
        assert answer.status == 201, answer.raw
        self.numbers += [row["key"] for row in answer.data]

    async def _generate(self) -> None:
        body = await self._style()
        answer = await self._settle(_GENERATE, body)
        assert answer.status == 201, answer.raw
        assert len(answer.data) == len(self._shop.colors) * _SIZES
        self.of_skus |= {row["id"]: row["barcode"] for row in answer.data}
        self.numbers += [row["barcode"] for row in answer.data]

    async def _try(self) -> None:
        """Send a dry run, which gives nothing, whether its response arrives or not."""
        is_allocation = self._random.random() < 0.5
        path, body = _ALLOCATE, self._counts()
        if not is_allocation:
            path, body = _GENERATE, await self._style()
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            answer = await self._on.api.post(path, body, params={"dryRun": "true"})
            assert answer.status in (200, 201, 429, 503), answer.raw

    async def _fail(self) -> None:
        """Send a request whose last item, or each SKU, finds its range unknown or exhausted."""
        range_id, status = self._random.choice(((2**40, 400), (self._shop.short, 409)))
        path, body = _ALLOCATE, [*self._counts(), {"barcodeRangeId": range_id, "count": 10}]
        if self._random.random() < 0.5:
            path, [item] = _GENERATE, await self._style()
            body = [item | {"barcodeRangeId": range_id}]
        assert (await self._settle(path, body)).status == status

    def _counts(self) -> list[dict[str, Any]]:
        ranges = self._random.sample(self._shop.ranges, self._random.randint(1, 2))
        return [{"barcodeRangeId": each, "count": self._random.randint(1, 30)} for each in ranges]

    async def _style(self) -> list[dict[str, Any]]:
        """Create a style in two colors; return the body that generates its SKUs."""
        number = f"{self._name}-{self._random.getrandbits(60):x}"
        style = {"number": number, "name": "Numbers", "sizeRangeId": self._shop.sizes}
        style_id = (await self._settle("/api/styles", style)).data["id"]
        colors = [{"styleId": style_id, "colorId": color} for color in self._shop.colors]
        await self._settle("/api/style-colors", colors)
        return [{"styleId": style_id, "barcodeRangeId": self._random.choice(self._shop.ranges)}]

    async def _settle(self, path: str, body: Any) -> Answer:
        key = f"{self._name}-{self._random.getrandbits(90):x}"
        return await self._on.settle(Batch("POST", path, orjson.dumps(body), key))


@pytest.mark.thorough
async def test_no_number_is_given_twice_and_none_is_lost() -> None:
    async with stage(_SEED) as on:
        shop = Shop()
        await shop.fill(on.api)
        callers = [Caller(on, shop, f"caller-{number}") for number in range(CALLERS)]
        is_over = asyncio.Event()
        busy = [asyncio.create_task(caller.work(is_over)) for caller in callers]
        for _ in range(KILLS):
            await asyncio.sleep(on.random.uniform(0.1, 0.8))
            for task in busy:
                if task.done():
                    await task  # raises what it failed of
            workers = on.workers()
            if workers and on.random.random() < 0.5:
                workers = [on.random.choice(workers)]
            await asyncio.to_thread(kill, workers)
            await on.answers_again()
        is_over.set()
        await asyncio.gather(*busy)
        done = sum((caller.done for caller in callers), Counter[str]())
        given = Counter(number for caller in callers for number in caller.numbers)
        _LOG.info("%s kills, %s, %s numbers", KILLS, dict(done), len(given))
        async with on.connection() as connection:
            await _check(connection, shop, callers, given)
        for range_id in shop.ranges:
            shown = (await on.api.get(f"/api/barcode-ranges/{range_id}")).data
            assert shown["free"] == 100_000 - shown["nextReference"]


async def _check(
    connection: asyncpg.Connection, shop: Shop, callers: list[Caller], given: Counter[str]
) -> None:
    """Check that stored numbers are those of responses, one each, without gaps in the ranges."""
    assert {*given.values()} == {1}
    text = """
        select barcode, barcode_range_id, style_sku_id from barcode
        where organization_id = 1 and barcode_range_id = any($1::bigint[]) order by barcode
    """
    rows = await connection.fetch(text, shop.ranges)
    assert [row["barcode"] for row in rows] == sorted(given)
    for range_id, prefix in zip(shop.ranges, _PREFIXES, strict=True):
        stored = [row["barcode"] for row in rows if row["barcode_range_id"] == range_id]
        digits = [f"{prefix}{reference:05}" for reference in range(len(stored))]
        assert stored == [each + check_digit(each) for each in digits]
    of_skus = {sku: number for caller in callers for sku, number in caller.of_skus.items()}
    assert of_skus == {row["style_sku_id"]: row["barcode"] for row in rows if row["style_sku_id"]}
    text = """
        select sku.id from style_sku sku
        join style on style.organization_id = sku.organization_id and style.id = sku.style_id
        where style.organization_id = 1 and style.size_range_id = $1
    """
    assert {row["id"] for row in await connection.fetch(text, shop.sizes)} == {*of_skus}
