"""Tests of rules that compliance and style custom fields share (contract, Custom fields)."""

import pytest

from tests.support.api import Api
from tests.support.custom_fields import COMPLIANCE, STYLE, item, new, put, writable
from tests.support.rows import dump

pytestmark = [
    pytest.mark.contract("Custom fields"),
    pytest.mark.parametrize("root", [COMPLIANCE, STYLE]),
]

INVALID = "validation_error.invalid_value"
UNKNOWN = "validation_error.unknown_reference"
READ_ONLY = "validation_error.read_only_field"


async def test_put_without_a_field_resets_it(api: Api, root: str) -> None:
    """Contract, Custom fields: omitted booleans reset to false, omitted nullable scalars clear."""
    flags = dict.fromkeys(
        ("internalOnly", "isMandatory", "isMultiLine", "isSortByAllowedValueId"), True
    )
    scalars = {"userDefinedId": "CF-1", "maxChar": 80, "allowedDecimals": 2}
    field = await new(api, root, allowedValues=[{"value": "GOTS"}], **flags, **scalars)
    assert field.items() >= (flags | scalars).items()
    after = (await put(api, root, field)).data
    form = await writable(api, root, field)
    assert {form[name] for name in flags} == {False}
    assert {form[name] for name in scalars} == {None}
    assert after["allowedValues"] == form["allowedValues"] == []
    assert (await put(api, root, field, **flags, **scalars)).data.items() >= flags.items()
    nulls = dict.fromkeys((*flags, *scalars, "allowedValues"))
    assert (await put(api, root, field, **nulls)).data == after


@pytest.mark.parametrize("missing", ["name", "state"])
async def test_put_needs_name_and_state(api: Api, root: str, missing: str) -> None:
    """Contract, Custom fields: a missing or null name or state is 400."""
    field = await new(api, root)
    body = {"name": "Certificate", "state": "active"}
    for answer in (
        await api.put(f"{root}/{field['id']}", body | {missing: None}),
        await api.put(f"{root}/{field['id']}", {k: v for k, v in body.items() if k != missing}),
    ):
        assert answer.status == 400
        assert answer.details == [("validation_error.required_field", missing)]


@pytest.mark.contract("States")
async def test_state_deleted_is_for_delete(api: Api, root: str) -> None:
    """Contract, States: PUT and PATCH with state=deleted are refused, and nothing changes."""
    field = await new(api, root)
    path = f"{root}/{field['id']}"
    patched = await api.patch(path, [{"op": "replace", "path": "/state", "value": "deleted"}])
    for answer in (await put(api, root, field, state="deleted"), patched):
        assert answer.status == 400
        assert answer.details == [("validation_error.state_not_allowed", "state")]
    assert (await api.get(path)).data == field
    deleted = await api.delete(path)
    assert deleted.data == field | {"state": "deleted"}
    assert (await api.get(path)).data == deleted.data == (await api.delete(path)).data


@pytest.mark.parametrize("state", ["active", "inactive"])
async def test_state_sent_is_the_state(api: Api, root: str, state: str) -> None:
    """Contract, States: PUT or PATCH stores active or inactive, from any state."""
    field = await new(api, root)
    path = f"{root}/{field['id']}"
    assert (await put(api, root, field, state=state)).data["state"] == state
    await api.delete(path)
    patch = [{"op": "replace", "path": "/state", "value": state}]
    assert (await api.patch(path, patch)).data["state"] == state


@pytest.mark.contract("Bulk")
async def test_bulk_put_with_state_deleted(api: Api, root: str) -> None:
    """Contract, States: bulk PUT with state=deleted deletes softly, beside items that stay."""
    gone, remaining = await new(api, root), await new(api, root)
    answer = await api.put(root, [item(gone, state="deleted"), item(remaining, name="Label")])
    assert answer.data == [gone | {"state": "deleted"}, remaining | {"name": "Label"}]
    assert (await api.get(f"{root}/{gone['id']}")).data["state"] == "deleted"


@pytest.mark.contract("Common fields")
async def test_position_is_read_only(api: Api, root: str) -> None:
    """Contract, Common fields: the service gives the position; writing one is 400."""
    first, second = (await api.post(root, [{"name": "A", "type": "text"}] * 2)).data
    assert second["position"] == first["position"] + 1
    for answer in (
        await put(api, root, first, position=first["position"]),
        await api.post(root, {"name": "A", "type": "text", "position": 1}),
    ):
        assert (answer.status, answer.details) == (400, [(READ_ONLY, "position")])
    bulk = await api.put(root, [item(first), item(second, position=3)])
    assert (bulk.status, bulk.details) == (400, [(READ_ONLY, "[1].position")])
    assert (await put(api, root, first, position=None)).status == 200


@pytest.mark.contract("Patches")
async def test_patch_of_a_read_only_or_unknown_path(api: Api, root: str) -> None:
    """Contract, Patches: a read-only or unknown path is 400."""
    path = f"{root}/{(await new(api, root))['id']}"
    for target in ("/position", "/type", "/id", "/parentCustomFieldName", "/unheardOf"):
        answer = await api.patch(path, [{"op": "add", "path": target, "value": None}])
        assert answer.status == 400
        assert answer.details[0][1] == "[0].path"


async def test_type_is_immutable(api: Api, root: str) -> None:
    """Contract, Custom fields: a replace may repeat the type; another one is 400."""
    field = await new(api, root, type="numeric")
    assert (await put(api, root, field, type="numeric")).data == field
    for wrong in ("text", "unheardOf"):
        answer = await put(api, root, field, type=wrong)
        assert (answer.status, answer.details) == (400, [(READ_ONLY, "type")])
    other = await new(api, root)
    bulk = await api.put(root, [item(field, type="numeric"), item(other, type="text")])
    assert bulk.details == [(READ_ONLY, "[1].type")]
    assert bulk.json["error"]["failed_items"] == 1


async def test_create_needs_name_and_type(api: Api, root: str) -> None:
    """Contract, Custom fields: create needs name and type, one of four."""
    answer = await api.post(root, {})
    required = "validation_error.required_field"
    assert answer.details == [(required, "name"), (required, "type")]
    answer = await api.post(root, {"name": "Certificate", "type": "date"})
    assert answer.details == [(INVALID, "type")]
    assert (await new(api, root, type="nestedAllowedValue"))["state"] == "active"


async def test_a_parent_exists_and_has_allowed_values(api: Api, root: str) -> None:
    """Contract, Custom fields: an unknown or deleted parent, and one of another type, are 400."""
    text = await new(api, root, type="text")
    gone, foreign = await new(api, root), 10**12
    await api.delete(f"{root}/{gone['id']}")
    body = {"name": "Lab", "type": "nestedAllowedValue"}
    parents = (text["id"], gone["id"], foreign)
    answer = await api.post(root, [body | {"parentCustomFieldId": parent} for parent in parents])
    kinds = (INVALID, UNKNOWN, UNKNOWN)
    assert answer.details == [
        (kind, f"[{index}].parentCustomFieldId") for index, kind in enumerate(kinds)
    ]
    parent = await new(api, root)
    child = await new(api, root, parentCustomFieldId=parent["id"])
    assert child["parentCustomFieldId"] == parent["id"]
    assert child["parentCustomFieldName"] == parent["name"]


async def test_a_parent_of_another_organization_is_unknown(
    api: Api, other_api: Api, root: str
) -> None:
    """Contract, Tenancy: a record of another organization is not reachable."""
    theirs = await new(other_api, root, allowedValues=[{"value": "GOTS"}])
    body = {"name": "Lab", "type": "allowedValue", "parentCustomFieldId": theirs["id"]}
    assert (await api.post(root, body)).details == [(UNKNOWN, "parentCustomFieldId")]
    mine = await new(api, root)
    values = [{"id": theirs["allowedValues"][0]["id"], "value": "Taken"}]
    answer = await put(api, root, mine, allowedValues=values)
    assert answer.details == [(UNKNOWN, "allowedValues[0].id")]
    assert (await api.get(f"{root}/{theirs['id']}")).status == 404


@pytest.mark.contract("States")
async def test_a_parent_of_live_fields_is_not_deleted(api: Api, root: str) -> None:
    """Delete-time rules: 409 with how many; children deleted in the same batch do not count."""
    parent = await new(api, root)
    children = [await new(api, root, parentCustomFieldId=parent["id"]) for _ in range(2)]
    for answer in (
        await api.delete(f"{root}/{parent['id']}"),
        await api.delete(root, [("ids", parent["id"]), ("ids", children[0]["id"])]),
        await api.put(root, [item(parent, state="deleted")]),
    ):
        assert (answer.status, answer.json["code"]) == (409, "conflict.in_use")
    assert answer.details == [("conflict.in_use", "[0].id")]
    named = ", ".join(str(child["id"]) for child in children)
    message = answer.json["error"]["details"][0]["value"]
    assert message == f"Used by custom fields: 2 ({named})."
    everything = [parent, *children]
    answer = await api.delete(root, [("ids", field["id"]) for field in everything])
    assert [field["state"] for field in answer.data] == ["deleted"] * 3


async def test_a_field_is_not_restored_below_a_deleted_parent(api: Api, root: str) -> None:
    """Contract, Custom fields: live fields have live parents, restored or in one batch too."""
    parent = await new(api, root)
    child = await new(api, root, parentCustomFieldId=parent["id"])
    await api.delete(root, [("ids", parent["id"]), ("ids", child["id"])])
    answer = await put(api, root, child, parentCustomFieldId=parent["id"])
    assert (answer.status, answer.details) == (400, [(UNKNOWN, "parentCustomFieldId")])
    renamed = [{"op": "replace", "path": "/name", "value": "Still deleted"}]
    assert (await api.patch(f"{root}/{child['id']}", renamed)).data["state"] == "deleted"
    body = [item(child, parentCustomFieldId=parent["id"]), item(parent)]
    restored = await api.put(root, body)
    assert [field["state"] for field in restored.data] == ["active"] * 2


@pytest.mark.contract("Transactions")
async def test_a_failed_batch_changes_nothing(api: Api, root: str, shared_dsn: str) -> None:
    """Contract, Bulk: one transaction, all or nothing; every failure is told, in order."""
    fields = [await new(api, root, type="text") for _ in range(3)]
    before = await dump(shared_dsn, versions=True)
    answer = await api.put(
        root,
        [
            item(fields[0], name="Changed", allowedValues=[{"value": "New"}]),
            item(fields[1], allowedValues=[{"id": 10**12, "value": "x"}], type="numeric"),
            item(fields[2] | {"id": 10**12}),
        ],
    )
    assert answer.status == 404
    assert answer.details == [
        (UNKNOWN, "[1].allowedValues[0].id"),
        (READ_ONLY, "[1].type"),
        ("not_found", "[2].id"),
    ]
    assert answer.json["error"]["failed_items"] == 2
    assert await dump(shared_dsn, versions=True) == before


@pytest.mark.shared_demo_data
@pytest.mark.contract("Writable form")
async def test_writing_what_is_stored_rewrites_no_row(api: Api, root: str, shared_dsn: str) -> None:
    """Property: a replace by the writable form, and the empty patch, change nothing at all."""
    listed = (await api.get(root, {"pageSize": 30})).data
    forms = [await writable(api, root, field) | {"id": field["id"]} for field in listed]
    before = await dump(shared_dsn, versions=True)
    assert (await api.put(root, forms)).data == listed
    assert (await api.patch(f"{root}/{listed[1]['id']}", [])).data == listed[1]
    assert await dump(shared_dsn, versions=True) == before


@pytest.mark.contract("Patches")
@pytest.mark.parametrize("value", [None, "removed"])
async def test_patch_clears_what_is_nullable(api: Api, root: str, value: str | None) -> None:
    """Contract, Patches: a replace by null clears the field, as a remove does; the rest stays."""
    scalars = {"userDefinedId": "CF-1", "maxChar": 80, "allowedDecimals": 2}
    field = await new(api, root, isMandatory=True, allowedValues=[{"value": "GOTS"}], **scalars)
    before = await writable(api, root, field)
    change = {"op": "remove"} if value else {"op": "replace", "value": None}
    patch = [{**change, "path": f"/{name}"} for name in scalars]
    assert (await api.patch(f"{root}/{field['id']}", patch)).status == 200
    assert await writable(api, root, field) == before | dict.fromkeys(scalars)
