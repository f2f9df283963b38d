"""Tests of rules of compliance custom fields alone (contract, Compliance custom fields)."""

import asyncio

import pytest

from tests.support.api import Api
from tests.support.custom_fields import COMPLIANCE, item, new, put, texts, writable

pytestmark = pytest.mark.contract("Compliance custom fields", "Custom fields")

INVALID = "validation_error.invalid_value"


@pytest.mark.contract("Allowed values", "Order of arrays")
async def test_allowed_values_by_insertion_or_value(api: Api) -> None:
    """Contract, Allowed values: by insertion instead of alphabetically."""
    values = [{"value": "RWS"}, {"value": "GOTS"}, {"value": "grs"}]
    field = await new(api, COMPLIANCE, allowedValues=values)
    assert texts(field) == ["GOTS", "RWS", "grs"]
    form = await writable(api, COMPLIANCE, field)
    form["isSortByAllowedValueId"] = True
    sorted_by_id = (await api.put(f"{COMPLIANCE}/{field['id']}", form)).data
    assert texts(sorted_by_id) == texts(await writable(api, COMPLIANCE, field))
    assert texts(sorted_by_id) == ["RWS", "GOTS", "grs"]


@pytest.mark.contract("Presence")
async def test_document_shows_nullable_fields(api: Api) -> None:
    """Contract, Presence: nullable fields are there as null, others are left out."""
    field = await new(api, COMPLIANCE, allowedValues=[{"value": "GOTS", "userDefinedId": None}])
    nullable = ("userDefinedId", "maxChar", "allowedDecimals", "parentCustomFieldId")
    assert {field[name] for name in nullable} == {None}
    assert "parentCustomFieldName" not in field
    assert list(field["allowedValues"][0]) == ["id", "value", "properties"]


async def test_put_moves_or_clears_the_parent(api: Api) -> None:
    """Contract, Compliance custom fields: the parent is written as sent, cleared when omitted."""
    first, second = await new(api, COMPLIANCE), await new(api, COMPLIANCE, name="Standard")
    child = await new(api, COMPLIANCE, parentCustomFieldId=first["id"])
    moved = (await put(api, COMPLIANCE, child, parentCustomFieldId=second["id"])).data
    assert moved["parentCustomFieldName"] == "Standard"
    cleared = (await put(api, COMPLIANCE, child)).data
    assert cleared["parentCustomFieldId"] is None
    path = f"{COMPLIANCE}/{child['id']}"
    patch = [{"op": "replace", "path": "/parentCustomFieldId", "value": first["id"]}]
    assert (await api.patch(path, patch)).data["parentCustomFieldId"] == first["id"]
    patch[0]["value"] = None
    assert (await api.patch(path, patch)).data == cleared


async def test_parents_make_no_cycle(api: Api) -> None:
    """Contract, Custom fields: neither of itself, nor of stored fields, nor of a batch's items."""
    first, second, third = [await new(api, COMPLIANCE, name=name) for name in ("1", "2", "3")]
    itself = await put(api, COMPLIANCE, first, parentCustomFieldId=first["id"])
    assert (itself.status, itself.details) == (400, [(INVALID, "parentCustomFieldId")])
    await put(api, COMPLIANCE, second, parentCustomFieldId=first["id"])
    await put(api, COMPLIANCE, third, parentCustomFieldId=second["id"])
    stored = await put(api, COMPLIANCE, first, parentCustomFieldId=third["id"])
    assert stored.details == [(INVALID, "parentCustomFieldId")]
    batch = await api.put(
        COMPLIANCE,
        [
            item(second, parentCustomFieldId=third["id"]),
            item(third, parentCustomFieldId=second["id"]),
        ],
    )
    assert batch.details == [(INVALID, f"[{n}].parentCustomFieldId") for n in range(2)]
    turned = await api.put(
        COMPLIANCE, [item(first, parentCustomFieldId=third["id"]), item(third), item(second)]
    )
    assert [field["parentCustomFieldId"] for field in turned.data] == [third["id"], None, None]


async def test_two_callers_make_no_cycle(api: Api) -> None:
    """Contract, Custom fields: of two writes at once that close a circle, one is refused."""
    first, second = await new(api, COMPLIANCE), await new(api, COMPLIANCE)
    answers = await asyncio.gather(
        put(api, COMPLIANCE, first, parentCustomFieldId=second["id"]),
        put(api, COMPLIANCE, second, parentCustomFieldId=first["id"]),
    )
    assert sorted(answer.status for answer in answers) == [200, 400]


async def test_two_callers_leave_no_child_below_a_deleted_parent(api: Api) -> None:
    """Delete-time rules: of a delete and a write at once that refers to it, one is refused."""
    parent, child = await new(api, COMPLIANCE), await new(api, COMPLIANCE)
    deleted, moved = await asyncio.gather(
        api.delete(f"{COMPLIANCE}/{parent['id']}"),
        put(api, COMPLIANCE, child, parentCustomFieldId=parent["id"]),
    )
    assert (deleted.status, moved.status) in [(200, 400), (409, 200)]


async def test_moved_children_free_their_parent(api: Api) -> None:
    """Delete-time rules: a parent goes with a batch that gives its child another one, or none."""
    parent = await new(api, COMPLIANCE)
    child = await new(api, COMPLIANCE, parentCustomFieldId=parent["id"])
    stays = await api.put(
        COMPLIANCE, [item(parent, state="deleted"), item(child, parentCustomFieldId=parent["id"])]
    )
    assert (stays.status, stays.details) == (409, [("conflict.in_use", "[0].id")])
    answer = await api.put(COMPLIANCE, [item(parent, state="deleted"), item(child)])
    assert [field["state"] for field in answer.data] == ["deleted", "active"]


@pytest.mark.shared_demo_data
async def test_lists_filter_by_the_parent(api: Api) -> None:
    """Contract, Lists: every response field is a filter, the parent's name among them."""
    listed = (await api.get(COMPLIANCE, {"parentCustomFieldName": "Country of origin"})).data
    assert [field["name"] for field in listed] == ["Production region"]
    params = {
        "type": "nestedAllowedValue",
        "sort[0].property": "parentCustomFieldName",
        "sort[0].order": "desc",
    }
    sorted_fields = (await api.get(COMPLIANCE, params)).data
    names = [*filter(None, (field.get("parentCustomFieldName") for field in sorted_fields))]
    assert names == sorted(names, reverse=True)
