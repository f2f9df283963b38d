"""Tests of change entries: one for each changed record, none for others (contract, Changes).

What changed is told by comparing everything that can be read before and after.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random
from typing import Any, TypeAlias

import pytest
from aiohttp.test_utils import TestClient

from service.records.master_record import MasterRecord
from service.resources.registry import CHANGES, MASTER_RECORDS
from service.routes import collection_path
from tests.support import generate, parts
from tests.support.api import Api, issue_key, replacing
from tests.support.changes import CheckedApi, Records, reading
from tests.support.databases import demo_database
from tests.support.sampling import Sample
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Changes")

Write: TypeAlias = Callable[[Api, MasterRecord, Random], Awaitable[Any]]
SIZE_RANGES = next(resource for resource in MASTER_RECORDS if resource.name == "size-ranges")
FIELDS = "/api/style-custom-fields"
each_resource = pytest.mark.parametrize(
    "resource", MASTER_RECORDS, ids=lambda resource: resource.name
)


async def made(api: Api, resource: MasterRecord, random: Random, count: int = 1) -> list[Any]:
    references = await generate.references(api)
    items = [generate.body(resource, "create", references, random) for _ in range(count)]
    answer = await api.post(collection_path(resource), items)
    assert answer.status == 201, answer.raw
    return list(answer.data)


async def body(api: Api, resource: MasterRecord, form: str, random: Random) -> dict[str, Any]:
    return generate.body(resource, form, await generate.references(api), random)


async def create(api: Api, resource: MasterRecord, random: Random) -> None:
    await made(api, resource, random, 3)
    answer = await api.post(collection_path(resource), await body(api, resource, "create", random))
    assert answer.status == 201, answer.raw


async def replace(api: Api, resource: MasterRecord, random: Random) -> None:
    [record] = await made(api, resource, random)
    sent = await body(api, resource, "replace", random)
    for _ in range(2):
        answer = await api.put(f"{collection_path(resource)}/{record['id']}", sent)
        assert answer.status == 200, answer.raw


async def replace_as_it_is(api: Api, resource: MasterRecord, random: Random) -> None:
    [record] = await made(api, resource, random)
    path = f"{collection_path(resource)}/{record['id']}"
    written = (await api.get(path, {"form": "writable"})).data
    assert (await api.put(path, written)).status == 200
    assert (await api.patch(path, [])).status == 200


async def patch(api: Api, resource: MasterRecord, random: Random) -> None:
    [record] = await made(api, resource, random)
    references = await generate.references(api)
    changes = [generate.change(resource, "inactive", references, random)]
    changes += [replacing(f"/{name}", "Another") for name in ("text", "name") if name in record]
    for change in changes:
        answer = await api.patch(f"{collection_path(resource)}/{record['id']}", change)
        assert answer.status == 200, answer.raw


async def replace_several(api: Api, resource: MasterRecord, random: Random) -> None:
    records = await made(api, resource, random, 3)
    items = []
    for record in records:
        written = (
            await api.get(f"{collection_path(resource)}/{record['id']}", {"form": "writable"})
        ).data
        items.append(written | {"id": record["id"]})
    items[1] = await body(api, resource, "replace", random) | {"id": items[1]["id"]}
    if generate.has_state(resource):
        items[2]["state"] = "deleted"
    answer = await api.put(collection_path(resource), items)
    assert answer.status == 200, answer.raw


async def delete_and_restore(api: Api, resource: MasterRecord, random: Random) -> None:
    [record] = await made(api, resource, random)
    path = f"{collection_path(resource)}/{record['id']}"
    assert (await api.delete(path)).status == 200
    if (await api.get(path)).status == 200:
        assert (await api.delete(path)).status == 200
        assert (await api.patch(path, [])).status == 200
        assert (await api.patch(path, replacing("/state", "active"))).status == 200


async def delete_several(api: Api, resource: MasterRecord, random: Random) -> None:
    records = await made(api, resource, random, 3)
    answer = await api.delete(
        collection_path(resource), [("ids", str(record["id"])) for record in records]
    )
    assert answer.status == 200, answer.raw


WRITES: tuple[Write, ...] = (
    create,
    replace,
    replace_as_it_is,
    patch,
    replace_several,
    delete_and_restore,
    delete_several,
)


@pytest.fixture(scope="module")
async def served(server_dsn: str, worker_id: str) -> AsyncIterator[tuple[Api, Records]]:
    """A caller of organization 1 of a database of the module's own, and all that it can read."""
    dsn = demo_database(server_dsn, f"entries_{worker_id}")
    async with serving(dsn) as server, TestClient(server) as client, reading(dsn) as records:
        yield Api(client, await issue_key(dsn, 1)), records


@pytest.fixture
def through(served: tuple[Api, Records]) -> CheckedApi:
    """A caller whose writes are checked."""
    return CheckedApi(*served)


@each_resource
async def test_every_write_of_every_resource(
    resource: MasterRecord, through: CheckedApi, sample: Sample
) -> None:
    writes = sample(WRITES, 2)
    for write in writes:
        await write(through, resource, Random(f"{write.__name__} {resource.name}"))
    assert through.writes >= 2 * len(writes)


async def test_records_changed_as_a_side_effect_have_entries(through: CheckedApi) -> None:
    """Defaults that are demoted, restrictions that go, names that others show, contacts."""
    [size_range] = await made(through, SIZE_RANGES, Random(1))
    path = f"/api/size-ranges/{size_range['id']}"
    assert (await through.patch(path, replacing("/isDefault", True))).status == 200
    assert (await through.post("/api/size-ranges", {"name": "S", "isDefault": True})).status == 201
    group = (await through.post("/api/groups", {"name": "Knit"})).data["id"]
    field = {"name": "Fit", "type": "allowedValue", "associatedGroups": [{"id": group}]}
    values = {"allowedValues": [{"value": "Slim"}, {"value": "Wide"}]}
    parent = (await through.post(FIELDS, field | values)).data
    child = field | {"parentCustomFieldId": parent["id"], "associatedGroups": []}
    first = {"value": "A", "parentAllowedValueId": parent["allowedValues"][0]["id"]}
    child = (await through.post(FIELDS, child | {"allowedValues": [first]})).data
    for path in (f"/api/groups/{group}", f"{FIELDS}/{parent['id']}"):
        assert (await through.patch(path, replacing("/name", "Other"))).status == 200
        assert (await through.patch(path, replacing("/state", "inactive"))).status == 200
    assert (await through.delete(f"{FIELDS}/{child['id']}")).status == 200
    emptied = await through.patch(f"{FIELDS}/{parent['id']}", replacing("/allowedValues", []))
    assert emptied.status == 200
    assert (await through.delete(f"/api/groups/{group}")).status == 200
    contacts = {"name": "Mill", "contacts": [{"email": "a@example.com"}]}
    supplier = (await through.post("/api/sub-suppliers", contacts)).data["id"]
    path = f"/api/sub-suppliers/{supplier}"
    moved = await through.patch(path, replacing("/contacts/0/email", "b@example.com"))
    assert moved.status == 200
    assert (await through.patch(path, [{"op": "remove", "path": "/contacts/0"}])).status == 200
    assert through.writes > 15


async def test_what_shows_sizes_has_entries_if_its_own_change_places(through: CheckedApi) -> None:
    """Charts, sample requests and measured values; what has some of the sizes may stay as it is."""
    for path in await parts.paths(through, parts.SIZES, most=6):
        sizes = (await through.get(path, {"form": "writable"})).data
        for order in ([*sizes[-1:], *sizes[:-1]], sizes[::-1]) if len(sizes) > 1 else ():
            assert (await through.put(path, order)).status == 200
    assert through.writes > 3


async def test_changed_reference_records_have_entries(served: tuple[Api, Records]) -> None:
    """A collection's own statements find exactly the records whose documents show other texts."""
    _, records = served
    after = await records.now()
    for name in ("brands", "color-groups", "style-categories", "styles"):
        before, table = after, CHANGES.resources[name].table
        number = ", number = number || '!'" if name == "styles" else ""
        chosen = await records.connection.fetchval(
            f"update {table} set name = name || '!'{number} where organization_id = 1"
            f" and id = (select min(id) from {table} where organization_id = 1) returning id"
        )
        after = await records.now()
        shown_in = {
            (target, str(row["id"]))
            for target, statement in CHANGES.resources[name].shown_in.items()
            for row in await records.connection.fetch(statement.text, 1, [chosen])
        }
        assert shown_in == {key for key in before if before[key] != after[key]} - {
            (name, str(chosen))
        }
        assert shown_in or name == "brands"
