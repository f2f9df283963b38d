"""Tests of rules of style custom fields alone (contract, Style custom fields)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.custom_fields import STYLE, ids, item, new, put, texts, writable

pytestmark = pytest.mark.contract("Style custom fields")

UNKNOWN = "validation_error.unknown_reference"
READ_ONLY = "validation_error.read_only_field"


@pytest.mark.contract("Allowed values", "Order of arrays")
async def test_allowed_values_by_reference_or_value(api: Api) -> None:
    """Contract, Allowed values: by userDefinedId instead of value, those without one last."""
    values = [{"value": "A"}, {"value": "C", "userDefinedId": "1"}]
    values.append({"value": "B", "userDefinedId": "2"})
    field = await new(api, STYLE, allowedValues=values)
    assert texts(field) == ["A", "B", "C"]
    form = await writable(api, STYLE, field)
    form["isSortByAllowedValueId"] = True
    by_reference = (await api.put(f"{STYLE}/{field['id']}", form)).data
    assert texts(by_reference) == texts(await writable(api, STYLE, field)) == ["C", "B", "A"]


@pytest.mark.contract("Presence")
async def test_document_leaves_out_what_has_no_value(api: Api) -> None:
    """Contract, Presence: maxChar alone is nullable here."""
    field = await new(api, STYLE)
    assert field["maxChar"] is None
    absent = {"userDefinedId", "allowedDecimals", "parentCustomFieldId", "parentCustomFieldName"}
    assert not absent & field.keys()


async def test_own_switches_and_formula_reset(api: Api) -> None:
    """Contract, Style custom fields: switches that are not sent are false, the formula is none."""
    names = ("isSupplierEditable", "diffPerColor", "diffPerSize", "useInThumbnailViewGroupBy")
    flags = dict.fromkeys(names, True)
    field = await new(api, STYLE, type="numeric", **flags)
    assert {field[name] for name in names} == {True}
    for formula in ("average", "none", "sum"):
        answer = await put(api, STYLE, field, numericVariantCalculationFormula=formula)
        assert answer.data["numericVariantCalculationFormula"] == formula
    after = (await put(api, STYLE, field)).data
    assert after["numericVariantCalculationFormula"] == "none"
    assert {after[name] for name in names} == {False}
    answer = await put(api, STYLE, field, numericVariantCalculationFormula="median")
    field_name = "numericVariantCalculationFormula"
    assert answer.details == [("validation_error.invalid_value", field_name)]


async def test_items_that_delete_need_id_and_state(api: Api) -> None:
    """Contract, Style custom fields: what else an item that deletes has is validated."""
    gone, remaining = await new(api, STYLE), await new(api, STYLE)
    values = {"allowedValues": [{"value": "A", "isDefaultValue": True}, {"isDefaultValue": True}]}
    deletion = {"id": gone["id"], "state": "deleted"}
    answer = await api.put(STYLE, [deletion | values, item(remaining)])
    assert answer.details == [
        ("validation_error.duplicate", "[0].allowedValues[1].isDefaultValue"),
        ("validation_error.required_field", "[0].allowedValues[1].value"),
    ]
    answer = await api.put(STYLE, [deletion, item(remaining)])
    assert [field["state"] for field in answer.data] == ["deleted", "active"]


async def test_the_parent_is_set_at_creation_only(api: Api) -> None:
    """Contract, Style custom fields: the parent stays; another one is 400."""
    parent, other = await new(api, STYLE), await new(api, STYLE)
    child = await new(api, STYLE, parentCustomFieldId=parent["id"])
    for parent_id in (parent["id"], None):
        assert (await put(api, STYLE, child, parentCustomFieldId=parent_id)).data == child
    for field in (child, await new(api, STYLE)):
        answer = await put(api, STYLE, field, parentCustomFieldId=other["id"])
        assert (answer.status, answer.details) == (400, [(READ_ONLY, "parentCustomFieldId")])
    patch = [{"op": "replace", "path": "/parentCustomFieldId", "value": None}]
    answer = await api.patch(f"{STYLE}/{child['id']}", patch)
    assert (answer.status, answer.details) == (400, [(READ_ONLY, "[0].path")])


@pytest.mark.contract("Allowed values")
async def test_values_go_with_values_of_the_parent_field(api: Api) -> None:
    """Contract, Allowed values: parentAllowedValueId is a value of the parent field."""
    parent = await new(api, STYLE, allowedValues=[{"value": "Zip"}, {"value": "Snaps"}])
    own = ids(parent)
    values = [{"value": "Two-way zip", "parentAllowedValueId": own["Zip"]}]
    child = await new(api, STYLE, parentCustomFieldId=parent["id"], allowedValues=values)
    assert child["allowedValues"][0]["parentAllowedValueId"] == own["Zip"]
    moved = child["allowedValues"][0]["id"]
    values = [{"id": moved, "value": "Snap tape", "parentAllowedValueId": own["Snaps"]}]
    answer = await put(api, STYLE, child, allowedValues=values)
    assert answer.data["allowedValues"][0]["parentAllowedValueId"] == own["Snaps"]
    values = [{"value": "Free"}, {"value": "Lost", "parentAllowedValueId": moved}]
    answer = await put(api, STYLE, child, allowedValues=values)
    expected = [(UNKNOWN, "allowedValues[1].parentAllowedValueId")]
    assert (answer.status, answer.details) == (400, expected)
    orphan = {"name": "Orphan", "type": "nestedAllowedValue", "allowedValues": values}
    assert (await api.post(STYLE, orphan)).details == expected
    answer = await api.post(STYLE, orphan | {"parentCustomFieldId": parent["id"]})
    assert answer.details == expected


@pytest.mark.contract("Allowed values")
async def test_values_that_others_go_with_are_not_removed(api: Api) -> None:
    """Contract, Allowed values: 409 conflict.in_use, with which and how often."""
    parent = await new(api, STYLE, allowedValues=[{"value": "Zip"}, {"value": "Snaps"}])
    values = [{"value": v, "parentAllowedValueId": ids(parent)["Zip"]} for v in ("Long", "Short")]
    child = await new(api, STYLE, parentCustomFieldId=parent["id"], allowedValues=values)
    answer = await put(api, STYLE, parent)
    assert (answer.status, answer.details) == (409, [("conflict.in_use", "allowedValues")])
    message = answer.json["error"]["details"][0]["value"]
    assert message == f"Used by values of other custom fields: Zip (2) of {child['id']}."
    answer = await api.put(STYLE, [item(child, allowedValues=values), item(parent)])
    assert answer.details == [("conflict.in_use", "[1].allowedValues")]
    zip_alone = [{"id": ids(parent)["Zip"], "value": "Zip"}]
    assert (await put(api, STYLE, parent, allowedValues=zip_alone)).status == 200


@pytest.mark.contract("Allowed values")
@pytest.mark.parametrize("change", [{}, {"state": "deleted"}])
async def test_values_go_with_a_batch_that_frees_them(api: Api, change: dict[str, str]) -> None:
    """Contract, Allowed values: judged after the batch, whether it empties or deletes the child."""
    parent = await new(api, STYLE, allowedValues=[{"value": "Zip"}])
    values = [{"value": "Long", "parentAllowedValueId": ids(parent)["Zip"]}]
    child = await new(api, STYLE, parentCustomFieldId=parent["id"], allowedValues=values)
    answer = await api.put(STYLE, [item(parent), item(child, **change)])
    assert answer.status == 200, answer.raw
    assert answer.data[0]["allowedValues"] == []


@pytest.mark.contract("Allowed values")
async def test_values_of_deleted_fields_lose_what_they_go_with(api: Api) -> None:
    """Contract, Allowed values: a deleted field holds none of its parent, nor when restored."""
    parent = await new(api, STYLE, allowedValues=[{"value": "Zip"}])
    values = [{"value": "Long", "parentAllowedValueId": ids(parent)["Zip"]}]
    child = await new(api, STYLE, parentCustomFieldId=parent["id"], allowedValues=values)
    await api.delete(f"{STYLE}/{child['id']}")
    assert (await put(api, STYLE, parent)).data["allowedValues"] == []
    restored = await put(api, STYLE, child, allowedValues=values)
    assert restored.details == [(UNKNOWN, "allowedValues[0].parentAllowedValueId")]
    patch = [{"op": "replace", "path": "/state", "value": "active"}]
    restored = await api.patch(f"{STYLE}/{child['id']}", patch)
    assert list(restored.data["allowedValues"][0]) == ["id", "value", "properties"]


async def test_a_value_that_another_list_claims_is_missed_where_it_was(api: Api) -> None:
    """Contract, Errors: the field that loses it fails too, as one that refers to it is live."""
    kind: dict[str, Any] = {"type": "nestedAllowedValue"}
    owner = await new(api, STYLE, **kind, allowedValues=[{"value": "A"}, {"value": "B"}])
    values = owner["allowedValues"]
    first, second = [{name: each[name] for name in ("id", "value")} for each in values]
    child = {"parentCustomFieldId": owner["id"]}
    value = {"value": "C", "parentAllowedValueId": second["id"]}
    await new(api, STYLE, **kind, **child, allowedValues=[value])
    other = await new(api, STYLE)
    claim = [item(owner, allowedValues=[first]), item(other, allowedValues=[second])]
    assert (await api.put(STYLE, claim)).details == [
        ("conflict.in_use", "[0].allowedValues"),
        ("validation_error.unknown_reference", "[1].allowedValues[0].id"),
    ]
