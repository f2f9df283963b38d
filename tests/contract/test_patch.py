"""JSON Patch tests, operation by operation (RFC 6902; contract, Errors; contract, Patches)."""

from typing import Any

import pytest

from tests.support.api import Api

pytestmark = pytest.mark.contract("Patches")

SUPPLIERS = "/api/sub-suppliers"
CONTACTS = [{"firstName": "Inês"}, {"firstName": "Rui", "email": "rui@example.com"}]
BARE = {"name": "Tecelagem do Minho", "state": "active"}
NO_PLACES = ("01", "9", "-1", "+1", "1e0", " 1", "", "x", "\u0661", "-")
"""What names no member of a list that is there."""


async def supplier(api: Api) -> str:
    """Return the path of a new sub-supplier with two contacts."""
    body = {**BARE, "latitude": 41.5, "longitude": -8, "contacts": CONTACTS}
    return str((await api.post(SUPPLIERS, body)).headers["Location"])


async def writable(api: Api, path: str) -> Any:
    """Return the writable form that patches of the record edit."""
    return (await api.get(path, {"form": "writable"})).data


def expecting(pointer: str, value: Any) -> dict[str, Any]:
    """Return a test operation."""
    return {"op": "test", "path": pointer, "value": value}


async def test_test_compares_as_json_does(shared_api: Api) -> None:
    """RFC 6902, 4.6: of every type; members in any order, elements in theirs, 1 is no true."""
    path = await supplier(shared_api)
    form = await writable(shared_api, path)
    first, second = form["contacts"]
    equal: dict[str, list[Any]] = {
        "/name": [BARE["name"]],
        "/city": [None],
        "/latitude": [41.5],
        "/longitude": [-8, -8.0],
        "/contacts": [[first, second]],
        "/contacts/0": [first, dict(reversed(first.items()))],
        "": [form],
    }
    other: dict[str, list[Any]] = {
        "/name": ["tecelagem do minho", None, 0, "", [], {}],
        "/city": ["", 0, False, [], {}],
        "/latitude": ["41.5", 41, None],
        "/contacts": [[second, first], [first], [], {}, None],
        "/contacts/0": [{}, first | {"extra": None}, second],
        "": [{}, form | {"city": ""}],
    }
    for pointer, values in equal.items():
        for value in values:
            assert (await shared_api.patch(path, [expecting(pointer, value)])).status == 200
    for pointer, values in other.items():
        for value in values:
            answer = await shared_api.patch(path, [expecting(pointer, value)])
            assert (answer.status, answer.details) == (409, [("conflict.test_failed", "[0].path")])
    flag = (await shared_api.post("/api/size-ranges", {"name": "Kids"})).headers["Location"]
    for value in (0, "", None, True):
        answer = await shared_api.patch(flag, [expecting("/isDefault", value)])
        assert answer.status == 409
    assert (await shared_api.patch(flag, [expecting("/isDefault", False)])).status == 200


@pytest.mark.parametrize("index", NO_PLACES)
async def test_places_that_are_not_there(shared_api: Api, index: str) -> None:
    """Contract, Patches: 409 for a test of nothing, 422 for any other operation on nothing."""
    path = await supplier(shared_api)
    before = await writable(shared_api, path)
    for pointer in (f"/contacts/{index}", f"/contacts/{index}/email"):
        response = await shared_api.patch(path, [expecting(pointer, None)])
        assert (response.status, response.details) == (409, [("conflict.test_failed", "[0].path")])
        for operation in (
            {"op": "remove", "path": pointer},
            {"op": "replace", "path": pointer, "value": {}},
            {"op": "copy", "from": pointer, "path": "/city"},
            {"op": "move", "from": pointer, "path": "/city"},
        ):
            answer = await shared_api.patch(path, [operation])
            assert answer.status == 422, operation
            assert answer.details == [("unprocessable.patch", "[0].path")]
    assert await writable(shared_api, path) == before


async def test_texts_and_numbers_have_no_members(shared_api: Api) -> None:
    """A text is no list of characters: 409 and 422 as for every location that is not there."""
    path = await supplier(shared_api)
    for pointer in ("/name/0", "/name/-", "/latitude/0", "/city/0", "/contacts/0/firstName/0"):
        assert (await shared_api.patch(path, [expecting(pointer, "T")])).status == 409
        for operation in (
            {"op": "add", "path": pointer, "value": "x"},
            {"op": "remove", "path": pointer},
            {"op": "copy", "from": pointer, "path": "/city"},
        ):
            assert (await shared_api.patch(path, [operation])).status == 422


async def test_ids_of_references_have_no_members(shared_api: Api) -> None:
    """Also where an object with an own key may replace the id."""
    brand = (await shared_api.post("/api/brands", {"name": "Own", "customId": "OWN"})).data["id"]
    style = {"number": "PATCH-1", "name": "Jacket", "brandId": brand}
    path = (await shared_api.post("/api/styles", style)).headers["Location"]
    for pointer in ("/brandId/0", "/brandId/x/y", "/brandId/customId", "/styleCategoryId/x"):
        assert (await shared_api.patch(path, [expecting(pointer, "OWN")])).status == 409
        answer = await shared_api.patch(path, [{"op": "add", "path": pointer, "value": 1}])
        assert (answer.status, answer.details) == (422, [("unprocessable.patch", "[0].path")])
    by_key = {"op": "replace", "path": "/brandId", "value": {"customId": "OWN"}}
    assert (await shared_api.patch(path, [by_key])).data["brandId"] == brand


async def test_operations_in_turn(shared_api: Api) -> None:
    """RFC 6902, 4: each operation sees what those before it did."""
    path = await supplier(shared_api)
    inês, rui = (await shared_api.get(path)).data["contacts"]
    patch = [
        {"op": "add", "path": "/contacts/0", "value": {"firstName": "Marta"}},
        {"op": "copy", "from": "/contacts/2", "path": "/contacts/-"},
        {"op": "remove", "path": "/contacts/3/id"},
        {"op": "replace", "path": "/contacts/3/firstName", "value": "Rita"},
        {"op": "move", "from": "/contacts/1", "path": "/contacts/3"},
        {"op": "copy", "from": "/name", "path": "/city"},
        {"op": "move", "from": "/city", "path": "/address"},
        expecting("/address", BARE["name"]),
        {"op": "remove", "path": "/longitude"},
    ]
    shown = (await shared_api.patch(path, patch)).data
    names = [(contact["firstName"], contact.get("email")) for contact in shown["contacts"]]
    assert names == [
        ("Inês", None),
        ("Rui", "rui@example.com"),
        ("Marta", None),
        ("Rita", "rui@example.com"),
    ]
    assert [contact["id"] for contact in shown["contacts"][:2]] == [inês["id"], rui["id"]]
    assert (shown["address"], "city" in shown, "longitude" in shown) == (BARE["name"], False, False)


async def test_whole_document(shared_api: Api) -> None:
    """RFC 6901: the empty pointer is the whole document; what takes its place must be writable."""
    path = await supplier(shared_api)
    form = await writable(shared_api, path)
    shown = (await shared_api.patch(path, [{"op": "add", "path": "", "value": BARE}])).data
    assert (shown["contacts"], "latitude" in shown) == ([], False)
    for operation, status in (
        ({"op": "replace", "path": "", "value": form | {"facilityCount": 1}}, 400),
        ({"op": "replace", "path": "", "value": {}}, 400),
        ({"op": "replace", "path": "", "value": None}, 400),
        ({"op": "move", "from": "/name", "path": ""}, 400),
        ({"op": "copy", "from": "", "path": "/city"}, 400),
        ({"op": "move", "from": "", "path": "/city"}, 422),
        ({"op": "move", "from": "/contacts", "path": "/contacts/0"}, 422),
        ({"op": "remove", "path": ""}, 422),
    ):
        answer = await shared_api.patch(path, [operation])
        assert answer.status == status, operation
    assert (await shared_api.get(path)).data == shown


async def test_escaped_pointers(shared_api: Api) -> None:
    """RFC 6901, 4: ~1 is a slash and ~0 a tilde within a name; no other escape is a pointer."""
    path = await supplier(shared_api)
    for pointer, kind in (
        ("/na~1me", "unknown_field"),
        ("/~0name", "unknown_field"),
        ("/", "unknown_field"),
        ("/na~2me", "invalid_value"),
        ("/name~", "invalid_value"),
        ("name", "invalid_value"),
        ("#/name", "invalid_value"),
    ):
        for operation in (
            {"op": "replace", "path": pointer, "value": "x"},
            {"op": "copy", "from": pointer, "path": "/city"},
        ):
            member = "from" if "from" in operation else "path"
            answer = await shared_api.patch(path, [operation])
            assert answer.status == 400
            assert answer.details == [(f"validation_error.{kind}", f"[0].{member}")]


async def test_fields_of_nested_records(shared_api: Api) -> None:
    """Contract, Patches: a read-only or unknown path, also within the members of a list."""
    path = await supplier(shared_api)
    for name, kind in (
        ("countryName", "read_only_field"),
        ("properties", "read_only_field"),
        ("nickname", "unknown_field"),
    ):
        for operation in (
            {"op": "add", "path": f"/contacts/0/{name}", "value": None},
            expecting(f"/contacts/9/{name}", None),
        ):
            answer = await shared_api.patch(path, [operation])
            assert answer.details == [(f"validation_error.{kind}", "[0].path")]


@pytest.mark.contract("Limits")
async def test_a_thousand_operations(shared_api: Api) -> None:
    """Contract, Patches: at most 1,000 operations; a document that doubles is stopped."""
    path = await supplier(shared_api)
    same = expecting("/name", BARE["name"])
    assert (await shared_api.patch(path, [same] * 1000)).status == 200
    beyond = await shared_api.patch(path, [same] * 1001)
    assert beyond.json["code"] == "validation_error.too_many_items"
    doubling = [{"op": "copy", "from": "/contacts", "path": "/contacts/-"}] * 40
    answer = await shared_api.patch(path, doubling)
    assert (answer.status, answer.json["code"]) == (413, "payload_too_large")


async def test_pointers_that_lead_nowhere_are_not_followed(shared_api: Api) -> None:
    path = await supplier(shared_api)
    for pointer in ("/city" + "/" * 4000, "/city/" + "~0" * 2000, "/contacts" + "/0" * 16):
        for operation in (
            {"op": "remove", "path": pointer},
            {"op": "copy", "from": pointer, "path": "/city"},
        ):
            answer = await shared_api.patch(path, [operation] * 1000)
            rows = [row for row in answer.details if row[0] == "validation_error.invalid_value"]
            assert (answer.status, len(rows)) == (400, 1000)


async def test_values_put_into_each_other_without_end(shared_api: Api) -> None:
    """No operation brings much, and what comes of them could not be written."""
    path = await supplier(shared_api)
    deeper: list[dict[str, Any]] = [
        {"op": "add", "path": "/name", "value": []},
        {"op": "move", "from": "/city", "path": "/name/0"},
        {"op": "move", "from": "/name", "path": "/city"},
    ]
    patch = [{"op": "add", "path": "/city", "value": []}, *deeper * 300]
    answer = await shared_api.patch(path, patch)
    assert answer.details == [("validation_error.malformed_json", None)]
    copied = {"op": "copy", "from": "/city", "path": "/city/-"}
    answer = await shared_api.patch(path, [*patch, copied])
    assert answer.details == [("unprocessable.patch", "[901].path")]


async def test_all_operations_or_none(shared_api: Api) -> None:
    """Contract, Patches: what came before the failing operation is not kept."""
    path = await supplier(shared_api)
    before = (await shared_api.get(path)).data
    for last, status in (
        (expecting("/name", "Another"), 409),
        ({"op": "remove", "path": "/contacts/7"}, 422),
        ({"op": "remove", "path": "/name"}, 400),
    ):
        patch = [{"op": "replace", "path": "/city", "value": "Braga"}, last]
        assert (await shared_api.patch(path, patch)).status == status
        assert (await shared_api.get(path)).data == before


async def test_a_deleted_record_keeps_its_state(shared_api: Api) -> None:
    """A patch that removes or moves the state of a deleted record leaves none to stay deleted."""
    path = await supplier(shared_api)
    assert (await shared_api.delete(path)).status == 200
    for operation in (
        {"op": "remove", "path": "/state"},
        {"op": "move", "from": "/state", "path": "/city"},
    ):
        answer = await shared_api.patch(path, [operation])
        assert (answer.status, answer.details) == (
            400,
            [("validation_error.required_field", "state")],
        )
    assert (await shared_api.get(path)).data["state"] == "deleted"
