"""Tests of previews: what a dry run would change, field by field (contract, Dry runs)."""

from random import Random
from typing import Any, Final
from uuid import uuid4

import asyncpg
import pytest

from service.records.master_record import MasterRecord
from tests.support import generate
from tests.support.api import Answer, Api
from tests.support.openapi_validation import form
from tests.support.parametrize import WITH_OWN_KEY, of_each_resource, of_each_with_own_key
from tests.support.previews import difference, set_fields

pytestmark = pytest.mark.contract("Dry runs")

COLORS: Final = "/api/colors"
DRY: Final = {"dryRun": "true"}
PREVIEW: Final = DRY | {"preview": "true"}


def changes(answer: Answer) -> list[Any]:
    """Return the changes of each outcome, which the schema describes."""
    assert answer.status == 200, answer.raw
    data = answer.data if isinstance(answer.data, list) else [answer.data]
    for row in data:
        form("common/envelope", "itemOutcome").validate(row)
    return [row["changes"] for row in data]


async def stored(api: Api, root: str, ids: list[Any]) -> list[Any]:
    """Return the writable forms of records; None of those that are gone."""
    answers = [await api.get(f"{root}/{id_}?form=writable") for id_ in ids]
    return [answer.data if answer.status == 200 else None for answer in answers]


async def created(api: Api, resource: MasterRecord, count: int) -> list[dict[str, Any]]:
    """Return the writable forms of new records with their ids."""
    root, references = f"/api/{resource.name}", await generate.references(api)
    bodies = [new(resource, references, number) for number in range(count)]
    answer = await api.post(root, bodies)
    assert answer.status == 201, answer.raw
    ids = [record["id"] for record in answer.data]
    forms = await stored(api, root, ids)
    return [{"id": id_} | record for id_, record in zip(ids, forms, strict=True)]


def new(resource: MasterRecord, references: generate.References, number: int) -> dict[str, Any]:
    """Return a body that creates a record, with an own key that no other record has."""
    body = generate.body(resource, "create", references, Random(f"{resource.name} {number}"))
    body = generate.with_state(resource, body, "active")
    own_key = {str(resource.own_key): f"key {uuid4()}"}
    return body | own_key if resource in WITH_OWN_KEY else body


@of_each_resource
async def test_a_preview_tells_the_difference_that_the_write_makes(
    resource: MasterRecord, shared_api: Api
) -> None:
    """Of replaces, merges and deletes: that of the writable forms before and after them."""
    root, references = f"/api/{resource.name}", await generate.references(shared_api)
    first, second, third, last = await created(shared_api, resource, 4)
    replaced = {"id": first["id"]} | set_fields(resource, first, references)
    merged = {"id": third["id"]} | generate.altered(resource, third, references)
    writes = {"PUT": [replaced, second], "PATCH": [merged, {"id": second["id"]}]}
    ids = [replaced["id"], second["id"], merged["id"]]
    for method, items in writes.items():
        names = [item["id"] for item in items]
        forms = await stored(shared_api, root, names)
        preview = await shared_api.call(method, root, items, params=PREVIEW)
        plain = await shared_api.call(method, root, items, params=DRY)
        shown = changes(preview)
        assert [
            row | {"changes": each} for row, each in zip(plain.data, shown, strict=True)
        ] == preview.data
        real = await shared_api.call(method, root, items)
        assert real.status == 200, real.raw
        after = await stored(shared_api, root, names)
        assert shown == [difference(*pair) for pair in zip(forms, after, strict=True)]
        assert (bool(shown[0]), shown[1]) == (True, [])
    gone = await shared_api.delete(root, [*PREVIEW.items(), *(("ids", str(id_)) for id_ in ids)])
    state = [{"field": "state", "before": "active", "after": "deleted"}]
    live = [
        state[0] | {"before": item.get("state", "active")}
        for item in await stored(shared_api, root, ids)
    ]
    assert changes(gone) == [[each] for each in live]
    single = await shared_api.delete(f"{root}/{last['id']}", PREVIEW)
    assert changes(single) == [state]


@of_each_resource
async def test_a_preview_tells_what_would_be_created(
    resource: MasterRecord, shared_api: Api
) -> None:
    """Each field with a value, and nothing before; entries of lists have no ids yet."""
    root, references = f"/api/{resource.name}", await generate.references(shared_api)
    bodies = [new(resource, references, number) for number in range(3)]
    preview = await shared_api.post(root, bodies, params=PREVIEW)
    single = await shared_api.post(root, bodies[0], params=PREVIEW)
    assert changes(single) == changes(preview)[:1]
    real = await shared_api.post(root, bodies)
    assert real.status == 201, real.raw
    after = await stored(shared_api, root, [record["id"] for record in real.data])
    assert changes(preview) == [difference(None, record) for record in after]
    assert {change["before"] for each in changes(preview) for change in each} == {None}


@pytest.mark.contract("Own keys", "Skipping failing items")
@of_each_with_own_key
async def test_failed_and_absent_items_change_nothing(
    resource: MasterRecord, shared_api: Api
) -> None:
    root, references = f"/api/{resource.name}", await generate.references(shared_api)
    [record] = await created(shared_api, resource, 1)
    keyed = {name: value for name, value in record.items() if name != "id"}
    body = new(resource, references, 7)
    absent = generate.key_of(resource, new(resource, references, 8) | keyed)
    absent |= {str(resource.own_key): f"key {uuid4()}", "state": "deleted"}
    wrong = new(resource, references, 9) | {"unheardOf": 1}
    params = PREVIEW | {"match": str(resource.own_key), "onError": "skip"}
    answer = await shared_api.patch(root, [body, keyed, absent, wrong], params=params)
    assert [row["outcome"] for row in answer.data] == ["created", "unchanged", "absent", "failed"]
    made, *others = changes(answer)
    assert {change["before"] for change in made} == {None}
    assert {"field": resource.own_key, "before": None, "after": body[str(resource.own_key)]} in made
    assert others == [[], [], []]
    ending = generate.key_of(resource, record) | {"state": "deleted"}
    gone = await shared_api.put(root, [ending], params=params)
    assert changes(gone) == [[{"field": "state", "before": "active", "after": "deleted"}]]


async def test_restored_records_have_both_states(shared_api: Api) -> None:
    made = (await shared_api.post(COLORS, {"name": "Back", "userDefinedId": str(uuid4())})).data
    await shared_api.delete(f"{COLORS}/{made['id']}")
    keyed = {name: made[name] for name in ("name", "userDefinedId")}
    for answer in (
        await shared_api.patch(COLORS, [keyed], params=PREVIEW | {"match": "userDefinedId"}),
        await shared_api.put(f"{COLORS}/{made['id']}", keyed | {"state": "active"}, params=PREVIEW),
    ):
        assert changes(answer) == [[{"field": "state", "before": "deleted", "after": "active"}]]
    again = await shared_api.delete(f"{COLORS}/{made['id']}", PREVIEW)
    assert changes(again) == [[]]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_only_dry_runs_have_previews(method: str, shared_api: Api) -> None:
    exclusive = [("validation_error.exclusive_parameters", "preview")]
    body = None if method == "DELETE" else [{"id": 1, "name": "x", "state": "active"}]
    ids = {"ids": "1"} if method == "DELETE" else {}
    for params in ({"preview": "true"}, {"preview": "true", "dryRun": "false"}):
        answer = await shared_api.call(method, COLORS, body, params=ids | params)
        assert answer.status == 400
        assert set(exclusive) <= set(answer.details)
    for text in ("yes", "TRUE", "", "1"):
        answer = await shared_api.call(method, COLORS, body, params=ids | DRY | {"preview": text})
        assert ("validation_error.invalid_value", "preview") in answer.details
    path, params = f"{COLORS}/1", {"preview": "true"}
    if method != "POST":
        assert (await shared_api.call(method, path, body and {}, params=params)).status == 400
    read = await shared_api.get(COLORS, params)
    assert read.details == [("validation_error.unknown_parameter", "preview")]
    keyed = await shared_api.call(
        method, COLORS, body, params=ids | PREVIEW, headers={"Idempotency-Key": "k"}
    )
    assert ("validation_error.exclusive_parameters", "dryRun") in keyed.details


async def test_no_preview_is_the_default(shared_api: Api) -> None:
    for params in (DRY, DRY | {"preview": "false"}, {"preview": "false", "onError": "skip"}):
        answer = await shared_api.post(COLORS, [{"name": "Plain"}], params=params)
        assert answer.data[0].keys() == {"outcome", "id", "key", "details"}


@pytest.mark.contract("Tenancy")
async def test_previews_show_no_records_of_others(shared_api: Api, shared_other: Api) -> None:
    made = await shared_api.post(COLORS, {"name": "Ours", "userDefinedId": str(uuid4())})
    item = {"id": made.data["id"], "name": "Theirs", "state": "active"}
    refused = await shared_other.put(COLORS, [item], params=PREVIEW | {"onError": "skip"})
    unknown = await shared_other.put(
        COLORS, [item | {"id": 2**62}], params=PREVIEW | {"onError": "skip"}
    )
    assert refused.data == unknown.data
    assert (refused.data[0]["outcome"], changes(refused)) == ("failed", [[]])


@of_each_resource
async def test_dry_runs_take_no_ids(resource: MasterRecord, api: Api, demo_dsn: str) -> None:
    """Neither for records nor for their children; the id in an outcome is a placeholder."""
    connection = await asyncpg.connect(demo_dsn)
    references = await generate.references(api)
    bodies = [new(resource, references, number) for number in range(3)]
    text = "select schemaname, sequencename, last_value from pg_sequences order by 2"
    before = await connection.fetch(text)
    answer = await api.post(f"/api/{resource.name}", bodies, params=DRY)
    assert [row["outcome"] for row in answer.data] == ["created"] * 3, answer.raw
    assert await connection.fetch(text) == before
    await connection.close()
