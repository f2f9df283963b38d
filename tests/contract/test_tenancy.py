"""Tenancy tests: attacks generated from the route table and the schemas.

A caller uses every kind of value that another organization has, wherever a request takes one. What
it is answered is what it is answered for values that nobody has, and nothing changes.
"""

from collections.abc import AsyncIterator
from functools import partial
from itertools import combinations, product
from random import Random
from typing import Any

import pytest

from service import schemas
from service.handlers.operations import CHECK
from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS, PARTS, SHARED_LISTS
from service.routes import collection_path, routes
from tests.support import disjoint_tenants, generate, parts, rows, schema_faults, tenant_attack
from tests.support.api import Answer, Api
from tests.support.databases import demo_database
from tests.support.parametrize import of_each_resource
from tests.support.sampling import Sample
from tests.support.tenant_attack import TenantPair, referring, same

pytestmark = pytest.mark.contract("Tenancy")

UNKNOWN = 10**15
#: How many attacks a run takes on one place of a body and on one list, and how many collections.
FEW, SEVERAL, MANY = 4, 12, 8
ROUTES = [route for route in routes() if route.needs_key and route.resource is not None]
LISTS = [route for route in ROUTES if route.operation.name == "list" and "{" not in route.path]
VICTIMS = Sample(__name__)([1, 2], 1)
#: Of no organization.
SHARED = tuple(resource.name for resource in SHARED_LISTS)


@pytest.fixture(scope="module", params=VICTIMS, ids=lambda victim: f"victim {victim}")
async def tenant_pair(
    request: pytest.FixtureRequest, server_dsn: str, worker_id: str
) -> AsyncIterator[TenantPair]:
    """Organizations for tests that leave the victim as it is, and the attacker's first records."""
    dsn = demo_database(server_dsn, f"pair_{worker_id}")
    async with disjoint_tenants.pair(dsn, request.param) as made:
        yield made


@pytest.fixture(params=VICTIMS, ids=lambda victim: f"victim {victim}")
async def own_pair(request: pytest.FixtureRequest, demo_dsn: str) -> AsyncIterator[TenantPair]:
    async with disjoint_tenants.pair(demo_dsn, request.param) as made:
        yield made


@pytest.fixture
async def unchanged_database(tenant_pair: TenantPair) -> AsyncIterator[None]:
    """The whole database is afterwards what it was."""
    before = await rows.dump(tenant_pair.dsn, versions=True)
    yield
    assert await rows.dump(tenant_pair.dsn, versions=True) == before


@pytest.mark.usefixtures("unchanged_database")
async def test_foreign_records_are_as_unknown_ones(tenant_pair: TenantPair, sample: Sample) -> None:
    """By path, with each parameter or several foreign, and whatever the precondition."""
    references = await generate.references(tenant_pair.attacker)
    for route in sample(ROUTES, 40):
        names = [part.strip("{}") for part in route.path.split("/") if part.startswith("{")]
        template = f"{route.path}?channelId=1" if route.operation is CHECK else route.path
        if not names or (route.resource is not None and route.resource.name in SHARED):
            continue
        own, foreign = [
            await tenant_attack.path_ids(api, route)
            for api in (tenant_pair.attacker, tenant_pair.victim)
        ]
        sent = tenant_attack.sendable(route, references)
        shown = await tenant_pair.victim.get(route.path.format(**foreign))
        tag = shown.headers.get("ETag", '"x"')
        for stolen in (s for n in range(1, len(names) + 1) for s in combinations(names, n)):
            for headers in ({}, {"If-None-Match": tag}, {"If-Match": tag}, {"If-Match": "*"}):
                if "If-Match" in headers and route.method == "GET":
                    continue
                for method in (route.method, *(["HEAD"] if route.method == "GET" else [])):
                    theirs, nobodys = [
                        await tenant_pair.attacker.call(
                            method, template.format(**{**own, **ids}), sent, headers=headers
                        )
                        for ids in (
                            {name: foreign[name] for name in stolen},
                            {name: str(UNKNOWN) for name in stolen},
                        )
                    ]
                    if differences(route.resource):
                        assert theirs.status == 403, (route, theirs.raw)
                    elif headers and not route.operation.of_records:
                        assert theirs.status == 400, (route, theirs.raw)  # no preconditions
                        assert same(theirs, nobodys), (route, theirs.raw, nobodys.raw)
                    else:
                        assert theirs.status == 404, (route, theirs.raw)
                        assert same(theirs, nobodys), (route, theirs.raw, nobodys.raw)


def differences(resource: Any) -> bool:
    """Return whether foreign records are answered as such (contract, Tenancy)."""
    return resource is not None and resource.foreign_is_forbidden


@pytest.mark.usefixtures("unchanged_database")
async def test_foreign_records_among_own_ones(tenant_pair: TenantPair, sample: Sample) -> None:
    """In bulk: the batch is refused, in the words for an unknown record."""
    references, random = await generate.references(tenant_pair.attacker), Random(1)
    for resource in sample(MASTER_RECORDS, MANY):
        own, foreign = [
            (await api.get(collection_path(resource))).data[0]["id"]
            for api in (tenant_pair.attacker, tenant_pair.victim)
        ]
        nobodys = str(UNKNOWN) if isinstance(own, str) else UNKNOWN
        body = partial(tenant_attack.body, resource, "replace", references, random)
        item, other = body(), body()
        for gone in ({}, {"state": "deleted"})[: 1 + generate.has_state(resource)]:
            items = [[item | {"id": own}, other | gone | {"id": i}] for i in (foreign, nobodys)]
            equal_responses(
                resource,
                *[
                    await tenant_pair.attacker.put(collection_path(resource), each)
                    for each in items
                ],
            )
        equal_responses(
            resource,
            *[
                await tenant_pair.attacker.delete(
                    collection_path(resource), [("ids", own), ("ids", each)]
                )
                for each in (foreign, nobodys)
            ],
        )


def equal_responses(resource: MasterRecord, theirs: Answer, nobodys: Answer) -> None:
    assert nobodys.status == 404, nobodys.raw
    if differences(resource):
        assert theirs.status == 403, theirs.raw
    else:
        assert same(theirs, nobodys), (theirs.raw, nobodys.raw)


@pytest.mark.usefixtures("unchanged_database")
@of_each_resource
async def test_foreign_records_in_bodies(
    tenant_pair: TenantPair, resource: MasterRecord, sample: Sample
) -> None:
    """Foreign ids in bodies are unknown, whichever table they are from.

    All of them in bulk, and some of them alone.
    """
    words = sorted(
        await tenant_attack.names(tenant_pair.victim)
        - await tenant_attack.names(tenant_pair.attacker)
    )
    ids = list(tenant_pair.stolen.values())
    records = (await tenant_pair.attacker.get(collection_path(resource), {"pageSize": "100"})).data
    one_of_each_type = {record.get("type"): record for record in records}.values()
    for form in ("create", "replace"):
        located, least = (
            schemas.definition(resource.name, form),
            schema_faults.minimal(resource.name, form),
        )
        for path in tenant_attack.references(located):
            if len(path) == 1 and path[0] in ("id", "customId"):
                continue  # the record's own
            field, text = path[0], tenant_attack.is_text(located, path)
            theirs = tenant_attack.insert_foreign_values(located, path, words if text else ids)
            nobodys = tenant_attack.insert_foreign_values(
                located,
                path,
                [f"nobody's {n}" for n in range(len(words))]
                if text
                else [UNKNOWN + n for n in range(len(ids))],
            )
            pairs = list(zip(theirs, nobodys, strict=True))
            for start in range(0, len(pairs), len(records)):
                several = zip(pairs[start:], records, strict=False)
                items = [referring(form, least, field, pair, record) for pair, record in several]
                await equal_failures(tenant_pair.attacker, collection_path(resource), form, items)
            for pair, record in sample(product(pairs, one_of_each_type), FEW):
                alone = referring(form, least, field, pair, record)
                await equal_failures(tenant_pair.attacker, collection_path(resource), form, [alone])
                record_path = f"{collection_path(resource)}/{record['id']}"
                patches = [[{"op": "add", "path": f"/{field}", "value": value}] for value in pair]
                await refused(tenant_pair.attacker, "PATCH", record_path, patches)
                if form == "create":
                    await refused(tenant_pair.attacker, "POST", collection_path(resource), alone)
                else:
                    await refused(tenant_pair.attacker, "PUT", record_path, alone)


async def equal_failures(api: Api, root: str, form: str, items: list[list[dict[str, Any]]]) -> None:
    """Raise unless a batch of either kind of body is refused, every item of it."""
    method = "POST" if form == "create" else "PUT"
    answer = await refused(api, method, root, [list(batch) for batch in zip(*items, strict=True)])
    assert answer.json["error"]["failed_items"] == len(items), answer.raw


async def refused(api: Api, method: str, path: str, bodies: list[Any]) -> Answer:
    """Return the answer to both bodies; raises unless it refuses them in the same words.

    Messages repeat the key objects that were sent (contract, References).
    """
    theirs, nobodys = [
        tenant_attack.without_sent_keys(await api.call(method, path, body), body) for body in bodies
    ]
    assert 400 <= theirs.status < 500, (method, path, bodies, theirs.raw)
    assert same(theirs, nobodys), (method, path, bodies, theirs.raw, nobodys.raw)
    return theirs


async def test_answers_are_those_of_a_world_without_the_other(
    own_pair: TenantPair, sample: Sample
) -> None:
    """Lists, with every filter, sort and cursor, are byte for byte what the attacker has alone."""
    requests: list[tuple[str, dict[str, str]]] = []
    for route in sample(LISTS, 10):
        records = (await own_pair.victim.get(route.path, {"pageSize": "100"})).data
        requests.append((route.path, {"pageSize": "100"}))
        queries = sample(tenant_attack.stolen_queries(route, records), SEVERAL)
        requests += [(route.path, query) for query in queries]
        async for stolen, forged in tenant_attack.stolen_cursors(own_pair, route):
            answer = await own_pair.attacker.get(route.path, {"cursor": stolen})
            assert answer.details == [("validation_error.invalid_cursor", "cursor")]
            requests.append((route.path, {"cursor": forged}))
    answers = [await own_pair.attacker.get(path, query) for path, query in requests]
    await disjoint_tenants.remove(own_pair.dsn, own_pair.victim_id)
    for (path, query), before in zip(requests, answers, strict=True):
        assert same(before, await own_pair.attacker.get(path, query)), (path, query)
    assert sum(answer.status == 200 for answer in answers) > len(answers) * 0.9


async def test_writes_stay_at_home(tenant_pair: TenantPair, sample: Sample) -> None:
    """Each kind of write of each resource, done: nothing of the victim's changes."""
    before = await rows.dump(tenant_pair.dsn, organization_id=tenant_pair.victim_id)
    references, random = await generate.references(tenant_pair.attacker), Random(2)
    for resource in sample(MASTER_RECORDS, MANY):
        api, root = tenant_pair.attacker, collection_path(resource)

        def new(form: str, resource: MasterRecord = resource) -> Any:
            return tenant_attack.body(resource, form, references, random)

        created = await api.post(root, [new("create") for _ in range(4)])
        assert created.status == 201, created.raw
        made = created.data
        ids = [record["id"] for record in made]
        answers = [
            await api.post(root, new("create")),
            await api.put(f"{root}/{ids[0]}", new("replace")),
            await api.put(root, [new("replace") | {"id": i} for i in ids]),
            await api.patch(f"{root}/{ids[0]}", tenant_attack.promotion(resource)),
            await api.delete(f"{root}/{ids[1]}"),
            await api.delete(root, [("ids", i) for i in ids[2:]]),
        ]
        assert {answer.status for answer in answers} <= {200, 201}, [a.raw for a in answers]
    for part in sample(PARTS, SEVERAL):
        for path in await parts.paths(tenant_pair.attacker, part):
            assert (await tenant_pair.attacker.put(path, parts.least(part))).status == 200
    assert await rows.dump(tenant_pair.dsn, organization_id=tenant_pair.victim_id) == before


async def test_own_keys_of_other_tenants_are_free(tenant_pair: TenantPair) -> None:
    """Unique values are the organization's own: taking one tells nothing of others."""
    for resource in MASTER_RECORDS:
        for name in {*resource.unique_fields} - {"isDefault"}:
            item = schema_faults.minimal(resource.name, "create") | {name: "held"}
            assert (await tenant_pair.victim.post(collection_path(resource), item)).status == 201
            assert (await tenant_pair.attacker.post(collection_path(resource), item)).status == 201
            assert (await tenant_pair.attacker.post(collection_path(resource), item)).status == 409


@pytest.mark.usefixtures("unchanged_database")
async def test_keys_open_one_organization(tenant_pair: TenantPair) -> None:
    """A key put together from two keys, or for another organization, opens none."""
    own, theirs = [
        api.key.removeprefix("slv_").split("_")
        for api in (tenant_pair.attacker, tenant_pair.victim)
    ]
    for mixed in (
        [theirs[0], own[1], own[2]],
        [theirs[0], theirs[1], own[2]],
        [own[0], theirs[1], theirs[2]],
        [own[0], theirs[1], own[2]],
    ):
        caller = Api(tenant_pair.attacker.client, "_".join(["slv", *mixed]))
        assert (await caller.get("/api/colors")).status == 401
