"""Tests of items (contract, Items)."""

import pytest

from tests.support.api import Api, replacing

pytestmark = pytest.mark.contract("Items")

ITEMS, CATEGORIES = "/api/items", "/api/item-categories"
NEWER = dict.fromkeys(
    (
        *("supplierId", "brandId", "supplierItemNumber", "unit", "description"),
        *("countryOfOriginCode", "hsCode", "netWeight"),
    )
)
"""Fields since 1.1, without values."""
UNKNOWN = [("validation_error.unknown_reference", "itemCategoryId")]
UNUSED = {"usedInStyles": 0}


async def category(api: Api, name: str = "Snaps") -> int:
    return int((await api.post(CATEGORIES, {"name": name})).data["id"])


async def test_fields(api: Api) -> None:
    """Number, name and state, and the item category, which null and omitted clear."""
    snaps = await category(api)
    sent = {"number": "TR-1", "name": "Snap", "itemCategoryId": snaps}
    made = await api.post(ITEMS, sent)
    assert made.data == {"id": made.data["id"], **sent, "state": "active"} | NEWER | UNUSED
    assert (await api.get(ITEMS, {"itemCategoryId": snaps})).data == [made.data]
    bare = {"number": "TR-1", "name": "Snap", "state": "inactive"}
    replaced = await api.put(made.headers["Location"], bare)
    assert replaced.data == {"id": made.data["id"], **bare} | NEWER | UNUSED
    missing = await api.post(ITEMS, {"number": ""})
    assert missing.details == [
        ("validation_error.too_short", "number"),
        ("validation_error.required_field", "name"),
    ]


@pytest.mark.contract("Presence", "Values")
async def test_newer_fields_are_shown_found_and_cleared(api: Api) -> None:
    supplier = (await api.post("/api/suppliers", {"name": "S"})).data["id"]
    brand = (await api.post("/api/brands", {"name": "B"})).data["id"]
    sent = {
        "supplierId": supplier,
        "brandId": brand,
        "supplierItemNumber": "4418-18L",
        "unit": "piece",
        "description": "Dyed to match.",
        "countryOfOriginCode": "PT",
        "hsCode": "960629",
        "netWeight": "0.85",
    }
    old = {"number": "TR-2", "name": "Button", "state": "active"}
    made = await api.post(ITEMS, old | sent | {"state": None})
    path, shown = made.headers["Location"], sent | {"netWeight": 0.85}
    assert {name: made.data[name] for name in NEWER} == shown
    listed = await api.get(ITEMS, {"supplier.id": supplier, "brandId": brand, "unit": "piece"})
    assert listed.data == [made.data]
    cleared = (await api.put(path, old | NEWER)).data
    assert {name: cleared[name] for name in NEWER} == NEWER


@pytest.mark.contract("Values")
async def test_wrong_newer_fields_are_reported(api: Api) -> None:
    wrong = {"supplierItemNumber": "x" * 501, "unit": "x" * 51, "hsCode": "1", "netWeight": -1}
    assert (await api.post(ITEMS, {"number": "TR-2", "name": "Button", **wrong})).details == [
        ("validation_error.too_long", "supplierItemNumber"),
        ("validation_error.too_long", "unit"),
        ("validation_error.invalid_value", "hsCode"),
        ("validation_error.out_of_range", "netWeight"),
    ]


@pytest.mark.contract("Item categories")
async def test_an_item_category_counts_live_items(api: Api) -> None:
    """Deleted items are not counted, restored ones are; in use likewise."""
    snaps = await category(api)
    body = {"number": "TR-1", "name": "Snap", "itemCategoryId": snaps}
    locations = [(await api.post(ITEMS, body)).headers["Location"] for _ in range(2)]
    path = f"{CATEGORIES}/{snaps}"
    assert (await api.get(path)).data["usedInItems"] == 2
    assert (await api.delete(locations[0])).status == 200
    assert (await api.get(path)).data["usedInItems"] == 1
    refused = await api.delete(path)
    assert (refused.status, refused.details) == (409, [("conflict.in_use", "id")])
    assert refused.json["error"]["details"][0]["value"].startswith("Used by items: 1 (")
    assert (await api.patch(locations[0], replacing("/state", "active"))).status == 200
    assert (await api.get(path)).data["usedInItems"] == 2


@pytest.mark.contract("Item categories")
async def test_deleting_an_item_category_clears_it_in_deleted_items(api: Api) -> None:
    """The item can be restored, and then has none."""
    snaps = await category(api)
    made = await api.post(ITEMS, {"number": "TR-1", "name": "Snap", "itemCategoryId": snaps})
    location = made.headers["Location"]
    assert (await api.delete(location)).data["itemCategoryId"] == snaps
    assert (await api.delete(f"{CATEGORIES}/{snaps}")).status == 200
    assert "itemCategoryId" not in (await api.get(location)).data
    restored = await api.patch(location, replacing("/state", "active"))
    assert (restored.status, restored.data["state"]) == (200, "active")


@pytest.mark.parametrize("unknown", [987654321, 2**63 - 1])
async def test_unknown_categories(api: Api, other_api: Api, unknown: int) -> None:
    """Unknown, another organization's: told at the field, in any write."""
    theirs = await category(other_api)
    made = await api.post(ITEMS, {"number": "TR-1", "name": "Snap"})
    for category_id in (unknown, theirs):
        item = {"number": "TR-1", "name": "Snap", "itemCategoryId": category_id}
        assert (await api.post(ITEMS, item)).details == UNKNOWN
        replaced = await api.put(made.headers["Location"], item | {"state": "active"})
        assert replaced.details == UNKNOWN
        several = await api.put(ITEMS, [item | {"id": made.data["id"], "state": "active"}])
        assert several.details == [(UNKNOWN[0][0], "[0].itemCategoryId")]
