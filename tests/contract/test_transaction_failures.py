"""Tests of entries that fail, and of those that depend on them (contract, Transactions)."""

from collections.abc import Iterator
from typing import Any, Final
from unittest.mock import Mock
from uuid import uuid4

import pytest

from service.batches.batch import Batch, ItemErrors, RequestItems
from service.batches.entry import EntryOperation
from service.records.keyed_values import keyed_fields
from service.records.writable_resource import WritableResource
from service.resources.custom_fields.base import CustomFields
from service.resources.registry import TRANSACTION
from service.writing.part_collections import PartCollection
from service.writing.transaction import CollectionEntries, SeveralCollections
from tests.contract.test_item_dependencies import FIELDS, RANGES, generations, related_ranges
from tests.support.api import Api
from tests.support.keyed_references import BODIES, DRY, PARTS_BODIES, World
from tests.support.statement_spy import record_statements
from tests.support.transactions import SKIP, entry, season, send, shown

CHAINS = {"custom fields": (FIELDS, generations), "size ranges": (RANGES, related_ranges)}
IN_USE = "conflict.in_use"
pytestmark = pytest.mark.contract("Transactions over collections")


_FAILING_ENTRIES = [
    entry("styles", number="SV-D", name="Coat", brandId={"customId": "B-D"}),
    entry("measurement-charts", styleId={"number": "SV-D"}, unit="CM", lines=[]),
    entry("brands", customId="B-D", name=5),
    entry("groups", userDefinedId="G-D", name="Fine"),
    {"collection": "brand", "item": {}},
    entry("color-translations", "delete", colorId=1),
    "entry",
    entry(
        "style-custom-fields",
        userDefinedId="F-D",
        name="Field",
        type="text",
        associatedBrands=[{"customId": "B-D"}],
    ),
]


async def test_dependents_of_failed_entries_say_so(api: Api) -> None:
    unknown, kind = "validation_error.unknown_reference", "validation_error.invalid_type"
    failed = await send(api, _FAILING_ENTRIES)
    assert (failed.status, failed.json["error"]["operation"]) == (400, "transaction")
    assert (failed.json["error"]["total_items"], failed.json["error"]["failed_items"]) == (8, 7)
    invalid = "validation_error.invalid_value"
    assert failed.details == [
        (unknown, "[0].item.brandId"),
        (unknown, "[1].item.styleId"),
        (kind, "[2].item.name"),
        (invalid, "[4].collection"),
        (invalid, "[5].operation"),
        (kind, "[6]"),
        (unknown, "[7].item.associatedBrands[0].customId"),
    ]
    values = [row["value"] for row in failed.json["error"]["details"]]
    assert values[0] == "Entry 2, which creates it, fails."
    assert values[1] == "Entry 0, which creates it, fails."
    assert values[6] == values[0]
    assert values[3].endswith("Did you mean brands?")
    assert (await api.get("/api/groups", {"userDefinedId": "G-D"})).data == []


async def test_entries_that_fail_are_skipped(api: Api) -> None:
    entries = _FAILING_ENTRIES
    skipped = await send(api, entries, params=SKIP)
    failing = ["failed"] * 3
    assert (skipped.json["code"], shown(skipped)) == (
        "partial",
        [*failing, "created", *failing, "failed"],
    )
    assert [row["collection"] for row in skipped.data[4:7]] == ["brand", "color-translations", None]


async def test_deletes_of_used_records_are_skipped_alone(api: Api) -> None:
    """What depends on the failed delete is judged anew; the rest is written."""
    await send(api, season("U"))
    entries = [
        entry("brands", "delete", customId="B-U"),
        entry("styles", "delete", number="SV-U"),
        entry("groups", "delete", userDefinedId="U"),
        entry("styles", "merge", number="SW-U", groupIds=[]),
    ]
    answer = await send(api, entries, params=SKIP)
    assert shown(answer) == ["failed", "failed", "deleted", "updated"]
    assert [row["details"][0]["type"] for row in answer.data[:2]] == ["conflict.in_use"] * 2


async def test_a_failure_has_what_depends_on_a_delete_that_fails(api: Api) -> None:
    """What a record that stays refers to is still in use; each entry is reported."""
    await send(api, season("V"))
    entries = [
        entry("brands", "delete", customId="B-V"),
        entry("styles", "delete", number="SV-V"),
        entry("styles", "merge", number="SW-V", groupIds=[]),
    ]
    in_use = "conflict.in_use"
    answer = await send(api, entries)
    assert (answer.status, answer.json["error"]["failed_items"]) == (409, 2)
    assert answer.details == [(in_use, "[0].item.customId"), (in_use, "[1].item.number")]


async def test_deletes_that_clear_references_are_finished_beside_failed_entries(api: Api) -> None:
    await send(api, [entry("item-categories", name="W"), entry("items", number="W", name="W",
               itemCategoryId={"name": "W"})])  # fmt: skip
    assert shown(await send(api, [entry("items", "delete", number="W")])) == ["deleted"]
    entries = [entry("item-categories", "delete", name="W"), entry("brands", customId="W", name=5)]
    answer = await send(api, entries, params=SKIP)
    assert shown(answer) == ["deleted", "failed"]
    assert (await api.get(f"/api/item-categories/{answer.data[0]['id']}")).status == 404


def test_creators_of_keys_are_sought_once_and_within_their_parents() -> None:
    """Entries without own keys create none: failures do not go through them again."""
    items = RequestItems([{"styleId": 7, "colorId": 5, "position": 8}], details={0: []})
    operations = Mock(wraps={0: EntryOperation.UPSERT}, __iter__=lambda _: iter(()))
    for collection, creator in (("style-prices", None), ("style-colors", 0)):
        entries = CollectionEntries(TRANSACTION.collections[collection], operations)
        transaction = SeveralCollections(items, [entries])
        transaction.batches(Batch(Mock(), Mock(), [], ItemErrors(items)))
        indexes = [transaction.failed_creator(collection, (5, parent)) for parent in (7, 8)]
        assert indexes == [creator, None]
    assert operations.items.call_count == 2


def bodies(world: World) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield an item of each collection that refers to others, by own keys, with the collection."""
    of = world.keys.__getitem__
    for name, body in BODIES.items():
        yield name, body(of)
    for name, body in PARTS_BODIES.items():
        part, item = TRANSACTION.collections[name], body(of)
        assert isinstance(part, PartCollection)
        if part.part.list_name:
            item = {part.part.list_name: item}
        if name == "style-prices":
            item = {"priceLists": [item | {"priceListId": of("price list")}]}
        if name == "measurements":
            item = {"sizes": [item | {"sizeRangeSizeId": of("M")}]}
        _, _, _, *ids = world.paths[name].split("/")
        yield name, item | {part.key: int(ids[2 if name == "measurements" else 0])}


PARTS_WITH_NAMES: Final = {"size-ranges/sizes": "range", "styles/measurement-chart": "style"}
"""Owners in ``World`` of the parts with entries that others name."""


@pytest.mark.parametrize("target", PARTS_WITH_NAMES)
async def test_names_in_a_part_whose_entry_fails_do_not_mean_those_before(
    target: str, world: World, shared_api: Api
) -> None:
    """Sizes may have exchanged their names, for instance; each reference to one is tried."""
    resources = TRANSACTION.collections.values()
    [part] = [
        each
        for each in resources
        if isinstance(each, PartCollection) and each.part.owner.name + each.part.below == target
    ]
    owner = {part.key: world.keys[PARTS_WITH_NAMES[target]]}
    naming = [
        each.collection
        for each in resources
        if target in [field.target.name for field in keyed_fields(each.name, each.list_name)]
    ]
    if target == "styles/measurement-chart":
        naming.remove(part.collection)  # within itself alone
    assert naming
    items = dict(bodies(world))
    for collection in naming:
        operation = "create" if collection == "sample-requests" else "upsert"
        alone = [entry(collection, operation, **items[collection])]
        written = await send(shared_api, alone, params=DRY)
        assert shown(written)[0] != "failed", collection
        failing = [entry(part.collection, **owner, unknown=True), *alone]
        answer = await send(shared_api, failing, params=SKIP)
        assert shown(answer) == ["failed"] * 2, collection
        assert {row["value"] for row in answer.data[1]["details"]} == {
            "Entry 0, which creates it, fails."
        }


async def test_dependents_below_parents_that_keys_name_say_so(api: Api) -> None:
    """Keys whose parents, or own values, are key objects."""
    await send(api, season("Q"))
    style, color = {"number": "SV-Q"}, {"userDefinedId": "Q"}
    pair: dict[str, Any] = {"styleId": style, "colorId": color}
    size = {"sizeRangeId": {"userDefinedId": "R-Q"}, "name": "M"}
    sample: dict[str, Any] = {"styleId": style, "name": "New"}
    entries = [
        entry("sample-requests", "create", **sample, sizeRangeSizeIds=[size], status="lost"),
        entry("measurements", sampleRequestId=sample, sizes=[]),
        entry("style-colors", **pair, sortOrder=-1),
        entry("style-skus", sku="Q", styleColorId=pair, sizeRangeSizeId=size),
    ]
    answer = await send(api, entries, params=SKIP)
    assert shown(answer) == ["failed"] * 4
    for dependent, creator in ((1, 0), (3, 2)):
        values = {row["value"] for row in answer.data[dependent]["details"]}
        assert f"Entry {creator}, which creates it, fails." in values


async def test_a_key_that_a_delete_by_key_frees_is_free_for_a_new_key(api: Api) -> None:
    made = [entry("groups", userDefinedId=f"N-{key}", name=key) for key in "AB"]
    assert shown(await send(api, made)) == ["created"] * 2
    moved = [
        entry("groups", "merge", userDefinedId="N-B", newKey="N-A"),
        entry("groups", "delete", userDefinedId="N-A"),
    ]
    assert shown(await send(api, moved)) == ["updated", "deleted"]


async def test_a_create_and_an_upsert_of_one_key_are_duplicates(api: Api) -> None:
    """Two creates are two records."""
    creates = [entry("groups", "create", userDefinedId="TWICE", name=name) for name in "AB"]
    duplicate = "validation_error.duplicate"
    for operation in ("upsert", "merge"):
        other = entry("groups", operation, userDefinedId="TWICE", name="C")
        refused = await send(api, [creates[0], other])
        assert refused.details == [(duplicate, f"[{n}].item.userDefinedId") for n in (0, 1)]
    assert shown(await send(api, creates)) == ["created"] * 2


@pytest.mark.parametrize("chain", CHAINS)
async def test_deletes_that_need_each_other_are_judged_at_once(
    chain: str, own_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long their chain is; the last record is used by one that stays."""
    root, create_chain = CHAINS[chain]
    mark, counts = uuid4().hex, list[int]()
    with record_statements(monkeypatch) as sent:
        for length in (4, 4, 12):
            *ids, _ = await create_chain(own_api, length + 1)
            entries = [entry(root.removeprefix("/api/"), "delete", id=id_) for id_ in ids]
            entries.append(entry("brands", customId=f"{mark}{len(counts)}", name="B"))
            refused = await send(own_api, entries)
            assert refused.details == [(IN_USE, f"[{n}].item.id") for n in range(length)]
            sent.clear()
            answer = await send(own_api, entries, params=SKIP)
            assert shown(answer) == [*["failed"] * length, "created"]
            counts.append(len(sent))
    assert counts[1] == counts[2] > 0


async def test_chains_between_collections_have_no_longest_one(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are judged link by link, as these of one collection without their dependencies."""
    monkeypatch.setattr(CustomFields, "dependencies", WritableResource.dependencies)
    *ids, _ = await generations(api, 13)
    entries = [entry("compliance-custom-fields", "delete", id=id_) for id_ in ids]
    entries.append(entry("brands", customId="CH", name="Brand"))
    refused = await send(api, entries)
    assert refused.details == [(IN_USE, f"[{n}].item.id") for n in range(12)]
    answer = await send(api, entries, params=SKIP)
    assert shown(answer) == [*["failed"] * 12, "created"]


@pytest.mark.contract("Sample requests")
async def test_a_chart_whose_entry_fails_is_not_frozen(api: Api) -> None:
    await send(api, season("F"))
    style, size = {"number": "SV-F"}, {"sizeRangeId": {"userDefinedId": "R-F"}, "name": "M"}
    line = {"lineId": {"name": "Chest"}, "requested": [{"sizeRangeSizeId": size, "value": 5}]}
    entries = [
        entry("sample-requests", "create", styleId=style, name="New", sizeRangeSizeIds=[size]),
        entry("measurement-charts", styleId=style, unit="CM", lines=[line, {"name": 5}]),
        entry("sample-requests", "merge", styleId=style, name="P-F", comment="Soon"),
        entry("sample-requests", "create", styleId={"number": "SW-F"}, name="New"),
    ]
    answer = await send(api, entries, params=SKIP)
    assert shown(answer) == ["failed", "failed", "updated", "created"]
    refused = await send(api, entries)
    unknown = ("validation_error.unknown_reference", "[0].item.styleId")
    assert (refused.status, refused.details[0]) == (400, unknown)
    assert refused.json["error"]["details"][0]["value"] == "Entry 1, which creates it, fails."
    entries[1]["item"]["lines"].pop()
    written = await send(api, entries, params=SKIP)
    assert shown(written) == ["created", "updated", "unchanged", "created"]


BELOW: Final[dict[str, dict[str, Any]]] = {
    "facilities": {"subSupplierId": {"customId": "GONE"}, "name": "Mill"},
    "sample-requests": {"styleId": {"number": "GONE"}, "name": "P"},
    "style-colors": {"styleId": {"number": "GONE"}, "colorId": {"userDefinedId": "GONE"}},
    "style-files": {"styleId": {"number": "GONE"}, "fileName": "a.jpg"},
    "style-relations": {"styleId": {"number": "GONE"}, "relatedStyleId": {"number": "GONE"}},
}
"""Keys of records below parents that keys name, none of which is there."""


@pytest.mark.contract("Own keys")
@pytest.mark.parametrize("collection", BELOW)
async def test_deletes_below_what_is_gone_are_absent(collection: str, api: Api) -> None:
    """So they may be repeated, in bulk and in transactions, as those of other records."""
    resource, item = TRANSACTION.collections[collection], BELOW[collection]
    assert {*BELOW} == {
        name for name, each in TRANSACTION.collections.items() if each.own_key_within
    }
    for operation in ("delete", "upsert", "merge"):
        state = {} if operation == "delete" else {"state": "deleted"}
        answer = await send(api, [{**entry(collection, operation), "item": item | state}])
        assert [(row["outcome"], row["id"]) for row in answer.data] == [("absent", None)]
    path = f"/api/{collection}"
    params = {"match": str(resource.own_key)}
    for write in (api.put, api.patch):
        answer = await write(path, [item | {"state": "deleted"}], params=params)
        assert shown(answer) == ["absent"]
    refused = await api.patch(path, [item], params=params)
    assert {type_ for type_, _ in refused.details} == {"validation_error.unknown_reference"}


async def test_a_delete_below_a_parent_that_fails_says_so(api: Api) -> None:
    style: dict[str, Any] = {"number": "SV-B"}
    entries = [
        entry("styles", **style, name=5),
        entry("sample-requests", "delete", styleId=style, name="P"),
    ]
    answer = await send(api, entries, params=SKIP)
    assert [row["outcome"] for row in answer.data] == ["failed"] * 2
    [row] = answer.data[1]["details"]
    assert (row["field"], row["value"]) == ("[1].item.styleId", "Entry 0, which creates it, fails.")


async def test_rows_name_records_by_what_names_them(api: Api) -> None:
    """By the own key, or in a request by path and by id by the id."""
    await send(api, season("N"))
    row = (IN_USE, "[0].customId")
    deleted = [{"customId": "B-N", "state": "deleted"}]
    for write in (api.put, api.patch):
        assert (await write("/api/brands", deleted, params={"match": "customId"})).details == [row]
    brand = (await api.get("/api/brands", {"customId": "B-N"})).data[0]["id"]
    by_key = entry("brands", "delete", customId="B-N")
    assert (await send(api, [by_key])).details == [(IN_USE, "[0].item.customId")]
    keys = await api.delete("/api/brands?match=customId&keys=B-N")
    assert keys.details == [(IN_USE, "keys[0]")]
    assert (await api.delete("/api/brands/customId=B-N")).details == [(IN_USE, "id")]
    both = [by_key, entry("brands", "delete", id=brand)]
    duplicate = "validation_error.duplicate"
    twice = [(duplicate, "[0].item.customId"), (duplicate, "[1].item.id")]
    assert (await send(api, both)).details == twice
