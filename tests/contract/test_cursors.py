"""Tests of cursors: parameters beside one, and refused ones.

Source: contract, Cursors.
"""

import base64
import zlib
from typing import Any

import orjson
import pytest

from service.errors import ApiError
from service.listing import cursor
from service.listing.list_request import Condition, ListRequest, SortKey
from service.listing.operators import OPERATORS
from service.listing.properties import Properties
from tests.support.api import Api
from tests.support.openapi_validation import is_failure

pytestmark = pytest.mark.contract("Cursors")

GROUPS = "/api/groups"
PROPERTIES = Properties("groups")
SCOPE = cursor.scope(GROUPS, 1)
INVALID = [("validation_error.invalid_cursor", "cursor")]


async def a_cursor(api: Api, path: str = GROUPS, **params: Any) -> str:
    answer = await api.get(path, {"pageSize": 2, **params})
    return str(answer.json["pagination"]["cursor"])


async def test_cursors_are_urlsafe_and_stand_alone(shared_api: Api) -> None:
    plain = await a_cursor(shared_api, **{"sort[0].property": "name"})
    assert set(plain) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    assert (await shared_api.get(GROUPS, {"cursor": plain})).status == 200


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"pageSize": "2"}, "pageSize"),
        ({"pageNumber": "1"}, "pageNumber"),
        ({"filter": "x"}, "filter"),
        ({"sort": "x"}, "sort"),
        ({"filter[0].property": "name"}, "filter[0].property"),
        ({"sort[0].property": "name"}, "sort[0].property"),
        ({"state": "inactive"}, "state"),
        ({"name": "x"}, "name"),
    ],
)
async def test_parameters_beside_a_cursor_are_refused(
    params: dict[str, str], field: str, shared_api: Api
) -> None:
    carried = await a_cursor(shared_api, state="active")
    answer = await shared_api.get(GROUPS, {"cursor": carried, **params})
    is_failure(answer, 400, "validation_error.exclusive_parameters")
    assert answer.details == [("validation_error.exclusive_parameters", field)]


async def test_a_cursor_s_own_field_filter_may_stand_beside_it(shared_api: Api) -> None:
    params = [("state", "inactive"), ("state", "active"), ("pageSize", "2")]
    carried = (await shared_api.get(GROUPS, params)).json["pagination"]["cursor"]
    alone = await shared_api.get(GROUPS, {"cursor": carried})
    beside = [("cursor", carried), ("State", "active"), ("state", "inactive")]
    assert (await shared_api.get(GROUPS, beside)).raw == alone.raw
    unknown = await shared_api.get(GROUPS, [("cursor", carried), ("colour", "red")])
    assert unknown.details == [("validation_error.unknown_parameter", "colour")]


async def test_only_the_same_filter_may_stand_beside_a_cursor(shared_api: Api) -> None:
    """Another operator on the same value is another filter; two conditions on a field are two."""
    other = {"filter[0].property": "state", "filter[0].operator": "ne", "filter[0].value": "active"}
    carried = await a_cursor(shared_api, **other, **{"sort[0].property": "name", "pageSize": "1"})
    answer = await shared_api.get(GROUPS, {"cursor": carried, "state": "active"})
    assert answer.details == [("validation_error.exclusive_parameters", "state")]
    carried = await a_cursor(shared_api, state="active", **(other | {"filter[0].value": "deleted"}))
    answer = await shared_api.get(GROUPS, {"cursor": carried, "state": "active"})
    assert answer.status == 200


async def test_errors_beside_a_cursor_are_in_request_order(shared_api: Api) -> None:
    carried = await a_cursor(shared_api)
    params = [("state", "gone"), ("cursor", carried), ("colour", "red"), ("pageSize", "2")]
    answer = await shared_api.get(GROUPS, params)
    is_failure(answer, 400, "validation_error")
    assert answer.details == [
        ("validation_error.invalid_value", "state"),
        ("validation_error.unknown_parameter", "colour"),
        ("validation_error.exclusive_parameters", "pageSize"),
    ]


async def test_cursors_that_were_tampered_with(shared_api: Api) -> None:
    good = await a_cursor(shared_api)
    raw = base64.urlsafe_b64decode(good + "=" * (-len(good) % 4))
    flipped = bytearray(raw)
    flipped[len(raw) // 2] ^= 1
    tampered = {
        "empty": "",
        "cut": good[:-1],
        "cut in half": good[: len(good) // 2],
        "one character": good[0],
        "extended": good + "A",
        "twice": good + good,
        "altered": good[:-3] + ("A" if good[-3] != "A" else "B") + good[-2:],
        "a bit flipped": base64.urlsafe_b64encode(bytes(flipped)).decode().rstrip("="),
        "padded": good + "=" * (-len(good) % 4 or 4),
        "with a space": good[:5] + " " + good[5:],
        "with a line break": good[:5] + "\n" + good[5:],
        "of the other alphabet": "+/" + good[2:],
        "not base64": "käse!",
        "not ASCII": good[:-1] + "é",
        "too long": "A" * 4097,
        "long": "A" * 4096,
        "a number": "1",
        "bits set in the last character": other_spelling(good),
    }
    for name, wrong in tampered.items():
        answer = await shared_api.get(GROUPS, {"cursor": wrong})
        assert (answer.status, answer.details) == (400, INVALID), name
        is_failure(answer, 400, "validation_error.invalid_cursor")


def other_spelling(good: str) -> str:
    """Return the same bytes, spelled with unused bits of base64, or cut if there are none."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    if len(good) % 4 == 0:
        return good[:-1]
    return good[:-1] + alphabet[alphabet.index(good[-1]) | 1]


async def test_cursors_of_others(shared_api: Api, shared_other: Api) -> None:
    mine, colors = await a_cursor(shared_api), await a_cursor(shared_api, "/api/colors")
    for api, path, wrong in (
        (shared_api, GROUPS, colors),
        (shared_api, "/api/colors", mine),
        (shared_api, "/api/styles", mine),
        (shared_other, GROUPS, mine),
    ):
        answer = await api.get(path, {"cursor": wrong})
        assert (answer.status, answer.details) == (400, INVALID)


def forged(payload: Any) -> str:
    """Return a cursor with a right digest around any payload."""
    return cursor.seal(payload if isinstance(payload, bytes) else orjson.dumps(payload), SCOPE)


CONTINUED = [1, [], [["id", False]], 30, [1]]
FORGED: dict[str, Any] = {
    "an unknown version": [2, [], [["id", False]], 30, [1]],
    "a version that is no integer": [1.0, [], [["id", False]], 30, [1]],
    "a version that is a truth value": [True, [], [["id", False]], 30, [1]],
    "no version": [None, [], [["id", False]], 30, [1]],
    "too few parts": [1, [], [["id", False]], 30],
    "too many parts": [1, [], [["id", False]], 30, [1], 1],
    "no array": {"version": 1},
    "page size 0": [1, [], [["id", False]], 0, [1]],
    "page size 101": [1, [], [["id", False]], 101, [1]],
    "page size 1.5": [1, [], [["id", False]], 1.5, [1]],
    "page size true": [1, [], [["id", False]], True, [1]],
    "page size as text": [1, [], [["id", False]], "30", [1]],
    "an unknown operator": [1, [["name", "like", ["x"]]], [["id", False]], 30, [1]],
    "an operator of another kind": [1, [["id", "contains", ["1"]]], [["id", False]], 30, [1]],
    "an unknown field": [1, [["colour", "eq", ["x"]]], [["id", False]], 30, [1]],
    "SQL for a field": [1, [["name; --", "eq", ["x"]]], [["id", False]], 30, [1]],
    "no values": [1, [["name", "eq", []]], [["id", False]], 30, [1]],
    "a value of a wrong kind": [1, [["id", "eq", ["x"]]], [["id", False]], 30, [1]],
    "a value that is no text": [1, [["name", "eq", [5]]], [["id", False]], 30, [1]],
    "a value that is an object": [1, [["name", "contains", [{}]]], [["id", False]], 30, [1]],
    "NUL in a value": [1, [["name", "eq", ["a\0"]]], [["id", False]], 30, [1]],
    "several values of a part": [1, [["name", "contains", ["a", "b"]]], [["id", False]], 30, [1]],
    "isNull of anything": [1, [["name", "isNull", ["maybe"]]], [["id", False]], 30, [1]],
    "an unknown state": [1, [["state", "eq", ["gone"]]], [["id", False]], 30, [1]],
    "no sort": [1, [], [], 30, []],
    "a sort without tie-break": [1, [], [["name", False]], 30, ["x"]],
    "a sort by an unknown field": [1, [], [["colour", False], ["id", False]], 30, ["x", 1]],
    "a sort by a counted field": [1, [], [["usedInStyles", False], ["id", False]], 30, [1, 1]],
    "a direction of a wrong kind": [1, [], [["id", "desc"]], 30, [1]],
    "too few sort values": [1, [], [["name", False], ["id", False]], 30, ["x"]],
    "too many sort values": [1, [], [["id", False]], 30, [1, 2]],
    "a sort value of a wrong kind": [1, [], [["id", False]], 30, ["x"]],
    "an id as text": [1, [], [["id", False]], 30, ["1"]],
    "a list as id": [1, [], [["id", False]], 30, [[1]]],
    "a number as name": [1, [], [["name", False], ["id", False]], 30, [1, 1]],
    "an object as name": [1, [], [["name", False], ["id", False]], 30, [{"a": 1}, 1]],
    "nested too deeply": b'[1,[],[["name",false],["id",false]],30,[%b,1]]'
    % (b"[" * 900 + b"]" * 900),
    "an id that is true": [1, [], [["id", False]], 30, [True]],
    "an id with a fraction": [1, [], [["id", False]], 30, [1.0]],
    "a name that is a number": [1, [], [["name", False], ["id", False]], 30, [5, 1]],
    "a name that is a list": [1, [], [["name", False], ["id", False]], 30, [["a"], 1]],
    "a name that is an object": [1, [], [["name", False], ["id", False]], 30, [{}, 1]],
    "a time that is a number": [1, [], [["beginDate", False], ["id", False]], 30, [5, 1]],
    "a field that is a number": [1, [[5, "eq", ["x"]]], [["id", False]], 30, [1]],
    "a field that is null": [1, [[None, "eq", ["x"]]], [["id", False]], 30, [1]],
    "a field that is a list": [1, [[["name"], "eq", ["x"]]], [["id", False]], 30, [1]],
    "a sort by a list": [1, [], [[["name"], False], ["id", False]], 30, ["x", 1]],
    "a sort by null": [1, [], [[None, False], ["id", False]], 30, ["x", 1]],
    "900 sorts": [1, [], [["name", False]] * 900 + [["id", False]], 30, ["a"] * 900 + [1]],
    "every field twice": [1, [], [["name", False], ["id", False], ["id", False]], 30, ["a", 1, 1]],
    "a null id": [1, [], [["id", False]], 30, [None]],
    "a null where there is none": [1, [], [["name", False], ["id", False]], 30, [None, 1]],
    "an id beyond 64 bits": [1, [], [["id", False]], 30, [2**63]],
    "too many conditions": [1, [["name", "eq", ["x"]]] * 51, [["id", False]], 30, [1]],
    "the same sort twice": [1, [], [["name", False], ["name", True], ["id", False]], 30, ["a"] * 3],
    "hundreds of sort keys": [1, [], [["name", False], ["id", False]] * 400, 30, ["a", 1] * 400],
    "deflated and cut": zlib.compress(orjson.dumps(CONTINUED))[:-1],
    "more than 64 KiB": orjson.dumps(CONTINUED) + b" " * 70_000,
    "no JSON": b"{",
    "no UTF-8": b'["\xff"]',
}


@pytest.mark.parametrize("payload", FORGED.values(), ids=FORGED)
async def test_forged_cursors(payload: Any, shared_api: Api) -> None:
    """The digest is no secret: what it covers is checked like any query."""
    answer = await shared_api.get(GROUPS, {"cursor": forged(payload)})
    assert (answer.status, answer.json.get("code")) == (400, "validation_error.invalid_cursor")
    assert answer.details == INVALID


async def test_correctly_forged_cursors_are_accepted(shared_api: Api) -> None:
    payload = [1, [["name", "contains", ["a"]]], [["name", True], ["id", False]], 2, ["zz", 1]]
    assert (await shared_api.get(GROUPS, {"cursor": forged(payload)})).status == 200


async def test_a_bomb_in_a_cursor(shared_api: Api) -> None:
    for bomb in (b"[" * 2_000_000, b" " * 2_000_000, b"[" * 5000 + b"]" * 5000):
        answer = await shared_api.get(GROUPS, {"cursor": forged(bomb)})
        assert (answer.status, answer.details) == (400, INVALID)


@pytest.mark.contract("Limits")
async def test_a_cursor_has_at_most_4_kib(shared_api: Api) -> None:
    ids = [("id", str(2**63 - 1 - 7**n % 2**40)) for n in range(150)]
    carried = await shared_api.get(GROUPS, [*ids, ("id", "1"), ("id", "2"), ("pageSize", "1")])
    assert len(carried.json["pagination"]["cursor"]) <= 4096


def test_a_query_too_long_for_a_cursor_is_refused() -> None:
    values = tuple(base64.b64encode(f"{n * 104729}".encode()).decode() for n in range(900))
    list_request = ListRequest(
        (Condition(PROPERTIES["name"], OPERATORS["eq"], values),),
        (SortKey(PROPERTIES["id"], False),),
    )
    with pytest.raises(ApiError) as error:
        cursor.CursorWriter(list_request).write([1], SCOPE)
    assert error.value.code == "validation_error.too_long"
