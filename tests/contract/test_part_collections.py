"""Tests of part collections: lists, bulk replaces and merges (contract, Part collections)."""

from typing import Any

import pytest

from service.resources.registry import MEASUREMENTS, PART_COLLECTIONS
from service.routes import collection_path, routes
from service.writing.part_collections import PartCollection
from tests.support import parts, rows
from tests.support.api import Api
from tests.support.openapi_validation import form
from tests.support.part_collections import listed, put, replaceable

pytestmark = [pytest.mark.contract("Part collections"), pytest.mark.demo_data]

#: Parts whose items replace what they name, and leave others.
NAMING = (MEASUREMENTS, parts.PRICES)
of_each = pytest.mark.parametrize(
    "collection", PART_COLLECTIONS, ids=lambda collection: collection.collection
)


async def new_owner(api: Api, collection: PartCollection) -> int:
    """Return the id of a new record without content in its part."""
    owner = collection.part.owner.name
    body: dict[str, Any] = {"name": "Owner", "state": "active"}
    if owner == "styles":
        body["number"] = f"P-{await _count(api)}"
    if owner == "sample-requests":
        body = {"name": "Empty", "styleId": (await api.get("/api/styles")).data[0]["id"]}
    answer = await api.post(f"/api/{owner}", body)
    assert answer.status == 201, answer.raw
    return int(answer.data["id"])


async def _count(api: Api) -> int:
    answer = await api.get("/api/styles", headers={"Prefer": "count=exact"})
    return int(answer.headers["Total-Count"])


def test_the_operations_of_every_collection() -> None:
    """Lists, bulk replaces and merges: no creates, no deletes, and no path of one record."""
    for collection in PART_COLLECTIONS:
        path = f"/api/{collection.collection}"
        surface = {(route.method, route.path) for route in routes() if route.resource is collection}
        assert surface == {("GET", path), ("PUT", path), ("PATCH", path)}


@of_each
async def test_lists_have_the_parts_of_live_owners(collection: PartCollection, api: Api) -> None:
    """By the owner's id, with pages; empty parts and those of deleted owners are left out."""
    path, key = collection_path(collection), collection.key
    records = await listed(api, path)
    ids = [record[key] for record in records]
    assert len(ids) > 1
    assert ids == sorted({*ids})
    for record in records[:5]:
        form(collection.name, "document").validate(record)
        assert {**record} == {key: record[key], **await content(api, collection, record[key])}
    empty = await new_owner(api, collection)
    owners = await listed(api, f"/api/{collection.part.owner.name}", pageSize="100")
    assert {*ids} <= {owner["id"] for owner in owners}
    for owner in [owner["id"] for owner in owners if owner["id"] not in ids][:3]:
        assert not any((await content(api, collection, owner)).values())
    assert (await api.get(path, {key: str(empty)})).data == []


async def content(api: Api, collection: PartCollection, owner: int) -> Any:
    """Return the part of one owner, as its own path shows it, in the collection's form."""
    part = collection.part
    if part is MEASUREMENTS:
        style = (await api.get(f"/api/sample-requests/{owner}")).data["styleId"]
        path = f"/api/styles/{style}/sample-requests/{owner}/measurements"
        return {"sizes": (await api.get(path)).data}
    if part is parts.PRICES:
        return {"priceLists": (await api.get(f"/api/styles/{owner}/prices")).data}
    data = (await api.get(parts.path(part, owner))).data
    return {part.list_name: data} if part.list_name else data


@of_each
async def test_lists_filter_sort_and_count(collection: PartCollection, api: Api) -> None:
    path, key = collection_path(collection), collection.key
    records = await listed(api, path)
    chosen = [records[0], records[-1]]
    ids = [str(record[key]) for record in chosen]
    assert (await api.get(path, [(key, text) for text in ids])).data == chosen
    owner, own_keys = key.removesuffix("Id"), collection.properties.keys()
    assert (await api.get(path, [(f"{owner}.id", text) for text in ids])).data == chosen
    await give_key(api, collection, ids[-1])
    for name in own_keys & {f"{owner}.userDefinedId", f"{owner}.number"}:
        assert (await api.get(path, {name: "OWN-1"})).data == chosen[1:]
    query = {
        "filter[0].property": key,
        "filter[0].operator": "in",
        "filter[0].value": ",".join(ids),
    }
    counted = await api.get(path, query, headers={"Prefer": "count=exact"})
    assert (counted.data, counted.headers["Total-Count"]) == (chosen, "2")
    backwards = {"sort[0].property": key, "sort[0].order": "desc", "pageSize": "2"}
    assert (await api.get(path, backwards)).data == records[:-3:-1]
    tag = counted.headers["ETag"]
    assert (await api.get(path, query, headers={"If-None-Match": tag})).status in (200, 304)
    again = await api.get(path, headers={"If-None-Match": (await api.get(path)).headers["ETag"]})
    assert again.status == 304
    assert (await api.get(path, {"id": ids[0]})).details == [
        ("validation_error.unknown_parameter", "id")
    ]


async def give_key(api: Api, collection: PartCollection, owner: str) -> None:
    """Give an owner its own key, if there is one to give."""
    path = f"/api/{collection.part.owner.name}/{owner}"
    writable = (await api.get(path, {"form": "writable"})).data
    for name in {"userDefinedId", "number"} & writable.keys():
        assert (await api.put(path, writable | {name: "OWN-1"})).status == 200


@of_each
async def test_what_is_stored_can_be_sent_back(
    collection: PartCollection, api: Api, demo_dsn: str
) -> None:
    """A replace and a merge of what is there answer the documents, and touch no row."""
    path, key = collection_path(collection), collection.key
    items = await replaceable(api, collection)
    stored = (await api.get(path, {"pageSize": "2"})).data
    before = await rows.dump(demo_dsn, versions=True)
    replaced = await put(api, path, *items)
    assert (replaced.status, replaced.data) == (200, stored), replaced.raw
    for merge in (items, [{key: item[key]} for item in items]):
        merged = await api.patch(path, merge)
        assert (merged.status, merged.data) == (200, stored), merged.raw
    assert await rows.dump(demo_dsn, versions=True) == before
    minimal = await api.put(path, items, headers={"Prefer": "return=minimal"})
    owners = [outcome["id"] for outcome in minimal.data]
    assert owners == [item[key] for item in items]
    assert {outcome["outcome"] for outcome in minimal.data} == {"unchanged"}


@of_each
async def test_errors_name_the_owner(collection: PartCollection, api: Api, other_api: Api) -> None:
    """404 on the owner's field, or 403 for another organization's size range."""
    path, key = collection_path(collection), collection.key
    [item, other] = await replaceable(api, collection)
    unknown = other | {key: 2**62}
    refused = await put(api, path, item, unknown)
    assert (refused.status, refused.details) == (404, [("not_found", f"[1].{key}")])
    twice = await put(api, path, item, item)
    assert twice.details == [("validation_error.duplicate", f"[1].{key}")]
    nameless = await put(api, path, {name: item[name] for name in item if name != key})
    assert nameless.details == [("validation_error.required_field", f"[0].{key}")]
    foreign = await put(other_api, path, {key: item[key], **dict.fromkeys(("x",), 1)})
    assert foreign.details == [("validation_error.unknown_field", "[0].x")] or foreign.status == 400
    [theirs] = await replaceable(other_api, collection, 1)
    refused = await put(api, path, item | {key: theirs[key]})
    if collection.part.owner.name == "size-ranges":
        assert refused.details == [("forbidden.organization", f"[0].{key}")]
    else:
        assert refused.details == [("not_found", f"[0].{key}")]
        assert refused.json["error"] == (await put(api, path, item | {key: 2**62})).json["error"]


@of_each
async def test_what_collections_do_not_take(collection: PartCollection, api: Api) -> None:
    path = collection_path(collection)
    items = await replaceable(api, collection)
    for method in ("POST", "DELETE"):
        refused = await api.call(method, path)
        assert (refused.status, refused.headers["Allow"]) == (405, "GET, HEAD, PATCH, PUT")
    assert (await api.get(f"{path}/1")).details == [("not_found.route", None)]
    matched = await put(api, path, *items, match="name")
    assert matched.details == [("validation_error.unknown_parameter", "match")]
    guarded = await api.put(path, items, headers={"If-Match": "*"})
    assert guarded.details == [("validation_error.invalid_value", "If-Match")]
    too_many = await put(api, path, *items * 501)
    assert too_many.details == [("validation_error.too_many_items", None)]
    assert (await put(api, path)).details == [("validation_error.too_few_items", None)]


@of_each
async def test_dry_runs_partial_writes_and_repeats(
    collection: PartCollection, api: Api, demo_dsn: str
) -> None:
    path, key = collection_path(collection), collection.key
    [item, other] = await replaceable(api, collection)
    emptied = least(collection, item[key])
    before = await rows.dump(demo_dsn, versions=True)
    previewed = await put(api, path, emptied, other, dryRun="true")
    expected = "unchanged" if collection.part in NAMING else "updated"
    assert [outcome["outcome"] for outcome in previewed.data] == [expected, "unchanged"]
    assert await rows.dump(demo_dsn, versions=True) == before
    skipped = await put(api, path, other | {key: 2**62}, emptied, onError="skip")
    assert (skipped.status, skipped.json["code"]) == (200, "partial")
    assert [(outcome["outcome"], outcome["id"]) for outcome in skipped.data] == [
        ("failed", None),
        (expected, item[key]),
    ]
    assert skipped.data[0]["details"][0]["type"] == "not_found"
    if name := collection.part.list_name:
        # Entries that were removed have lost their ids.
        item[name] = [{m: each[m] for m in each if m != "id"} for each in item[name]]
    headers = {"Idempotency-Key": f"parts-{collection.collection}"}
    first = await api.put(path, [item], headers=headers)
    again = await api.put(path, [item], headers=headers)
    assert (first.status, again.raw) == (200, first.raw), first.raw
    assert again.headers["Idempotent-Replayed"] == "true"


def least(collection: PartCollection, owner: int) -> dict[str, Any]:
    """Return an item that removes what can be removed."""
    if collection.part is parts.SWATCHES:
        return {collection.key: owner}
    members = {MEASUREMENTS.name: "sizes", parts.PRICES.name: "priceLists"}
    member = collection.part.list_name or members.get(collection.part.name, "lines")
    return {collection.key: owner, member: []}
