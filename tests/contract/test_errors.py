"""Tests of error details: all at once, in order, and nothing changes (contract, Errors)."""

from typing import Any

import pytest

from service.handlers.operations import READ
from service.records.parts import RecordPart
from service.records.writable_resource import WritableResource
from service.resources.registry import MASTER_RECORDS, PARTS
from service.routes import Route
from tests.support import parts, rows
from tests.support.api import Answer, Api
from tests.support.openapi_validation import invalid, is_failure

pytestmark = pytest.mark.contract("Errors")

GROUPS, COLORS = "/api/groups", "/api/colors"
TWICE = [("ids", "1"), ("ids", "1")]


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


async def test_a_misspelled_name_gets_the_nearest_one(shared_api: Api) -> None:
    """Parameters and fields, in any letter case, at any depth; three of a request, no long ones."""
    supplier = {"name": "Vest", "contacts": [{"fristName": "Ana"}], "lattitude": 1, "zzz": 2}
    answers: list[tuple[Answer, list[str | None]]] = [
        (await shared_api.get(f"{GROUPS}?pagesize=3"), ["pageSize"]),
        (
            await shared_api.get(f"{GROUPS}?usedInStyle=1&stat=x&no=1"),
            ["usedInStyles", "state", None],
        ),
        (await shared_api.get(f"{GROUPS}?sort[0].property=nmae"), ["name"]),
        (await shared_api.get("/api/changes?collections=groups"), ["collection"]),
        (await shared_api.delete(f"{GROUPS}?id=1&ids=1"), ["ids"]),
        (await shared_api.post("/api/sub-suppliers", supplier), ["firstName", "latitude", None]),
        (await shared_api.post(GROUPS, [{"nmae": "x", "name": "x"}] * 4), ["name"] * 3 + [None]),
        (await shared_api.put(GROUPS, [group(3, userDefindId="x")]), ["userDefinedId"]),
        (await shared_api.get(f"{GROUPS}?{'pageSize' * 6}=3"), [None]),
    ]
    for answer, names in answers:
        values = [row["value"] for row in answer.json["error"]["details"]]
        assert [value.partition(" Did you mean ")[2] for value in values] == [
            f"{name}?" if name else "" for name in names
        ]


def group(id_: int, state: str = "active", **fields: Any) -> dict[str, Any]:
    return {"id": id_, "name": "A group", "state": state, **fields}


async def test_request_and_database_errors_are_reported_together(shared_api: Api) -> None:
    used = [
        record["id"] for record in (await shared_api.get(GROUPS)).data if record["usedInStyles"]
    ]
    items = [group(2**62, userDefinedId="-"), group(used[0], "deleted"), group(3, colour=1)]
    answer = await shared_api.put(GROUPS, [*items, group(3) | {"name": ""}, group(2**61)])
    is_failure(answer, 404, "not_found")
    assert answer.details == [
        ("not_found", "[0].id"),
        ("conflict.in_use", "[1].id"),
        (invalid("unknown_field"), "[2].colour"),
        (invalid("duplicate"), "[3].id"),
        (invalid("too_short"), "[3].name"),
        ("not_found", "[4].id"),
    ]
    assert answer.json["error"]["failed_items"] == 5


async def test_an_item_that_breaks_its_schema_goes_no_further(shared_api: Api) -> None:
    answer = await shared_api.put(GROUPS, [group(2**62, colour=1), group(1)])
    is_failure(answer, 400, invalid("unknown_field"))
    assert answer.details == [(invalid("unknown_field"), "[0].colour")]
    assert answer.json["error"]["failed_items"] == 1


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


async def test_errors_of_a_whole_bulk_request_are_reported_alone(shared_api: Api) -> None:
    headers = {"If-Match": "*", "Idempotency-Key": "two words"}
    beside = [
        (invalid("unknown_parameter"), "colour"),
        (invalid("invalid_value"), "If-Match"),
        (invalid("invalid_value"), "Idempotency-Key"),
    ]
    colour = {"colour": "red"}
    items = [group(1), group(2, name="")]
    created = [{"name": "A group"}, {"name": ""}]
    for answer in (
        await shared_api.put(GROUPS, items, params=colour, headers=headers),
        await shared_api.post(GROUPS, created, params=colour, headers=headers),
        await shared_api.delete(GROUPS, [*colour.items(), *TWICE], headers=headers),
    ):
        is_failure(answer, 400, "validation_error")
        assert answer.details == beside
        error = answer.json["error"]
        assert (error["total_items"], error["failed_items"]) == (2, 2)
    answer = await shared_api.put(GROUPS, b"[{", params=colour)
    assert answer.details == [beside[0], (invalid("malformed_json"), None)]


async def test_all_that_the_database_shows_at_once(shared_api: Api, shared_dsn: str) -> None:
    before = await rows.dump(shared_dsn, versions=True)
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
    assert await rows.dump(shared_dsn, versions=True) == before


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
    too_short = invalid("too_short")
    assert answer.details == [(too_short, f"[{number}].name") for number in range(1000)]
    error = answer.json["error"]
    assert (error["total_items"], error["failed_items"]) == (1000, 1000)


async def test_a_body_of_a_wrong_length_is_the_only_error(shared_api: Api) -> None:
    items = [group(number + 1) for number in range(201)]
    items[7]["name"] = ""
    answer = await shared_api.put(GROUPS, items)
    is_failure(answer, 400, invalid("too_many_items"))
    assert answer.details == [(invalid("too_many_items"), None)]
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
        "Use at most 200 characters.",
        "Use one of active, inactive.",
    ]


@pytest.mark.contract("Bulk")
@pytest.mark.parametrize(
    ("ids", "details"),
    [
        ([], [(invalid("required_field"), "ids")]),
        (
            ["1", "x", "1"],
            [
                ("conflict.in_use", "ids[0]"),
                (invalid("invalid_value"), "ids[1]"),
                (invalid("duplicate"), "ids[2]"),
            ],
        ),
        (["0", "01"], [(invalid("invalid_value"), "ids[0]"), (invalid("invalid_value"), "ids[1]")]),
        (["", "1,2"], [(invalid("invalid_value"), "ids[0]"), (invalid("invalid_value"), "ids[1]")]),
        ([str(n + 1) for n in range(201)], [(invalid("too_many_items"), "ids")]),
        ([str(2**62), str(2**61)], [("not_found", "ids[0]"), ("not_found", "ids[1]")]),
    ],
)
async def test_ids_of_a_bulk_delete(
    ids: list[str], details: list[tuple[str, str]], shared_api: Api
) -> None:
    answer = await shared_api.delete(GROUPS, [("ids", record_id) for record_id in ids])
    assert answer.details == details
    error = answer.json["error"]
    assert (error["operation"], error["total_items"]) == ("bulk_delete", len(ids))


@pytest.mark.contract("Limits")
async def test_two_hundred_ids_of_nineteen_digits(shared_api: Api) -> None:
    answer = await shared_api.delete(GROUPS, [("ids", str(2**63 - 1 - n)) for n in range(200)])
    is_failure(answer, 404, "not_found")
    assert answer.json["error"]["failed_items"] == 200


@pytest.mark.contract("Transactions")
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


@pytest.mark.contract("Writable form", "Parts")
@pytest.mark.parametrize("resource", [*MASTER_RECORDS, *PARTS], ids=lambda resource: resource.name)
async def test_documents_sent_back_name_the_form_to_send(
    resource: WritableResource, shared_api: Api
) -> None:
    """The rows of documents that are sent back as they were read are of response-only members."""
    if isinstance(resource, RecordPart):
        paths = await parts.paths(shared_api, resource)
    else:
        records = (await shared_api.get(f"/api/{resource.name}", {"pageSize": "5"})).data
        paths = [f"/api/{resource.name}/{record['id']}" for record in records]
    assert paths
    for path in paths:
        answer = await shared_api.put(f"{path}?dryRun=true", (await shared_api.get(path)).data)
        for row in answer.json["error"]["details"] if answer.status != 200 else ():
            # Lines of a chart that the size does not have are shown without their id.
            if not row["field"].endswith(".lineId"):
                assert row["type"] == invalid("read_only_field"), row
                assert "form=writable" in row["value"]


@pytest.mark.contract("Part collections")
@pytest.mark.parametrize("part", PARTS, ids=[part.name for part in PARTS])
async def test_paths_below_part_collections_name_the_part(
    part: RecordPart, shared_api: Api
) -> None:
    meant = Route(READ, part).path
    for method in ("GET", "PUT"):
        answer = await shared_api.call(method, f"/api/{part.name}/1", [])
        is_failure(answer, 404, "not_found.route")
        assert answer.json["error"]["details"][0]["value"] == f"Use {meant}."
    [row] = (await shared_api.get("/api/nowhere/1")).json["error"]["details"]
    assert row["value"] == "There is nothing at this path."


@pytest.mark.contract("Bad input", "Lists")
async def test_odd_inputs_are_told_as_such(shared_api: Api) -> None:
    """A byte order mark before JSON, and a plus of a time that a URL makes a space."""
    for path in (COLORS, "/api/transaction"):
        marked = await shared_api.post(path, b"\xef\xbb\xbf[]")
        [row] = marked.json["error"]["details"]
        assert row["type"] == invalid("malformed_json")
        assert row["value"] == "Leave out the byte order mark (EF BB BF) before the JSON."
    for time in ("2026-11-28T15:00:00 01:00", "2026-11-28T15:00:00.5 01:00"):
        [row] = (await shared_api.get(COLORS, {"changedSince": time})).json["error"]["details"]
        assert row["value"] == "Write + before the offset; in a URL it is %2B."
    late = await shared_api.get(COLORS, {"changedSince": "2026-11-28 15:00:00+01:00"})
    [row] = late.json["error"]["details"]
    assert row["value"].startswith("Use a time such as")
