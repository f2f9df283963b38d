"""Tests of `conflict.in_use`: records in use are not deleted, also in races (States)."""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from service.limits import MAX_USAGE_LENGTH
from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from tests.support.api import Api
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("States")

ROUNDS = 4
#: A kind of records and their number, with the first ones; of the default size range none.
USAGE = r'[a-z ]+: [1-9]\d*( \(\d+( ".*?")?(, \d+( ".*?")?){0,9}\))?'
MADE: dict[str, dict[str, Any]] = {
    "colors": {"name": "Blue"},
    "styles": {"number": "SV-1", "name": "Vest"},
    "items": {"number": "TR-1", "name": "Snap"},
    "facilities": {"name": "Dye house"},
    "channels": {"name": "Shop"},
    "price-lists": {"name": "Costs", "type": "cost", "currencyCode": "EUR"},
    "sample-requests": {"name": "Proto"},
}
#: What the records that are deleted need beside a name.
NEEDED: dict[str, dict[str, Any]] = {
    "price-lists": {"type": "retail", "currencyCode": "EUR"},
    "styles": {"number": "SV-2"},
}


def alone(value: Any) -> Any:
    return value


def listed(value: Any) -> Any:
    return [value]


REFERENCES: list[tuple[str, str, str, Callable[[Any], Any]]] = [
    ("colors", "color-groups", "colorGroupIds", listed),
    ("styles", "brands", "brandId", alone),
    ("styles", "style-categories", "styleCategoryId", alone),
    ("styles", "groups", "groupIds", listed),
    ("styles", "suppliers", "supplierId", alone),
    ("price-lists", "suppliers", "supplierId", alone),
    ("channels", "price-lists", "priceListIds", listed),
    ("items", "item-categories", "itemCategoryId", alone),
    ("items", "suppliers", "supplierId", alone),
    ("items", "brands", "brandId", alone),
    ("facilities", "sub-suppliers", "subSupplierId", alone),
]


@pytest.mark.demo_data
@pytest.mark.parametrize(
    "resource",
    [resource for resource in MASTER_RECORDS if resource.uses or "in_use" in resource.statements],
    ids=lambda resource: resource.name,
)
async def test_every_rule_says_by_what_and_how_often(resource: MasterRecord, api: Api) -> None:
    root = f"/api/{resource.name}"
    records = (await api.get(root, {"pageSize": 100})).data
    # Children stay, for those that go with their parents do not use them.
    ids = [
        ("ids", str(record["id"])) for record in records if not record.get("parentCustomFieldId")
    ]
    dry_run = await api.delete(root, [*ids, ("onError", "skip"), ("dryRun", "true")])
    details = [detail for row in dry_run.data for detail in row["details"]]
    assert {detail["type"] for detail in details} == {"conflict.in_use"}
    for detail in details:
        assert re.fullmatch(rf"Used by {USAGE}(, {USAGE})*\.", detail["value"]), detail


async def test_the_first_ten_are_named_with_their_own_keys(api: Api) -> None:
    """By id; of those without a key the id alone, and keys as JSON texts."""
    group = (await api.post("/api/color-groups", {"name": "Named"})).data["id"]
    keys = ['A "quoted", (one)', None, *(f"N-{n}" for n in range(10))]
    items = [{"name": "Color", "userDefinedId": key, "colorGroupIds": [group]} for key in keys]
    ids = [record["id"] for record in (await api.post("/api/colors", items)).data]
    assert (await api.delete(f"/api/colors/{ids[3]}")).status == 200
    refused = await api.delete("/api/color-groups", {"ids": str(group)})
    assert (refused.status, refused.details) == (409, [("conflict.in_use", "ids[0]")])
    [row] = refused.json["error"]["details"]
    named = [(id_, key) for id_, key in zip(ids, keys, strict=True) if id_ != ids[3]][:10]
    texts = [f"{id_} {json.dumps(key)}" if key else f"{id_}" for id_, key in named]
    assert row["value"] == f"Used by colors: 11 ({', '.join(texts)})."


async def test_keys_of_any_length_are_named_up_to_the_limit(api: Api) -> None:
    category = (await api.post("/api/item-categories", {"name": "Named"})).data["id"]
    items = [{"name": "I", "number": f"{n}" * 500, "itemCategoryId": category} for n in range(10)]
    ids = [record["id"] for record in (await api.post("/api/items", items)).data]
    [row] = (await api.delete(f"/api/item-categories/{category}")).json["error"]["details"]
    assert row["value"].startswith(f'Used by items: 10 ({ids[0]} "{"0" * 500}", {ids[1]} "11')
    assert len(row["value"]) == MAX_USAGE_LENGTH


@pytest.mark.parametrize(
    ("collection", "target", "field", "value", "restores"),
    Sample(__name__)(
        [
            *((*reference, restores) for reference in REFERENCES for restores in (False, True)),
            # Deleted for good, so that none is restored.
            ("sample-requests", "styles", "styleId", alone, False),
        ],
        5,
    ),
)
async def test_nothing_live_refers_to_what_is_deleted(
    api: Api, collection: str, target: str, field: str, value: Callable[[Any], Any], restores: bool
) -> None:
    for turn in range(ROUNDS):
        brief = {"name": "Brief"} | NEEDED.get(target, {})
        named = (await api.post(f"/api/{target}", brief)).data["id"]
        body = MADE[collection] | {field: value(named)}
        if restores:
            location = (await api.post(f"/api/{collection}", body)).headers["Location"]
            assert (await api.delete(location)).status == 200
            write = api.put(location, body | {"state": "active"})
        else:
            write = api.post(f"/api/{collection}", body)

        async def delete(named: Any = named, turn: int = turn) -> Any:
            await asyncio.sleep(turn % 4 * 0.002)
            return await api.delete(f"/api/{target}/{named}")

        written, deleted = await asyncio.gather(write, delete())
        if target == "sub-suppliers" and written.status < 300:
            # It goes along.
            stored = (await api.get(f"/api/{collection}/{written.data['id']}")).data
            assert (deleted.status, stored["state"]) == (200, "deleted")
        elif written.status < 300:
            assert (deleted.status, deleted.details) == (409, [("conflict.in_use", "id")])
        else:
            faulty = f"{field}[0]" if value is listed else field
            unknown = [("validation_error.unknown_reference", faulty)]
            assert (deleted.status, written.details) == (200, unknown)
