"""Tests of rules that care instructions, materials, icons and layers share.

Source: contract, Care instructions; contract, Care instruction materials, and the sections of
icons and layers.
"""

import asyncio

import pytest

from tests.support.api import Api
from tests.support.care_texts import DUTCH, SPANISH, make, of_each, texts
from tests.support.openapi_validation import form

pytestmark = pytest.mark.contract(
    "Care instructions",
    "Care instruction materials",
    "Care instruction icons",
    "Care instruction layers",
)


@of_each
async def test_document(api: Api, name: str) -> None:
    """Contract, Care instructions: every field, in the order of the document."""
    made = await make(api, name)
    form(name, "document").validate(made)
    own = ["symbol", "process"] if name == "care-instruction-icons" else []
    assert [*made] == [
        "id", "userDefinedId", "text", *own, "state", "position", "properties", "languages",
    ]  # fmt: skip
    assert (made["userDefinedId"], made["text"], made["state"]) == ("HEM-40", "Hemp", "active")
    assert made["properties"] == []
    assert texts(made) == {SPANISH: "Cáñamo", DUTCH: "Hennep"}
    assert [entry["languageId"] for entry in made["languages"]] == [SPANISH, DUTCH]
    assert (await api.get(f"/api/{name}/{made['id']}")).data == made


@pytest.mark.contract("Presence")
@of_each
async def test_document_without_a_reference(api: Api, name: str) -> None:
    """Contract, Presence: a userDefinedId is left out where there is none."""
    made = await make(api, name, userDefinedId=None, languages=None)
    form(name, "document").validate(made)
    assert "userDefinedId" not in made
    assert made["languages"] == []
    writable = await api.get(f"/api/{name}/{made['id']}", {"form": "writable"})
    form(name, "writable").validate(writable.data)
    assert writable.data["userDefinedId"] is None


@of_each
async def test_create_needs_a_text(api: Api, name: str) -> None:
    """Create: text is required; the state is active unless it is sent."""
    for body in ({}, {"text": None}):
        answer = await api.post(f"/api/{name}", body)
        assert answer.details == [("validation_error.required_field", "text")]
    assert (await make(api, name, state="inactive"))["state"] == "inactive"


@pytest.mark.contract("Common fields")
@of_each
async def test_position_counts_on(api: Api, name: str) -> None:
    """Contract, Common fields: the highest position plus one, in request order."""
    await api.post(f"/api/{name}", [{"text": "First"}, {"text": "Second"}])
    states = [("state", state) for state in ("active", "inactive", "deleted")]
    last_first = [("sort[0].property", "position"), ("sort[0].order", "desc")]
    listed = await api.get(f"/api/{name}", [*states, *last_first])
    highest = listed.data[0]["position"]
    made = await api.post(f"/api/{name}", [{"text": "One"}, {"text": "Two"}, {"text": "Three"}])
    assert [record["position"] for record in made.data] == [highest + n for n in (1, 2, 3)]


@pytest.mark.contract("Common fields")
@of_each
async def test_positions_of_creations_at_once(api: Api, name: str) -> None:
    """Position: creations at the same time do not get the same one."""
    answers = await asyncio.gather(*(api.post(f"/api/{name}", {"text": "Same"}) for _ in range(8)))
    positions = sorted(answer.data["position"] for answer in answers)
    assert positions == [*range(positions[0], positions[0] + 8)]


@of_each
@pytest.mark.parametrize("said", [{}, {"userDefinedId": None, "text": None, "state": None}])
async def test_replace_keeps_what_is_not_said(api: Api, name: str, said: dict[str, None]) -> None:
    """PUT: omitted or null userDefinedId, text, state keep the stored value, in bulk as well."""
    made = await make(api, name, state="inactive")
    path = f"/api/{name}/{made['id']}"
    assert (await api.put(path, said)).data == made
    assert (await api.put(f"/api/{name}", [{"id": made["id"], **said}])).data == [made]
    changed = await api.put(path, said | {"text": "Hemp fiber"})
    assert changed.data == made | {"text": "Hemp fiber"}


@pytest.mark.contract("States")
@of_each
@pytest.mark.parametrize("state", ["active", "inactive"])
async def test_states(api: Api, name: str, state: str) -> None:
    """Contract, States: PUT or PATCH with active or inactive, the state sent."""
    path = f"/api/{name}/{(await make(api, name))['id']}"
    for before in ("active", "inactive"):
        await api.put(path, {"state": before})
        assert (await api.put(path, {"state": state})).data["state"] == state
        await api.put(path, {"state": before})
        patched = await api.patch(path, [{"op": "replace", "path": "/state", "value": state}])
        assert patched.data["state"] == state


@pytest.mark.contract("States")
@of_each
async def test_deleted_only_by_delete(api: Api, name: str) -> None:
    """Contract, States: state=deleted is rejected in PUT of one, PATCH and create."""
    made = await make(api, name)
    path = f"/api/{name}/{made['id']}"
    refused = [("validation_error.state_not_allowed", "state")]
    patch = [{"op": "replace", "path": "/state", "value": "deleted"}]
    for answer in (
        await api.put(path, {"state": "deleted"}),
        await api.patch(path, patch),
        await api.post(f"/api/{name}", {"text": "Gone", "state": "deleted"}),
    ):
        assert (answer.status, answer.details) == (400, refused)
    assert (await api.get(path)).data == made


@of_each
async def test_faulty_fields(api: Api, name: str) -> None:
    """Contract, Limits: the length of texts, which are not empty; positions are read-only."""
    made = await make(api, name)
    record_path, list_path = f"/api/{name}/{made['id']}", f"/api/{name}"
    for body, expected in (
        ({"text": ""}, ("validation_error.too_short", "text")),
        ({"text": "x" * 501}, ("validation_error.too_long", "text")),
        ({"position": 1}, ("validation_error.read_only_field", "position")),
        ({"properties": []}, ("validation_error.read_only_field", "properties")),
        ({"state": "retired"}, ("validation_error.invalid_value", "state")),
        ({"icon": "tub"}, ("validation_error.unknown_field", "icon")),
        ({"userDefinedId": 7}, ("validation_error.invalid_type", "userDefinedId")),
    ):
        kind, field = expected
        assert (await api.put(record_path, body)).details == [expected]
        assert (await api.post(list_path, {"text": "x"} | body)).details == [expected]
        in_bulk = await api.put(list_path, [{"id": made["id"], **body}])
        assert in_bulk.details == [(kind, f"[0].{field}")]
    assert (await api.put(record_path, {"text": "x" * 500, "position": None})).status == 200


@pytest.mark.contract("Patches", "Writable form")
@of_each
async def test_patch_edits_the_writable_form(api: Api, name: str) -> None:
    """PATCH: translations by their place; what is taken away keeps its stored value."""
    made = await make(api, name)
    path = f"/api/{name}/{made['id']}"
    patch = [
        {"op": "test", "path": "/languages/0/languageId", "value": SPANISH},
        {"op": "replace", "path": "/languages/0/text", "value": "Cáñamo natural"},
        {"op": "remove", "path": "/languages/1"},
        {"op": "remove", "path": "/userDefinedId"},
        {"op": "replace", "path": "/text", "value": "Natural hemp"},
    ]
    patched = (await api.patch(path, patch)).data
    assert patched == made | {
        "text": "Natural hemp",
        "languages": [made["languages"][0] | {"text": "Cáñamo natural"}],
    }


@pytest.mark.contract("Patches")
@of_each
async def test_patch_of_read_only_and_unknown_fields(api: Api, name: str) -> None:
    """Contract, Patches: 400 for a read-only or unknown path."""
    path = f"/api/{name}/{(await make(api, name))['id']}"
    for pointer, kind in (
        ("/position", "read_only_field"),
        ("/id", "read_only_field"),
        ("/icon", "unknown_field"),
    ):
        answer = await api.patch(path, [{"op": "replace", "path": pointer, "value": 1}])
        assert (answer.status, answer.json["code"]) == (400, f"validation_error.{kind}")


@pytest.mark.contract("Bulk")
@of_each
async def test_bulk_is_all_or_nothing(api: Api, other_api: Api, name: str) -> None:
    """Bulk PUT: one transaction, all-or-nothing; a foreign record is as unknown."""
    made, foreign = await make(api, name), await make(other_api, name)
    items = [{"id": made["id"], "text": "Changed"}, {"id": foreign["id"], "text": "Changed"}]
    answer = await api.put(f"/api/{name}", items)
    assert (answer.status, answer.details) == (404, [("not_found", "[1].id")])
    assert answer.json["error"]["failed_items"] == 1
    assert (await api.get(f"/api/{name}/{made['id']}")).data == made
    assert (await other_api.get(f"/api/{name}/{foreign['id']}")).data == foreign


@pytest.mark.contract("Limits")
@of_each
async def test_bulk_limits(api: Api, name: str) -> None:
    """Contract, Bulk: 200 or 1,000 items; ids unique, required and positive."""
    most = 200 if name in ("care-instructions", "care-instruction-materials") else 1000
    made = (await api.post(f"/api/{name}", [{"text": f"Text {n}"} for n in range(most)])).data
    items = [{"id": record["id"], "text": record["text"] + "!"} for record in reversed(made)]
    answer = await api.put(f"/api/{name}", items)
    assert [record["id"] for record in answer.data] == [item["id"] for item in items]
    assert answer.data[0] == made[-1] | {"text": f"Text {most - 1}!"}
    for body, kind, field in (
        ([{"id": n} for n in range(1, most + 2)], "too_many_items", None),
        ([], "too_few_items", None),
        ([{"id": made[0]["id"]}] * 2, "duplicate", "[1].id"),
        ([{"text": "Hemp"}], "required_field", "[0].id"),
        ([{"id": 0}], "out_of_range", "[0].id"),
        ([{"id": -1}], "out_of_range", "[0].id"),
    ):
        refused = await api.put(f"/api/{name}", body)
        assert (refused.status, refused.details) == (400, [(f"validation_error.{kind}", field)])


@of_each
async def test_list_filters_and_sorts(api: Api, name: str) -> None:
    """Contract, Lists: response fields filter; position sorts."""
    made = await make(api, name, userDefinedId="only this")
    path = f"/api/{name}"
    for parameters in (
        {"userDefinedId": "only this"},
        {"position": str(made["position"])},
        {"id": str(made["id"])},
        {"filter[0].property": "text", "filter[0].operator": "eq", "filter[0].value": "Hemp"}
        | {"userDefinedId": "only this"},
    ):
        assert (await api.get(path, parameters)).data == [made]
    by_position = await api.get(path, {"sort[0].property": "position", "sort[0].order": "desc"})
    assert by_position.data[0] == made
