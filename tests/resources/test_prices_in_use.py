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
from tests.support.transactions import entry, send, shown

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
    assert (await api.put("/api/style-prices", [item])).status == 200
    item["priceLists"] = [emptied | {"prices": [price(1)]}]
    refused = await api.put("/api/style-prices", [item])
    assert refused.details == [(UNKNOWN, "[0].priceLists[0].priceListId")]


@pytest.mark.contract("Styles")
async def test_prices_go_and_come_back_with_their_style(priced: Priced) -> None:
    """Those of its colors, too, which go with it."""
    api, style = priced.api, f"/api/styles/{priced.style}"
    of_color = price(1, styleColorId=priced.colors[0])
    await priced.set("RRP", of_color)
    await priced.set("JP", price(2, minimumQuantity=2))
    follower = Follower(api)
    await follower.begin()
    lists = [f"/api/price-lists/{priced.lists[name]}" for name in ("RRP", "JP")]
    counted = {("price-lists", priced.lists[name], "updated") for name in ("RRP", "JP")}
    for method, count, operation in (("DELETE", 0, "deleted"), ("PATCH", 1, "updated")):
        body = replacing("/state", "active") if method == "PATCH" else None
        assert (await api.call(method, style, body)).status == 200
        assert [(await api.get(path)).data["usedInPrices"] for path in lists] == [count] * 2
        listed = (await api.get("/api/style-prices", {"styleId": str(priced.style)})).data
        assert len(listed) == count
        entries = [
            (entry["collection"], entry["recordId"], entry["operation"])
            for entry in await follower.entries()
        ]
        assert {*entries} >= {("style-prices", priced.style, operation), *counted}
    assert await priced.stored("RRP") == [of_color]


@pytest.mark.contract("Transactions over collections")
async def test_price_lists_are_emptied_and_deleted_in_one_request(priced: Priced) -> None:
    """With a style that goes, and one that stays; a night does so."""
    api, gone = priced.api, {"userDefinedId": "RRP"}
    await priced.set("RRP", price(1))
    other = await priced.made("styles", number="GONE", name="Vest")
    paths = [f"/api/styles/{style}/prices/{priced.lists['RRP']}" for style in (other, priced.style)]
    assert (await api.put(paths[0], {"prices": [price(2)]})).status == 200
    emptied: dict[str, Any] = {"priceLists": [{"priceListId": gone, "prices": []}]}
    entries = [
        entry("price-lists", "delete", **gone),
        entry("style-prices", styleId={"number": "T-1"}, **emptied),
        entry("style-prices", styleId={"number": "GONE"}, **emptied),
        entry("styles", "delete", number="GONE"),
    ]
    follower = Follower(api)
    await follower.begin()
    refused = await send(api, [entries[0], *entries[2:]])
    assert refused.details == [(IN_USE, "[0].item.userDefinedId")]
    answer = await send(api, entries)
    assert shown(answer) == ["deleted", "updated", "updated", "deleted"]
    records = [
        (record["collection"], record["recordId"], record["operation"])
        for record in await follower.entries()
    ]
    assert len({*records}) == len(records)
    assert {*records} == {
        ("price-lists", priced.lists["RRP"], "deleted"),
        *((name, other, "deleted") for name in ("styles", "style-prices")),
        ("style-prices", priced.style, "deleted"),
    }
    filled = emptied | {"priceLists": [{"priceListId": gone, "prices": [price(1)]}]}
    unknown = await send(api, [entry("style-prices", styleId={"number": "T-1"}, **filled)])
    assert unknown.details == [(UNKNOWN, "[0].item.priceLists[0].priceListId")]


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


def chosen(random: Random) -> dict[str, Any]:
    first, length = random.randrange(1, 28), random.randrange(4)
    days = [f"2027-02-{day:02}" for day in (first, min(first + length, 28))]
    return {"amount": 1, "validFrom": days[0], "validTo": days[1]}


async def test_concurrent_writers_never_store_an_overlap(
    priced: Priced, shared_connection: asyncpg.Connection
) -> None:
    """Eight writers replace and patch the prices of one style in one list."""
    path = priced.path_in("RRP")

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
