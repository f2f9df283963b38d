"""Tests of the restrictions of style custom fields (contract, Style custom fields)."""

from typing import Any

import asyncpg
import pytest

from tests.support.api import Api
from tests.support.custom_fields import STYLE, item, new, put
from tests.support.offenders import in_each

pytestmark = [pytest.mark.contract("Style custom fields"), pytest.mark.shared_demo_data]

FIELDS = ("associatedBrands", "associatedGroups", "associatedStyleCategories")
UNKNOWN = "validation_error.unknown_reference"


async def test_associations_are_complete_sets(api: Api) -> None:
    """Contract, Style custom fields: complete sets; empty, null and omitted lift restrictions."""
    expected: dict[str, Any] = {name: [{"id": 3}, {"id": 1}] for name in FIELDS}
    field = await new(api, STYLE, **expected)
    assert [[entry["id"] for entry in field[name]] for name in FIELDS] == [[1, 3]] * 3
    assert list(field["associatedBrands"][0]) == ["id", "name"]
    changed = (await put(api, STYLE, field, **expected | {FIELDS[0]: [{"id": 2}, {"id": 3}]})).data
    assert [entry["id"] for entry in changed[FIELDS[0]]] == [2, 3]
    nothings: list[dict[str, Any]] = [{}, dict.fromkeys(FIELDS), {name: [] for name in FIELDS}]
    for nothing in nothings:
        await put(api, STYLE, field, **expected)
        cleared = (await put(api, STYLE, field, **nothing)).data
        assert [cleared[name] for name in FIELDS] == [[], [], []]


@pytest.mark.contract("Limits", "Errors")
async def test_a_list_that_is_too_long_hides_nothing_else(api: Api) -> None:
    """Contract, Errors: every failing field at once."""
    twice = [{"value": "Organic", "isDefaultValue": True}] * 2
    many = [{"id": number + 1} for number in range(1001)]
    body = {"name": "Certificate", "type": "allowedValue", FIELDS[0]: many, "allowedValues": twice}
    answer = await api.post(STYLE, body)
    assert answer.details == [
        ("validation_error.too_many_items", FIELDS[0]),
        ("validation_error.duplicate", "allowedValues[1].isDefaultValue"),
    ]


async def test_associations_by_id_or_reference(api: Api) -> None:
    """Contract, Style custom fields: by id, else by customId (of groups their userDefinedId)."""
    brand = (await api.get("/api/brands/2")).data
    group = (await api.get("/api/groups/2")).data
    category = (await api.get("/api/style-categories/2")).data
    field = await new(
        api,
        STYLE,
        associatedBrands=[{"customId": brand["customId"], "contactPersonName": "Ada"}],
        associatedGroups=[{"customId": group["userDefinedId"], "id": None}],
        associatedStyleCategories=[{"customId": category["userDefinedId"], "name": "not read"}],
    )
    assert [field[name] for name in FIELDS] == [
        [{"id": 2, "name": record["name"]}] for record in (brand, group, category)
    ]
    both = {"id": 1, "customId": group["userDefinedId"]}
    answer = await put(api, STYLE, field, associatedGroups=[both])
    assert [entry["id"] for entry in answer.data["associatedGroups"]] == [1]


@in_each("name", FIELDS)
async def test_unknown_associations(api: Api, name: str) -> None:
    """Contract, Style custom fields: unknown ones are unknown_reference, each at its place."""
    first, second = await new(api, STYLE), await new(api, STYLE)
    entries = [{"id": 1}, {"id": 10**12}, {"customId": "unheard of"}]
    answer = await api.put(STYLE, [item(first), item(second, **{name: entries})])
    assert answer.status == 400
    assert answer.details == [(UNKNOWN, f"[1].{name}[1].id"), (UNKNOWN, f"[1].{name}[2].customId")]


@pytest.mark.contract("Tenancy")
async def test_associations_of_another_organization_are_unknown(
    api: Api, other_api: Api, shared_connection: asyncpg.Connection
) -> None:
    """Contract, Tenancy: a record of another organization is not reachable."""
    for name, table in zip(FIELDS, ("brand", "style_group", "style_category"), strict=True):
        theirs = await shared_connection.fetchval(
            f"select min(id) from {table} where organization_id = 2"
        )
        body = {"name": "Lab", "type": "text", name: [{"id": theirs}]}
        assert (await other_api.post(STYLE, body)).status == 201
        assert (await api.post(STYLE, body)).details == [(UNKNOWN, f"{name}[0].id")]


async def test_a_reference_of_several_records_is_ambiguous(api: Api) -> None:
    made = (await api.post("/api/groups", [{"name": n, "userDefinedId": "CAP"} for n in "AB"])).data
    field = await new(api, STYLE)
    named: dict[str, Any] = {"associatedGroups": [{"customId": "CAP"}]}
    answer = await put(api, STYLE, field, **named)
    assert answer.details == [("conflict.ambiguous_key", "associatedGroups[0].customId")]
    await api.delete(f"/api/groups/{made[0]['id']}")
    answer = await put(api, STYLE, field, **named)
    assert [entry["id"] for entry in answer.data["associatedGroups"]] == [made[1]["id"]]


async def test_two_entries_for_one_record(api: Api) -> None:
    """A set names each record once, by whatever way: duplicate."""
    reference = (await api.get("/api/groups/1")).data["userDefinedId"]
    entries = [{"id": 1}, {"customId": reference}, {"id": 1}]
    answer = await put(api, STYLE, await new(api, STYLE), associatedGroups=entries)
    duplicate, at = "validation_error.duplicate", "associatedGroups"
    assert answer.details == [(duplicate, f"{at}[1].customId"), (duplicate, f"{at}[2].id")]


@pytest.mark.contract("Groups")
async def test_deleted_groups(api: Api) -> None:
    """Delete-time rules: deleting a group lifts restrictions to it, for good."""
    group = (await api.post("/api/groups", {"name": "Capsule", "userDefinedId": "GONE"})).data
    field = await new(api, STYLE, associatedGroups=[{"id": group["id"]}, {"id": 1}])
    await api.delete(f"/api/groups/{group['id']}")
    read = (await api.get(f"{STYLE}/{field['id']}")).data
    assert [entry["id"] for entry in read["associatedGroups"]] == [1]
    for entry, key in (({"id": group["id"]}, "id"), ({"customId": "GONE"}, "customId")):
        answer = await put(api, STYLE, field, associatedGroups=[entry])
        assert answer.details == [(UNKNOWN, f"associatedGroups[0].{key}")]
    await api.put(f"/api/groups/{group['id']}", {"name": "Capsule", "state": "active"})
    assert (await api.get(f"{STYLE}/{field['id']}")).data == read


@pytest.mark.contract("Patches")
async def test_patch_of_associations(api: Api) -> None:
    """Contract, Patches: entries are added by either name and removed by their place."""
    field = await new(api, STYLE, associatedBrands=[{"id": 1}])
    reference = (await api.get("/api/brands/2")).data["customId"]
    path = f"{STYLE}/{field['id']}"
    add = {"op": "add", "path": "/associatedBrands/-", "value": {"customId": reference}}
    added = (await api.patch(path, [add])).data
    assert [entry["id"] for entry in added["associatedBrands"]] == [1, 2]
    remove = {"op": "remove", "path": "/associatedBrands/0"}
    removed = (await api.patch(path, [remove])).data
    assert [entry["id"] for entry in removed["associatedBrands"]] == [2]


@in_each("name", FIELDS)
async def test_patch_of_an_association_s_members(api: Api, name: str) -> None:
    """Contract, Patches: each field of an entry can be patched, shown or not."""
    root = f"/api/{name.removeprefix('associated').replace('Style', 'style-').lower()}"
    record = (await api.get(f"{root}/2")).data
    reference = record.get("customId") or record["userDefinedId"]
    field = await new(api, STYLE, **{name: [{"id": 1}]})
    path, entry = f"{STYLE}/{field['id']}", f"/{name}/0"
    patch = [
        {"op": "add", "path": f"{entry}/customId", "value": reference},
        {"op": "remove", "path": f"{entry}/id"},
    ]
    assert [entry["id"] for entry in (await api.patch(path, patch)).data[name]] == [2]
    unknown = await api.patch(path, [{"op": "add", "path": f"{entry}/code", "value": "x"}])
    assert unknown.details == [("validation_error.unknown_field", "[0].path")]
