"""Tests of bulk writes: all or nothing, in request order, as many statements as for one item."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from service import schemas
from service.database.statements import SHARED
from service.records.master_record import MasterRecord
from service.records.rendering import json_text
from service.schemas.write_forms import BULK_ITEMS
from tests.support import generate, rows, schema_faults
from tests.support.api import Api
from tests.support.custom_fields import STYLE, item, new, texts
from tests.support.openapi_validation import is_failure
from tests.support.parametrize import of_each_resource
from tests.support.statement_spy import record_statements

pytestmark = pytest.mark.contract("Bulk")

COLORS, GROUPS = "/api/colors", "/api/groups"


@pytest.fixture
def lasting_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look the API key up once, however long the test takes."""
    monkeypatch.setattr("service.organizations.caller.KEY_CACHE_SECONDS", 3600)


def equal_bodies(
    resource: MasterRecord, form: str, references: generate.References, count: int, seed: int
) -> list[dict[str, Any]]:
    """Return this many bodies that are equal except for unique fields."""
    return [generate.body(resource, form, references, Random(seed)) for _ in range(count)]


@pytest.mark.usefixtures("lasting_keys")
@of_each_resource
async def test_as_many_statements_for_two_hundred_items_as_for_two(
    resource: MasterRecord, own_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, counts = f"/api/{resource.name}", []
    with record_statements(monkeypatch) as sent:
        references = await generate.references(own_api)
        # The first round has statements of asyncpg's own, which looks types up.
        for count in (2, 2, 200):
            numbers = []
            sent.clear()
            made = await own_api.post(path, equal_bodies(resource, "create", references, count, 7))
            assert made.status == 201, made.raw
            numbers.append(len(sent))
            ids = [record["id"] for record in made.data]
            bodies = equal_bodies(resource, "replace", references, count, 8)
            items = [body | {"id": id_} for body, id_ in zip(bodies, ids, strict=True)]
            sent.clear()
            replaced = await own_api.put(path, items)
            assert [record["id"] for record in replaced.data] == ids
            numbers.append(len(sent))
            sent.clear()
            gone = await own_api.delete(path, [("ids", str(id_)) for id_ in ids])
            assert [record["id"] for record in gone.data] == ids
            counts.append([*numbers, len(sent)])
    assert counts[1] == counts[2]
    assert min(counts[1]) > 0
    assert max(counts[1]) <= 23, "a fixed number, and a small one"


@pytest.mark.usefixtures("lasting_keys")
async def test_the_statements_of_two_hundred_groups(
    own_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    with record_statements(monkeypatch) as sent:
        made = await own_api.post(GROUPS, [{"name": f"Group {n}"} for n in range(200)])
        items = [
            {"id": record["id"], "name": f"Group no. {number}", "state": "inactive"}
            for number, record in enumerate(made.data)
        ]
        sent.clear()
        replaced = await own_api.put(GROUPS, items)
    assert [record["name"] for record in replaced.data] == [item["name"] for item in items]
    assert kinds(sent) == ["begin", "lock", "update", "read", "change", "versions", "commit"]
    await own_api.delete(GROUPS, [("ids", str(record["id"])) for record in made.data])


@pytest.mark.usefixtures("lasting_keys")
async def test_the_statements_of_many_colors_with_groups_and_languages(
    own_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a long body, every link of which changes."""
    note = {"colorNote": "é" * 4000}
    with record_statements(monkeypatch) as sent:
        references = await generate.references(own_api)
        groups, languages = references["color-groups"], references["languages"]
        made = await own_api.post(
            COLORS,
            [
                {"name": f"Color {n}", "colorGroupIds": groups[:3], "languageIds": languages[:3]}
                for n in range(200)
            ],
        )
        assert made.status == 201, made.raw[:500]
        items = [
            note
            | {"id": record["id"], "name": f"Color no. {number}", "state": "active"}
            | {"colorGroupIds": groups[1:4], "languageIds": languages[1:4]}
            for number, record in enumerate(made.data)
        ]
        sent.clear()
        replaced = await own_api.put(COLORS, items[::-1])
        moved = kinds(sent)
        sent.clear()
        renamed = await own_api.put(COLORS, [item | {"colorNote": None} for item in items])
    assert (replaced.status, renamed.status) == (200, 200), replaced.raw[:500]
    assert [record["name"] for record in replaced.data] == [item["name"] for item in items[::-1]]
    for record in replaced.data[::100]:
        assert [group["id"] for group in record["colorGroups"]] == groups[1:4]
        assert [name["languageId"] for name in record["languageNames"]] == languages[1:4]
    links = ["delete", "images", "insert", "delete", "images", "insert"]
    before, after = ["begin", "lock", "links"], ["read", "change", "versions", "commit"]
    assert moved == [*before, "check", "update", *links, *after]
    assert kinds(sent) == [*before, "update", *after], "links that stay are not looked up"
    gone = [{"id": record["id"], "name": "Gone", "state": "deleted"} for record in made.data]
    assert (await own_api.put(COLORS, gone)).status == 200


@pytest.mark.usefixtures("lasting_keys")
async def test_the_statements_of_style_custom_fields(
    own_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of three fields differs in a value; a fourth, which is deleted, has no list."""
    values = {"allowedValues": [{"value": "GOTS"}, {"value": "GRS"}]}
    with record_statements(monkeypatch) as sent:
        brands = (await own_api.post("/api/brands", [{"name": name} for name in "AB"])).data
        sets: dict[str, Any] = {"associatedBrands": [{"id": brand["id"]} for brand in brands]}
        *fields, gone = [await new(own_api, STYLE, **values, **sets) for _ in range(4)]
        items = [item(field, allowedValues=field["allowedValues"], **sets) for field in fields]
        for each in items:
            for value in each["allowedValues"]:
                del value["properties"]
        items[1]["allowedValues"][0] = items[1]["allowedValues"][0] | {"value": "OCS"}
        stored = await own_api.put(STYLE, items)
        sent.clear()
        again = await own_api.put(STYLE, items)
        assert len(sent) == 10, sent
    assert not any("turns_color" in text for text in sent)
    assert [texts(field) for field in again.data] == [
        ["GOTS", "GRS"],
        ["GRS", "OCS"],
        ["GOTS", "GRS"],
    ]
    assert again.data == stored.data
    deletion = item(gone, state="deleted")
    assert (await own_api.put(STYLE, [*items, deletion])).status == 200


def kinds(sent: Sequence[str]) -> list[str]:
    """Return the purposes of the statements, a word each."""
    words = {
        "begin": "begin",
        "commit": "commit",
        "select id, state": "lock",
        "-- Returns no row, as record": "versions",
        "-- Returns no row": "change",
        "with sent": "update",
        "insert": "insert",
        "delete": "delete",
        "select array_agg(page_order) as ids": "read",
        "select 'color_in_group'": "links",
        "with gone": "delete",
        "with present": "update",
        "-- Lock the groups": "check",
        "-- Owners of links to add": "images",
    }
    queries = [" ".join(query.split()) for query in sent if not query.startswith("set local")]
    for text in (json_text("*"), SHARED["rows_and_images"].fill(statement="*", images="")):
        wrapper = " ".join(text.partition("*")[0].split()) + " "
        queries = [query.removeprefix(wrapper) for query in queries]
    return [
        next((word for start, word in words.items() if query.startswith(start)), query)
        for query in queries
    ]


@pytest.mark.contract("Transactions")
@of_each_resource
async def test_mixed_batches_commit_together_or_not_at_all(
    resource: MasterRecord, shared_api: Api, shared_dsn: str
) -> None:
    path, references = f"/api/{resource.name}", await generate.references(shared_api)
    made = await shared_api.post(path, equal_bodies(resource, "create", references, 4, 3))
    ids = [record["id"] for record in made.data]
    bodies = equal_bodies(resource, "replace", references, 4, 4)
    items = [body | {"id": id_} for body, id_ in zip(bodies, ids, strict=True)]
    if generate.has_state(resource):
        for index in (1, 3):
            items[index] = generate.deletion(resource, made.data[index])
    nobody = str(2**62) if resource.string_ids else 2**62
    [unknown] = equal_bodies(resource, "replace", references, 1, 4)

    before = await rows.dump(shared_dsn, versions=True)
    failed = await shared_api.put(path, [*items, unknown | {"id": nobody}])
    is_failure(failed, 404, "not_found")
    assert failed.details == [("not_found", "[4].id")]
    failed = await shared_api.delete(path, [("ids", str(id_)) for id_ in (*ids, nobody)])
    is_failure(failed, 404, "not_found")
    assert failed.details == [("not_found", "ids[4]")]
    assert await rows.dump(shared_dsn, versions=True) == before

    done = await shared_api.put(path, items[::-1])
    assert [record["id"] for record in done.data] == ids[::-1]
    if not generate.has_state(resource):
        return
    states = [record["state"] for record in done.data[::-1]]
    assert [state == "deleted" for state in states] == [False, True, False, True]
    await shared_api.delete(path, [("ids", str(ids[0])), ("ids", str(ids[2]))])


@pytest.mark.contract("Limits")
@of_each_resource
async def test_how_many_items_a_request_may_have(resource: MasterRecord, shared_api: Api) -> None:
    """Contract, Limits: 200 ids; 200 items, or 1,000 of some records."""
    path, most = f"/api/{resource.name}", schemas.load()[resource.name][BULK_ITEMS]
    references = await generate.references(shared_api)
    for method, form in (("POST", "create"), ("PUT", "replace")):
        items = equal_bodies(resource, form, references, most + 1, 1)
        if form == "replace":
            ids = [2**62 + number for number in range(most + 1)]
            named = [str(id_) if resource.string_ids else id_ for id_ in ids]
            items = [item | {"id": id_} for item, id_ in zip(items, named, strict=True)]
        beyond = await shared_api.call(method, path, items)
        is_failure(beyond, 400, "validation_error.too_many_items")
        assert beyond.json["error"]["total_items"] == most + 1
        if form == "replace":
            within = await shared_api.put(path, items[:most])
            is_failure(within, 404, "not_found")
            assert within.json["error"]["failed_items"] == most
    ids_beyond = [("ids", str(number)) for number in range(1, 202)]
    is_failure(await shared_api.delete(path, ids_beyond), 400, "validation_error.too_many_items")


@of_each_resource
async def test_an_id_stands_in_a_request_once(resource: MasterRecord, shared_api: Api) -> None:
    path = f"/api/{resource.name}"
    # New ones: nothing uses them, so that nothing else is wrong with deleting them.
    made = await shared_api.post(
        path, [schema_faults.minimal(resource.name, "create") for _ in range(2)]
    )
    first, second = [record["id"] for record in made.data]
    minimal = schema_faults.minimal(resource.name, "replace")
    items = [
        generate.with_state(resource, minimal | {"id": id_}, "deleted")
        for id_ in (first, second, first)
    ]
    answer = await shared_api.put(path, items)
    assert ("validation_error.duplicate", "[2].id") in answer.details
    assert answer.status == 400
    answer = await shared_api.delete(path, [("ids", str(id_)) for id_ in (first, second, first)])
    assert answer.details == [("validation_error.duplicate", "ids[2]")]
