"""Tests of the paths that fix the form of the answer (contract, Answer forms)."""

from typing import Any, Final
from uuid import uuid4

import pytest

from service.resources.registry import MASTER_RECORDS, MEASUREMENTS, PARTS
from service.routes import collection_path
from tests.support.api import MERGE_PATCH, Answer, Api
from tests.support.openapi_validation import form, invalid, is_failure

pytestmark = pytest.mark.contract("Answer forms")

COLORS: Final = "/api/colors"
MANY: Final = f"{COLORS}/many"
OUTCOMES: Final = f"{COLORS}/outcomes"


def outcomes_of(answer: Answer) -> list[str]:
    form("common/envelope", "outcomes").validate(answer.json)
    return [row["outcome"] for row in answer.data]


async def created(api: Api, count: int = 1) -> list[dict[str, Any]]:
    answer = await api.post(MANY, [{"name": f"Form {number}"} for number in range(count)])
    assert (answer.status, answer.json["code"]) == (201, "created")
    return list(answer.data)


@pytest.mark.contract("Writable form")
async def test_writable_is_the_form_of_every_record_and_part(shared_api: Api) -> None:
    owners = {part.owner.name: part for part in PARTS if part is not MEASUREMENTS}
    for resource in MASTER_RECORDS:
        root = f"/api/{resource.name}"
        record = f"{root}/{(await shared_api.get(root)).data[0]['id']}"
        paths = [record]
        if part := owners.get(resource.name):
            assert collection_path(part) == root
            paths.append(f"{record}{part.below}")
        for path in paths:
            fixed = await shared_api.get(f"{path}/writable")
            chosen = await shared_api.get(path, {"form": "writable"})
            assert (fixed.status, fixed.raw) == (200, chosen.raw), path
            for name in ("ETag", "Accept-Patch", "Vary", "Cache-Control"):
                assert fixed.headers.get(name) == chosen.headers.get(name), (path, name)


@pytest.mark.contract("Preconditions", "Paths by own key")
async def test_writable_has_tags_and_own_keys_and_takes_no_parameters(shared_api: Api) -> None:
    key = uuid4().hex
    made = await shared_api.post(COLORS, {"name": "Tagged", "userDefinedId": key})
    path = f"{COLORS}/{made.data['id']}"
    first = await shared_api.get(f"{COLORS}/userDefinedId={key}/writable")
    tag = {"If-None-Match": first.headers["ETag"]}
    assert (await shared_api.get(f"{path}/writable", headers=tag)).status == 304
    guard = {"If-Match": first.headers["ETag"]}
    body = {**first.data, "colorNote": "new"}
    assert (await shared_api.put(path, body, headers=guard)).status == 200
    assert (await shared_api.put(path, body, headers=guard)).status == 412
    assert (await shared_api.get(f"{path}/writable")).data["colorNote"] == "new"
    for name, value in (("form", "writable"), ("form", "document"), ("fields", "name")):
        refused = await shared_api.get(f"{path}/writable", {name: value})
        is_failure(refused, 400, invalid("unknown_parameter"))
        assert refused.details == [(invalid("unknown_parameter"), name)]


@pytest.mark.contract("Bulk")
async def test_many_returns_documents_whatever_is_preferred(shared_api: Api) -> None:
    headers = {"Prefer": "return=minimal"}
    answer = await shared_api.post(MANY, [{"name": "A"}, {"name": "B"}], headers=headers)
    assert (answer.status, [color["name"] for color in answer.data]) == (201, ["A", "B"])
    assert not {"Preference-Applied", "Location"} & {*answer.headers}
    single = await shared_api.post(MANY, {"name": "A"})
    is_failure(single, 400, invalid("invalid_type"))
    assert single.json["error"]["operation"] == "bulk_create"
    for name, value in (("onError", "skip"), ("dryRun", "true"), ("match", "userDefinedId")):
        refused = await shared_api.post(MANY, [{"name": "A"}], params={name: value})
        assert refused.details == [(invalid("unknown_parameter"), name)]


@pytest.mark.contract("Outcomes")
async def test_outcomes_are_what_each_method_returns(shared_api: Api) -> None:
    made = await shared_api.post(OUTCOMES, [{"name": "A"}, {"name": "B"}])
    assert (made.status, outcomes_of(made)) == (201, ["created", "created"])
    first, second = (row["id"] for row in made.data)
    items = [{"id": first, "name": "C", "state": "active"}]
    preferred = {"Prefer": "return=representation"}
    put = await shared_api.put(OUTCOMES, items, headers=preferred)
    assert (put.status, outcomes_of(put)) == (200, ["updated"])
    assert "Preference-Applied" not in put.headers
    short = await shared_api.put(OUTCOMES, items, headers={"Prefer": "return=minimal"})
    assert outcomes_of(short) == ["unchanged"]
    assert short.headers["Preference-Applied"] == "return=minimal"
    assert outcomes_of(await shared_api.patch(OUTCOMES, [{"id": second, "name": "D"}])) == [
        "updated"
    ]
    gone = await shared_api.delete(OUTCOMES, [("ids", str(first)), ("ids", str(second))])
    assert (gone.status, outcomes_of(gone)) == (200, ["deleted", "deleted"])
    is_failure(await shared_api.post(OUTCOMES, {"name": "A"}), 400, invalid("invalid_type"))


@pytest.mark.contract("Outcomes", "In part", "Rehearsals", "Own keys")
async def test_outcomes_take_the_switches_of_the_general_path(shared_api: Api) -> None:
    [color] = await created(shared_api)
    items = [{"id": color["id"], "name": "X"}, {"id": color["id"] + 10**9, "name": "Y"}]
    failed = await shared_api.patch(OUTCOMES, items)
    is_failure(failed, 404, "not_found")
    assert failed.json["error"]["failed_items"] == 1
    rehearsal = {"onError": "skip", "dryRun": "true", "preview": "true"}
    for path in (COLORS, OUTCOMES):
        skipped = await shared_api.patch(path, items, params=rehearsal)
        assert (skipped.status, outcomes_of(skipped)) == (200, ["updated", "failed"])
        assert [row["field"] for row in skipped.data[0]["changes"]] == ["name"]
    assert (await shared_api.get(f"{COLORS}/{color['id']}")).data["name"] == color["name"]
    item = {"userDefinedId": uuid4().hex, "name": "New", "state": "active"}
    upsert = await shared_api.put(OUTCOMES, [item], params={"match": "userDefinedId"})
    assert (upsert.status, outcomes_of(upsert)) == (201, ["created"])
    wrong = await shared_api.put(OUTCOMES, [item], params={"preview": "true"})
    is_failure(wrong, 400, invalid("exclusive_parameters"))


@pytest.mark.contract("Idempotency")
async def test_keys_are_of_one_path(shared_api: Api) -> None:
    headers, body = {"Idempotency-Key": uuid4().hex}, [{"name": "Once"}]
    first = await shared_api.post(OUTCOMES, body, headers=headers)
    again = await shared_api.post(OUTCOMES, body, headers=headers)
    assert (again.status, again.raw) == (201, first.raw)
    assert again.headers["Idempotent-Replayed"] == "true"
    for path in (MANY, COLORS):
        other = await shared_api.post(path, body, headers=headers)
        is_failure(other, 422, "unprocessable.idempotency_key")


@pytest.mark.contract("Preconditions", "Patches")
async def test_methods_and_headers_of_the_paths(shared_api: Api) -> None:
    item = [{"id": 1, "name": "X"}]
    refused = await shared_api.patch(OUTCOMES, item, headers={"If-Match": "*"})
    assert refused.details == [(invalid("invalid_value"), "If-Match")]
    at_outcomes, at_many = await shared_api.get(OUTCOMES), await shared_api.get(MANY)
    is_failure(at_outcomes, 405, "method_not_allowed")
    assert at_outcomes.headers["Allow"] == "DELETE, PATCH, POST, PUT"
    assert at_outcomes.headers["Accept-Patch"] == MERGE_PATCH
    assert (at_many.headers["Allow"], at_many.headers.get("Accept-Patch")) == ("POST", None)


async def test_metrics_name_the_paths(shared_api: Api) -> None:
    [color] = await created(shared_api)
    await shared_api.get(f"{COLORS}/{color['id']}/writable")
    metrics = (await shared_api.get("/metrics")).raw.decode()
    for method, route in (("POST", MANY), ("GET", f"{COLORS}/{{id}}/writable")):
        assert f'method="{method}",route="{route}"' in metrics
