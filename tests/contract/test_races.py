"""Race tests of dependent writes: no update is lost, no rule is broken."""

import asyncio
from collections.abc import Awaitable
from random import Random
from typing import Any

import asyncpg
import orjson
import pytest

from service.resources.custom_fields.base import CustomFields
from tests.support.api import Answer, Api
from tests.support.custom_fields import COMPLIANCE, STYLE, item, new
from tests.support.time_limits import scaled

COLORS, GROUPS, SIZE_RANGES = "/api/colors", "/api/groups", "/api/size-ranges"
ROUNDS = 12
RANDOM = Random(7)
_LOCK = """
select id from organization
where id = (select organization_id from style_custom_field where id = $1) for no key update
"""
_BLOCKS = """
select exists (
    select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))
)
"""


async def at_once(*calls: Awaitable[Answer]) -> list[int]:
    """Return the statuses of requests that begin within a few milliseconds, in any order."""

    async def send(call: Awaitable[Answer]) -> int:
        await asyncio.sleep(RANDOM.uniform(0, 0.01))
        return (await call).status

    return await asyncio.gather(*(send(call) for call in calls))


def replace(field: str, value: Any) -> dict[str, Any]:
    return {"op": "replace", "path": f"/{field}", "value": value}


@pytest.mark.contract("Transactions")
async def test_replaces_and_patches_count_together(api: Api) -> None:
    """Each reads a counter and writes it plus one, if nobody was faster: none is lost."""
    location = (await api.post(COLORS, {"name": "0", "colorNote": "0"})).headers["Location"]
    refused: list[int] = []

    async def by_replace() -> None:
        while True:
            read = await api.get(location)
            count = str(int(read.data["name"]) + 1)
            body = {"name": count, "colorNote": count, "state": "active"}
            answer = await api.put(location, body, headers={"If-Match": read.headers["ETag"]})
            if answer.status == 200:
                return
            refused.append(answer.status)

    async def by_patch() -> None:
        while True:
            count = (await api.get(location)).data["name"]
            fields = [replace(field, str(int(count) + 1)) for field in ("name", "colorNote")]
            test = {"op": "test", "path": "/name", "value": count}
            answer = await api.patch(location, [test, *fields])
            if answer.status == 200:
                return
            refused.append(answer.status)

    await asyncio.gather(*(write() for _ in range(ROUNDS) for write in (by_replace, by_patch)))
    stored = (await api.get(location)).data
    assert stored["name"] == stored["colorNote"] == str(2 * ROUNDS)
    assert set(refused) == {409, 412}


@pytest.mark.contract("Transactions", "Patches")
async def test_patches_that_add_to_one_list_all_arrive(api: Api) -> None:
    named = [{"name": f"Group {n}"} for n in range(ROUNDS)]
    groups = [group["id"] for group in (await api.post("/api/color-groups", named)).data]
    location = (await api.post(COLORS, {"name": "Collected"})).headers["Location"]
    adds = [[{"op": "add", "path": "/colorGroupIds/-", "value": group}] for group in groups]
    statuses = await at_once(*(api.patch(location, add) for add in adds))
    assert set(statuses) == {200}
    stored = (await api.get(location)).data
    assert [group["id"] for group in stored["colorGroups"]] == sorted(groups)


async def defaults(api: Api) -> list[int]:
    """Return the size ranges that are the default, deleted ones too."""
    query = [("isDefault", "true"), *(("state", s) for s in ("active", "inactive", "deleted"))]
    return [record["id"] for record in (await api.get(SIZE_RANGES, query)).data]


@pytest.mark.contract("Size ranges")
async def test_concurrent_promotions_leave_one_default(api: Api) -> None:
    """By patch, replace, bulk replace and create; there is one default at every moment."""
    bodies = [{"name": f"Range {n}", "isDefault": n == 0} for n in range(ROUNDS)]
    made = (await api.post(SIZE_RANGES, bodies)).data
    over = asyncio.Event()
    seen: set[int] = set()

    async def watch() -> None:
        while not over.is_set():
            seen.add(len(await defaults(api)))

    watching = asyncio.create_task(watch())
    live = {"state": "active", "isDefault": True}
    statuses = await at_once(
        *(api.patch(f"{SIZE_RANGES}/{r['id']}", [replace("isDefault", True)]) for r in made[::3]),
        *(api.put(f"{SIZE_RANGES}/{r['id']}", {"name": "Run"} | live) for r in made[1::3]),
        *(api.put(SIZE_RANGES, [{"id": r["id"], "name": "Run"} | live]) for r in made[2::3]),
        *(api.post(SIZE_RANGES, {"name": "New", "isDefault": True}) for _ in range(3)),
    )
    over.set()
    await watching
    assert set(statuses) == {200, 201}
    assert seen == {1}
    assert len(await defaults(api)) == 1


@pytest.mark.contract("Size ranges")
async def test_a_default_is_never_a_deleted_one(api: Api) -> None:
    assert (await api.post(SIZE_RANGES, {"name": "First", "isDefault": True})).status == 201
    for _ in range(ROUNDS):
        location = (await api.post(SIZE_RANGES, {"name": "Short"})).headers["Location"]
        promoted, deleted = await at_once(
            api.patch(location, [replace("isDefault", True)]), api.delete(location)
        )
        assert (promoted, deleted) in ((200, 409), (400, 200))
        assert len(await defaults(api)) == 1


@pytest.mark.contract("Groups")
async def test_a_deleted_group_restricts_no_custom_field(api: Api) -> None:
    """The field is refused the group, or loses it with the group."""
    field = await new(api, STYLE)
    for _ in range(ROUNDS):
        group = (await api.post(GROUPS, {"name": "Brief"})).data["id"]
        used, deleted = await at_once(
            api.put(STYLE, [item(field, associatedGroups=[{"id": group}])]),
            api.delete(f"{GROUPS}/{group}"),
        )
        assert deleted == 200
        assert used in (200, 400)
        assert (await api.get(f"{STYLE}/{field['id']}")).data["associatedGroups"] == []


@pytest.mark.contract("Custom fields", "States")
@pytest.mark.parametrize("root", [COMPLIANCE, STYLE])
async def test_a_parent_is_deleted_or_gets_a_child(api: Api, root: str) -> None:
    for _ in range(ROUNDS):
        parent = (await new(api, root))["id"]
        child = {"name": "Child", "type": "nestedAllowedValue", "parentCustomFieldId": parent}
        made, deleted = await at_once(api.post(root, child), api.delete(f"{root}/{parent}"))
        assert (made, deleted) in ((201, 409), (400, 200))


@pytest.mark.contract("Allowed values")
async def test_a_value_is_removed_or_pointed_to(api: Api) -> None:
    for _ in range(ROUNDS):
        parent = await new(api, STYLE, allowedValues=[{"value": "Wash"}])
        child = await new(api, STYLE, type="nestedAllowedValue", parentCustomFieldId=parent["id"])
        value = {"value": "Cold", "parentAllowedValueId": parent["allowedValues"][0]["id"]}
        pointed, removed = await at_once(
            api.put(STYLE, [item(child, allowedValues=[value])]),
            api.put(STYLE, [item(parent, allowedValues=[])]),
        )
        assert (pointed, removed) in ((200, 409), (400, 200))


@pytest.mark.contract("Shares", "Custom fields")
@pytest.mark.parametrize(
    ("fields", "waits"),
    [
        ({"allowedValues": [{"value": "Cold"}, {"value": "Warm"}]}, False),
        ({"allowedValues": []}, True),
        ({"allowedValues": [{"value": "Cold", "parentAllowedValueId": 0}]}, True),
        ({"type": "nestedAllowedValue"}, False),
        ({"state": "deleted"}, True),
        ({"state": "active"}, True),  # restored
    ],
)
async def test_replaces_that_concern_other_fields_wait_for_the_organization(
    api: Api, shared_connection: asyncpg.Connection, fields: dict[str, Any], waits: bool
) -> None:
    """They do, however the body spells the words that tell them."""
    values = [{"value": "Cold"}]
    parent = await new(api, STYLE, allowedValues=values)
    own = {"type": "nestedAllowedValue", "parentCustomFieldId": parent["id"]}
    child = await new(api, STYLE, allowedValues=values, **own)
    if fields == {"state": "active"}:
        assert (await api.delete(f"{STYLE}/{child['id']}")).status == 200
    pointed = str(parent["allowedValues"][0]["id"]).encode()
    body = orjson.dumps([item(child, **{"allowedValues": values} | fields)]).replace(
        b'lueId":0', b'lueId":' + pointed
    )
    for word in CustomFields.locks_organization:
        body = body.replace(word, b'"\\u%04x' % word[1] + word[2:])
    async with shared_connection.transaction():
        await shared_connection.execute(_LOCK, child["id"])
        headers = {"Idempotency-Key": f"waits-{child['id']}"}
        writing = asyncio.create_task(api.call("PUT", STYLE, body, headers=headers))
        while not (writing.done() or await shared_connection.fetchval(_BLOCKS)):
            await asyncio.wait([writing], timeout=scaled(0.01))
        assert writing.done() is not waits
    assert (await writing).status == 200


@pytest.mark.contract("Transactions")
async def test_ids_and_keys_lock_in_one_order(api: Api, shared_connection: Any) -> None:
    """Else a transaction and a bulk replace of the same records wait for each other."""
    first = (await api.post(COLORS, {"name": "A"})).data["id"]
    second = (await api.post(COLORS, {"name": "B", "userDefinedId": "B"})).data["id"]
    by_id, live = {"id": first}, {"name": "C", "state": "active"}
    entries = [{"collection": "colors", "item": n | live} for n in ({"userDefinedId": "B"}, by_id)]
    lock = "select id from color where id = $1 for update skip locked"
    async with shared_connection.transaction():
        assert await shared_connection.fetchval(lock, first)
        writing = asyncio.create_task(api.post("/api/transaction", entries))
        while not (writing.done() or await shared_connection.fetchval(_BLOCKS)):
            await asyncio.wait([writing], timeout=scaled(0.01))
        assert await shared_connection.fetchval(lock, second)
    assert (await writing).status == 200


@pytest.mark.contract("States")
@pytest.mark.parametrize(
    ("root", "user", "use"),
    [
        ("/api/item-categories", "items", "update item set item_category_id = $1 where id = $2"),
        (
            GROUPS,
            "styles",
            "insert into style_in_group (organization_id, style_id, group_id)"
            " select organization_id, id, $1 from style where id = $2",
        ),
    ],
)
async def test_a_delete_waits_for_who_is_about_to_use(
    api: Api, shared_dsn: str, root: str, user: str, use: str
) -> None:
    """Another program's transaction has taken the record into use and is not over yet."""
    record = (await api.post(root, {"name": "Wanted"})).data["id"]
    by = (await api.post(f"/api/{user}", {"number": "U-1", "name": "User"})).data["id"]
    connection = await asyncpg.connect(shared_dsn)
    try:
        async with connection.transaction():
            await connection.execute(use, record, by)
            deleting = asyncio.create_task(api.delete(f"{root}/{record}"))
            await asyncio.wait([deleting], timeout=scaled(0.1))
            assert not deleting.done()
        answer = await deleting
    finally:
        await connection.close()
    assert (answer.status, answer.details) == (409, [("conflict.in_use", "id")])
