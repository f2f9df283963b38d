"""Tests of imports in transactions: deleted records, and references to them."""

from typing import Any, Final

import pytest

from tests.resources.test_barcodes import gtin
from tests.support.api import Api
from tests.support.changes import Follower
from tests.support.transactions import PATH, send, shown

pytestmark = pytest.mark.contract("Transactions over collections")

UNKNOWN: Final = "validation_error.unknown_reference"
STYLE: Final[Any] = {"number": "IMP-1"}
MILL: Final[Any] = {"customId": "IMP-M"}
HALL: Final[Any] = {"name": "Hall", "subSupplierId": MILL}
SNAP: Final[Any] = {"number": "IMP-S"}
STEPS: Final[Any] = [{"process": "weaving", "subSupplierId": MILL, "facilityId": HALL}]
LINES: Final[Any] = [{"itemId": SNAP, "quantity": "2"}]


def entry(collection: str, operation: str = "import", **item: Any) -> dict[str, Any]:
    return {"collection": collection, "operation": operation, "item": item}


def deleted_records(operation: str = "import") -> list[dict[str, Any]]:
    """Return entries of deleted records, and of live ones that refer to them."""
    gone = {"state": "deleted"}
    return [
        entry("sub-suppliers", operation, **MILL, name="Mill", **gone),
        entry("facilities", operation, **HALL, **gone),
        entry("items", operation, **SNAP, name="Snap", **gone),
        entry("styles", operation, **STYLE, name="Jacket", state="active"),
        entry("style-supplier-facilities", operation, styleId=STYLE, steps=STEPS),
        entry("style-items", operation, styleId=STYLE, lines=LINES),
    ]


@pytest.mark.contract("States", "Changes")
async def test_deleted_records_and_references_to_them_are_stored(api: Api) -> None:
    """They are deleted in the feed, too, and unchanged when the entries are sent again."""
    follower = Follower(api)
    await follower.begin()
    answer = await send(api, deleted_records())
    assert shown(answer) == ["created"] * 4 + ["updated"] * 2
    ids = [row["id"] for row in answer.data]
    operations = {(each["collection"], each["operation"]) for each in await follower.entries()}
    assert {(name, "deleted") for name in ("facilities", "items")} <= operations
    assert ("styles", "created") in operations
    for collection, record_id in zip(("sub-suppliers", "facilities", "items"), ids, strict=False):
        assert (await api.get(f"/api/{collection}/{record_id}")).data["state"] == "deleted"
    style = f"/api/styles/{ids[3]}"
    [step] = (await api.get(f"{style}/supplier-facilities")).data
    assert (step["subSupplierId"], step["facilityId"]) == (str(ids[0]), ids[1])
    [line] = (await api.get(f"{style}/items")).data
    assert line["itemId"] == ids[2]
    assert shown(await send(api, deleted_records())) == ["unchanged"] * 6
    # They are restored as others are.
    restored = await api.put(f"/api/items/{ids[2]}", {**SNAP, "name": "Snap", "state": "active"})
    assert restored.status == 200


async def test_other_operations_find_live_records_alone(api: Api) -> None:
    """What they delete need not be there."""
    answer = await send(api, deleted_records("upsert"))
    assert answer.details == [
        (UNKNOWN, "[4].item.steps[0].subSupplierId"),
        (UNKNOWN, "[4].item.steps[0].facilityId"),
        (UNKNOWN, "[5].item.lines[0].itemId"),
    ]
    await send(api, deleted_records()[:4])
    mixed = [entry("style-items", "upsert", styleId=STYLE, lines=LINES)]
    mixed.append(entry("style-items", styleId={"number": "NONE"}, lines=[]))
    answer = await send(api, mixed)
    assert (UNKNOWN, "[0].item.lines[0].itemId") in answer.details


async def test_an_import_refers_to_deleted_records_only_where_stored_ones_may_stay(
    api: Api,
) -> None:
    gone = entry("brands", customId="IMP-B", name="Brand", state="deleted")
    brand: Any = {"brandId": {"customId": "IMP-B"}, "state": "active"}
    live = entry("styles", **STYLE, name="Jacket", **brand)
    assert (await send(api, [gone, live])).details == [(UNKNOWN, "[1].item.brandId")]
    live["item"]["state"] = "deleted"
    assert shown(await send(api, [gone, live])) == ["created"] * 2
    needed = await send(api, [entry("brands", customId="IMP-C", state="deleted")])
    assert needed.details == [("validation_error.required_field", "[0].item.name")]
    # A live record is deleted, as by an upsert.
    assert (await api.post("/api/brands", {"customId": "IMP-C", "name": "Brand"})).status == 201
    assert shown(await send(api, [entry("brands", customId="IMP-C", state="deleted")])) == [
        "deleted"
    ]


@pytest.mark.contract("Barcodes")
async def test_deleted_barcodes_keep_their_numbers_and_live_ones_their_deleted_skus(
    api: Api,
) -> None:
    sizes: Any = {"sizeRangeId": {"userDefinedId": "IMP-R"}}
    color = {"userDefinedId": "IMP-C"}
    style_color: Any = {"styleId": STYLE, "colorId": color}
    range_id = {"userDefinedId": "IMP-N"}
    sku = {"sku": "IMP-1-M"}
    gone, live = {"state": "deleted"}, {"state": "active"}
    numbers: Any = {"barcodeRangeId": range_id, "styleSkuId": sku}
    entries = [
        entry("colors", **color, name="Navy", **live),
        entry("size-ranges", **sizes["sizeRangeId"], name="Sizes", **live),
        entry("size-range-sizes", **sizes, sizes=[{"name": "M"}]),
        entry("styles", **STYLE, name="Jacket", status="published", **sizes, **live),
        entry("style-colors", **style_color, **live),
        entry(
            "style-skus",
            **sku,
            styleColorId=style_color,
            sizeRangeSizeId=sizes | {"name": "M"},
            **gone,
        ),
        entry(
            "barcode-ranges",
            **range_id,
            name="Numbers",
            type="gtin13",
            companyPrefix="9524321",
            nextReference=3,
            **gone,
        ),
        entry("barcodes", barcode=gtin("952432100000"), **numbers, isPrimary=True, **gone),
        entry("barcodes", barcode=gtin("952432100001"), **numbers, **live),
    ]
    answer = await send(api, entries)
    assert shown(answer) == ["created"] * 2 + ["updated"] + ["created"] * 6
    ids = [row["id"] for row in answer.data]
    for position, state in ((7, "deleted"), (8, "active")):
        barcode = (await api.get(f"/api/barcodes/{ids[position]}")).data
        assert (barcode["state"], barcode["styleSkuId"], barcode["barcodeRangeId"]) == (
            state,
            ids[5],
            ids[6],
        )
        assert barcode["isPrimary"] is True
    taken = await api.post("/api/barcodes", {"barcode": gtin("952432100000")})
    assert (taken.status, taken.details) == (409, [("conflict.duplicate", "barcode")])
    assert shown(await send(api, entries)) == ["unchanged"] * 9
    assert (await api.post(PATH, entries, params={"dryRun": "true"})).status == 200
