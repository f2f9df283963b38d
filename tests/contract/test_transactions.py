"""Tests of transactions over collections (contract, Transactions over collections)."""

import asyncio
import gzip
from typing import Any, Final

import orjson
import pytest

from service.handlers import transactions
from service.records.reference_targets import TARGETS
from service.resources.registry import PART_COLLECTIONS
from service.writing.part_collections import PartCollection
from tests.support import random_sets
from tests.support.api import Answer, Api
from tests.support.statement_spy import record_statements
from tests.support.transactions import NDJSON, SKIP, entry, position, season, send, shown

pytestmark = pytest.mark.contract("Transactions over collections")


async def test_a_season_in_any_order_is_one_change(api: Api) -> None:
    entries = season("A")
    before = await position(api)
    created = await send(api, entries)
    # Outcomes of parts are those of their owners.
    parts = {"measurement-charts": "updated", "size-range-sizes": "updated"}
    outcomes = [parts.get(each["collection"], "created") for each in entries]
    assert (created.status, shown(created)) == (200, outcomes)
    assert [row["index"] for row in created.data] == [*range(len(entries))]
    assert [row["collection"] for row in created.data] == [each["collection"] for each in entries]
    assert [row["key"] for row in created.data][:4] == ["P-A", "SV-A", "SW-A", "SV-A"]
    assert await position(api) == before + 1
    again = await send(api, entries[::-1])
    assert (again.status, shown(again)) == (200, ["unchanged"] * len(entries))
    assert await position(api) == before + 1
    minimal = await send(api, entries, headers={"Prefer": "return=minimal"})
    assert (minimal.data, minimal.headers["Preference-Applied"]) == ([], "return=minimal")
    style = created.data[3]["id"]
    [line] = (await api.get(f"/api/styles/{style}/measurement-chart")).data["lines"]
    assert [cell["value"] for cell in line["requested"]] == [42.5]


async def test_collections_share_locks_and_look_ups(
    own_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writer locks take one statement, and a key is looked up once, and once to be locked."""
    style_keys = {*TARGETS["styles"].texts.values()}
    with record_statements(monkeypatch) as sent:
        await send(own_api, season("L"))
        sent.clear()
        await send(own_api, season("L"))
    assert len([text for text in sent if "from writer_lock" in text]) == 1
    statements = [text for text in sent if text in style_keys]
    looked_up = [(str(text), key) for text in statements for key in text.arguments[1]]
    assert looked_up
    assert len({*looked_up}) == len(looked_up)


async def test_lines_and_compressed_bodies_mean_the_same_as_an_array(api: Api) -> None:
    lines = b"\n".join(map(orjson.dumps, season("N"))) + b"\n"
    created = await send(api, lines, content_type=NDJSON)
    assert "created" in shown(created)
    packed = await send(
        api, gzip.compress(lines), content_type=NDJSON, headers={"Content-Encoding": "gzip"}
    )
    assert {*shown(packed)} == {"unchanged"}
    broken = b'{"collection": "groups", "item": {}}\n\n[}\n{"item": {"a": 1, "a": 2}}\n'
    failed = await send(api, broken, content_type=NDJSON)
    kind = "validation_error.malformed_json"
    assert failed.details == [(kind, "[1]"), (kind, "[2]"), (kind, "[3].item.a")]


async def test_operations_create_merge_and_delete_records(api: Api) -> None:
    await send(api, season("O"))
    groups = (await api.get("/api/groups", {"userDefinedId": "O"})).data
    answer = await send(
        api,
        [
            entry("groups", "merge", id=groups[0]["id"], name="Renamed"),
            entry("color-groups", "merge", userDefinedId="O", newKey="OO"),
            entry("colors", "delete", userDefinedId="O"),
            entry("brands", "create", customId="B-O", name="Twin"),
            entry("brands", "delete", customId="NONE"),
            entry("sample-requests", "delete", styleId={"number": "SV-O"}, name="P-O"),
            {
                "collection": "groups",
                "item": {"userDefinedId": "O2", "name": "New", "state": "active"},
            },
        ],
    )
    assert shown(answer) == [
        *("updated", "updated", "deleted", "created", "absent", "deleted", "created")
    ]
    assert answer.data[1]["key"] == "OO"


@pytest.mark.contract("Presence")
async def test_upserts_keep_newer_fields_that_they_omit_as_a_replace_does(api: Api) -> None:
    await send(api, season("K"))
    style: dict[str, Any] = {"number": "SV-K", "name": "Coat", "brandId": {"customId": "B-K"}}
    [first] = (await send(api, [entry("styles", **style, description="Warm")])).data
    stored = (await api.get(f"/api/styles/{first['id']}")).data
    assert stored["description"] == "Warm"
    for item in (style, style | {"id": first["id"]}):
        assert shown(await send(api, [entry("styles", **item)])) == ["unchanged"]
    cleared = entry("styles", **style, description=None)
    assert shown(await send(api, [cleared])) == ["updated"]
    assert (await api.get(f"/api/styles/{first['id']}")).data["description"] is None


async def test_the_state_after_the_request_decides(api: Api) -> None:
    """What the request deletes cannot be referred to; what it points elsewhere is not in use."""
    await send(api, [*season("S"), entry("brands", customId="B2-S", name="Other")])
    await send(api, [entry("item-categories", name="Old"), entry("items", number="I", name="I")])
    merged = entry("items", "merge", number="I", itemCategoryId={"name": "Old"})
    assert shown(await send(api, [merged])) == ["updated"]
    unused = [
        entry("brands", "delete", customId="B-S"),
        entry("styles", "merge", number="SV-S", brandId={"customId": "B2-S"}),
        entry("styles", "delete", number="SW-S"),
        entry("style-relations", "delete", styleId={"number": "SV-S"},
              relatedStyleId={"number": "SW-S"}),
        entry("item-categories", "delete", name="Old"),
        entry("items", "merge", number="I", itemCategoryId=None),
    ]  # fmt: skip
    used = await send(api, [each for each in unused if "merge" not in each["operation"]][:2])
    in_use = "conflict.in_use"
    assert (used.status, used.details) == (
        409,
        [(in_use, "[0].item.customId"), (in_use, "[1].item.number")],
    )
    assert "SV-S" in used.json["error"]["details"][0]["value"]
    category = await send(api, [entry("item-categories", "delete", name="Old")])
    assert category.details == [(in_use, "[0].item.name")]
    dry = await send(api, unused, params={"dryRun": "true"})
    answer = await send(api, unused)
    assert shown(answer) == ["deleted", "updated", "deleted", "deleted", "deleted", "updated"]
    assert shown(dry) == shown(answer)
    assert (await api.get(f"/api/item-categories/{answer.data[4]['id']}")).status == 404


async def test_what_the_request_deletes_cannot_be_referred_to(api: Api) -> None:
    await send(api, season("S"))
    refers = [
        entry("brands", "delete", customId="B2-S"),
        entry("styles", "merge", number="SV-S", brandId={"customId": "B2-S"}),
    ]
    unknown = ("validation_error.unknown_reference", "[1].item.brandId")
    assert unknown in (await send(api, refers)).details


SOFT: Final = [
    part for part in PART_COLLECTIONS if "delete" in getattr(part.part.owner, "deletes", ())
]


@pytest.mark.parametrize("part", SOFT, ids=[part.collection for part in SOFT])
async def test_parts_of_records_that_the_request_deletes_are_found_by_key(
    part: PartCollection, api: Api
) -> None:
    """They are written; a record that gets the key is another one."""
    owner = part.part.owner.name
    key = random_sets.key(owner, "A")
    created = await send(api, [entry(owner, name="Gone", **key)])
    assert shown(created) == ["created"]
    merge = entry(part.collection, "merge", **{part.key: key})
    answer = await send(api, [merge, entry(owner, "delete", id=created.data[0]["id"])])
    assert shown(answer) == ["unchanged", "deleted"]
    assert [row["id"] for row in answer.data] == [created.data[0]["id"]] * 2
    assert (await send(api, [merge])).details == [("not_found", f"[0].item.{part.key}")]
    new = entry(owner, "create", name="New", **key)
    again = await send(api, [merge, new, entry(owner, "delete", id=created.data[0]["id"])])
    assert shown(again) == ["unchanged", "created", "unchanged"]
    assert again.data[0]["id"] == again.data[1]["id"] != created.data[0]["id"]


async def test_entries_of_one_record_are_duplicates(api: Api) -> None:
    created = await send(api, [entry("groups", userDefinedId="T", name="T")])
    by_id, by_key = created.data[0]["id"], {"userDefinedId": "T"}
    twice = await send(
        api, [entry("groups", **by_key, name="A"), entry("groups", id=by_id, name="B")]
    )
    kind = "validation_error.duplicate"
    assert twice.details == [(kind, "[0].item.userDefinedId"), (kind, "[1].item.id")]
    keys = [entry("groups", **by_key, name="A"), entry("groups", "delete", **by_key)]
    assert (await send(api, keys)).details == [(kind, "[1].item.userDefinedId")]
    twins = [entry("brands", "create", customId="TWIN", name=name) for name in ("A", "B")]
    style = entry("styles", number="SV-T", name="Coat", brandId={"customId": "TWIN"})
    ambiguous = await send(api, [style, *twins])
    assert ambiguous.details == [("conflict.ambiguous_key", "[0].item.brandId")]


async def test_custom_fields_and_values_below_new_ones_are_created(api: Api) -> None:
    key, above = {"userDefinedId": "CHILD"}, {"userDefinedId": "ABOVE"}
    named: dict[str, Any] = {"name": "Field", "type": "nestedAllowedValue"}
    value = {"value": "Raw", "parentAllowedValueId": {"value": "Denim"}}
    fields = [
        entry(
            "style-custom-fields", **key, **named, parentCustomFieldId=above, allowedValues=[value]
        ),
        entry("style-custom-fields", **above, **named, allowedValues=[{"value": "Denim"}]),
    ]
    assert shown(await send(api, fields)) == ["created"] * 2
    child, parent = [
        (await api.get("/api/style-custom-fields", each)).data[0]["allowedValues"][0]
        for each in (key, above)
    ]
    assert child["parentAllowedValueId"] == parent["id"]


async def test_preconditions_and_idempotency_keys_hold(api: Api) -> None:
    created = await send(api, [entry("groups", userDefinedId="P", name="P")])
    path = f"/api/groups/{created.data[0]['id']}"
    tag = (await api.get(path)).tag
    changes = [entry("groups", "merge", userDefinedId="P", name="Q", ifMatch=tag)]
    key = {"Idempotency-Key": "season"}
    first, second = [await send(api, changes, headers=key) for _ in range(2)]
    assert (shown(first), first.raw) == (["updated"], second.raw)
    assert second.headers["Idempotent-Replayed"] == "true"
    stale = await send(api, changes)
    assert (stale.status, stale.details) == (412, [("precondition_failed", "[0].item.ifMatch")])
    other = await send(
        api, b"\n".join(map(orjson.dumps, changes)), content_type=NDJSON, headers=key
    )
    assert other.status == 422
    preview = await send(
        api,
        [entry("groups", "merge", userDefinedId="P", name="R")],
        params={"dryRun": "true", "preview": "true"},
    )
    assert preview.data[0]["changes"] == [{"field": "name", "before": "Q", "after": "R"}]


async def test_bodies_have_limits(api: Api) -> None:
    group = entry("groups", userDefinedId="L", name="L")
    many = await send(api, [group] * 10_001)
    assert many.details == [("validation_error.too_many_items", None)]
    assert (await send(api, [])).details == [("validation_error.too_few_items", None)]
    long = await send(api, b" " * (32 * 2**20 + 1))
    assert (long.status, long.json["error"]["details"][0]["value"]) == (413, "Use at most 32 MiB.")
    values = b"[" + b",".join([b"[1]"] * 500_000) + b"]"
    assert (await send(api, values)).details == [("validation_error.too_many_items", None)]


async def test_a_transaction_that_takes_too_long_writes_nothing(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "MAX_TRANSACTION_SECONDS", 0)
    answer = await send(api, [entry("groups", userDefinedId="SLOW", name="Slow")])
    assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
    assert "send fewer entries" in answer.json["error"]["details"][0]["value"]
    assert (await api.get("/api/groups", {"userDefinedId": "SLOW"})).data == []


async def test_many_entries_are_one_transaction(api: Api) -> None:
    entries = [
        entry("styles", number=f"ST-{n}", name="Coat", brandId={"customId": f"M-{n % 200}"})
        for n in range(2_000)
    ]
    entries += [entry("brands", customId=f"M-{n}", name="Brand") for n in range(200)]
    assert (await send(api, entries)).status == 201
    again = await send(api, entries, headers={"Prefer": "return=minimal"})
    assert (again.status, again.data) == (200, [])


async def test_races_with_writers_of_single_collections_end_well(api: Api) -> None:
    await send(api, season("W"))

    async def single(n: int) -> Answer:
        body = [{"number": "SV-W", "name": f"Coat {n}"}, {"number": "SW-W", "name": f"Hat {n}"}]
        return await api.call(
            "PATCH", "/api/styles", body[:: 1 if n % 2 else -1], params={"match": "number"}
        )

    async def whole(n: int) -> Answer:
        entries = [
            entry("styles", "merge", number="SW-W", name=f"Cap {n}"),
            entry("brands", customId="B-W", name=f"Brand {n}"),
            entry("brands", "delete", customId=f"gone {n}"),
        ]
        return await send(api, entries)

    answers = await asyncio.gather(
        *(write(n) for n in range(10) for write in (single, whole, single))
    )
    assert {answer.status for answer in answers} == {200}


async def test_other_organizations_records_are_unknown(api: Api, other_api: Api) -> None:
    created = await send(api, season("X"))
    ids = [row["id"] for row in created.data]
    entries = [
        entry("styles", "merge", id=ids[3], name="Stolen"),
        entry("measurement-charts", "merge", styleId=ids[3], unit="INCH"),
        entry("styles", number="MINE", name="Mine", brandId={"customId": "B-X"}),
        entry("brands", "delete", customId="B-X"),
    ]
    failed = await send(other_api, entries, params=SKIP)
    assert shown(failed) == ["failed", "failed", "failed", "absent"]
    assert {*shown(await send(api, season("X")))} == {"unchanged"}
