"""Tests of the barcodes of SKUs (contract, Barcodes)."""

import asyncio
from typing import Any

import pytest

from tests.resources.test_barcode_allocations import ALLOCATE, new_range, numbers
from tests.resources.test_barcodes import BARCODES, INVALID, gtin, new_gtin
from tests.resources.test_style_colors import now
from tests.resources.test_style_skus import PATH as SKUS
from tests.resources.test_style_skus import Style
from tests.support.api import Api, replacing

pytestmark = pytest.mark.contract("Barcodes")

DUPLICATE, UNKNOWN = "validation_error.duplicate", "validation_error.unknown_reference"
IN_USE = "conflict.in_use"


class Shop(Style):
    """A style with SKUs in two sizes."""

    async def fill(self, api: Api) -> None:
        await super().fill(api)
        bodies = [
            self.sku("SK-S", sizeRangeSizeId=self.small),
            self.sku("SK-M", sizeRangeSizeId=self.medium),
        ]
        self.skus = [row["id"] for row in (await api.post(SKUS, bodies)).data]
        self.first, self.second = self.skus


@pytest.fixture
async def shop(api: Api) -> Shop:
    filled = Shop()
    await filled.fill(api)
    return filled


async def gtin_of(api: Api, sku: int) -> Any:
    return (await api.get(f"{SKUS}/{sku}")).data["gtin"]


async def primaries(api: Api, *barcodes: Any) -> list[bool]:
    return [(await api.get(f"{BARCODES}/{row['id']}")).data["isPrimary"] for row in barcodes]


async def test_the_first_barcode_of_an_sku_is_primary(api: Api, shop: Shop) -> None:
    """SKUs show it, and are found by all of their barcodes."""
    cursor = await now(api)
    bodies = [{"barcode": new_gtin(), "styleSkuId": {"sku": "SK-S"}} for _ in range(2)]
    first, second = made = (await api.post(BARCODES, bodies)).data
    assert [row["isPrimary"] for row in made] == [True, False]
    assert (first["styleSkuId"], first["sku"]) == (shop.first, "SK-S")
    assert first["assignedAt"]
    assert await gtin_of(api, shop.first) == first["barcode"]
    changes = (await api.get("/api/changes", {"cursor": cursor})).data
    assert ("style-skus", shop.first) in {(row["collection"], row["recordId"]) for row in changes}
    location = f"{BARCODES}/{second['id']}"
    taken = await api.put(
        location, {"state": "active", "styleSkuId": shop.first, "isPrimary": True}
    )
    assert taken.data["isPrimary"]
    assert taken.data["assignedAt"] == second["assignedAt"]
    assert await primaries(api, *made) == [False, True]
    replaced = await api.put(location, {"state": "inactive", "styleSkuId": shop.first})
    assert replaced.data["isPrimary"]
    for row in made:
        listed = await api.get(SKUS, {"barcodes.barcode": row["barcode"]})
        assert [sku["id"] for sku in listed.data] == [shop.first]
    assert (await api.patch(f"{SKUS}/{shop.first}", replacing("/sku", "SK-NEW"))).status == 200
    assert (await api.get(BARCODES, {"sku": "SK-NEW", "isPrimary": "true"})).data[0] == {
        **replaced.data,
        "sku": "SK-NEW",
    }


async def test_one_barcode_of_an_sku_is_primary(api: Api, shop: Shop) -> None:
    sku = {"styleSkuId": shop.first}
    twice = [{"barcode": new_gtin(), **sku, "isPrimary": True} for _ in range(2)]
    assert (await api.post(BARCODES, twice)).details == [(DUPLICATE, "[1].isPrimary")]
    first, second, free = (
        await api.post(
            BARCODES, [{"barcode": new_gtin(), **sku} for _ in range(2)] + [{"barcode": new_gtin()}]
        )
    ).data
    assert not free["isPrimary"]
    # Nothing becomes primary when the primary one goes; restored, it is not if there is another.
    await api.delete(f"{BARCODES}/{first['id']}")
    assert await gtin_of(api, shop.first) is None
    restored = await api.put(f"{BARCODES}/{first['id']}", {"state": "active", **sku})
    assert restored.data["isPrimary"]
    await api.delete(f"{BARCODES}/{first['id']}")
    await api.patch(f"{BARCODES}/{second['id']}", replacing("/isPrimary", True))
    restored = await api.put(f"{BARCODES}/{first['id']}", {"state": "active", **sku})
    assert not restored.data["isPrimary"]
    assert await primaries(api, second) == [True]
    # The flag goes with the SKU, and moves with the number.
    moved = await api.patch(f"{BARCODES}/{second['id']}", replacing("/styleSkuId", shop.second))
    assert (moved.data["isPrimary"], await gtin_of(api, shop.second)) == (True, second["barcode"])
    cleared = await api.put(f"{BARCODES}/{second['id']}", {"state": "active"})
    assert (cleared.data["isPrimary"], cleared.data["assignedAt"]) == (False, None)
    given = await api.patch(f"{BARCODES}/{free['id']}", replacing("/styleSkuId", shop.second))
    assert given.data["isPrimary"]


async def test_cartons_and_free_numbers_are_not_primary(api: Api, shop: Shop) -> None:
    carton = {"barcode": gtin("1952900900001"), "styleSkuId": shop.first}
    for body in (carton, {"barcode": new_gtin()}):
        assert (await api.post(BARCODES, body | {"isPrimary": True})).details == [
            (INVALID, "isPrimary")
        ]
    made = [await api.post(BARCODES, body) for body in (carton, {**carton, "barcode": new_gtin()})]
    assert [answer.data["isPrimary"] for answer in made] == [False, True]


async def test_writers_at_once_make_one_primary(api: Api, shop: Shop) -> None:
    for sku in shop.skus:
        bodies = [{"barcode": new_gtin(), "styleSkuId": sku} for _ in range(4)]
        made = await asyncio.gather(*(api.post(BARCODES, body) for body in bodies))
        assert sorted(answer.data["isPrimary"] for answer in made) == [False, False, False, True]


@pytest.mark.contract("States")
async def test_a_gtin_of_a_published_style_stays_with_its_sku(api: Api, shop: Shop) -> None:
    bodies = [{"barcode": new_gtin()}, {"barcode": f"I{shop.first}", "type": "internal"}]
    number, internal = (
        await api.post(BARCODES, [body | {"styleSkuId": shop.first} for body in bodies])
    ).data
    location = f"{BARCODES}/{number['id']}"
    await api.patch(location, replacing("/styleSkuId", shop.second))
    await api.patch(location, replacing("/styleSkuId", shop.first))
    await api.patch(shop.path, replacing("/status", "published"))
    for sku in (None, shop.second):
        refused = await api.patch(location, replacing("/styleSkuId", sku))
        assert (refused.status, refused.details) == (409, [(IN_USE, "styleSkuId")])
    refused = await api.delete(location)
    assert refused.details == [(IN_USE, "id")]
    assert (
        refused.json["error"]["details"][0]["value"] == f'Used by styles: 1 ({shop.style} "SK-1").'
    )
    assert (await api.patch(location, replacing("/state", "inactive"))).status == 200
    other = f"{BARCODES}/{internal['id']}"
    assert (await api.patch(other, replacing("/styleSkuId", shop.second))).status == 200
    assert (await api.delete(other)).status == 200


async def test_a_deleted_sku_leaves_its_barcodes(api: Api, shop: Shop) -> None:
    made = (await api.post(BARCODES, {"barcode": new_gtin(), "styleSkuId": shop.first})).data
    location = f"{BARCODES}/{made['id']}"
    assert (await api.delete(f"{SKUS}/{shop.first}")).status == 200
    assert (await api.get(location)).data == made
    again = {"state": "inactive", "styleSkuId": shop.first}
    assert (await api.put(location, again)).data["sku"] == "SK-S"
    assert (
        await api.post(BARCODES, {"barcode": new_gtin(), "styleSkuId": shop.first})
    ).details == [(UNKNOWN, "styleSkuId")]
    await api.delete(location)
    assert (await api.put(location, again)).details == [(UNKNOWN, "state")]


@pytest.mark.contract("Allocation of barcodes")
async def test_skus_get_allocated_numbers(api: Api, shop: Shop) -> None:
    """Unless they have a primary GTIN; one becomes primary in place of an internal number."""
    made = await new_range(api)
    internal = {"barcode": f"J{shop.first}", "type": "internal", "styleSkuId": shop.first}
    assert (await api.post(BARCODES, internal)).data["isPrimary"]
    body = [{"barcodeRangeId": made["id"], "styleSkuIds": [{"sku": "SK-M"}, shop.first]}]
    for twice in (body * 2, [{**body[0], "styleSkuIds": [shop.first, shop.first]}]):
        assert {kind for kind, _ in (await api.post(ALLOCATE, twice)).details} == {DUPLICATE}
    assert (await api.post(ALLOCATE, [{**body[0], "count": 2}])).details == [(INVALID, "[0].count")]
    unknown = await api.post(ALLOCATE, [{**body[0], "styleSkuIds": [shop.first, 2**60]}])
    assert unknown.details == [(UNKNOWN, "[0].styleSkuIds[1]")]
    assert (await api.post(ALLOCATE, body, params={"dryRun": "true"})).status == 200
    answer = await api.post(ALLOCATE, body)
    rows = [(row["outcome"], row["styleSkuId"], row["key"]) for row in answer.data]
    first, second = numbers(made, 0, 1)
    assert rows == [("created", shop.second, first), ("created", shop.first, second)]
    assert [await gtin_of(api, sku) for sku in shop.skus] == [second, first]
    again = await api.post(ALLOCATE, body)
    assert again.data == [row | {"outcome": "unchanged"} for row in answer.data]


@pytest.mark.contract("Allocation of barcodes")
async def test_callers_at_once_give_an_sku_one_number(api: Api, shop: Shop) -> None:
    made = await new_range(api)
    body = [{"barcodeRangeId": made["id"], "styleSkuIds": shop.skus}]
    answers = await asyncio.gather(*(api.post(ALLOCATE, body) for _ in range(4)))
    assert {tuple(row["key"] for row in answer.data) for answer in answers} == {
        tuple(numbers(made, 0, 1))
    }
