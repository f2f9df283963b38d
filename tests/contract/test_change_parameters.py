"""Tests of the change feed's parameters and cursors (contract, Changes)."""

from typing import Any

import orjson
import pytest

from service.listing import cursor
from tests.support.api import Api
from tests.support.changes import PATH
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("Changes")


@in_each(
    ("params", "details"),
    [
        ([("limit", "x")], [("invalid_value", "limit")]),
        ([("limit", "1001")], [("out_of_range", "limit")]),
        ([("wait", "31")], [("out_of_range", "wait")]),
        ([("from", "then")], [("invalid_value", "from")]),
        ([("documents", "yes")], [("invalid_value", "documents")]),
        ([("collection", "languages")], [("invalid_value", "collection")]),
        ([("recordId", "1")], [("required_field", "collection")]),
        ([("collection", "groups"), ("recordId", "x")], [("invalid_value", "recordId")]),
        ([("wait", "1"), ("wait", "1")], [("duplicate", "wait")]),
        ([("n", "1"), ("limit", "0")], [("unknown_parameter", "n"), ("out_of_range", "limit")]),
        ([("after", "x")], [("invalid_value", "after")]),
        ([("after", "-1")], [("out_of_range", "after")]),
        ([("after", str(2**63))], [("out_of_range", "after")]),
        ([("after", "1"), ("after", "1")], [("duplicate", "after")]),
        ([("after", "1"), ("epoch", "x")], [("invalid_value", "epoch")]),
        ([("epoch", "1")], [("required_field", "after")]),
        ([("from", "now"), ("after", "1")], [("exclusive_parameters", "from")]),
        (
            [("after", "1"), ("epoch", "1"), ("cursor", "x")],
            [
                ("exclusive_parameters", "after"),
                ("exclusive_parameters", "epoch"),
                ("invalid_cursor", "cursor"),
            ],
        ),
        ([("cursor", "x")], [("invalid_cursor", "cursor")]),
        (
            [("limit", "1"), ("cursor", "x")],
            [("exclusive_parameters", "limit"), ("invalid_cursor", "cursor")],
        ),
    ],
)
async def test_wrong_parameters_are_refused(
    params: list[tuple[str, str]], details: list[tuple[str, str]], api: Api
) -> None:
    answer = await api.get(PATH, params)
    assert answer.status == 400
    assert answer.details == [(f"validation_error.{kind}", field) for kind, field in details]


async def test_a_cursor_s_own_parameters_may_stand_beside_it(api: Api) -> None:
    first = {"collection": "groups", "recordId": "1", "limit": "7", "documents": "true"}
    page = await api.get(PATH, {"after": "0", **first})
    beside = {"epoch": page.headers["X-Changes-Epoch"], **first}
    carried = {"cursor": page.json["pagination"]["cursor"]}
    assert (await api.get(PATH, carried | beside)).raw == (await api.get(PATH, carried)).raw
    others = {
        "recordId": "2",
        "requestId": "run-1",
        "limit": "8",
        "documents": "false",
        "epoch": "1",
    }
    positions = {"from": "oldest", "after": "0"}
    for name, value in (others | positions).items():
        answer = await api.get(PATH, carried | beside | {name: value})
        assert answer.details == [("validation_error.exclusive_parameters", name)]


@pytest.mark.demo_data
async def test_forged_cursors_are_read_as_strictly_as_queries(api: Api) -> None:
    scope = cursor.scope(PATH, 1)
    right: list[Any] = [1, 0, [0, None, 0], [[], None, 100, False]]
    assert (await api.get(PATH, {"cursor": cursor.seal(orjson.dumps(right), scope)})).status == 410
    wrong: list[Any] = [
        [2, *right[1:]],
        [1, -1, *right[2:]],
        [1, 0, [2**63, None, 0], right[3]],
        [1, 0, [0, "languages", 0], right[3]],
        [1, 0, [0, None], right[3]],
        [1, 0, [0, None, "1"], right[3]],
        [1, 0, right[2], [["languages"], None, 100, False]],
        [1, 0, right[2], [[], 1, 100, False]],
        [1, 0, right[2], [[], None, 1001, False]],
        [1, 0, right[2], [[], None, 100, 0]],
        [1, 0, right[2], ["groups", None, 100, True]],
        [1, 0, right[2], [[], None, 100, False, False]],
        [1, 0, right[2], [[], None, 100, False, True, True]],
        [1, 0, right[2], [[], None, 100, False, 1, "run-1"]],
        [1, 0, right[2], [[], None, 100, False, True, "run-1", "run-2"]],
        right[:3],
        {},
    ]
    for payload in wrong:
        sealed = cursor.seal(orjson.dumps(payload), scope)
        answer = await api.get(PATH, {"cursor": sealed})
        assert answer.details == [("validation_error.invalid_cursor", "cursor")], payload


async def test_the_entries_of_one_request_are_found(api: Api) -> None:
    """Of several requests that sent one id, too; a cursor carries it."""
    made = dict[str, list[int]]()
    for request_id in ("run-1", "run-2", "run-1"):
        named = {"X-Request-Id": request_id}
        answer = await api.post("/api/groups", [{"name": "A"}, {"name": "B"}], headers=named)
        made.setdefault(request_id, []).extend(group["id"] for group in answer.data)
    for request_id, ids in made.items():
        query = {"requestId": request_id, "collection": "groups"}
        whole = await api.get(PATH, query)
        assert [entry["recordId"] for entry in whole.data] == ids
        assert {entry["requestId"] for entry in whole.data} == {request_id}
        first = await api.get(PATH, query | {"limit": "1"})
        rest = await api.get(PATH, {"cursor": first.json["pagination"]["cursor"]})
        assert [entry["recordId"] for entry in (*first.data, *rest.data)] == ids[:2]
        after = await api.get(PATH, {"after": "0", "requestId": request_id})
        assert [entry["recordId"] for entry in after.data] == ids
    of_record = {"collection": "groups", "recordId": str(made["run-2"][1])}
    assert len((await api.get(PATH, of_record | {"requestId": "run-2"})).data) == 1
    assert (await api.get(PATH, of_record | {"requestId": "run-1"})).data == []
    assert (await api.get(PATH, {"requestId": "unknown"})).data == []
