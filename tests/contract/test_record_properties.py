"""Property tests of every master record, with generated records (contract, Writable form).

A record replaced by its own writable form stays as it is, and so it does under the empty patch; a
replace done twice is a replace done once; a patch and the replace by its outcome are the same; what
is created can be read and deleted; every document fits its schema.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from service.schemas.write_forms import SINCE
from tests.support import generate, rows
from tests.support.api import Answer, Api
from tests.support.openapi_validation import form
from tests.support.parametrize import of_each_resource
from tests.support.sampling import examples, settle_seed

pytestmark = pytest.mark.contract("Writable form")


class Seeded(Random):
    """Random numbers whose seed reproduces a failed example."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self._number = number

    def __repr__(self) -> str:
        return f"Seeded({self._number})"


# Bodies take more choices than Hypothesis can hand out one by one.
_randoms = st.integers(0, 2**64 - 1).map(Seeded)


def with_generated_records(test: Callable[..., Any]) -> Callable[..., Any]:
    """Run a test for several records, which are others in each run."""
    several = settings(
        max_examples=examples(few=3, many=25),
        deadline=None,
        database=None,
        # A record is made from one number, in which there is nothing to shrink.
        phases=[Phase.generate],
        # A fixture lives through all examples: each makes records of its own and deletes them.
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    return seed(settle_seed())(several(given(random=_randoms)(test)))


WITH_NEWER_FIELDS = [each for each in MASTER_RECORDS if SINCE in each.stored_fields.values()]
_RENUMBERED = {"value", "firstName", "properties", "languageId"}
"""What tells members of lists that get ids of their own: allowed values, contacts, translations."""


def path(resource: MasterRecord) -> str:
    return f"/api/{resource.name}"


async def create(api: Api, resource: MasterRecord, random: Random) -> Answer:
    body = generate.body(resource, "create", await generate.references(api), random)
    answer = await api.post(path(resource), body)
    assert answer.status == 201, (body, answer.raw)
    form(resource.name, "document").validate(answer.data)
    return answer


async def replacement(api: Api, resource: MasterRecord, random: Random) -> dict[str, Any]:
    return generate.body(resource, "replace", await generate.references(api), random)


async def writable(api: Api, location: str, resource: MasterRecord) -> dict[str, Any]:
    answer = await api.get(location, {"form": "writable"})
    form(resource.name, "writable").validate(answer.data)
    return dict(answer.data)


def without_child_ids(value: Any) -> Any:
    """Return the same without what names the members of lists: new members get new ids."""
    if isinstance(value, dict):
        return {
            name: [without_id(member) for member in part] if isinstance(part, list) else part
            for name, part in value.items()
        }
    return value


def without_id(member: Any) -> Any:
    if not isinstance(member, dict) or not _RENUMBERED & member.keys():
        return member
    return {name: part for name, part in member.items() if name != "id"}


@pytest.mark.contract("Surface")
@of_each_resource
@with_generated_records
async def test_replacing_by_the_writable_form_or_twice_changes_nothing(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    created = await create(shared_api, resource, random)
    location, tag = created.headers["Location"], created.tag
    replaced = await shared_api.put(location, await writable(shared_api, location, resource))
    assert (replaced.status, replaced.tag) == (200, tag), (created.data, replaced.raw)
    patched = await shared_api.patch(location, [])
    assert (patched.status, patched.tag) == (200, tag)
    assert replaced.data == patched.data == created.data
    body = await replacement(shared_api, resource, random)
    once = await shared_api.put(location, body)
    assert once.status == 200, (body, once.raw)
    form(resource.name, "document").validate(once.data)
    twice = await shared_api.put(location, body)
    assert without_child_ids(twice.data) == without_child_ids(once.data)
    assert (await shared_api.delete(location)).status == 200


@pytest.mark.contract("Presence")
@pytest.mark.parametrize("resource", WITH_NEWER_FIELDS, ids=lambda resource: resource.name)
@with_generated_records
async def test_a_replace_with_some_newer_fields_keeps_the_others(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    location = (await create(shared_api, resource, random)).headers["Location"]
    before = await writable(shared_api, location, resource)
    newer = [name for name, keyword in resource.stored_fields.items() if keyword == SINCE]
    omitted = random.sample(newer, random.randint(1, len(newer)))
    body = await replacement(shared_api, resource, random)
    body = {name: body[name] for name in body if name not in omitted}
    replaced = await shared_api.put(location, body)
    after = await writable(shared_api, location, resource)
    stored = {name: before[name] for name in omitted}
    assert {name: after[name] for name in omitted} == stored
    assert (await shared_api.put(location, body | stored)).tag == replaced.tag


@pytest.mark.contract("Patches")
@of_each_resource
@with_generated_records
async def test_a_patch_is_the_replace_by_its_outcome(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    location = (await create(shared_api, resource, random)).headers["Location"]
    before = await writable(shared_api, location, resource)
    await shared_api.put(location, await replacement(shared_api, resource, random))
    replaced, after = await shared_api.get(location), await writable(shared_api, location, resource)
    assert (await shared_api.put(location, without_child_ids(before))).status == 200
    expected = without_child_ids(after)
    patched = await shared_api.patch(
        location,
        [{"op": "replace", "path": f"/{name}", "value": expected[name]} for name in expected],
    )
    assert patched.status == 200, patched.raw
    assert without_child_ids(await writable(shared_api, location, resource)) == expected
    assert timeless(patched.data) == timeless(replaced.data)
    assert (await shared_api.delete(location)).status == 200


def timeless(document: dict[str, Any]) -> Any:
    """Return the document without the times of its last changes."""
    times = {"endDate", "statusChangedAt", "assignedAt"}
    return {name: part for name, part in without_child_ids(document).items() if name not in times}


@pytest.mark.contract("Surface", "States")
@of_each_resource
@with_generated_records
async def test_create_then_read_then_delete(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    created = await create(shared_api, resource, random)
    location, id_ = created.headers["Location"], created.data["id"]
    assert location == f"{path(resource)}/{id_}"
    read = await shared_api.get(location)
    assert (read.data, read.tag) == (created.data, created.tag)
    listed = await shared_api.get(path(resource), {"id": id_})
    assert listed.data == [created.data]

    deleted = await shared_api.delete(location)
    form(resource.name, "document").validate(deleted.data)
    assert deleted.data.get("state", "deleted") == "deleted"
    assert (await shared_api.get(path(resource), {"id": id_})).data == []
    again, gone = await shared_api.delete(location), await shared_api.get(location)
    if "purge" in resource.statements:
        assert (again.status, gone.status) == (404, 404)
        return
    assert again.data == gone.data == deleted.data
    response = await shared_api.get(path(resource), {"id": id_, "state": "deleted"})
    assert response.data == [deleted.data]
    stored = await writable(shared_api, location, resource)
    restored = await shared_api.put(location, stored | {"state": "active"})
    assert restored.status == 200, restored.raw
    assert restored.data["state"] == "active"
    assert (await shared_api.delete(location)).status == 200


@pytest.mark.contract("Bulk")
@of_each_resource
@with_generated_records
async def test_in_bulk_as_one_by_one(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    references = await generate.references(shared_api)
    bodies = [generate.body(resource, "create", references, random) for _ in range(3)]
    made = await shared_api.post(path(resource), bodies)
    assert made.status == 201, made.raw
    ids = [record["id"] for record in made.data]
    changes = [generate.body(resource, "replace", references, random) for _ in ids]
    items = [body | {"id": id_} for body, id_ in zip(changes, ids, strict=True)]
    bulk = await shared_api.put(path(resource), items[::-1])
    assert bulk.status == 200, bulk.raw
    assert [record["id"] for record in bulk.data] == ids[::-1]
    for id_, body, record in zip(ids, changes, bulk.data[::-1], strict=True):
        single = await shared_api.put(f"{path(resource)}/{id_}", body)
        assert without_child_ids(single.data) == without_child_ids(record)
    gone = await shared_api.delete(path(resource), [("ids", str(id_)) for id_ in ids])
    assert [record["id"] for record in gone.data] == ids
    assert {record.get("state", "deleted") for record in gone.data} == {"deleted"}


@of_each_resource
@pytest.mark.parametrize("caller", [0, 1], ids=["every feature", "no feature"])
async def test_the_demo_data_replaced_by_itself_is_not_even_written(
    resource: MasterRecord, caller: int, api: Api, other_api: Api, demo_dsn: str
) -> None:
    api = (api, other_api)[caller]
    records = (await api.get(path(resource), {"pageSize": 100})).data
    assert len(records) > 30
    items = [
        await writable(api, f"{path(resource)}/{record['id']}", resource) | {"id": record["id"]}
        for record in records
    ]
    before = await rows.dump(demo_dsn, versions=True)
    answer = await api.put(path(resource), items)
    assert answer.status == 200, answer.raw
    assert answer.data == records
    for record in records:
        form(resource.name, "document").validate(record)
    locks: dict[str, list[Any]] = {"writer_lock": []}
    assert await rows.dump(demo_dsn, versions=True) | locks == before | locks
