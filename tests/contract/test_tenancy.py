"""Tenants are closed to each other: an attack made up from the route table and the schemas.

A caller uses every kind of value that another organization has, wherever a request takes one. What
it is answered is what it is answered for values that nobody has, and nothing changes.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

import pytest
from aiohttp.test_utils import TestClient

from service import cursor, schemas
from service.queries.collections import Collection
from service.queries.records import MasterRecord
from service.resources import MASTER_RECORDS
from service.routes import Route, routes
from service.schemas import Located
from tests.support import faults, generate, rows, tenants
from tests.support.api import Answer, Api, issue_key

UNKNOWN = 10**15
ROUTES = [route for route in routes() if route.needs_key]
LISTS = [route for route in ROUTES if route.operation == "list" and "{" not in route.path]
#: What is another one in each answer.
OWN_HEADERS = ("date", "x-request-id")
#: Of no organization.
SHARED = ("languages",)


def body(resource: Collection, form: str, known: generate.References, random: Random) -> Any:
    """A body that organizations without the optional features may send too."""
    made = generate.body(resource, form, known, random)
    made.pop("languageIds", None)
    return made


@dataclass(frozen=True)
class Sides:
    """An organization that attacks another."""

    attacker: Api
    victim: Api
    dsn: str
    victim_id: int
    stolen: dict[str, int]
    """One of the victim's ids of each table; no id of the victim's is one of the attacker's."""


@pytest.fixture(params=[1, 2], ids=["2 attacks 1", "1 attacks 2"])
async def sides(
    request: pytest.FixtureRequest, client: TestClient[Any, Any], demo_dsn: str
) -> Sides:
    """Both organizations, either of which attacks the other."""
    victim = request.param
    stolen = await tenants.set_apart(demo_dsn, victim)
    attacker = Api(client, await issue_key(demo_dsn, 3 - victim))
    return Sides(attacker, Api(client, await issue_key(demo_dsn, victim)), demo_dsn, victim, stolen)


@pytest.fixture
async def unharmed(sides: Sides) -> AsyncIterator[None]:
    """The whole database is afterwards what it was."""
    before = await rows.dump(sides.dsn)
    yield
    assert await rows.dump(sides.dsn) == before


def same(one: Answer, other: Answer) -> bool:
    """Whether two answers are the same but for what tells requests apart."""
    known = [
        {name: text for name, text in answer.headers.items() if name.lower() not in OWN_HEADERS}
        for answer in (one, other)
    ]
    return (one.status, one.raw, known[0]) == (other.status, other.raw, known[1])


async def path_ids(api: Api, route: Route) -> dict[str, str]:
    """The path's parameters, of one record that is there."""
    if "{styleId}" not in route.path:
        root = route.path.partition("/{")[0]
        return {"id": str((await api.get(root)).data[0]["id"])}
    for style in (await api.get("/api/styles", {"pageSize": "100"})).data:
        requests = await api.get(f"/api/styles/{style['id']}/sample-requests")
        for one in requests.data:
            if one["sizes"]:
                size = one["sizes"][0]["sizeRangeSizeId"]
                known = {"styleId": style["id"], "sampleRequestId": one["id"], "id": one["id"]}
                return {k: str(v) for k, v in {**known, "sizeRangeSizeId": size}.items()}
    raise AssertionError("no style has a sample request")


def sendable(route: Route, known: generate.References) -> Any:
    """A body that the route takes, whatever record it is for."""
    if route.operation == "patch":
        return [{"op": "replace", "path": "/state", "value": "inactive"}]
    if route.operation != "replace" or route.resource is None:
        return None
    return body(route.resource, "replace", known, Random(route.path))


@pytest.mark.usefixtures("unharmed")
async def test_foreign_records_are_as_unknown_ones(sides: Sides) -> None:
    """By path, with each parameter or several foreign, and whatever the precondition."""
    known = await generate.references(sides.attacker)
    for route in ROUTES:
        names = [part.strip("{}") for part in route.path.split("/") if part.startswith("{")]
        if not names or (route.resource is not None and route.resource.name in SHARED):
            continue
        own, foreign = [await path_ids(api, route) for api in (sides.attacker, sides.victim)]
        sent = sendable(route, known)
        tag = (await sides.victim.get(route.path.format(**foreign))).headers.get("ETag", '"x"')
        for stolen in (s for n in range(1, len(names) + 1) for s in combinations(names, n)):
            for headers in ({}, {"If-None-Match": tag}, {"If-Match": tag}, {"If-Match": "*"}):
                if "If-Match" in headers and route.method == "GET":
                    continue
                for method in (route.method, *(["HEAD"] if route.method == "GET" else [])):
                    theirs, nobodys = [
                        await sides.attacker.call(
                            method, route.path.format(**{**own, **ids}), sent, headers=headers
                        )
                        for ids in (
                            {name: foreign[name] for name in stolen},
                            {name: str(UNKNOWN) for name in stolen},
                        )
                    ]
                    if tells_apart(route.resource):
                        assert theirs.status == 403, (route, theirs.raw)
                    else:
                        assert theirs.status == 404, (route, theirs.raw)
                        assert same(theirs, nobodys), (route, theirs.raw, nobodys.raw)


def tells_apart(resource: Any) -> bool:
    """Whether the specification has foreign records answered as such (size ranges)."""
    return isinstance(resource, MasterRecord) and resource.foreign_is_forbidden


@pytest.mark.usefixtures("unharmed")
async def test_foreign_records_among_own_ones(sides: Sides) -> None:
    """In bulk: the batch is refused, in the words for an unknown record."""
    known, random = await generate.references(sides.attacker), Random(1)
    for resource in MASTER_RECORDS:
        own, foreign = [
            (await api.get(resource.root)).data[0]["id"] for api in (sides.attacker, sides.victim)
        ]
        nobodys = str(UNKNOWN) if isinstance(own, str) else UNKNOWN
        item, other = [body(resource, "replace", known, random) for _ in range(2)]
        for gone in ({}, {"state": "deleted"}):
            items = [[item | {"id": own}, other | gone | {"id": i}] for i in (foreign, nobodys)]
            refused(resource, *[await sides.attacker.put(resource.root, each) for each in items])
        refused(
            resource,
            *[
                await sides.attacker.delete(resource.root, [("ids", own), ("ids", each)])
                for each in (foreign, nobodys)
            ],
        )


def refused(resource: MasterRecord, theirs: Answer, nobodys: Answer) -> None:
    assert nobodys.status == 404, nobodys.raw
    if tells_apart(resource):
        assert theirs.status == 403, theirs.raw
    else:
        assert same(theirs, nobodys), (theirs.raw, nobodys.raw)


def references(located: Located) -> Iterator[tuple[str, ...]]:
    """Where a body names records that belong to an organization; ``[]`` goes into a list."""
    for name, prop in located.properties():
        if prop.schema.get("readOnly") or name.startswith(("languageId", "userDefinedId")):
            continue
        members = prop.items()
        if "object" in members.types():
            yield from ((name, "[]", *path) for path in references(members))
        elif name.endswith("Ids"):
            yield name, "[]"
        elif name == "id" or (name.endswith("Id") and "boolean" not in prop.types()):
            yield (name,)


def plant(located: Located, path: tuple[str, ...], values: list[Any]) -> list[Any]:
    """Values of the path's field with the others in them: as many, or one if it is a list."""
    name, *rest = path
    field = dict(located.properties())[name]
    if not rest:
        return values
    if rest == ["[]"]:
        return [values]
    inner = tuple(rest[1:])
    least = dict.fromkeys(field.items().schema.get("required", ()), "x")
    return [[least | {inner[0]: each} for each in plant(field.items(), inner, values)]]


def is_text(located: Located, path: tuple[str, ...]) -> bool:
    """Whether the path leads to a text."""
    for part in path:
        located = located.items() if part == "[]" else dict(located.properties())[part]
    return "string" in located.types()


async def one_of_each_type(api: Api, resource: MasterRecord) -> list[dict[str, Any]]:
    """Records of the caller's; custom fields of each type have rules of their own."""
    records = (await api.get(resource.root, {"pageSize": "100"})).data
    return list({record.get("type"): record for record in records}.values())


async def names(api: Api) -> set[str]:
    """What an organization's own words for its records are."""
    found = set()
    for name in ("brands", "groups", "style-categories"):
        for record in (await api.get(f"/api/{name}", {"pageSize": "100"})).data:
            found |= {record.get("customId"), record.get("userDefinedId")}
    return found - {None}


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("resource", MASTER_RECORDS, ids=lambda resource: resource.name)
async def test_foreign_records_in_bodies(sides: Sides, resource: MasterRecord) -> None:
    """Wherever a body refers to a record: unknown, whichever table the foreign id is from."""
    words = sorted(await names(sides.victim) - await names(sides.attacker))
    ids = list(sides.stolen.values())
    owned = await one_of_each_type(sides.attacker, resource)
    for form in ("create", "replace"):
        located, least = (
            schemas.definition(resource.name, form),
            faults.minimal(resource.name, form),
        )
        for path in references(located):
            if len(path) == 1 and path[0] in ("id", "customId"):
                continue  # the record's own
            field, text = path[0], is_text(located, path)
            theirs = plant(located, path, words if text else ids)
            nobodys = plant(
                located,
                path,
                [f"nobody's {n}" for n in range(len(words))]
                if text
                else [UNKNOWN + n for n in range(len(ids))],
            )
            for pair in zip(theirs, nobodys, strict=True):
                for record in owned:
                    kind = {"type": record["type"]} if "type" in record else {}
                    asked = [least | kind | {field: value} for value in pair]
                    await refused_alike(sides.attacker, resource, form, record["id"], asked)
                    patches = [[{"op": "add", "path": f"/{field}", "value": v}] for v in pair]
                    await refused_alike(sides.attacker, resource, "patch", record["id"], patches)


async def refused_alike(
    api: Api, resource: MasterRecord, form: str, record_id: Any, asked: list[Any]
) -> None:
    """Raise unless both bodies are refused in the same words, alone and in bulk."""
    one = f"{resource.root}/{record_id}"
    if form == "patch":
        sent = [("PATCH", one, asked)]
    elif form == "create":
        sent = [("POST", resource.root, bodies) for bodies in (asked, [[each] for each in asked])]
    else:
        many = [[each | {"id": record_id}] for each in asked]
        sent = [("PUT", one, asked), ("PUT", resource.root, many)]
    for method, path, bodies in sent:
        theirs, nobodys = [await api.call(method, path, each) for each in bodies]
        assert 400 <= theirs.status < 500, (method, path, bodies, theirs.raw)
        assert same(theirs, nobodys), (method, path, bodies, theirs.raw, nobodys.raw)


def stolen_queries(route: Route, records: list[dict[str, Any]]) -> Iterator[dict[str, str]]:
    """Queries of a list by every field, with values that the victim's documents have."""
    assert route.resource is not None
    for name, prop in route.resource.properties.items():
        if prop.sortable:
            yield {"sort[0].property": name, "sort[0].order": "desc", "pageSize": "100"}
        values = [record[name] for record in records if record.get(name) is not None]
        for value in values[-1:]:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            yield {name: text}
            for operator in sorted(prop.operators - {"isNull"}):
                parts = {"property": name, "operator": operator, "value": text}
                yield {f"filter[0].{part}": given for part, given in parts.items()}


async def stolen_cursors(sides: Sides, route: Route) -> AsyncIterator[tuple[str, str]]:
    """The victim's cursors, by two orders, each with one forged to look like the attacker's."""
    assert route.resource is not None
    properties = route.resource.properties
    for query in ({"pageSize": "2"}, {"pageSize": "2", "sort[0].property": "id"}):
        page = (await sides.victim.get(route.path, query)).json["pagination"]
        theirs = cursor.scope(route.path, sides.victim_id)
        carried = cursor.decode(page["cursor"], properties, theirs)
        own = cursor.scope(route.path, 3 - sides.victim_id)
        yield page["cursor"], cursor.encode(carried, list(carried.after or ()), own)


async def test_answers_are_those_of_a_world_without_the_other(sides: Sides) -> None:
    """Lists, with every filter, sort and cursor, are byte for byte what the attacker has alone."""
    asked: list[tuple[str, dict[str, str]]] = []
    for route in LISTS:
        records = (await sides.victim.get(route.path, {"pageSize": "100"})).data
        asked.append((route.path, {"pageSize": "100"}))
        asked += [(route.path, query) for query in stolen_queries(route, records)]
        async for stolen, forged in stolen_cursors(sides, route):
            answer = await sides.attacker.get(route.path, {"cursor": stolen})
            assert answer.details == [("validation_error.invalid_cursor", "cursor")]
            asked.append((route.path, {"cursor": forged}))
    answers = [await sides.attacker.get(path, query) for path, query in asked]
    await tenants.remove(sides.dsn, sides.victim_id)
    for (path, query), before in zip(asked, answers, strict=True):
        assert same(before, await sides.attacker.get(path, query)), (path, query)
    assert sum(answer.status == 200 for answer in answers) > len(answers) * 0.9


async def test_writes_stay_at_home(sides: Sides) -> None:
    """Each kind of write of each resource, done: nothing of the victim's changes."""
    before = await rows.dump(sides.dsn, organization_id=sides.victim_id)
    known, random = await generate.references(sides.attacker), Random(2)
    for resource in MASTER_RECORDS:
        api, root = sides.attacker, resource.root

        def new(form: str, resource: MasterRecord = resource) -> Any:
            return body(resource, form, known, random)

        made = (await api.post(root, [new("create") for _ in range(4)])).data
        ids = [record["id"] for record in made]
        answers = [
            await api.post(root, new("create")),
            await api.put(f"{root}/{ids[0]}", new("replace")),
            await api.put(root, [new("replace") | {"id": i} for i in ids]),
            await api.patch(f"{root}/{ids[0]}", promotion(resource)),
            await api.delete(f"{root}/{ids[1]}"),
            await api.delete(root, [("ids", i) for i in ids[2:]]),
        ]
        assert {answer.status for answer in answers} <= {200, 201}, [a.raw for a in answers]
    assert await rows.dump(sides.dsn, organization_id=sides.victim_id) == before


def promotion(resource: MasterRecord) -> list[dict[str, Any]]:
    """A patch that reaches for the organization's other records, where there is such a thing."""
    writable = dict(schemas.definition(resource.name, "writable").properties())
    field, value = ("isDefault", True) if "isDefault" in writable else ("state", "active")
    return [{"op": "replace", "path": f"/{field}", "value": value}]


async def test_what_another_holds_is_free(sides: Sides) -> None:
    """Unique values are the organization's own: taking one tells nothing of others."""
    for resource in MASTER_RECORDS:
        for name in {*resource.unique} - {"isDefault"}:
            item = faults.minimal(resource.name, "create") | {name: "held"}
            assert (await sides.victim.post(resource.root, item)).status == 201
            assert (await sides.attacker.post(resource.root, item)).status == 201
            assert (await sides.attacker.post(resource.root, item)).status == 409


@pytest.mark.usefixtures("unharmed")
async def test_keys_open_one_organization(sides: Sides) -> None:
    """A key put together from two keys, or for another organization, opens none."""
    own, theirs = [
        api.key.removeprefix("slv_").split("_") for api in (sides.attacker, sides.victim)
    ]
    for mixed in (
        [theirs[0], own[1], own[2]],
        [theirs[0], theirs[1], own[2]],
        [own[0], theirs[1], theirs[2]],
        [own[0], theirs[1], own[2]],
    ):
        answer = await Api(sides.attacker.client, "_".join(["slv", *mixed])).get("/api/colors")
        assert answer.status == 401
