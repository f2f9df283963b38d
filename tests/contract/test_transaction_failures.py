"""Tests of entries that fail, and of those that depend on them (contract, Transactions)."""

from unittest.mock import Mock

import pytest

from service.batches.batch import ItemErrors, RequestItems
from service.resources.registry import TRANSACTION
from service.writing.transaction import CollectionEntries, EntryOperation, _failed_creators
from tests.support.api import Api
from tests.support.transactions import SKIP, entry, season, send, shown

pytestmark = pytest.mark.contract("Transactions over collections")


async def test_dependents_of_failed_entries_say_so(api: Api) -> None:
    entries = [
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
    unknown, kind = "validation_error.unknown_reference", "validation_error.invalid_type"
    failed = await send(api, entries)
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
    assert answer.details == [(in_use, "[0].item.id"), (in_use, "[1].item.id")]


async def test_deletes_that_clear_references_are_finished_beside_failed_entries(api: Api) -> None:
    await send(api, [entry("item-categories", name="W"), entry("items", number="W", name="W",
               itemCategoryId={"name": "W"})])  # fmt: skip
    assert shown(await send(api, [entry("items", "delete", number="W")])) == ["deleted"]
    entries = [entry("item-categories", "delete", name="W"), entry("brands", customId="W", name=5)]
    answer = await send(api, entries, params=SKIP)
    assert shown(answer) == ["deleted", "failed"]
    assert (await api.get(f"/api/item-categories/{answer.data[0]['id']}")).status == 404


def test_creators_of_keys_are_sought_once() -> None:
    """Entries without own keys create none: failures do not go through them again."""
    operations = Mock(wraps=dict.fromkeys(range(3), EntryOperation.UPSERT))
    items = RequestItems([{"styleId": {"number": "SV-?"}}] * 3)
    entries = CollectionEntries(TRANSACTION.collections["style-prices"], operations)
    find = _failed_creators([entries], items, ItemErrors(items))
    assert [find("styles", "SV-?") for _ in items.items] == [None] * 3
    assert operations.items.call_count == 1
