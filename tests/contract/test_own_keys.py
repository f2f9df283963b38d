"""Tests of bulk writes by the customer's own keys (contract, Own keys)."""

import asyncio
from random import Random
from typing import Any

import pytest

from service import schemas
from service.records.master_record import MasterRecord
from tests.support import generate, rows
from tests.support.api import Answer, Api
from tests.support.offenders import in_each
from tests.support.openapi_validation import form
from tests.support.parametrize import WITH_OWN_KEY, of_each_resource, of_each_with_own_key

pytestmark = pytest.mark.contract("Own keys")

COLORS, GROUPS = "/api/colors", "/api/groups"
MATCH = {"match": "userDefinedId"}


def shown(answer: Answer) -> list[str]:
    assert answer.status in (200, 201), answer.raw
    for row in answer.data:
        form("common/envelope", "itemOutcome").validate(row)
    return [row["outcome"] for row in answer.data]


async def bodies(api: Api, resource: MasterRecord, shape: str, seed: int) -> list[dict[str, Any]]:
    """Return three items with keys of their own, to be created or to replace."""
    references, random = await generate.references(api), Random(seed)
    made = [generate.body(resource, shape, references, random) for _ in range(3)]
    if resource not in WITH_OWN_KEY:
        return made
    return [body | {str(resource.own_key): f"OWN-{n}"} for n, body in enumerate(made)]


@pytest.mark.demo_data
@of_each_with_own_key
async def test_by_own_key_records_are_created_replaced_deleted_and_restored(
    resource: MasterRecord, api: Api
) -> None:
    root, match = f"/api/{resource.name}", {"match": str(resource.own_key)}
    new = [
        generate.with_state(resource, body, "active")
        for body in await bodies(api, resource, "create", 1)
    ]
    created = await api.put(root, new, params=match)
    assert (created.status, shown(created)) == (201, ["created"] * 3)
    ids = [row["id"] for row in created.data]
    assert [row["key"] for row in created.data] == ["OWN-0", "OWN-1", "OWN-2"]
    again = await api.put(root, new[::-1], params=match)
    assert shown(again) == ["unchanged"] * 3
    assert [row["id"] for row in again.data] == ids[::-1]
    change = generate.altered(resource, new[0], await generate.references(api))
    other = await api.put(root, [new[0] | change], params=match)
    assert (shown(other), other.data[0]["id"]) == (["updated"], ids[0])
    gone = [generate.key_of(resource, body) | {"state": "deleted"} for body in new]
    deleted = await api.put(root, gone, params=match)
    assert shown(deleted) == ["deleted"] * 3
    after = await api.put(root, gone, params=match)
    restored = await api.put(root, new, params=match)
    if "purge" in resource.statements:
        assert shown(after) == ["absent"] * 3
        assert [row["id"] for row in after.data] == [None] * 3
        assert shown(restored) == ["created"] * 3
    else:
        assert shown(after) == ["unchanged"] * 3
        assert shown(restored) == ["updated"] * 3
        assert [row["id"] for row in restored.data] == ids


@pytest.mark.demo_data
@pytest.mark.contract("Merges")
@of_each_resource
async def test_records_are_changed_in_part_by_id(resource: MasterRecord, api: Api) -> None:
    root, references = f"/api/{resource.name}", await generate.references(api)
    created = await api.post(root, await bodies(api, resource, "create", 2))
    assert created.status == 201, created.raw
    ids = [record["id"] for record in created.data]
    nothing = await merged(api, root, [{"id": record_id} for record_id in ids], minimal=True)
    assert shown(nothing) == ["unchanged"] * 3
    plain = await merged(api, root, [{"id": ids[1]}])
    assert plain.data == [created.data[1]]
    before = (await api.get(f"{root}/{ids[0]}?form=writable")).data
    change = generate.altered(resource, before, references)
    by_id = await merged(api, root, [{"id": ids[0], **change}], minimal=True)
    assert shown(by_id) == ["updated"]
    assert (await api.get(f"{root}/{ids[0]}?form=writable")).data == before | change


@pytest.mark.demo_data
@pytest.mark.contract("Merges")
@of_each_with_own_key
async def test_records_are_changed_in_part_by_own_key(resource: MasterRecord, api: Api) -> None:
    root, key = f"/api/{resource.name}", str(resource.own_key)
    created = await api.post(root, await bodies(api, resource, "create", 2))
    assert created.status == 201, created.raw
    [_, path, gone] = [f"{root}/{record['id']}" for record in created.data]
    before = (await api.get(f"{path}?form=writable")).data
    change = generate.altered(resource, before, await generate.references(api))
    first, second, third = [generate.key_of(resource, record) for record in created.data]
    by_key = await merged(
        api, root, [second | change, third, first | {key: "OWN-9"}], match=key, skip=True
    )
    needs = bool(
        {*schemas.definition(resource.name, "create").schema["required"]} - {*resource.key_fields}
    )
    assert shown(by_key) == ["updated", "unchanged", "failed" if needs else "created"]
    assert [row["details"][0]["type"] for row in by_key.data if row["details"]] == [
        "validation_error.required_field"
    ] * needs
    assert (await api.get(f"{path}?form=writable")).data == before | change
    await api.delete(gone)
    back = await merged(api, root, [third], match=key, skip=True)
    if "purge" in resource.statements:
        assert shown(back) == ["failed" if needs else "created"]
    else:
        assert (shown(back), back.data[0]["id"]) == (["updated"], created.data[2]["id"])
        assert (await api.get(gone)).data["state"] == "active"


async def merged(
    api: Api,
    root: str,
    items: list[dict[str, Any]],
    *,
    match: str = "",
    skip: bool = False,
    minimal: bool = False,
) -> Answer:
    params = {"match": match} if match else {}
    params |= {"onError": "skip"} if skip else {}
    headers = {"Prefer": "return=minimal"} if minimal else {}
    return await api.patch(root, items, params=params, headers=headers)


@pytest.mark.contract("Merges")
async def test_a_merge_takes_values_away_and_is_judged_as_a_patch_is(api: Api) -> None:
    made = await api.post(COLORS, [{"name": "Sage", "colorNote": "Dry", "userDefinedId": "S"}] * 2)
    first, second = (record["id"] for record in made.data)
    taken = await merged(api, COLORS, [{"id": first, "colorNote": None}])
    assert taken.data == [made.data[0] | {"colorNote": None}]
    items = [
        {"id": first, "name": None},
        {"id": second, "state": "deleted"},
        {"id": second + 10**9, "name": "Moss"},
        {"id": first + 10**9, "colour": "x", "position": 3},
        {"name": "Fern"},
    ]
    answer = await merged(api, COLORS, items)
    assert (answer.status, answer.json["error"]["operation"]) == (404, "bulk_patch")
    assert answer.details == [
        ("validation_error.required_field", "[0].name"),
        ("validation_error.state_not_allowed", "[1].state"),
        ("not_found", "[2].id"),
        ("validation_error.unknown_field", "[3].colour"),
        ("validation_error.unknown_field", "[3].position"),
        ("validation_error.required_field", "[4].id"),
    ]


@pytest.mark.contract("Merges")
async def test_a_merge_leaves_what_is_deleted_as_it_is_unless_it_says_so(api: Api) -> None:
    record_id = (await api.post(COLORS, {"name": "Sage"})).data["id"]
    await api.delete(f"{COLORS}/{record_id}")
    renamed = await merged(api, COLORS, [{"id": record_id, "name": "Moss"}])
    assert (renamed.data[0]["state"], renamed.data[0]["name"]) == ("deleted", "Moss")
    back = await merged(api, COLORS, [{"id": record_id, "state": "active"}])
    assert back.data[0]["state"] == "active"


async def test_an_ambiguous_key_is_reported_with_its_records(api: Api) -> None:
    twins = await api.post(COLORS, [{"name": "Sage", "userDefinedId": "TWIN"}] * 2)
    ids = ", ".join(str(record["id"]) for record in twins.data)
    item = {"name": "Moss", "userDefinedId": "TWIN", "state": "active"}
    answer = await api.put(COLORS, [item], params=MATCH)
    assert (answer.status, answer.details) == (
        409,
        [("conflict.ambiguous_key", "[0].userDefinedId")],
    )
    assert answer.json["error"]["details"][0]["value"] == f"Records {ids} have this key."


async def test_the_last_deleted_record_of_a_key_is_restored(api: Api) -> None:
    dead = await api.post(COLORS, [{"name": "Sage", "userDefinedId": "DEAD"}] * 3)
    ids = [record["id"] for record in dead.data]
    await api.delete(COLORS, [("ids", str(record_id)) for record_id in ids])
    item = {"name": "Sage", "userDefinedId": "DEAD", "state": "active"}
    answer = await api.put(COLORS, [item], params=MATCH)
    assert (shown(answer), answer.data[0]["id"]) == (["updated"], max(ids))


async def test_items_by_key_have_one_and_no_id(api: Api) -> None:
    item = {"name": "Sage", "state": "active"}
    items = [
        item,
        item | {"userDefinedId": None},
        item | {"userDefinedId": "A", "id": 5},
        item | {"userDefinedId": "B", "id": None},
        item | {"userDefinedId": "B"},
        item | {"userDefinedId": ""},
    ]
    answer = await api.put(COLORS, items, params=MATCH)
    assert answer.details == [
        ("validation_error.required_field", "[0].userDefinedId"),
        ("validation_error.required_field", "[1].userDefinedId"),
        ("validation_error.read_only_field", "[2].id"),
        ("validation_error.duplicate", "[4].userDefinedId"),
        ("validation_error.too_short", "[5].userDefinedId"),
    ]


@in_each("named", ["name", "id", ""])
async def test_only_the_own_key_matches(api: Api, named: str) -> None:
    item = {"name": "Sage", "userDefinedId": "A", "state": "active"}
    answer = await api.put(COLORS, [item], params={"match": named})
    assert (answer.status, answer.details) == (400, [("validation_error.invalid_value", "match")])


async def test_a_create_takes_no_match(api: Api) -> None:
    answer = await api.post(COLORS, [{"name": "Sage"}], params=MATCH)
    expected = [("validation_error.unknown_parameter", "match")]
    assert (answer.status, answer.details) == (400, expected)


async def test_writers_at_once_make_no_twins(api: Api, other_api: Api) -> None:
    def items(count: int) -> list[dict[str, Any]]:
        return [
            {"name": f"Night {n}", "userDefinedId": f"N-{n}", "state": "active"}
            for n in range(count)
        ]

    calls = [api.put(COLORS, items(60), params=MATCH) for _ in range(4)]
    calls += [api.put(GROUPS, items(60), params=MATCH) for _ in range(2)]
    calls += [other_api.put(COLORS, items(60), params=MATCH)]
    answers = await asyncio.gather(*calls)
    first = sorted(shown(answer)[0] for answer in answers)
    assert first == ["created"] * 3 + ["unchanged"] * 4
    assert len({answer.data[0]["id"] for answer in answers}) == 3


async def test_a_night_in_which_nothing_changed_writes_nothing(api: Api, shared_dsn: str) -> None:
    items = [
        {"name": f"Night {n}", "userDefinedId": f"N-{n}", "state": "active"} for n in range(20)
    ]
    await api.put(COLORS, items, params=MATCH)
    before = await rows.dump(shared_dsn, versions=True)
    assert shown(await api.put(COLORS, items, params=MATCH)) == ["unchanged"] * 20
    assert await rows.dump(shared_dsn, versions=True) == before
