"""Tests of item categories (contract, Item categories)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.inserted_rows import execute
from tests.support.openapi_validation import form, is_failure

pytestmark = [
    pytest.mark.contract("Item categories"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

CATEGORIES = "/api/item-categories"
UNKNOWN = 987654321


async def make(api: Api, *names: str) -> list[dict[str, Any]]:
    """Create item categories with these names."""
    answer = await api.post(CATEGORIES, [{"name": name} for name in names])
    assert answer.status == 201, answer.raw
    return list(answer.data)


async def in_use(api: Api) -> dict[str, Any]:
    """Return an item category that items are in."""
    [made] = await make(api, "Used")
    item = {"name": "Cord", "itemCategoryId": made["id"]}
    assert (await api.post("/api/items", [item | {"number": n} for n in "AB"])).status == 201
    return dict((await api.get(f"{CATEGORIES}/{made['id']}")).data)


async def test_document(api: Api) -> None:
    """Contract, Item categories: id, name, state, usedInItems, beginDate, endDate, properties."""
    [made] = await make(api, "Drawcords")
    form("item-categories", "document").validate(made)
    assert [*made] == ["id", "name", "state", "usedInItems", "beginDate", "properties"]
    assert (made["name"], made["state"], made["usedInItems"]) == ("Drawcords", "active", 0)
    writable = await api.get(f"{CATEGORIES}/{made['id']}", {"form": "writable"})
    form("item-categories", "writable").validate(writable.data)
    assert writable.data == {"name": "Drawcords", "state": "active"}


async def test_items_are_counted(api: Api, shared_dsn: str) -> None:
    """Contract, Sorts: usedInItems is counted when it is read; it filters and does not sort."""
    [made] = await make(api, "Drawcords")
    await execute(
        shared_dsn,
        "insert into item (organization_id, number, name, item_category_id)"
        " select organization_id, 'DC-' || n, 'Cord', id"
        " from item_category, generate_series(1, 57) n where id = $1",
        made["id"],
    )
    assert (await api.get(f"{CATEGORIES}/{made['id']}")).data == made | {"usedInItems": 57}
    listed = await api.get(CATEGORIES, {"usedInItems": "57"})
    assert [record["id"] for record in listed.data] == [made["id"]]
    assert (await api.get(CATEGORIES, {"sort[0].property": "usedInItems"})).status == 400


@pytest.mark.contract("States")
async def test_begin_and_end_dates(api: Api) -> None:
    """Contract, States: beginDate is its making, endDate its last deactivation or deletion."""
    [made] = await make(api, "Drawcords")
    path = f"{CATEGORIES}/{made['id']}"
    ended = (await api.put(path, {"name": "Drawcords", "state": "inactive"})).data
    assert ended["beginDate"] == made["beginDate"] < ended["endDate"]
    form("item-categories", "document").validate(ended)
    renamed = (await api.put(path, {"name": "Cords", "state": "inactive"})).data
    assert renamed == ended | {"name": "Cords"}
    again = (await api.put(path, {"name": "Drawcords", "state": "active"})).data
    assert again == made
    born_inactive = (await api.post(CATEGORIES, {"name": "Toggles", "state": "inactive"})).data
    assert born_inactive["endDate"] == born_inactive["beginDate"]


@pytest.mark.contract("States")
@pytest.mark.parametrize("state", ["active", "inactive"])
async def test_states(api: Api, state: str) -> None:
    """Contract, States: PUT or PATCH with active or inactive, the state sent."""
    path = f"{CATEGORIES}/{(await make(api, 'Drawcords'))[0]['id']}"
    replaced = await api.put(path, {"name": "Drawcords", "state": state})
    assert replaced.data["state"] == state
    patch = [{"op": "replace", "path": "/state", "value": state}]
    await api.put(path, {"name": "Drawcords", "state": "inactive"})
    assert (await api.patch(path, patch)).data["state"] == state


@pytest.mark.contract("States")
async def test_deleted_only_by_delete(api: Api) -> None:
    """Contract, States: state=deleted is rejected in PUT of one, PATCH and create."""
    [made] = await make(api, "Drawcords")
    path, body = f"{CATEGORIES}/{made['id']}", {"name": "Drawcords", "state": "deleted"}
    patch = [{"op": "replace", "path": "/state", "value": "deleted"}]
    for answer in (
        await api.put(path, body),
        await api.patch(path, patch),
        await api.post(CATEGORIES, body),
    ):
        is_failure(answer, 400, "validation_error.state_not_allowed")
    assert (await api.get(path)).data == made


async def test_faulty_fields(api: Api) -> None:
    """Full replace needs name and state; names are not empty; the rest is read-only."""
    [made] = await make(api, "Drawcords")
    path, good = f"{CATEGORIES}/{made['id']}", {"name": "Drawcords", "state": "active"}
    required = "validation_error.required_field"
    for body, expected in (
        ({}, [(required, "name"), (required, "state")]),
        (good | {"name": None}, [(required, "name")]),
        (good | {"state": None}, [(required, "state")]),
        (good | {"name": ""}, [("validation_error.too_short", "name")]),
        (good | {"name": "x" * 1001}, [("validation_error.too_long", "name")]),
        (good | {"usedInItems": 3}, [("validation_error.read_only_field", "usedInItems")]),
        (good | {"endDate": "now"}, [("validation_error.read_only_field", "endDate")]),
        (good | {"userDefinedId": "x"}, [("validation_error.unknown_field", "userDefinedId")]),
    ):
        answer = await api.put(path, body)
        assert (answer.status, answer.details) == (400, expected)
    assert (await api.put(path, good | {"usedInItems": None, "endDate": None})).data == made


async def test_delete(api: Api) -> None:
    """DELETE /api/item-categories/{id}: hard; 200 with the object, then 404."""
    [made] = await make(api, "Drawcords")
    path = f"{CATEGORIES}/{made['id']}"
    deleted = (await api.delete(path)).data
    form("item-categories", "document").validate(deleted)
    assert deleted == made | {"state": "deleted", "endDate": deleted["endDate"]}
    for answer in (await api.get(path), await api.delete(path), await api.patch(path, [])):
        is_failure(answer, 404, "not_found")
        assert answer.details == [("not_found", "id")]


@pytest.mark.contract("States")
async def test_delete_of_one_in_use(api: Api) -> None:
    """Contract, States: what is in use is not deleted; the value says by how many."""
    used = await in_use(api)
    path = f"{CATEGORIES}/{used['id']}"
    answer = await api.delete(path)
    is_failure(answer, 409, "conflict.in_use")
    [row] = answer.json["error"]["details"]
    assert (row["type"], row["field"]) == ("conflict.in_use", "id")
    assert row["value"].startswith(f"Used by items: {used['usedInItems']} (")
    assert (await api.get(path)).data == used


@pytest.mark.contract("Tenancy")
async def test_delete_of_unknown_and_foreign_ones(api: Api, other_api: Api) -> None:
    """Contract, Tenancy: 404 for another organization's record, in the same bytes."""
    [free] = await make(other_api, "Drawcords")
    used = await in_use(other_api)
    unknown = await api.delete(f"{CATEGORIES}/{UNKNOWN}")
    is_failure(unknown, 404, "not_found")
    for record in (free, used):
        assert (await api.delete(f"{CATEGORIES}/{record['id']}")).raw == unknown.raw
        assert (await other_api.get(f"{CATEGORIES}/{record['id']}")).data == record


async def test_bulk_delete(api: Api) -> None:
    """Contract, Bulk: an array in request order; 200 ids."""
    made = await make(api, *(f"Kind {n}" for n in range(200)))
    ids = [record["id"] for record in reversed(made)]
    answer = await api.delete(CATEGORIES, [("ids", id_) for id_ in ids])
    assert [record["id"] for record in answer.data] == ids
    assert {record["state"] for record in answer.data} == {"deleted"}
    assert (await api.get(f"{CATEGORIES}/{ids[0]}")).status == 404
    too_many = await api.delete(CATEGORIES, [("ids", n) for n in range(1, 202)])
    is_failure(too_many, 400, "validation_error.too_many_items")


async def test_bulk_delete_of_faulty_ids(api: Api) -> None:
    """Contract, Bulk: each id positive, and unique in the request; at least one."""
    [made] = await make(api, "Drawcords")
    for ids, kind, field in (
        ([made["id"], made["id"]], "duplicate", "ids[1]"),
        ([made["id"], 0], "invalid_value", "ids[1]"),
        ([-1, made["id"]], "invalid_value", "ids[0]"),
        ([made["id"], "x"], "invalid_value", "ids[1]"),
        ([], "required_field", "ids"),
    ):
        answer = await api.delete(CATEGORIES, [("ids", id_) for id_ in ids])
        is_failure(answer, 400, f"validation_error.{kind}")
        assert answer.details == [(f"validation_error.{kind}", field)]
    assert (await api.get(f"{CATEGORIES}/{made['id']}")).data == made


async def test_bulk_delete_is_all_or_nothing(api: Api, other_api: Api) -> None:
    """Bulk DELETE: unknown or foreign 404, in use 409; any failure rolls back the whole batch."""
    [free], used = await make(api, "Drawcords"), await in_use(api)
    [foreign] = await make(other_api, "Drawcords")
    conflict = await api.delete(CATEGORIES, [("ids", free["id"]), ("ids", used["id"])])
    is_failure(conflict, 409, "conflict.in_use")
    assert conflict.details == [("conflict.in_use", "ids[1]")]
    assert conflict.json["error"]["operation"] == "bulk_delete"
    assert (conflict.json["error"]["total_items"], conflict.json["error"]["failed_items"]) == (2, 1)
    ids = [("ids", id_) for id_ in (used["id"], UNKNOWN, foreign["id"], free["id"])]
    missing = await api.delete(CATEGORIES, ids)
    is_failure(missing, 404, "not_found")
    assert missing.details == [
        ("conflict.in_use", "ids[0]"),
        ("not_found", "ids[1]"),
        ("not_found", "ids[2]"),
    ]
    for record in (free, used):
        assert (await api.get(f"{CATEGORIES}/{record['id']}")).data == record


@pytest.mark.contract("Bulk")
async def test_bulk_put_with_state_deleted(api: Api) -> None:
    """Bulk PUT with state=deleted deletes hard, and not what is in use."""
    gone, remaining = await make(api, "Drawcords", "Toggles")
    used = await in_use(api)
    items = [
        {"id": gone["id"], "name": "Drawcords", "state": "deleted"},
        {"id": remaining["id"], "name": "Toggle buttons", "state": "active"},
    ]
    refused = await api.put(
        CATEGORIES, [*items, {"id": used["id"], "name": "x", "state": "deleted"}]
    )
    is_failure(refused, 409, "conflict.in_use")
    assert refused.details == [("conflict.in_use", "[2].id")]
    assert (await api.get(f"{CATEGORIES}/{remaining['id']}")).data == remaining
    answer = await api.put(CATEGORIES, items)
    assert [record["state"] for record in answer.data] == ["deleted", "active"]
    assert answer.data[1] == remaining | {"name": "Toggle buttons"}
    assert (await api.get(f"{CATEGORIES}/{gone['id']}")).status == 404
