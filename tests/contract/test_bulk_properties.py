"""Property tests of bulk writes to every master record (contract, Outcomes).

A dry run returns the outcomes of the write. Partial success without a failure equals
all or nothing. A write by own key equals one by id. A merge of all fields equals the replace, one
of no fields changes nothing.
"""

from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from service.records.master_record import MasterRecord
from tests.contract.test_record_properties import (
    create,
    path,
    replacement,
    with_generated_records,
    without_child_ids,
    writable,
)
from tests.support import generate
from tests.support.api import Api
from tests.support.parametrize import (
    of_each_resource,
    of_each_with_own_key,
    of_each_with_simple_key,
)

MINIMAL = {"Prefer": "return=minimal"}


async def created(api: Api, resource: MasterRecord, random: Random, count: int) -> list[str]:
    """Return the locations of new records."""
    made = [await create(api, resource, random) for _ in range(count)]
    return [answer.headers["Location"] for answer in made]


async def named(api: Api, location: str) -> dict[str, Any]:
    """Return the members that name the record at that location in bulk."""
    return {"id": (await api.get(location)).data["id"]}


async def clear(api: Api, resource: MasterRecord, locations: list[str]) -> None:
    ids = [("ids", location.rpartition("/")[2]) for location in locations]
    assert (await api.delete(path(resource), ids)).status == 200


@pytest.mark.contract("Dry runs", "Outcomes")
@of_each_resource
@with_generated_records
async def test_a_dry_run_returns_the_outcomes_of_the_write(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    root, references = path(resource), await generate.references(shared_api)
    bodies = [generate.body(resource, "create", references, random) for _ in range(3)]
    dry_run = await shared_api.post(root, bodies, params={"dryRun": "true"})
    made = await shared_api.post(root, bodies, headers=MINIMAL)
    assert made.status == 201, (bodies, made.raw)
    assert dry_run.data == [row | {"id": None} for row in made.data]
    items = [
        await replacement(shared_api, resource, random) | {"id": row["id"]} for row in made.data
    ]
    rest = made.data
    if generate.has_state(resource):
        items[0]["state"], rest = "deleted", made.data[1:]
    dry_run = await shared_api.put(root, items, params={"dryRun": "true"})
    done = await shared_api.put(root, items, headers=MINIMAL)
    assert done.status == 200, (items, done.raw)
    assert dry_run.data == done.data
    await clear(shared_api, resource, [str(row["id"]) for row in rest])


@pytest.mark.contract("Skipping failing items", "Outcomes")
@of_each_resource
@with_generated_records
async def test_skipping_without_a_failure_is_all_or_nothing(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    locations = await created(shared_api, resource, random, 3)
    ids = [await named(shared_api, location) for location in locations]
    items = [await replacement(shared_api, resource, random) | identity for identity in ids]
    whole = await shared_api.put(path(resource), items, params={"dryRun": "true"})
    partly = await shared_api.put(path(resource), items, params={"onError": "skip"})
    assert (partly.status, partly.json["code"]) == (200, "ok")
    assert partly.data == whole.data
    again = await shared_api.put(path(resource), items, headers=MINIMAL)
    assert [row["outcome"] for row in again.data] == ["unchanged"] * 3
    await clear(shared_api, resource, locations)


@pytest.mark.contract("Own keys")
@of_each_with_own_key
@with_generated_records
async def test_by_own_key_is_as_by_id(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    root, key = path(resource), str(resource.own_key)
    [location] = await created(shared_api, resource, random, 1)
    identity, mark = await named(shared_api, location), f"property {random.getrandbits(64):x}"
    first = await replacement(shared_api, resource, random) | {key: mark}
    assert (await shared_api.put(location, first)).status == 200
    before = without_child_ids(await writable(shared_api, location, resource))
    body = await replacement(shared_api, resource, random)
    body |= generate.key_of(resource, before)
    body = generate.with_state(resource, body, body.get("state") or "active")
    by_id = await shared_api.put(root, [body | identity], headers=MINIMAL)
    after = without_child_ids(await writable(shared_api, location, resource))
    assert (await shared_api.put(location, before)).status == 200
    by_key = await shared_api.put(root, [body], params={"match": key})
    assert by_key.data == by_id.data, (body, by_key.raw)
    assert without_child_ids(await writable(shared_api, location, resource)) == after
    await clear(shared_api, resource, [location])


@pytest.mark.contract("Paths by own key")
@of_each_with_simple_key
@with_generated_records
async def test_a_path_by_own_key_is_as_one_by_id(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    name, key = str(resource.own_key), f"path/{random.getrandbits(64):x} %="
    [by_id] = await created(shared_api, resource, random, 1)
    by_key = f"{path(resource)}/{name}={quote(key, safe='')}"
    first = await replacement(shared_api, resource, random) | {name: key}
    first = generate.with_state(resource, first, "active")
    assert (await shared_api.put(by_id, first)).status == 200
    before = without_child_ids(await writable(shared_api, by_id, resource))
    body = await replacement(shared_api, resource, random) | {name: key}
    body = generate.with_state(resource, body, "active")
    replaced = await shared_api.put(by_id, body)
    after = without_child_ids(await writable(shared_api, by_id, resource))
    assert (await shared_api.put(by_key, before)).status == replaced.status == 200
    assert without_child_ids(await writable(shared_api, by_key, resource)) == before
    again = await shared_api.put(by_key, body)
    assert (again.status, again.data["id"]) == (200, replaced.data["id"]), (body, again.raw)
    assert without_child_ids(await writable(shared_api, by_id, resource)) == after
    deleted = await shared_api.delete(by_key)
    assert (deleted.status, (await shared_api.get(by_key)).status) == (200, 404)


@pytest.mark.contract("Merges")
@of_each_resource
@with_generated_records
async def test_a_merge_of_everything_is_the_replace(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    [location] = await created(shared_api, resource, random, 1)
    identity = await named(shared_api, location)
    before = await writable(shared_api, location, resource)
    body = await replacement(shared_api, resource, random)
    assert (await shared_api.put(location, body)).status == 200
    after = without_child_ids(await writable(shared_api, location, resource))
    assert (await shared_api.put(location, without_child_ids(before))).status == 200
    merged = await shared_api.patch(path(resource), [after | identity])
    assert merged.status == 200, (after, merged.raw)
    assert without_child_ids(await writable(shared_api, location, resource)) == after
    await clear(shared_api, resource, [location])


@pytest.mark.contract("Merges", "Outcomes")
@of_each_resource
@with_generated_records
async def test_a_merge_of_nothing_changes_nothing(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    locations = await created(shared_api, resource, random, 2)
    before = [(await shared_api.get(location)).headers["ETag"] for location in locations]
    items = [await named(shared_api, location) for location in locations]
    merged = await shared_api.patch(path(resource), items, headers=MINIMAL)
    assert [row["outcome"] for row in merged.data] == ["unchanged", "unchanged"]
    after = [(await shared_api.get(location)).headers["ETag"] for location in locations]
    assert after == before
    await clear(shared_api, resource, locations)
