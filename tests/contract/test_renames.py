"""Tests of renames by own key: ``newKey`` (contract, Own keys)."""

import asyncio
from random import Random
from string import ascii_uppercase
from typing import Any

import pytest

from service.batches.renames import stored_keys
from service.records.master_record import MasterRecord
from tests.contract.test_own_keys import shown
from tests.support import generate
from tests.support.api import Answer, Api
from tests.support.parametrize import of_each_with_own_key

pytestmark = pytest.mark.contract("Own keys")

COLORS = "/api/colors"
MATCH = {"match": "userDefinedId"}
TAKEN = ("conflict.duplicate", "newKey")


def color(key: str, new_key: str | None = None, **more: Any) -> dict[str, Any]:
    """Return the item of a color, named after the record that it means."""
    named = {"userDefinedId": key, "name": f"Color {key}", "state": "active"}
    return named | ({} if new_key is None else {"newKey": new_key}) | more


async def made(api: Api, *keys: str) -> list[int]:
    answer = await api.put(COLORS, [color(key) for key in keys], params=MATCH)
    assert shown(answer) == ["created"] * len(keys)
    return [row["id"] for row in answer.data]


async def keys_of(api: Api) -> dict[str, list[int]]:
    """Return the ids of the live colors by their keys."""
    ids: dict[str, list[int]] = {}
    letters = [("userDefinedId", letter) for letter in ascii_uppercase]
    for record in (await api.get(COLORS, letters)).data:
        ids.setdefault(record["userDefinedId"], []).append(record["id"])
    return ids


@pytest.mark.demo_data
@of_each_with_own_key
async def test_records_get_other_keys_by_replaces_and_merges(
    resource: MasterRecord, api: Api
) -> None:
    root, references = f"/api/{resource.name}", await generate.references(api)
    name, match = str(resource.own_key), {"match": str(resource.own_key)}
    new = generate.body(resource, "create", references, Random(1)) | {name: "OLD"}
    created = await api.post(root, generate.with_state(resource, new, "active"))
    record_id = created.data["id"]
    writable = (await api.get(f"{root}/{record_id}", {"form": "writable"})).data
    key = generate.key_of(resource, writable)
    merged = await api.patch(root, [key | {"newKey": "NEW"}], params=match)
    again = await api.patch(root, [key | {"newKey": "NEW"}], params=match)
    assert (shown(merged), shown(again)) == (["updated"], ["unchanged"])
    expected = {"id": record_id, "key": "NEW", "details": []}
    assert merged.data == [{"outcome": "updated", **expected}]
    back = await api.put(root, [writable | {name: "NEW", "newKey": "OLD"}], params=match)
    assert (shown(back), back.data[0]["key"]) == (["updated"], "OLD")
    assert (await api.get(f"{root}/{record_id}", {"form": "writable"})).data == writable
    same = await api.put(root, [writable | {"newKey": "OLD"}], params=match)
    assert shown(same) == ["unchanged"]


async def test_keys_are_exchanged_in_one_request(api: Api) -> None:
    first, second, third = await made(api, "A", "B", "C")
    swapped = await api.put(COLORS, [color("A", "B"), color("B", "A")], params=MATCH)
    assert shown(swapped) == ["updated", "updated"]
    assert [(row["id"], row["key"]) for row in swapped.data] == [(first, "B"), (second, "A")]
    again = await api.put(COLORS, [color("A", "B"), color("B", "A")], params=MATCH)
    assert [(row["id"], row["key"]) for row in again.data] == [(second, "B"), (first, "A")]
    back = await api.put(COLORS, [color("A", "B"), color("B", "A")], params=MATCH)
    assert back.data == swapped.data
    chain = [color("A", "D"), color("B", "A"), color("C", "B")]
    moved = await api.patch(COLORS, chain[::-1], params=MATCH)
    assert shown(moved) == ["updated"] * 3
    ids = await keys_of(api)
    assert [ids[key] for key in "DAB"] == [[second], [first], [third]]
    assert "C" not in ids


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_a_rename_that_is_sent_again_changes_nothing(api: Api, method: str) -> None:
    await made(api, "A", "B", "C", "X")
    items = [color("A", "B"), color("B", "C"), color("C", "D"), color("X", "Y")]
    done = await api.call(method, COLORS, items, params=MATCH)
    assert shown(done) == ["updated"] * 4
    again = await api.call(method, COLORS, items, params=MATCH)
    assert shown(again) == ["unchanged"] * 4
    assert [row["id"] for row in again.data] == [row["id"] for row in done.data]


async def test_a_key_is_free_when_its_record_is_deleted_with_it(api: Api) -> None:
    first, second = await made(api, "A", "B")
    items = [color("A", "B"), {"userDefinedId": "B", "state": "deleted"}]
    done, again = [await api.put(COLORS, items, params=MATCH) for _ in range(2)]
    assert (shown(done), shown(again)) == (["updated", "deleted"], ["unchanged", "unchanged"])
    assert [row["id"] for row in again.data] == [first, second]
    assert (await keys_of(api))["B"] == [first]


async def test_without_a_record_one_is_created_under_the_new_key(api: Api) -> None:
    created = await api.put(COLORS, [color("A", "B")], params=MATCH)
    assert (created.status, shown(created)) == (201, ["created"])
    assert created.data[0]["key"] == "B"
    rows = await api.put(COLORS, [color("N", "B"), color("B", "C")], params=MATCH)
    assert shown(rows) == ["created", "updated"]
    assert rows.data[1]["id"] == created.data[0]["id"]
    await api.delete(COLORS, [("match", "userDefinedId"), ("keys", "B")])
    restored = await api.put(COLORS, [color("M", "B")], params=MATCH)
    assert (shown(restored), restored.data[0]["id"]) == (["updated"], rows.data[0]["id"])


async def test_a_taken_key_is_refused(api: Api) -> None:
    """Whoever holds it; also if the holder was to give it away and could not."""
    first, second, _ = await made(api, "A", "B", "C")
    for send in (api.put, api.patch):
        refused = await send(COLORS, [color("A", "B")], params=MATCH)
        assert (refused.status, refused.details) == (409, [("conflict.duplicate", "[0].newKey")])
        [row] = refused.json["error"]["details"]
        assert row["value"] == f"Record {second} has the key B."
    items = [color("A", "B"), color("B", "C"), color("D", "E"), color("C", "D", unheardOf=1)]
    skipped = await api.put(COLORS, items, params={**MATCH, "onError": "skip"})
    assert shown(skipped) == ["failed", "failed", "created", "failed"]
    details = [
        [(row["type"], row["field"]) for row in outcome["details"]] for outcome in skipped.data
    ]
    assert details == [
        [("conflict.duplicate", "[0].newKey")],
        [("conflict.duplicate", "[1].newKey")],
        [],
        [("validation_error.unknown_field", "[3].unheardOf")],
    ]
    assert [row["id"] for row in skipped.data[:2]] == [first, second]
    assert {key: len(ids) for key, ids in (await keys_of(api)).items()} == dict.fromkeys("ABCE", 1)


_WRONGLY_RENAMED = [
    color("A", "Z"),
    color("B", "Z"),
    color("C", "E"),
    color("E"),
    color("F", "G", state="deleted"),
    color("TWIN", "U"),
    color("T", "x" * 501),
    color("V", newKey=5),
    color("W", newKey=None),
]


async def test_wrong_new_keys_are_reported(api: Api) -> None:
    await made(api, "A", "B", "C", "T")
    twins = await api.post(COLORS, [{"name": "Twin", "userDefinedId": "TWIN"}] * 2)
    assert twins.status == 201
    answer = await api.put(COLORS, _WRONGLY_RENAMED, params={**MATCH, "onError": "skip"})
    failed = [(row["type"], row["field"]) for item in answer.data for row in item["details"]]
    assert failed == [
        ("validation_error.duplicate", "[0].newKey"),
        ("validation_error.duplicate", "[1].newKey"),
        ("validation_error.duplicate", "[2].newKey"),
        ("validation_error.duplicate", "[3].userDefinedId"),
        ("validation_error.invalid_value", "[4].newKey"),
        ("conflict.ambiguous_key", "[5].userDefinedId"),
        ("validation_error.too_long", "[6].newKey"),
        ("validation_error.invalid_type", "[7].newKey"),
    ]
    assert answer.data[-1]["outcome"] == "created"


async def test_new_keys_are_for_writes_by_own_key(api: Api) -> None:
    [record_id] = await made(api, "A")
    unknown = "validation_error.unknown_field"
    item = {"id": record_id, "name": "Sage", "state": "active", "newKey": "B"}
    for answer, field in (
        (await api.put(COLORS, [item]), "[0].newKey"),
        (await api.patch(COLORS, [item]), "[0].newKey"),
        (await api.put(f"{COLORS}/{record_id}", item), "newKey"),
        (await api.put(f"{COLORS}/userDefinedId=A", item), "newKey"),
    ):
        assert (answer.status, answer.details) == (400, [(unknown, field)])
    pair = {"styleId": 1, "relatedStyleId": 2, "newKey": 3}
    relation = await api.put("/api/style-relations", [pair], params={"match": "relatedStyleId"})
    assert relation.details == [(unknown, "[0].newKey")]


async def test_writers_at_once_make_no_twins(api: Api) -> None:
    """Renames that exclude each other, and creations under the keys that they give."""
    await made(api, "A", "B")

    async def send(item: dict[str, Any]) -> Answer:
        return await api.put(COLORS, [item], params=MATCH)

    runs = [color("A", "T"), color("B", "T"), color("T"), color("A", "T"), color("T")]
    for answer in await asyncio.gather(*map(send, runs)):
        assert answer.status in (200, 201) or answer.details == [
            ("conflict.duplicate", "[0].newKey")
        ]
    assert len((await keys_of(api))["T"]) == 1


@pytest.mark.parametrize(
    ("keys", "new_keys", "live", "current"),
    [
        ("AB", "BA", "AB", "AB"),
        ("AB", "BC", "BC", "BC"),
        ("AB", "BC", "B", "-B"),
        ("AB", "B-", "B", "B-"),
        ("AB", "B-", "AB", "AB"),
        ("A", "B", "B", "B"),
        ("A", "B", "", "-"),
        ("AB", "BA", "B", "-B"),
        ("A", "A", "", "-"),
    ],
)
def test_records_are_found_by_their_old_or_new_keys(
    keys: str, new_keys: str, live: str, current: str
) -> None:
    """A dash is none: a record to create, an item without a new key."""
    new = [None if key == "-" else key for key in new_keys]
    assert stored_keys([*keys], new, {*live}) == [None if key == "-" else key for key in current]
