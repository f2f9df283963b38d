"""Test of `docs/connectors/dlt/selvedge_shop.py`: its tables equal full reads after writes."""

import asyncio
from pathlib import Path
from random import Random

import pytest
from aiohttp.test_utils import TestClient

from tests.connectors.copies import ShopCopy
from tests.connectors.tools import Run
from tests.support.api import Api, issue_key, replacing
from tests.support.listing import walk
from tests.support.sampling import examples, settle_seed
from tests.support.serving import serving
from tests.support.shop import Shop

pytestmark = pytest.mark.contract("Products")
ROUNDS = examples(2, 30)
STYLES = 4


def succeeded(result: Run) -> None:
    assert result.status == 0, result.errors + result.output[-2000:]


async def check(copy: ShopCopy) -> None:
    """Raise AssertionError unless the tables have what full reads have."""
    channel = [("channel.userDefinedId", copy.channel)]
    prices = [("priceList.userDefinedId", copy.price_list)]
    expected = {
        ("products", str(document["style"]["id"])): copy.plain(document)
        for document in await walk(copy.api, "/api/products", channel)
    } | {
        ("effective-prices", str(document["styleSkuId"])): copy.plain(document)
        for document in await walk(copy.api, "/api/effective-prices", prices)
    }
    assert expected
    assert await asyncio.to_thread(copy.documents) == expected


async def test_a_copy_equals_full_reads(demo_dsn: str, tmp_path: Path) -> None:
    key = await issue_key(demo_dsn, 1)
    async with serving(demo_dsn) as server, TestClient(server) as client:
        api = Api(client, key)
        shop = Shop(api, Random(f"{settle_seed()} dlt shop"))
        await shop.open(STYLES)
        copy = ShopCopy(tmp_path, api, str(server.make_url("/")).rstrip("/"))
        copy.channel, copy.price_list = "SHOP", "SHOP RRP"
        for name, value in (("channels", copy.channel), ("price-lists", copy.price_list)):
            path = f"/api/{name}/{shop.ids[name][0]}"
            assert (await api.patch(path, replacing("/userDefinedId", value))).status == 200
        for style in shop.ids["styles"]:
            path = f"/api/styles/{style}/prices/{shop.ids['price-lists'][0]}"
            await api.put(
                path, {"prices": [{"amount": "79.90"}, {"minimumQuantity": 5, "amount": 70}]}
            )
        succeeded(await copy.load())
        await check(copy)
        gone = f"/api/styles/{shop.ids['styles'][0]}"
        assert (await api.patch(gone, replacing("/status", "cancelled"))).status == 200
        for _ in range(ROUNDS):
            for _ in range(3):
                await shop.write()
            await api.get("/api/changes", {"from": "now"})  # numbers the changes
            succeeded(await copy.follow())
            await check(copy)
