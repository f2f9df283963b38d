"""Laws of bulk writes that every master record keeps (contract, Outcomes), under made-up records.

A rehearsal tells what the write does; in part without a failure is all or nothing; by own key is as
by id; a merge of everything is the replace, a merge of nothing changes nothing.
"""

from random import Random
from typing import Any

import pytest
from hypothesis import given

from service.queries.master_record import MasterRecord
from tests.contract.test_laws import (
    create,
    of_made_up_records,
    path,
    randoms,
    replacement,
    without_child_ids,
    writable,
)
from tests.support import generate
from tests.support.api import Api
from tests.support.each import of_each_resource, of_each_with_own_key

MINIMAL = {"Prefer": "return=minimal"}


async def created(api: Api, resource: MasterRecord, random: Random, count: int) -> list[str]:
    """The places of new records."""
    made = [await create(api, resource, random) for _ in range(count)]
    return [answer.headers["Location"] for answer in made]


async def named(api: Api, place: str) -> dict[str, Any]:
    """What names the record of that place in bulk."""
    return {"id": (await api.get(place)).data["id"]}


async def clear(api: Api, resource: MasterRecord, places: list[str]) -> None:
    ids = [("ids", place.rpartition("/")[2]) for place in places]
    assert (await api.delete(path(resource), ids)).status == 200


@pytest.mark.contract("Rehearsals", "Outcomes")
@of_each_resource
@of_made_up_records
@given(random=randoms)
async def test_a_rehearsal_tells_what_the_write_does(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    root, known = path(resource), await generate.references(shared_api)
    bodies = [generate.body(resource, "create", known, random) for _ in range(3)]
    rehearsed = await shared_api.post(root, bodies, params={"dryRun": "true"})
    made = await shared_api.post(root, bodies, headers=MINIMAL)
    assert made.status == 201, (bodies, made.raw)
    assert rehearsed.data == [row | {"id": None} for row in made.data]
    items = [
        await replacement(shared_api, resource, random) | {"id": row["id"]} for row in made.data
    ]
    rest = made.data
    if generate.has_state(resource):
        items[0]["state"], rest = "deleted", made.data[1:]
    rehearsed = await shared_api.put(root, items, params={"dryRun": "true"})
    done = await shared_api.put(root, items, headers=MINIMAL)
    assert done.status == 200, (items, done.raw)
    assert rehearsed.data == done.data
    await clear(shared_api, resource, [str(row["id"]) for row in rest])


@pytest.mark.contract("In part", "Outcomes")
@of_each_resource
@of_made_up_records
@given(random=randoms)
async def test_in_part_without_a_failure_is_all_or_nothing(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    places = await created(shared_api, resource, random, 3)
    ids = [await named(shared_api, place) for place in places]
    items = [await replacement(shared_api, resource, random) | one for one in ids]
    whole = await shared_api.put(path(resource), items, params={"dryRun": "true"})
    partly = await shared_api.put(path(resource), items, params={"onError": "skip"})
    assert (partly.status, partly.json["code"]) == (200, "ok")
    assert partly.data == whole.data
    again = await shared_api.put(path(resource), items, headers=MINIMAL)
    assert [row["outcome"] for row in again.data] == ["unchanged"] * 3
    await clear(shared_api, resource, places)


@pytest.mark.contract("Own keys")
@of_each_with_own_key
@of_made_up_records
@given(random=randoms)
async def test_by_own_key_is_as_by_id(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    root, key = path(resource), str(resource.own_key)
    [place] = await created(shared_api, resource, random, 1)
    one, mark = await named(shared_api, place), f"law {random.getrandbits(64):x}"
    first = await replacement(shared_api, resource, random) | {key: mark}
    assert (await shared_api.put(place, first)).status == 200
    before = without_child_ids(await writable(shared_api, place, resource))
    body = await replacement(shared_api, resource, random)
    body |= {name: first[name] for name in resource.key_fields}
    body["state"] = body.get("state") or "active"
    by_id = await shared_api.put(root, [body | one], headers=MINIMAL)
    after = without_child_ids(await writable(shared_api, place, resource))
    assert (await shared_api.put(place, before)).status == 200
    by_key = await shared_api.put(root, [body], params={"match": key})
    assert by_key.data == by_id.data, (body, by_key.raw)
    assert without_child_ids(await writable(shared_api, place, resource)) == after
    await clear(shared_api, resource, [place])


@pytest.mark.contract("Merges")
@of_each_resource
@of_made_up_records
@given(random=randoms)
async def test_a_merge_of_everything_is_the_replace(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    [place] = await created(shared_api, resource, random, 1)
    one, before = await named(shared_api, place), await writable(shared_api, place, resource)
    assert (
        await shared_api.put(place, await replacement(shared_api, resource, random))
    ).status == 200
    after = without_child_ids(await writable(shared_api, place, resource))
    assert (await shared_api.put(place, without_child_ids(before))).status == 200
    merged = await shared_api.patch(path(resource), [after | one])
    assert merged.status == 200, (after, merged.raw)
    assert without_child_ids(await writable(shared_api, place, resource)) == after
    await clear(shared_api, resource, [place])


@pytest.mark.contract("Merges", "Outcomes")
@of_each_resource
@of_made_up_records
@given(random=randoms)
async def test_a_merge_of_nothing_changes_nothing(
    resource: MasterRecord, shared_api: Api, random: Random
) -> None:
    places = await created(shared_api, resource, random, 2)
    before = [await shared_api.get(place) for place in places]
    items = [await named(shared_api, place) for place in places]
    merged = await shared_api.patch(path(resource), items, headers=MINIMAL)
    assert [row["outcome"] for row in merged.data] == ["unchanged", "unchanged"]
    after = [await shared_api.get(place) for place in places]
    assert [one.headers["ETag"] for one in after] == [one.headers["ETag"] for one in before]
    await clear(shared_api, resource, places)
