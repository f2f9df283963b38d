"""Tests of what prices protect, and of concurrent writers (contract, Prices of styles)."""

import asyncio
from itertools import groupby, pairwise
from random import Random
from typing import Any

import asyncpg
import pytest

from tests.support.api import Api, replacing
from tests.support.changes import Follower
from tests.support.priced_styles import Priced, price, priced_style

pytestmark = pytest.mark.contract("Prices of styles", "States")

IN_USE, UNKNOWN = "conflict.in_use", "validation_error.unknown_reference"
WRITERS = 8


@pytest.fixture
async def priced(api: Api) -> Priced:
    return await priced_style(api)


async def test_a_price_list_with_prices_of_live_styles_stays(priced: Priced) -> None:
    """Those of a deleted style do not protect it; then the style cannot be restored."""
    api, price_list = priced.api, f"/api/price-lists/{priced.lists['RRP']}"
    style = f"/api/styles/{priced.style}"
    await priced.set("RRP", price(1), price(2, minimumQuantity=2))
    lists = [priced.lists["RRP"]]
    channel = await priced.made("channels", name="Shop", userDefinedId="SHOP", priceListIds=lists)
    refused = await api.delete(price_list)
    assert refused.details == [(IN_USE, "id")]
    message = f'Used by channels: 1 ({channel} "SHOP"), styles: 1 ({priced.style} "T-1").'
    assert (await api.delete(f"/api/channels/{channel}")).status == 200
    assert refused.json["error"]["details"][0]["value"] == message
    await priced.set("RRP")
    assert (await api.delete(style)).status == 200
    await priced.set("RRP", price(1))
    assert (await api.get(price_list)).data["usedInPrices"] == 0
    follower = Follower(api)
    await follower.begin()
    assert (await api.patch(style, replacing("/state", "active"))).status == 200
    assert ("price-lists", priced.lists["RRP"]) in [
        (entry["collection"], entry["recordId"]) for entry in await follower.entries()
    ]
    assert (await api.get(price_list)).data["usedInPrices"] == 1
    await priced.set("RRP")
    assert (await api.delete(style)).status == 200
    await priced.set("RRP", price(1))
    assert (await api.delete(price_list)).status == 200
    refused = await api.patch(style, replacing("/state", "active"))
    assert refused.details == [(UNKNOWN, "state")]
    assert (await priced.set("RRP")).details == [("not_found", "priceListId")]
    emptied = {"priceListId": priced.lists["RRP"], "prices": []}
    item = {"styleId": priced.style, "priceLists": [emptied]}
    refused = await api.put("/api/style-prices", [item])
    assert refused.details == [(UNKNOWN, "[0].priceLists[0].priceListId")]


@pytest.mark.contract("Styles")
async def test_a_style_with_prices_stays(priced: Priced) -> None:
    """Prices of deleted colors alone do not protect it."""
    api, navy = priced.api, priced.colors[0]
    await priced.set("RRP", price(1, styleColorId=navy), price(2, minimumQuantity=2))
    await priced.set("JP", price(1, styleColorId=navy))
    await priced.made("style-relations", styleId=priced.style, relatedStyleId=priced.style + 1)
    refused = await api.delete(f"/api/styles/{priced.style}")
    assert refused.details == [(IN_USE, "id")]
    lists = f'{priced.lists["RRP"]} "RRP", {priced.lists["JP"]} "JP"'
    text = refused.json["error"]["details"][0]["value"]
    assert text.startswith("Used by style relations: 1 (")
    assert text.endswith(f"price lists: 2 ({lists}).")
    await priced.set("RRP", price(1, styleColorId=navy))
    relation = (await api.get("/api/style-relations", {"styleId": str(priced.style)})).data[0]
    assert (await api.delete(f"/api/style-relations/{relation['id']}")).status == 200
    follower = Follower(api)
    await follower.begin()
    assert (await api.delete(f"/api/style-colors/{navy}")).status == 200
    changed = {(entry["collection"], entry["recordId"]) for entry in await follower.entries()}
    assert {("price-lists", priced.lists[name]) for name in ("RRP", "JP")} <= changed
    assert (await api.delete(f"/api/styles/{priced.style}")).status == 200


@pytest.mark.contract("Sizes", "Styles")
async def test_sizes_with_prices_are_used(priced: Priced) -> None:
    """They are deactivated; their price stays, the style keeps its size range, and that stays."""
    api, (small, medium) = priced.api, priced.sizes[:2]
    await priced.set("RRP", price(1, sizeRangeSizeId=medium))
    style = f"/api/styles/{priced.style}"
    size_range = (await api.get(style)).data["sizeRangeId"]
    refused = await api.patch(style, replacing("/sizeRangeId", None))
    assert refused.details == [(IN_USE, "sizeRangeId")]
    left = await api.put(f"/api/size-ranges/{size_range}/sizes", [{"id": small, "name": "S"}])
    assert left.status == 200
    assert await priced.stored("RRP") == [price(1, sizeRangeSizeId=medium)]
    assert (await priced.set("RRP", *await priced.stored("RRP"))).status == 200
    refused = await priced.set("RRP", price(2, sizeRangeSizeId=medium))
    assert refused.details == [("validation_error.invalid_value", "prices[0].sizeRangeSizeId")]
    refused = await api.delete(f"/api/size-ranges/{size_range}")
    message = f'Used by styles: 1 ({priced.style} "T-1").'
    assert refused.json["error"]["details"][0]["value"] == message
    await priced.set("RRP", price(1))
    assert (await api.patch(style, replacing("/sizeRangeId", None))).status == 200


async def test_concurrent_writers_never_store_an_overlap(
    priced: Priced, shared_connection: asyncpg.Connection
) -> None:
    """Eight writers replace and patch the prices of one style in one list."""
    path = priced.path_in("RRP")

    def chosen(random: Random) -> dict[str, Any]:
        first, length = random.randrange(1, 28), random.randrange(4)
        days = [f"2027-02-{day:02}" for day in (first, min(first + length, 28))]
        return {"amount": 1, "validFrom": days[0], "validTo": days[1]}

    async def write(number: int) -> list[int]:
        random, statuses = Random(number), list[int]()
        for _ in range(12):
            if random.random() < 0.2:
                answer = await priced.api.put(path, {"prices": [chosen(random)]})
            else:
                add = [{"op": "add", "path": "/prices/-", "value": chosen(random)}]
                answer = await priced.api.patch(path, add)
            statuses.append(answer.status)
        return statuses

    statuses = [s for each in await asyncio.gather(*map(write, range(WRITERS))) for s in each]
    assert {*statuses} == {200, 409}
    text = "select valid_from, valid_to from style_price where style_id = $1 order by 1"
    rows = await shared_connection.fetch(text, priced.style)
    periods = [tuple(row) for row in rows]
    assert all(before[1] < after[0] for before, after in pairwise(periods))
    assert periods == [key for key, _ in groupby(periods)]
