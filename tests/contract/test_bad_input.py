"""Tests of bad input: malformed JSON, numbers and texts get clear failures.

So are bodies of nothing but faults, and soon.
"""

from typing import Any

import orjson
import pytest

from service.resources.registry import MASTER_RECORDS
from tests.support import generate, rows, schema_faults
from tests.support.api import Api, exactly, replacing
from tests.support.openapi_validation import invalid, is_failure
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("Bad input")

GROUPS, COLORS = "/api/groups", "/api/colors"
DEEP = 90_000


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


TWICE: list[tuple[str, bytes, list[str]]] = [
    ("create", b'{"name":"a","name":"b"}', ["name"]),
    ("create", b'{"name":"a","n\\u0061me":"b"}', ["name"]),
    ("create", b'{"name":"a","userDefinedId":"\\u003a:","name":"b"}', ["name"]),
    ("create", b'{"name":"a","x":{"y":1,"z":[{"q":1,"q":2}]},"name":1}', ["name", "x.z[0].q"]),
    ("create", b'[{"name":"a"},{"name":"b","name":"b"}]', ["[1].name"]),
    ("replace", b'{"name":"a","state":"active","state":"inactive"}', ["state"]),
    ("bulk", b'[{"id":1,"id":2,"name":"a","state":"active"}]', ["[0].id"]),
    ("patch", b'[{"op":"test","op":"remove","path":"/name","value":"x"}]', ["[0].op"]),
    ("patch", b'[{"op":"add","path":"/name","value":"a","value":"b"}]', ["[0].value"]),
    ("patch", b'[{"op":"add","path":"/name","value":{"a":1,"a":2}}]', ["[0].value.a"]),
    ("patch", b'[{"op":"add","path":"/name","value":"a","note":{"a":1,"a":1}}]', ["[0].note.a"]),
]


async def test_members_that_stand_twice_are_refused(shared_api: Api, shared_dsn: str) -> None:
    """RFC 7493, 2.3, and in patches RFC 6902, A.13: which one was meant, nobody can tell."""
    before = await rows.dump(shared_dsn, versions=True)
    sent_to = {
        "create": ("POST", GROUPS),
        "replace": ("PUT", f"{GROUPS}/1"),
        "bulk": ("PUT", GROUPS),
        "patch": ("PATCH", f"{GROUPS}/1"),
    }
    for how, raw, fields in TWICE:
        answer = await shared_api.call(*sent_to[how], raw)
        is_failure(answer, 400, invalid("malformed_json"))
        assert answer.details == [(invalid("malformed_json"), field) for field in fields]
    assert await rows.dump(shared_dsn, versions=True) == before


async def test_colons_are_no_members(shared_api: Api) -> None:
    for name in (b":", b"\\u003a", b"\\u003A::", b"\\\\u003a", b'\\":\\"', b"\\\\\\u003a"):
        assert (await shared_api.post(GROUPS, b'{"name":"a%b"}' % name)).status == 201


@pytest.mark.contract("Errors")
async def test_long_names_of_fields_come_back_cut(shared_api: Api) -> None:
    name = "n" * 700_000
    for answer in (
        await shared_api.post(GROUPS, {"name": "x", name: 1}),
        await shared_api.put(GROUPS, [{"id": 1, "name": "x", "state": "active", name: 1}]),
        await shared_api.post(GROUPS, b'{"name":"x","%b":1,"%b":2}' % ((name.encode(),) * 2)),
        await shared_api.patch(f"{GROUPS}/1", [{"op": "add", "path": f"/{name}", "value": 1}]),
        await shared_api.patch(
            f"{GROUPS}/1", [{"op": "add", "path": "/name", "value": {name: "x"}}]
        ),
        await shared_api.get(f"{GROUPS}?{name[:30_000]}=1"),
    ):
        assert answer.status == 400
        assert len(answer.raw) < 1000


BLANK = [" ", "\t\r\n", "\u00a0", "\u2003\u3000", " " * 40]


@pytest.mark.contract("Common fields")
@pytest.mark.parametrize("blank", BLANK)
async def test_names_and_texts_are_more_than_white_space(
    blank: str, shared_api: Api, sample: Sample
) -> None:
    for resource in sample(MASTER_RECORDS, 8):
        path = f"/api/{resource.name}"
        minimal = schema_faults.minimal(resource.name, "create")
        if resource.own_key in generate.PAIRS:
            continue
        field = next(name for name in ("name", "text", resource.own_key) if name in minimal)
        record = (await shared_api.get(path)).data[0]
        for answer, at in (
            (await shared_api.post(path, minimal | {field: blank}), field),
            (await shared_api.post(path, [minimal | {field: blank}]), f"[0].{field}"),
            (
                await shared_api.patch(f"{path}/{record['id']}", replacing(f"/{field}", blank)),
                field,
            ),
        ):
            is_failure(answer, 400, invalid("invalid_value"))
            assert answer.details == [(invalid("invalid_value"), at)]
    created = await shared_api.post(GROUPS, {"name": f"{blank}a{blank}"[:200]})
    assert created.status == 201


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


@pytest.mark.contract("Values")
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


HOPELESS: dict[str, Any] = {
    "a field unknown a hundred thousand times": {f"f{number}": 1 for number in range(100_000)},
    "wrong members of a list": {"name": "x", "colorGroupIds": [""] * 5_000},
    "wrong members of lists of items": [{"name": "x", "colorGroupIds": [""] * 97}] * 1000,
    "members there twice": [{"name": "x", "colorGroupIds": [7] * 97}] * 1000,
    "nothing": [{}] * 1000,
}


@pytest.mark.contract("Budgets")
@pytest.mark.parametrize("body", HOPELESS.values(), ids=HOPELESS)
async def test_bodies_of_nothing_but_faults_are_refused(body: Any, shared_api: Api) -> None:
    """They once kept a worker busy for minutes."""
    answer = await shared_api.post(COLORS, body)
    assert answer.status == 400
    if isinstance(body, list):
        assert answer.json["error"]["failed_items"] == len(body)
    too_many = answer.json["code"] == invalid("too_many_items")
    assert len(answer.details) == (1 if too_many else 1000)


BEYOND: dict[str, Any] = {
    "fields": {f"f{number}": 1 for number in range(100_001)},
    "members": {"name": "x", "colorGroupIds": [1] * 100_000},
    "items": [{"id": number} for number in range(200_000)],
    "members of items": [{"name": "x", "colorGroupIds": [1] * 1000}] * 1000,
}


@pytest.mark.contract("Budgets", "Limits")
@pytest.mark.parametrize("body", BEYOND.values(), ids=BEYOND)
async def test_values_beyond_the_budget_are_not_looked_at(body: Any, shared_api: Api) -> None:
    patch = [{"op": "add", "path": "/colorNote", "value": body}]
    for answer in (
        await shared_api.post(COLORS, body),
        await shared_api.put(f"{COLORS}/1", body),
        await shared_api.put(COLORS, body),
        await shared_api.patch(f"{COLORS}/1", patch),
    ):
        is_failure(answer, 400, invalid("too_many_items"))
        assert answer.details == [(invalid("too_many_items"), None)]
        if "total_items" in answer.json["error"]:
            counts = [answer.json["error"][name] for name in ("total_items", "failed_items")]
            assert counts == [0, 0]


@pytest.mark.contract("Budgets")
async def test_signs_in_texts_are_no_values(shared_api: Api) -> None:
    texts = [{"name": f'{number} [{{,"\\'} | {"colorNote": ",[{" * 100} for number in range(500)]
    answer = await shared_api.post(COLORS, [*texts, {"name": ""}])
    assert answer.details == [(invalid("too_short"), "[500].name")]


def field_of(size: int) -> dict[str, Any]:
    """Return a custom field of so many bytes of JSON."""
    field = {"name": "A field", "type": "allowedValue", "userDefinedId": "", "allowedValues": []}
    room = size + 1 - len(orjson.dumps(field))
    values = [{"value": f"{number:04}{'ä' * 140}"} for number in range(room // 297)]
    return field | {"userDefinedId": "x" * (room % 297), "allowedValues": values}


@pytest.mark.contract("Budgets", "Limits")
async def test_a_record_has_a_size(shared_api: Api) -> None:
    """256 KiB as JSON, whatever surrounds it in the body; a failure of the item."""
    fitting, large = field_of(256 * 1024), field_of(256 * 1024 + 1)
    assert len(orjson.dumps(fitting)) + 1 == len(orjson.dumps(large))
    for path in ("/api/style-custom-fields", "/api/compliance-custom-fields"):
        assert (await shared_api.post(path, b" " * 1000 + orjson.dumps(fitting))).status == 201
        answer = await shared_api.post(path, large)
        assert answer.details == [(invalid("too_long"), None)]
        answer = await shared_api.post(path, [fitting, large, {"name": "", "type": "text"}])
        assert answer.details == [(invalid("too_long"), "[1]"), (invalid("too_short"), "[2].name")]
