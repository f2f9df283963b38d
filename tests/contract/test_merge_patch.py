"""Tests of merge patches of one record, chart or measured size (contract, Patches)."""

from random import Random
from typing import Any

import asyncpg
import pytest

from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS, PARTS
from service.routes import collection_path
from tests.support import generate, parts
from tests.support.api import JSON_PATCH, MERGE_PATCH, Answer, Api
from tests.support.openapi_validation import is_failure

pytestmark = pytest.mark.contract("Patches")

GROUPS, SUPPLIERS = "/api/groups", "/api/sub-suppliers"


async def merge(api: Api, path: str, body: Any, **options: Any) -> Answer:
    return await api.patch(path, body, content_type=MERGE_PATCH, **options)


async def writable(api: Api, path: str) -> Any:
    return (await api.get(path, {"form": "writable"})).data


@pytest.mark.contract("Merges")
@pytest.mark.parametrize("resource", MASTER_RECORDS, ids=lambda resource: resource.name)
async def test_one_merge_equals_one_in_bulk(resource: MasterRecord, shared_api: Api) -> None:
    references, random = await generate.references(shared_api), Random(resource.name)
    path = collection_path(resource)
    created = await shared_api.post(path, generate.body(resource, "create", references, random))
    single = created.data
    change = generate.altered(resource, single, references)
    merged = await merge(shared_api, f"{path}/{single['id']}", change)
    assert merged.status == 200, merged.raw
    again = await shared_api.patch(
        path, [{"id": single["id"], **change}], headers={"Prefer": "return=minimal"}
    )
    assert [outcome["outcome"] for outcome in again.data] == ["unchanged"]
    assert merged.data == (await shared_api.get(f"{path}/{single['id']}")).data
    assert merged.headers["ETag"]


async def test_null_clears_and_lists_are_replaced(shared_api: Api) -> None:
    body = {"name": "Mill", "city": "Braga", "contacts": [{"firstName": "Rui"}]}
    path = (await shared_api.post(SUPPLIERS, body)).headers["Location"]
    merged = await merge(shared_api, path, {"city": None, "contacts": [{"firstName": "Inês"}]})
    assert merged.status == 200
    form = await writable(shared_api, path)
    assert (form["name"], form["city"]) == ("Mill", None)
    assert [contact["firstName"] for contact in form["contacts"]] == ["Inês"]
    assert (await merge(shared_api, path, {})).raw == merged.raw
    assert (await merge(shared_api, path, {"id": "another"})).raw == merged.raw


@pytest.mark.parametrize(
    ("body", "details"),
    [
        ({"name": None}, [("required_field", "name")]),
        ({"name": ""}, [("too_short", "name")]),
        ({"colour": None}, [("unknown_field", "colour")]),
        ({"usedInStyles": 3}, [("read_only_field", "usedInStyles")]),
        ({"state": "deleted"}, [("state_not_allowed", "state")]),
        ({"state": 1, "name": []}, [("invalid_type", "state"), ("invalid_type", "name")]),
        ([], [("invalid_type", None)]),
        (b"{", [("malformed_json", None)]),
        (b'{"name": "A", "name": "B"}', [("malformed_json", "name")]),
    ],
)
async def test_wrong_merges(body: Any, details: list[tuple[str, str]], shared_api: Api) -> None:
    path = f"{GROUPS}/1"
    before = (await shared_api.get(path)).raw
    answer = await merge(shared_api, path, body)
    assert answer.details == [(f"validation_error.{kind}", field) for kind, field in details]
    assert (await shared_api.get(path)).raw == before


@pytest.mark.contract("Preconditions", "Dry runs", "Idempotency")
async def test_merges_have_the_rules_of_single_writes(shared_api: Api) -> None:
    path = (await shared_api.post(GROUPS, {"name": "Knit"})).headers["Location"]
    stale = await merge(shared_api, path, {"name": "Lost"}, headers={"If-Match": '"old"'})
    is_failure(stale, 412, "precondition_failed")
    previewed = await merge(shared_api, path, {"name": "Dry"}, params={"dryRun": "true"})
    assert previewed.data["outcome"] == "updated"
    key = {"Idempotency-Key": f"merge {path}".replace(" ", "-")}
    first = await merge(shared_api, path, {"name": "Woven"}, headers=key)
    again = await merge(shared_api, path, {"name": "Woven"}, headers=key)
    assert (again.raw, again.headers["Idempotent-Replayed"]) == (first.raw, "true")
    assert first.data["name"] == "Woven"
    await shared_api.delete(path)
    renamed = await merge(shared_api, path, {"name": "Still deleted"})
    assert (renamed.status, renamed.data["state"]) == (200, "deleted")
    assert (await merge(shared_api, path, {"state": "active"})).data["state"] == "active"
    is_failure(await merge(shared_api, f"{GROUPS}/{2**62}", {}), 404, "not_found")


@pytest.mark.contract("Merges")
@pytest.mark.parametrize("languages", [None, [], [{"languageId": {"code": "de"}, "text": "30 °C"}]])
@pytest.mark.parametrize(
    ("wrong_id", "error"),
    [
        (2**62, "not_found"),
        (2**63 - 1, "not_found"),
        (0, "validation_error.out_of_range"),
        (None, "validation_error.required_field"),
        ({"code": "de"}, "validation_error.invalid_type"),
    ],
    ids=str,
)
async def test_items_with_wrong_ids_and_translations_fail(
    languages: Any, wrong_id: Any, error: str, shared_api: Api
) -> None:
    path = "/api/care-instructions"
    [stored] = (await shared_api.get(path, {"pageSize": "1"})).data
    items = [{"id": wrong_id, "languages": languages}, {"id": stored["id"], "languages": None}]
    params = {"onError": "skip", "dryRun": "true"}
    skipped = await shared_api.patch(path, items, params=params)
    assert skipped.data[0]["details"][0]["type"] == error
    assert skipped.data[1]["outcome"] == "unchanged"
    assert (await shared_api.patch(path, items)).details == [(error, "[0].id")]


@pytest.mark.contract("Measurement charts")
async def test_a_chart_is_merged_and_patched(shared_api: Api) -> None:
    style = (await shared_api.post("/api/styles", {"number": "M-1", "name": "Tee"})).data["id"]
    path = parts.path(parts.CHARTS, style)
    lines = [{"name": "Chest", "tolerance": "0.50"}, {"name": "Waist"}]
    assert (await shared_api.put(path, {"unit": "cm", "lines": lines})).status == 200
    first = await merge(shared_api, path, {"unit": "in"})
    assert (first.status, first.data["unit"]) == (200, "in")
    assert [line["name"] for line in first.data["lines"]] == ["Chest", "Waist"]
    line_id = first.data["lines"][0]["lineId"]
    fewer = await merge(shared_api, path, {"lines": [{"lineId": line_id, "name": "Chest width"}]})
    assert [line["name"] for line in fewer.data["lines"]] == ["Chest width"]
    patch = [{"op": "replace", "path": "/unit", "value": "mm"}]
    assert (await shared_api.patch(path, patch)).data["unit"] == "mm"
    wrong = await merge(shared_api, path, {"lines": [{"lineId": 2**40, "name": "X"}]})
    assert wrong.details == [("validation_error.unknown_reference", "lines[0].lineId")]
    wrong = await merge(shared_api, path, {"lines": None})
    assert wrong.details == [("validation_error.required_field", "lines")]


@pytest.mark.demo_data
@pytest.mark.contract("Measured values")
async def test_a_measured_size_is_merged(api: Api) -> None:
    [path, *_] = await parts.paths(api, parts.BY_NAME["measurements"])
    before = await writable(api, path)
    answer = await merge(api, path, {"designerComment": "Looser"})
    assert answer.status == 200, answer.raw
    assert await writable(api, path) == before | {"designerComment": "Looser"}


async def test_parts_that_are_lists_are_not_patched(shared_api: Api) -> None:
    for part in PARTS:
        if part.list_name:
            answer = await merge(shared_api, parts.path(part, 1), {})
            is_failure(answer, 405, "method_not_allowed")


@pytest.mark.contract("Preconditions")
async def test_accept_patch_names_both(shared_api: Api, shared_dsn: str) -> None:
    both = f"{JSON_PATCH}, {MERGE_PATCH}"
    connection = await asyncpg.connect(shared_dsn)
    style = await connection.fetchval("select min(id) from style where organization_id = 1")
    await connection.close()
    for path in (f"{GROUPS}/1", parts.path(parts.CHARTS, style)):
        assert (await shared_api.get(path)).headers["Accept-Patch"] == both
        wrong = await shared_api.patch(path, b"{}", content_type="application/json")
        assert (wrong.status, wrong.headers["Accept-Patch"]) == (415, both)
        assert (await shared_api.call("POST", path)).headers["Accept-Patch"] == both
