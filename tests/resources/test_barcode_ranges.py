"""Tests of barcode ranges (contract, Barcode ranges)."""

import asyncio
from itertools import count
from typing import Any

import pytest

from tests.support.api import Api, replacing

pytestmark = pytest.mark.contract("Barcode ranges")

RANGES = "/api/barcode-ranges"
OVERLAP, DUPLICATE = "conflict.overlap", "validation_error.duplicate"
INVALID, OUT_OF_RANGE = "validation_error.invalid_value", "validation_error.out_of_range"
_PREFIXES = count(9521000)


def a_range(**fields: Any) -> dict[str, Any]:
    """Return a body with a prefix that no other test has."""
    prefix = str(next(_PREFIXES))
    return {"name": "Own brand", "type": "gtin13", "companyPrefix": prefix, **fields}


async def test_fields(api: Api) -> None:
    """References have defaults again if a replace omits them; type and prefix stay."""
    body = a_range()
    made = await api.post(RANGES, body)
    own = {"id": made.data["id"], **body, "brandId": None, "isDefault": False, "state": "active"}
    all_of_them = {"firstReference": 0, "lastReference": 99999, "nextReference": 0, "free": 100000}
    assert made.data == own | all_of_them
    location = made.headers["Location"]
    some = {"firstReference": 10, "lastReference": 19}
    narrowed = await api.put(location, {"name": "Own brand", "state": "active", **some})
    assert narrowed.data == own | some | {"nextReference": 10, "free": 10}
    assert (await api.patch(location, replacing("/firstReference", 20))).details == [
        (OUT_OF_RANGE, "lastReference")
    ]
    assert (await api.put(location, body | {"state": "active", "type": None})).data == made.data
    changed = {"type": "gtin12", "companyPrefix": "952177"}
    for answer in (
        await api.put(location, body | {"state": "active"} | changed),
        await api.patch(location, changed, content_type="application/merge-patch+json"),
    ):
        assert answer.details == [
            ("validation_error.read_only_field", name) for name in ("type", "companyPrefix")
        ]


async def test_prefixes_and_references_fit_the_type(api: Api) -> None:
    wrong: list[tuple[dict[str, Any], tuple[str, str]]] = [
        ({"companyPrefix": "952"}, (INVALID, "companyPrefix")),
        ({"companyPrefix": "95212345678x"}, (INVALID, "companyPrefix")),
        ({"companyPrefix": "952123456789"}, (INVALID, "companyPrefix")),
        ({"companyPrefix": "0952123"}, (INVALID, "companyPrefix")),
        ({"companyPrefix": "2952123"}, (INVALID, "companyPrefix")),
        ({"type": "gtin12", "companyPrefix": "49521"}, (INVALID, "companyPrefix")),
        ({"type": "gtin12", "companyPrefix": "9521"}, (INVALID, "companyPrefix")),
        ({"type": "gtin12", "companyPrefix": "00001"}, (INVALID, "companyPrefix")),
        ({"companyPrefix": "9521234", "lastReference": 100000}, (OUT_OF_RANGE, "lastReference")),
        ({"companyPrefix": "9521234", "firstReference": 100000}, (OUT_OF_RANGE, "firstReference")),
    ]
    answer = await api.post(RANGES, [a_range(**fields) for fields, _ in wrong])
    assert answer.details == [(t, f"[{n}].{f}") for n, (_, (t, f)) in enumerate(wrong)]


async def test_live_ranges_do_not_overlap(api: Api) -> None:
    """Ranges are compared as numbers, across prefixes and types, in the state after the request."""
    first = a_range(type="gtin12", companyPrefix="652133", lastReference=499)
    made = (await api.post(RANGES, first)).data
    same = {"type": "gtin13", "companyPrefix": "06521"}
    rest = a_range(type="gtin12", companyPrefix="6521330", firstReference=500)
    assert (await api.post(RANGES, rest)).status == 201
    for other in ({**first, "firstReference": 400}, {**rest, "firstReference": 0}):
        assert (await api.post(RANGES, other)).details == [(OVERLAP, "firstReference")]
    assert (await api.post(RANGES, a_range(**same))).status == 400
    twice = [a_range(companyPrefix="9521999"), a_range(companyPrefix="95219990")]
    assert (await api.post(RANGES, twice)).details == [(DUPLICATE, "[1].firstReference")]
    # The numbers of a range that is deleted are free at once, and taken when it is restored.
    deleted = {"id": made["id"], "name": "Own brand", "state": "deleted"}
    assert (await api.put(RANGES, [deleted])).status == 200
    assert (await api.post(RANGES, first)).status == 201
    restored = await api.put(f"{RANGES}/{made['id']}", {**first, "state": "active"})
    assert restored.details == [(OVERLAP, "firstReference")]
    [other] = (await api.get(RANGES, {"companyPrefix": "652133"})).data
    swapped = [
        {"id": made["id"], "name": "Again", "lastReference": 9, "state": "active"},
        {"id": other["id"], "name": "Own brand", "firstReference": 10, "lastReference": 499}
        | {"state": "active"},
    ]
    assert (await api.put(RANGES, swapped)).status == 200


async def test_of_two_writers_at_once_one_gets_the_numbers(api: Api) -> None:
    for _ in range(10):
        body = a_range()
        answers = await asyncio.gather(*(api.post(RANGES, body) for _ in range(4)))
        assert sorted(answer.status for answer in answers) == [201, 409, 409, 409]


async def test_an_organization_has_one_default(api: Api) -> None:
    """A replace without ``isDefault`` keeps it; a delete ends it."""
    first, second = (await api.post(RANGES, [a_range(isDefault=True), a_range()])).data
    assert first["isDefault"]
    location = f"{RANGES}/{second['id']}"
    assert (await api.patch(location, replacing("/isDefault", True))).data["isDefault"]
    assert not (await api.get(f"{RANGES}/{first['id']}")).data["isDefault"]
    replaced = await api.put(location, {"name": "Default", "state": "inactive"})
    assert replaced.data["isDefault"]
    both = [{"id": row["id"], "isDefault": True} for row in (first, second)]
    assert (await api.patch(RANGES, both)).details == [(DUPLICATE, "[1].isDefault")]
    assert not (await api.delete(location)).data["isDefault"]
    assert (await api.patch(location, replacing("/isDefault", True))).details == [
        (INVALID, "isDefault")
    ]


@pytest.mark.contract("States")
async def test_ranges_protect_their_brand(api: Api) -> None:
    brand = (await api.post("/api/brands", {"name": "B", "customId": "BR-GTIN"})).data["id"]
    body = a_range(brandId={"customId": "BR-GTIN"}, userDefinedId="EAN-9")
    assert (await api.post(RANGES, body)).data["brandId"] == brand
    refused = await api.delete(f"/api/brands/{brand}")
    [row] = refused.json["error"]["details"]
    assert "Used by barcode ranges: 1" in row["value"]
    listed = await api.get(RANGES, {"brand.customId": "BR-GTIN", "nextReference": "0"})
    assert [row["userDefinedId"] for row in listed.data] == ["EAN-9"]


@pytest.mark.contract("Allocation of barcodes")
async def test_writes_raise_the_next_reference(api: Api) -> None:
    """A create begins there; a lower one, also of an earlier form, changes nothing."""
    body = a_range(lastReference=99, nextReference=42)
    made = await api.post(RANGES, body)
    assert (made.data["nextReference"], made.data["free"]) == (42, 58)
    location = made.headers["Location"]
    form = (await api.get(location, {"form": "writable"})).data
    allocated = await api.post(
        "/api/barcodes/allocate", [{"barcodeRangeId": made.data["id"], "count": 2}]
    )
    assert [row["key"][7:12] for row in allocated.data] == ["00042", "00043"]
    stored = (await api.get(location)).data
    assert stored["nextReference"] == 44
    assert (await api.put(location, form)).data == stored
    raised = await api.patch(location, replacing("/nextReference", 100))
    assert (raised.data["nextReference"], raised.data["free"]) == (None, 0)
    item = {"id": stored["id"], "name": "Own brand", "lastReference": 99, "state": "active"}
    for reference in (7, 100, None):
        again = await api.put(
            RANGES, [item | {"nextReference": reference}], params={"dryRun": "true"}
        )
        assert [row["outcome"] for row in again.data] == ["unchanged"]
    too_high = await api.patch(location, replacing("/nextReference", 101))
    assert too_high.details == [(OUT_OF_RANGE, "nextReference")]
