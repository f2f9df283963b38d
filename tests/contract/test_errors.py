"""What is wrong with a request, said at once and in order; and nothing changes (section 4)."""

import time
from typing import Any

import pytest

from service.queries.records import MasterRecord
from service.resources import MASTER_RECORDS
from tests.support import faults, rows
from tests.support.api import Api, exactly
from tests.support.published import is_failure

GROUPS, COLORS = "/api/groups", "/api/colors"
TWICE = [("ids", "1"), ("ids", "1")]
DEEP = 100_000

of_each_resource = pytest.mark.parametrize(
    "resource", MASTER_RECORDS, ids=[resource.name for resource in MASTER_RECORDS]
)


def invalid(kind: str) -> str:
    return f"validation_error.{kind}"


def code_of(kinds: set[str]) -> str:
    return invalid(next(iter(kinds))) if len(kinds) == 1 else "validation_error"


@of_each_resource
@pytest.mark.parametrize(("method", "form"), [("POST", "create"), ("PUT", "replace")])
async def test_every_fault_of_every_item_at_once(
    resource: MasterRecord, method: str, form: str, shared_api: Api, shared_dsn: str
) -> None:
    wanted = [
        fault
        for fault in faults.planted(resource.name, form)
        if form == "create" or fault.kind != "state_not_allowed"
    ]
    before = await rows.dump(shared_dsn)
    for start in range(0, len(wanted), 200):
        part = wanted[start : start + 200]
        items = [fault.body for fault in part]
        if form == "replace":
            ids = [str(id_) if resource.string_ids else id_ for id_ in range(1, len(part) + 1)]
            items = [item | {"id": id_} for item, id_ in zip(items, ids, strict=True)]
        answer = await shared_api.call(method, f"/api/{resource.name}", items)
        assert answer.details == [
            (invalid(fault.kind), f"[{number}].{fault.field}") for number, fault in enumerate(part)
        ]
        is_failure(answer, 400, code_of({fault.kind for fault in part}))
        error = answer.json["error"]
        assert error["operation"] == ("bulk_create" if form == "create" else "bulk_replace")
        assert (error["total_items"], error["failed_items"]) == (len(part), len(part))
        assert str(len(part)) in error["summary"]
    assert await rows.dump(shared_dsn) == before


@of_each_resource
@pytest.mark.parametrize(("method", "form"), [("POST", "create"), ("PUT", "replace")])
async def test_every_fault_alone(
    resource: MasterRecord, method: str, form: str, shared_api: Api
) -> None:
    path = f"/api/{resource.name}"
    if form == "replace":
        path = f"{path}/{(await shared_api.get(path)).data[0]['id']}"
    for fault in faults.planted(resource.name, form):
        answer = await shared_api.call(method, path, fault.body)
        assert answer.details == [(invalid(fault.kind), fault.field)], fault
        is_failure(answer, 400, invalid(fault.kind))


async def test_several_faults_of_one_item_in_the_order_sent(shared_api: Api) -> None:
    body = {"colour": 1, "state": "gone", "userDefinedId": "x" * 51, "usedInStyles": 3}
    answer = await shared_api.put(f"{GROUPS}/1", body)
    is_failure(answer, 400, "validation_error")
    assert answer.details == [
        (invalid("unknown_field"), "colour"),
        (invalid("invalid_value"), "state"),
        (invalid("too_long"), "userDefinedId"),
        (invalid("read_only_field"), "usedInStyles"),
        (invalid("required_field"), "name"),
    ]


def group(id_: int, state: str = "active", **fields: Any) -> dict[str, Any]:
    return {"id": id_, "name": "A group", "state": state, **fields}


async def test_what_the_request_shows_speaks_before_the_database_does(shared_api: Api) -> None:
    items = [group(2**62), group(1, "deleted"), group(3, colour=1), group(3)]
    answer = await shared_api.put(GROUPS, items)
    is_failure(answer, 400, "validation_error")
    assert answer.details == [
        (invalid("unknown_field"), "[2].colour"),
        (invalid("duplicate"), "[3].id"),
    ]
    assert answer.json["error"]["failed_items"] == 2


async def test_path_query_headers_and_body_at_once(shared_api: Api) -> None:
    body = {"name": "", "state": "active"}
    wrong_id, colour = (invalid("invalid_value"), "id"), (invalid("unknown_parameter"), "colour")
    for method, sent, last in (
        ("PUT", body, [(invalid("too_short"), "name")]),
        ("PATCH", b"[", [(invalid("malformed_json"), None)]),
        ("DELETE", None, []),
        ("GET", None, []),
    ):
        answer = await shared_api.call(method, f"{GROUPS}/x", sent, params={"colour": "red"})
        is_failure(answer, 400, "validation_error")
        assert answer.details == [wrong_id, colour, *last]
    nested = "/api/styles/x/sample-requests"
    answer = await shared_api.get(nested, {"pageSize": "0"})
    assert answer.details == [
        (invalid("invalid_value"), "styleId"),
        (invalid("out_of_range"), "pageSize"),
    ]


async def test_bulk_failures_count_items_whatever_is_wrong(shared_api: Api) -> None:
    headers = {"If-Match": "*", "Idempotency-Key": "two words"}
    beside = [
        (invalid("unknown_parameter"), "colour"),
        (invalid("invalid_value"), "If-Match"),
        (invalid("invalid_value"), "Idempotency-Key"),
    ]
    colour = {"colour": "red"}
    items = [group(1), group(2, name="")]
    created = [{"name": "A group"}, {"name": ""}]
    short = (invalid("too_short"), "[1].name")
    for answer, last in (
        (await shared_api.put(GROUPS, items, params=colour, headers=headers), short),
        (await shared_api.post(GROUPS, created, params=colour, headers=headers), short),
        (
            await shared_api.delete(GROUPS, [*colour.items(), *TWICE], headers=headers),
            (invalid("duplicate"), "ids[1]"),
        ),
    ):
        is_failure(answer, 400, "validation_error")
        assert answer.details == [*beside, last]
        error = answer.json["error"]
        assert (error["total_items"], error["failed_items"]) == (2, 2)


async def test_all_that_the_database_shows_at_once(shared_api: Api, shared_dsn: str) -> None:
    before = await rows.dump(shared_dsn)
    used = [
        record["id"] for record in (await shared_api.get(GROUPS)).data if record["usedInStyles"]
    ]
    items = [group(used[0], "deleted"), group(used[1], name="New"), group(2**62), group(2**61)]
    items.append(group(used[2], "deleted"))
    answer = await shared_api.put(GROUPS, items)
    is_failure(answer, 404, "not_found")
    assert answer.details == [
        ("conflict.in_use", "[0].id"),
        ("not_found", "[2].id"),
        ("not_found", "[3].id"),
        ("conflict.in_use", "[4].id"),
    ]
    assert (answer.json["error"]["failed_items"], answer.json["error"]["total_items"]) == (4, 5)
    assert await rows.dump(shared_dsn) == before


async def test_references_are_reported_beside_unknown_records(shared_api: Api) -> None:
    color = {"name": "A color", "state": "active"}
    answer = await shared_api.put(
        COLORS,
        [
            color | {"id": 1, "colorGroupIds": [1, 2**62, 2], "languageIds": [2**62]},
            color | {"id": 2**62, "colorGroupIds": [1]},
            color | {"id": 2, "languageIds": [1, 2**61]},
        ],
    )
    is_failure(answer, 404, "not_found")
    assert answer.details == [
        (invalid("unknown_reference"), "[0].colorGroupIds[1]"),
        (invalid("unknown_reference"), "[0].languageIds[0]"),
        ("not_found", "[1].id"),
        (invalid("unknown_reference"), "[2].languageIds[1]"),
    ]
    assert answer.json["error"]["failed_items"] == 3


async def test_at_most_a_thousand_rows_and_every_item_counted(shared_api: Api) -> None:
    items = [{"name": "", "colour": number} for number in range(1000)]
    answer = await shared_api.post(COLORS, items)
    is_failure(answer, 400, "validation_error")
    assert answer.details == [
        row
        for number in range(500)
        for row in (
            (invalid("too_short"), f"[{number}].name"),
            (invalid("unknown_field"), f"[{number}].colour"),
        )
    ]
    error = answer.json["error"]
    assert (error["total_items"], error["failed_items"]) == (1000, 1000)


async def test_of_a_body_that_is_too_long_every_item_is_still_told(shared_api: Api) -> None:
    items = [group(number + 1) for number in range(201)]
    items[7]["name"] = ""
    answer = await shared_api.put(GROUPS, items)
    is_failure(answer, 400, "validation_error")
    assert (invalid("too_many_items"), None) in answer.details
    assert (invalid("too_short"), "[7].name") in answer.details
    error = answer.json["error"]
    assert (error["total_items"], error["failed_items"]) == (201, 201)
    empty = await shared_api.put(GROUPS, [])
    is_failure(empty, 400, invalid("too_few_items"))


async def test_values_are_cut_at_200_characters(shared_api: Api) -> None:
    operations = [{"op": "remove", "path": f"/{'ä' * length}"} for length in (250, 5000)]
    answer = await shared_api.patch(f"{GROUPS}/1", operations)
    is_failure(answer, 400, invalid("unknown_field"))
    assert {len(row["value"]) for row in answer.json["error"]["details"]} == {200}


async def test_messages_say_what_is_wrong_however_long_the_value_is(shared_api: Api) -> None:
    answer = await shared_api.post(GROUPS, {"name": "ä" * 5000, "state": "ä" * 5000})
    assert [row["value"] for row in answer.json["error"]["details"]] == [
        "This is longer than 200 characters",
        "Use one of active, inactive.",
    ]


@pytest.mark.parametrize(
    ("ids", "details"),
    [
        ([], [(invalid("required_field"), "ids")]),
        (["1", "x", "1"], [(invalid("invalid_value"), "ids[1]"), (invalid("duplicate"), "ids[2]")]),
        (["0", "01"], [(invalid("invalid_value"), "ids[0]"), (invalid("invalid_value"), "ids[1]")]),
        (["", "1,2"], [(invalid("invalid_value"), "ids[0]"), (invalid("invalid_value"), "ids[1]")]),
        ([str(n + 1) for n in range(201)], [(invalid("too_many_items"), "ids")]),
        ([str(2**62), str(2**61)], [("not_found", "ids[0]"), ("not_found", "ids[1]")]),
    ],
)
async def test_ids_of_a_bulk_delete(
    ids: list[str], details: list[tuple[str, str]], shared_api: Api
) -> None:
    answer = await shared_api.delete(GROUPS, [("ids", one) for one in ids])
    assert answer.details == details
    error = answer.json["error"]
    assert (error["operation"], error["total_items"]) == ("bulk_delete", len(ids))


async def test_two_hundred_ids_of_nineteen_digits(shared_api: Api) -> None:
    answer = await shared_api.delete(GROUPS, [("ids", str(2**63 - 1 - n)) for n in range(200)])
    is_failure(answer, 404, "not_found")
    assert answer.json["error"]["failed_items"] == 200


KINDS: list[tuple[bytes, str]] = [
    (b'"x"', "invalid_type"),
    (b"5", "invalid_type"),
    (b"null", "invalid_type"),
    (b"true", "invalid_type"),
    (b'{"name":"x"}{}', "malformed_json"),
    (b'\xef\xbb\xbf{"name":"x"}', "malformed_json"),
    (b'{"name":NaN}', "malformed_json"),
    (b'{"name":-Infinity}', "malformed_json"),
    (b'{"name":1e999}', ""),
    (b'{"name":"\\ud800"}', "malformed_json"),
    (b'{"name":"\\udc00\\ud800"}', "malformed_json"),
    (b'{"name":"\xed\xa0\x80"}', "malformed_json"),
    (b'{"name":"a\x00b"}', "malformed_json"),
    (b'{"name":"a\\u0000b"}', "invalid_value"),
    (b'{"name":"x","\\u0000":1}', "unknown_field"),
    (b'{"name":"x","":1}', "unknown_field"),
    (b"[" * DEEP, "malformed_json"),
    (b"[" * DEEP + b"]" * DEEP, "malformed_json"),
    (b'{"name":' + b"[" * 900 + b"]" * 900 + b"}", ""),
    (b'{"name":' * DEEP, "malformed_json"),
    (b'{"name":' * 900 + b"1" + b"}" * 900, ""),
]


@pytest.mark.parametrize(("raw", "kind"), KINDS, ids=[str(raw[:24]) for raw, _ in KINDS])
async def test_bad_input_is_a_clear_400(raw: bytes, kind: str, shared_api: Api) -> None:
    for answer in (
        await shared_api.post(GROUPS, raw),
        await shared_api.put(GROUPS, b"[%b]" % raw),
        await shared_api.put(f"{GROUPS}/1", raw),
    ):
        is_failure(answer, 400, answer.json["code"])
        if kind:
            assert invalid(kind) in {row for row, _ in answer.details}


@pytest.mark.parametrize(
    "value", [raw[8:-1] for raw, kind in KINDS if raw.startswith(b'{"name":') and b"," not in raw]
)
async def test_bad_input_in_a_patch_is_a_clear_400(value: bytes, shared_api: Api) -> None:
    for member in (b"value", b"note"):
        raw = b'[{"op":"replace","path":"/name","%b":%b}]' % (member, value)
        answer = await shared_api.patch(f"{GROUPS}/1", raw)
        is_failure(answer, 400, answer.json["code"])


INTEGERS: list[tuple[bytes, str]] = [
    (b"1.0", "invalid_type"),
    (b"1e0", "invalid_type"),
    (b"1E2", "invalid_type"),
    (b"1.5", "invalid_type"),
    (b"-0.0", "invalid_type"),
    (b"0", "out_of_range"),
    (b"9223372036854775808", "out_of_range"),
    (b"18446744073709551616", ""),
    (b"1" * 400, ""),
    (b'"1"', "invalid_type"),
    (b"true", "invalid_type"),
]


@pytest.mark.parametrize(("number", "kind"), INTEGERS)
async def test_integers(number: bytes, kind: str, shared_api: Api) -> None:
    body = b'{"name":"A color","state":"active","colorGroupIds":[%b]}' % number
    patched = b'[{"op":"replace","path":"/colorGroupIds","value":[%b]}]' % number
    bulk = b'[{"id":%b,"name":"A color","state":"active"}]' % number
    for answer, field in (
        (await shared_api.post(COLORS, body), "colorGroupIds[0]"),
        (await shared_api.put(f"{COLORS}/1", body), "colorGroupIds[0]"),
        (await shared_api.patch(f"{COLORS}/1", patched), "colorGroupIds[0]"),
        (await shared_api.put(COLORS, bulk), "[0].id"),
    ):
        if kind:
            assert answer.details == [(invalid(kind), field)]
        is_failure(answer, 400, invalid(kind) if kind else answer.json["code"])


@pytest.mark.parametrize("text", ["%00", "a%00b", "%ff", "%ed%a0%80", "%c3%28"])
async def test_texts_in_query_and_path(text: str, shared_api: Api) -> None:
    for path in (
        f"{GROUPS}?name={text}",
        f"{GROUPS}?{text}=1",
        f"{GROUPS}?filter[0].property=name&filter[0].operator=contains&filter[0].value={text}",
        f"{GROUPS}?sort[0].property={text}",
        f"{GROUPS}?cursor={text}",
        f"{GROUPS}/1?form={text}",
        f"{GROUPS}/{text}",
    ):
        answer = await exactly(shared_api, path)
        assert answer.status == 400, (path, answer.raw)
        is_failure(answer, 400, answer.json["code"])
    for path in (f"/api/{text}", f"/{text}"):
        answer = await exactly(shared_api, path)
        assert answer.status == 404, (path, answer.raw)


async def test_a_failed_request_changes_nothing(shared_api: Api, shared_dsn: str) -> None:
    before = await rows.dump(shared_dsn, versions=True)
    color = {"name": "Changed", "state": "inactive", "colorGroupIds": [], "languageIds": []}
    failures = [
        await shared_api.put(COLORS, [color | {"id": n} for n in (1, 2, 3, 2**62)]),
        await shared_api.put(
            COLORS, [color | {"id": 1}, color | {"id": 2, "colorGroupIds": [2**62]}]
        ),
        await shared_api.post(COLORS, [color, color | {"languageIds": [2**62]}]),
        await shared_api.delete(GROUPS, [("ids", str(n)) for n in range(1, 30)]),
        await shared_api.put(f"{COLORS}/1", color, headers={"If-Match": '"stale"'}),
        await shared_api.patch(
            f"{COLORS}/1",
            [
                {"op": "replace", "path": "/name", "value": "Changed"},
                {"op": "test", "path": "/name", "value": "Other"},
            ],
        ),
        await shared_api.patch(
            f"{COLORS}/1",
            [
                {"op": "replace", "path": "/name", "value": "Changed"},
                {"op": "remove", "path": "/colorGroupIds/99"},
            ],
        ),
    ]
    assert [answer.status for answer in failures] == [404, 400, 400, 409, 412, 409, 422]
    assert await rows.dump(shared_dsn, versions=True) == before


HOPELESS: dict[str, Any] = {
    "a field unknown a hundred thousand times": {f"f{number}": 1 for number in range(100_000)},
    "wrong members of a list": {"name": "x", "colorGroupIds": [""] * 500_000},
    "far too many items": [{"id": number} for number in range(200_000)],
    "wrong members of lists of items": [{"name": "x", "colorGroupIds": [""] * 1000}] * 1000,
    "nothing": [{}] * 1000,
}


@pytest.mark.parametrize("body", HOPELESS.values(), ids=HOPELESS)
async def test_bodies_of_nothing_but_faults_are_refused_soon(body: Any, shared_api: Api) -> None:
    """They once held a worker for minutes; a second is far more than they take."""
    started = time.process_time()
    answer = await shared_api.post(COLORS, body)
    seconds = time.process_time() - started
    assert answer.status == 400
    assert len(answer.details) == 1000
    if isinstance(body, list):
        assert answer.json["error"]["failed_items"] == len(body)
    assert seconds < 10
