"""Tests of bulk write outcomes: short responses, dry runs, partial success (contract, Bulk)."""

from random import Random
from typing import Any

import pytest

from service.records.master_record import MasterRecord
from tests.support import generate, rows
from tests.support.api import Answer, Api
from tests.support.openapi_validation import form
from tests.support.parametrize import of_each_resource

pytestmark = pytest.mark.contract("Outcomes")

MINIMAL = {"Prefer": "return=minimal"}
DRY, SKIP = {"dryRun": "true"}, {"onError": "skip"}
COLORS, MATERIALS = "/api/colors", "/api/care-instruction-materials"
GROUPS, FIELDS = "/api/groups", "/api/compliance-custom-fields"


def shown(answer: Answer) -> list[str]:
    """Return the outcomes of an answer, each held against its schema."""
    data = answer.data if isinstance(answer.data, list) else [answer.data]
    for row in data:
        form("common/envelope", "itemOutcome").validate(row)
    return [row["outcome"] for row in data]


async def made(api: Api, resource: MasterRecord, count: int = 3) -> list[dict[str, Any]]:
    references, random = await generate.references(api), Random(7)
    bodies = [generate.body(resource, "create", references, random) for _ in range(count)]
    answer = await api.post(f"/api/{resource.name}", bodies)
    assert answer.status == 201, answer.raw
    return list(answer.data)


async def items(api: Api, resource: MasterRecord, records: list[Any]) -> list[dict[str, Any]]:
    """Return the writable forms of records with their ids, which replace them by themselves."""
    root = f"/api/{resource.name}"
    read = [await api.get(f"{root}/{record['id']}?form=writable") for record in records]
    return [form.data | {"id": record["id"]} for form, record in zip(read, records, strict=True)]


async def shown_key(api: Api, resource: MasterRecord, item: dict[str, Any]) -> Any:
    """Return the own key in an outcome: the item's, or that of the record that it refers to."""
    key = item[str(resource.own_key)]
    of = {"style-relations": ("styles", "number"), "style-colors": ("colors", "userDefinedId")}
    path, name = of.get(resource.name, ("", ""))
    return (await api.get(f"/api/{path}/{key}")).data[name] if path else key


@pytest.mark.demo_data
@of_each_resource
async def test_short_responses_have_an_outcome_per_item(resource: MasterRecord, api: Api) -> None:
    root = f"/api/{resource.name}"
    bodies = [generate.body(resource, "create", await generate.references(api), Random(9))] * 1
    created = await api.post(root, bodies, headers=MINIMAL)
    assert (created.status, created.json["code"]) == (201, "created")
    assert created.headers["Preference-Applied"] == "return=minimal"
    assert shown(created) == ["created"]
    first, second, third = await made(api, resource)
    same, other, gone = await items(api, resource, [first, second, third])
    other |= generate.altered(resource, other, await generate.references(api))
    deletes = generate.has_state(resource)
    sent = [gone | {"state": "deleted"} if deletes else gone, same, other]
    answer = await api.put(root, sent, headers=MINIMAL)
    assert (answer.status, answer.json["code"]) == (200, "ok")
    assert shown(answer) == ["deleted" if deletes else "unchanged", "unchanged", "updated"]
    assert [row["id"] for row in answer.data] == [third["id"], first["id"], second["id"]]
    assert [row["key"] for row in answer.data] == [
        await shown_key(api, resource, item) for item in sent
    ]
    ids = [("ids", str(record["id"])) for record in (first, second)]
    deleted = await api.delete(root, ids, headers=MINIMAL)
    assert shown(deleted) == ["deleted", "deleted"]
    if "purge" not in resource.statements:
        assert shown(await api.delete(root, ids, headers=MINIMAL)) == ["unchanged", "unchanged"]


@pytest.mark.contract("Dry runs")
@of_each_resource
async def test_a_dry_run_returns_the_outcomes_and_changes_nothing(
    resource: MasterRecord, api: Api, demo_dsn: str
) -> None:
    root, references = f"/api/{resource.name}", await generate.references(api)
    records = await made(api, resource)
    first, second, third = await items(api, resource, records)
    bodies = [generate.body(resource, "create", references, Random(3)) for _ in range(2)]
    deletes = generate.has_state(resource)
    last = third | {"state": "deleted"} if deletes else third
    changed = [first, second | generate.altered(resource, second, references), last]
    ids = [("ids", str(record["id"])) for record in records]
    before = await rows.dump(demo_dsn, versions=True)
    dry_run = await api.post(root, bodies, params=DRY)
    assert (dry_run.status, shown(dry_run)) == (200, ["created", "created"])
    assert [row["id"] for row in dry_run.data] == [None, None]
    single = await api.post(root, bodies[0], params=DRY)
    assert (single.status, shown(single)) == (200, ["created"])
    assert not {"ETag", "Location"} & set(single.headers)
    replaced = await api.put(root, changed, params=DRY)
    assert shown(replaced) == ["unchanged", "updated", "deleted" if deletes else "unchanged"]
    path = f"{root}/{first['id']}"
    assert shown(await api.delete(root, [*ids, ("dryRun", "true")])) == ["deleted"] * 3
    assert shown(await api.delete(path, DRY)) == ["deleted"]
    assert shown(await api.patch(path, [], params=DRY)) == ["unchanged"]
    assert await rows.dump(demo_dsn, versions=True) == before
    done = await api.put(root, changed, headers=MINIMAL)
    assert done.data == replaced.data


@pytest.mark.contract("Dry runs")
async def test_a_dry_run_fails_as_the_write_would(api: Api) -> None:
    body = [{"name": "Sage"}, {"name": ""}, {"name": "Moss", "colorGroupIds": [2**62]}]
    dry_run, answer = await api.post(COLORS, body, params=DRY), await api.post(COLORS, body)
    assert dry_run.status == answer.status == 400
    assert dry_run.raw == answer.raw


@pytest.mark.contract("Dry runs", "Idempotency")
async def test_a_dry_run_uses_up_no_key(api: Api) -> None:
    answer = await api.post(COLORS, [{"name": "x"}], params=DRY, headers={"Idempotency-Key": "k"})
    expected = [("validation_error.exclusive_parameters", "dryRun")]
    assert (answer.status, answer.details) == (400, expected)


@pytest.mark.parametrize(
    ("query", "kind", "field"),
    [
        ("dryRun=yes", "invalid_value", "dryRun"),
        ("dryRun=true&dryRun=true", "duplicate", "dryRun"),
        ("onError=stop", "invalid_value", "onError"),
        ("onerror=skip", "unknown_parameter", "onerror"),
    ],
)
async def test_switches_have_values_of_their_own(
    api: Api, query: str, kind: str, field: str
) -> None:
    answer = await api.post(f"{COLORS}?{query}", [{"name": "Sage"}])
    assert (answer.status, answer.details) == (400, [(f"validation_error.{kind}", field)])


@pytest.mark.contract("Skipping failing items")
async def test_a_write_of_one_record_skips_nothing(api: Api) -> None:
    answer = await api.post(COLORS, {"name": "Sage"}, params=SKIP)
    expected = [("validation_error.unknown_parameter", "onError")]
    assert (answer.status, answer.details) == (400, expected)


@pytest.mark.contract("Idempotency")
async def test_a_short_answer_is_given_again_by_its_key(api: Api) -> None:
    headers = {**MINIMAL, "Idempotency-Key": "night"}
    first = await api.post(COLORS, [{"name": "Sage"}], headers=headers)
    again = await api.post(COLORS, [{"name": "Sage"}], headers=headers)
    assert again.raw == first.raw
    assert again.headers["Preference-Applied"] == "return=minimal"
    assert again.headers["Idempotent-Replayed"] == "true"


@pytest.mark.contract("Skipping failing items")
async def test_failed_items_are_skipped(api: Api) -> None:
    bodies: list[dict[str, Any]] = [{"name": f"Shade {n}"} for n in range(200)]
    bodies[3], bodies[77] = {"name": ""}, {"colorNote": "nameless"}
    bodies[150]["colorGroupIds"] = [2**62]
    answer = await api.post(COLORS, bodies, params=SKIP)
    assert (answer.status, answer.json["code"]) == (200, "partial")
    outcomes = shown(answer)
    assert [index for index, outcome in enumerate(outcomes) if outcome == "failed"] == [3, 77, 150]
    assert outcomes.count("created") == 197
    details = [[(d["type"], d["field"]) for d in answer.data[n]["details"]] for n in (3, 77, 150)]
    assert details == [
        [("validation_error.too_short", "[3].name")],
        [("validation_error.required_field", "[77].name")],
        [("validation_error.unknown_reference", "[150].colorGroupIds[0]")],
    ]
    assert answer.data[3]["id"] is None
    names = {"filter[0].property": "name", "filter[0].operator": "startsWith"}
    response = await api.get(COLORS, names | {"filter[0].value": "Shade ", "pageSize": "1"})
    assert response.status == 200
    assert response.data


@pytest.mark.contract("Skipping failing items")
async def test_keys_of_failed_items_are_texts_or_null(shared_api: Api) -> None:
    [relation] = (await shared_api.get("/api/style-relations", {"pageSize": "1"})).data
    item = {name: relation[name] for name in ("id", "styleId", "relatedStyleId")}
    unknown = item | {"relatedStyleId": 2**62}
    wrong = [unknown, unknown | {"id": item["id"] + 1, "styleId": 1.5}]
    answer = await shared_api.put("/api/style-relations", wrong, params=SKIP)
    assert shown(answer) == ["failed", "failed"]
    assert [row["key"] for row in answer.data] == [None, None]
    merges = [{"userDefinedId": 5, "name": "Blue"}, {"userDefinedId": True, "name": "Red"}]
    params = SKIP | {"match": "userDefinedId"}
    answer = await shared_api.patch(COLORS, merges, params=params)
    assert shown(answer) == ["failed", "failed"]
    assert [row["key"] for row in answer.data] == [None, None]


@pytest.mark.contract("Skipping failing items")
async def test_skipping_without_a_failure_says_created(api: Api) -> None:
    answer = await api.post(COLORS, [{"name": "Sage"}], params=SKIP)
    assert (answer.status, answer.json["code"], shown(answer)) == (201, "created", ["created"])


@pytest.mark.contract("Skipping failing items")
async def test_failure_of_every_item_writes_nothing(api: Api, shared_dsn: str) -> None:
    before = await rows.dump(shared_dsn, versions=True)
    answer = await api.put(
        COLORS, [{"id": 1}, {"id": 2**60, "name": "x", "state": "active"}], params=SKIP
    )
    assert (answer.status, answer.json["code"]) == (200, "partial")
    assert shown(answer) == ["failed", "failed"]
    assert [d["type"] for d in answer.data[1]["details"]] == ["not_found"]
    assert await rows.dump(shared_dsn, versions=True) == before


@pytest.mark.contract("Skipping failing items")
async def test_all_items_that_share_an_id_fail(api: Api) -> None:
    first, other = (await api.post(COLORS, [{"name": "Sage"}, {"name": "Moss"}])).data
    item = {"id": first["id"], "name": "Fern", "state": "active"}
    body = [item, item | {"id": other["id"]}, item]
    answer = await api.put(COLORS, body, params=SKIP)
    assert shown(answer) == ["failed", "updated", "failed"]
    assert [d["field"] for row in answer.data for d in row["details"]] == ["[0].id", "[2].id"]
    ids = [("ids", str(record["id"])) for record in (first, other, first)]
    gone = await api.delete(COLORS, [*ids, ("onError", "skip")])
    assert shown(gone) == ["failed", "deleted", "failed"]


@pytest.mark.contract("Skipping failing items")
async def test_dependents_of_a_failed_item_fail(api: Api) -> None:
    """Each takes over the reference that the next one gives away; the last one is wrong."""
    keys = [f"MAT-{n}" for n in range(8)]
    created = await api.post(MATERIALS, [{"text": "Wool", "userDefinedId": key} for key in keys])
    ids = [record["id"] for record in created.data]
    body = [
        {"id": record_id, "text": "Wool", "userDefinedId": keys[(n + 1) % 8]}
        for n, record_id in enumerate(ids)
    ]
    extra = {"id": (await api.post(MATERIALS, {"text": "Silk"})).data["id"], "text": "Linen"}
    good = await api.put(MATERIALS, [*body, extra], params=SKIP)
    assert shown(good) == ["updated"] * 9
    body = [item | {"userDefinedId": keys[n]} for n, item in enumerate(body)]
    body[7]["languages"] = [{"languageId": 2**40, "text": "Wolle"}]
    answer = await api.put(MATERIALS, [*body, extra], params=SKIP)
    assert shown(answer) == ["failed"] * 8 + ["unchanged"]
    error_types = [row["details"][0]["type"] for row in answer.data[:8]]
    assert error_types == ["conflict.duplicate"] * 7 + ["validation_error.unknown_reference"]


@pytest.mark.contract("Skipping failing items", "States")
async def test_a_group_in_use_stays_and_the_others_go(api: Api) -> None:
    groups = [{"name": "Knit", "userDefinedId": key} for key in "AB"]
    used, free = [(await api.post(GROUPS, group)).data for group in groups]
    style = {"number": "SV-1", "name": "Coat", "state": "active", "groupIds": [used["id"]]}
    assert (await api.post("/api/styles", style)).status == 201
    ids = [("ids", str(group["id"])) for group in (used, free)]
    answer = await api.delete(GROUPS, [*ids, ("onError", "skip")])
    assert shown(answer) == ["failed", "deleted"]
    assert (answer.data[0]["id"], answer.data[0]["key"]) == (used["id"], used["userDefinedId"])


FIELD = {"type": "allowedValue", "allowedValues": [{"value": "One"}]}


async def family(api: Api, root: str, count: int) -> list[Any]:
    """Return ids of custom fields, each the parent of the next."""
    ids: list[int | None] = [None]
    for number in range(count):
        item = {"name": f"Generation {number}", **FIELD, "parentCustomFieldId": ids[-1]}
        ids.append((await api.post(root, item)).data["id"])
    return ids[1:]


@pytest.mark.contract("Skipping failing items")
@pytest.mark.parametrize("root", [FIELDS, "/api/style-custom-fields"])
async def test_long_lines_of_what_relies_on_each_other_fail_together(api: Api, root: str) -> None:
    """Children do not come back without their parents, and parents do not go before children."""
    ids = await family(api, root, 12)
    await api.delete(root, [("ids", str(each)) for each in ids])
    free = (await api.post(root, {"name": "Free", **FIELD})).data["id"]
    parents = [None, *ids[:-1]]
    items: list[dict[str, Any]] = [
        {"id": each, "name": "Back", "state": "active", **FIELD, "parentCustomFieldId": parent}
        for each, parent in zip(ids, parents, strict=True)
    ]
    other = {"id": free, "name": "Free again", "state": "active", **FIELD}
    wrong = [items[0] | {"allowedValues": [{"id": 2**60, "value": "x"}]}, *items[1:]]
    answer = await api.put(root, [*wrong, other], params=SKIP)
    assert shown(answer) == ["failed"] * 12 + ["updated"]
    kinds = {row["details"][0]["type"] for row in answer.data[1:12]}
    assert kinds == {"validation_error.unknown_reference"}
    back = await api.put(root, items, params=SKIP)
    assert shown(back) == ["updated"] * 12
    last = {"name": "Last", **FIELD, "parentCustomFieldId": ids[-1]}
    assert (await api.post(root, last)).status == 201
    ends = [("ids", str(record_id)) for record_id in (*ids, free)]
    gone = await api.delete(root, [*ends, ("onError", "skip")])
    assert shown(gone) == ["failed"] * 12 + ["deleted"]
    assert {row["details"][0]["type"] for row in gone.data[:12]} == {"conflict.in_use"}
