"""Tests of allowed values of compliance and style custom fields (contract, Allowed values)."""

import pytest

from tests.support.api import Api
from tests.support.custom_fields import COMPLIANCE, STYLE, ids, item, new, put, texts, writable

pytestmark = [
    pytest.mark.contract("Allowed values"),
    pytest.mark.parametrize("root", [COMPLIANCE, STYLE]),
]

UNKNOWN = "validation_error.unknown_reference"
DUPLICATE = "validation_error.duplicate"


async def test_allowed_values_keep_their_identity_by_id(api: Api, root: str) -> None:
    """Contract, Allowed values: the whole set: by id kept, without new, unsent gone."""
    field = await new(api, root, allowedValues=[{"value": v} for v in ("GOTS", "GRS", "RWS")])
    stored = ids(field)
    values = [{"id": stored["RWS"], "value": "Wool"}, {"id": stored["GOTS"], "value": "GOTS"}]
    after = (await put(api, root, field, allowedValues=[*values, {"value": "OCS"}])).data
    assert texts(after) == ["GOTS", "OCS", "Wool"]
    assert ids(after)["Wool"] == stored["RWS"]
    assert ids(after)["GOTS"] == stored["GOTS"]
    assert ids(after)["OCS"] not in stored.values()


@pytest.mark.contract("Errors")
async def test_allowed_value_ids_have_to_be_the_fields_own(api: Api, root: str) -> None:
    """Contract, Allowed values: an id that is not the field's own is unknown_reference."""
    other = await new(api, root, allowedValues=[{"value": "GOTS"}])
    field = await new(api, root, allowedValues=[{"value": "GRS"}])
    foreign = {"id": other["allowedValues"][0]["id"], "value": "Taken"}
    values = [{"id": field["allowedValues"][0]["id"], "value": "GRS"}, foreign]
    answer = await put(api, root, field, allowedValues=values)
    assert (answer.status, answer.details) == (400, [(UNKNOWN, "allowedValues[1].id")])
    bulk = await api.put(root, [item(other), item(field, allowedValues=values)])
    assert bulk.details == [(UNKNOWN, "[1].allowedValues[1].id")]
    made = await api.post(
        root, {"name": "Certificate", "type": "allowedValue", "allowedValues": [foreign]}
    )
    assert made.details == [(UNKNOWN, "allowedValues[0].id")]
    assert (await api.get(f"{root}/{other['id']}")).data == other


async def test_allowed_values_differ(api: Api, root: str) -> None:
    """Contract, Allowed values: duplicate ids and a second default are duplicate, all at once."""
    field = await new(api, root, allowedValues=[{"value": "GOTS"}])
    first = {"id": field["allowedValues"][0]["id"], "value": "GOTS", "isDefaultValue": True}
    answer = await put(api, root, field, allowedValues=[first, {"value": "GRS"}, first])
    at = "allowedValues[2]"
    expected = [(DUPLICATE, f"{at}.id"), (DUPLICATE, f"{at}.isDefaultValue")]
    assert (answer.status, answer.details) == (400, expected)


async def test_a_default_value_survives_the_round_trip(api: Api, root: str) -> None:
    """Contract, Allowed values: isDefaultValue is in the writable form, not in the document."""
    values = [{"value": "GOTS"}, {"value": "GRS", "isDefaultValue": True}]
    field = await new(api, root, allowedValues=values)
    assert all("isDefaultValue" not in value for value in field["allowedValues"])
    form = await writable(api, root, field)
    assert [value["isDefaultValue"] for value in form["allowedValues"]] == [False, True]
    assert (await api.put(f"{root}/{field['id']}", form)).data == field
    assert await writable(api, root, field) == form


async def test_patch_that_leaves_allowed_values_keeps_them(api: Api, root: str) -> None:
    """Contract, Allowed values: omitted fields stay; touching allowedValues rewrites the set."""
    values = [{"value": "GOTS", "isDefaultValue": True}, {"value": "GRS"}]
    field = await new(api, root, allowedValues=values, maxChar=9)
    path, form = f"{root}/{field['id']}", await writable(api, root, field)
    named = await api.patch(path, [{"op": "replace", "path": "/name", "value": "Label"}])
    assert named.data == field | {"name": "Label"}
    cleared = await api.patch(path, [{"op": "replace", "path": "/maxChar", "value": None}])
    assert cleared.data["maxChar"] is None
    assert (await writable(api, root, field))["allowedValues"] == form["allowedValues"]
    added = await api.patch(
        path,
        [
            {"op": "remove", "path": "/allowedValues/0"},
            {"op": "add", "path": "/allowedValues/-", "value": {"value": "RWS"}},
        ],
    )
    assert texts(added.data) == ["GRS", "RWS"]
    assert ids(added.data)["GRS"] == ids(field)["GRS"]


async def test_allowed_values_without_ids_are_recognized(api: Api, root: str) -> None:
    """Contract, Allowed values: by their userDefinedId, else by their value; else they are new."""
    values = [
        {"value": "GOTS", "userDefinedId": "A"},
        {"value": "GRS"},
        {"value": "RWS", "userDefinedId": "C"},
        {"value": "OCS"},
    ]
    field = await new(api, root, allowedValues=values)
    stored = ids(field)
    sent = [
        {"value": "GRS"},
        {"value": "Organic", "userDefinedId": "A"},
        {"value": "RWS", "userDefinedId": "D"},
        {"value": "RCS"},
    ]
    after = ids((await put(api, root, field, allowedValues=sent)).data)
    assert (after["GRS"], after["Organic"], after["RWS"]) == tuple(
        stored[value] for value in ("GRS", "GOTS", "RWS")
    )
    assert after["RCS"] not in stored.values()


async def test_values_that_are_claimed_by_id_are_not_taken_by_others(api: Api, root: str) -> None:
    """Contract, Allowed values: what another item names by its id is not recognized."""
    field = await new(api, root, allowedValues=[{"value": "GOTS"}, {"value": "GRS"}])
    stored = ids(field)
    sent = [{"value": "GOTS"}, {"id": stored["GOTS"], "value": "Organic"}]
    after = ids((await put(api, root, field, allowedValues=sent)).data)
    assert after["Organic"] == stored["GOTS"]
    assert after["GOTS"] not in stored.values()


async def test_an_equal_set_without_ids_changes_nothing(api: Api, root: str) -> None:
    """Contract, Allowed values: values that are alike keep their order, and so their ids."""
    values: list[dict[str, object]] = [{"value": "Twin"}, {"value": "Twin", "isDefaultValue": True}]
    values += [{"value": f"Value {n}", "userDefinedId": "SAME"} for n in range(9, 0, -1)]
    field = await new(api, root, allowedValues=values)
    form = await writable(api, root, field)
    sent = [
        {name: entry[name] for name in entry if name != "id"} for entry in form["allowedValues"]
    ]
    for body in (sent, sent[::-1]):
        item = {**form, "id": field["id"], "allowedValues": body}
        answer = await api.put(root, [item], headers={"Prefer": "return=minimal"})
        assert [row["outcome"] for row in answer.data] == ["unchanged"]
    assert await writable(api, root, field) == form
