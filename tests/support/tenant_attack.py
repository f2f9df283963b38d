"""Tenant attack: requests of one organization that use every value of another one.

Paths, bodies, queries and cursors that take values which only the other one has.
"""

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import orjson

from service import schemas
from service.listing import cursor
from service.listing.operators import names_of
from service.records.master_record import MasterRecord
from service.records.parts import RecordPart
from service.records.resource import Resource
from service.resources.webhooks import Keys, Webhooks
from service.routes import Route
from service.schemas.definitions import ResolvedSchema
from tests.support import generate, parts, webhooks
from tests.support.api import Answer, Api

#: What is another one in each answer.
OWN_HEADERS = ("date", "x-request-id", "ratelimit")


@dataclass(frozen=True)
class TenantPair:
    """Organization that attacks another one, and its victim."""

    attacker: Api
    victim: Api
    dsn: str
    victim_id: int
    stolen: dict[str, int]
    """One of the victim's ids of each table; no id of the victim's is one of the attacker's."""


def body(resource: Resource, form: str, references: generate.References, random: Random) -> Any:
    """Return a body that organizations without the optional features may send too."""
    made = generate.body(resource, form, references, random)
    made.pop("languageIds", None)
    return made


async def path_ids(api: Api, route: Route) -> dict[str, str]:
    """Return the path's parameters, of one record that is there."""
    if "{styleId}" not in route.path:
        root = route.path.partition("/{id}")[0]
        return {"id": str((await api.get(root)).data[0]["id"])}
    if "{priceListId}" in route.path:
        priced = (await api.get("/api/style-prices")).data[0]
        price_list = priced["priceLists"][0]["priceListId"]
        return {"styleId": str(priced["styleId"]), "priceListId": str(price_list)}
    for style in (await api.get("/api/styles", {"pageSize": "100"})).data:
        requests = await api.get(f"/api/styles/{style['id']}/sample-requests")
        for request in requests.data:
            if request["sizes"]:
                size = request["sizes"][0]["sizeRangeSizeId"]
                ids = {
                    "styleId": style["id"],
                    "sampleRequestId": request["id"],
                    "id": request["id"],
                }
                return {k: str(v) for k, v in {**ids, "sizeRangeSizeId": size}.items()}
    raise AssertionError("no style has a sample request")


def sendable(route: Route, references: generate.References) -> Any:
    """Return a body that the route takes, whatever record it is for."""
    if isinstance(route.resource, Webhooks | Keys):
        return webhooks.body_of(route)
    if isinstance(route.resource, RecordPart):
        bodies = {"replace": parts.least(route.resource), "patch": []}
        return bodies.get(route.operation.name)
    if route.operation.name == "patch":
        assert route.resource is not None
        return generate.change(route.resource, "inactive", references, Random(route.path))
    if route.operation.name != "replace" or route.resource is None:
        return None
    return body(route.resource, "replace", references, Random(route.path))


def promotion(resource: MasterRecord) -> list[dict[str, Any]]:
    """Return a patch that affects other records of the organization, if there is one."""
    writable = schemas.definition(resource.name, "writable").properties
    if "state" not in writable:
        return []
    field, value = ("isDefault", True) if "isDefault" in writable else ("state", "active")
    return [{"op": "replace", "path": f"/{field}", "value": value}]


def references(located: ResolvedSchema) -> Iterator[tuple[str, ...]]:
    """Yield the paths of a body that hold ids of records; ``[]`` goes into a list."""
    for name, prop in located.properties.items():
        if prop.schema.get("readOnly") or name.startswith(("languageId", "userDefinedId", "osId")):
            continue
        members = prop.items
        if "object" in members.types:
            yield from ((name, "[]", *path) for path in references(members))
        elif name.endswith("Ids"):
            yield name, "[]"
        elif name == "id" or (name.endswith("Id") and "boolean" not in prop.types):
            yield (name,)


def insert_foreign_values(
    located: ResolvedSchema, path: tuple[str, ...], values: list[Any]
) -> list[Any]:
    """Return values for the path's field that contain the given ones."""
    name, *rest = path
    field = located.properties[name]
    if not rest:
        return values
    if rest == ["[]"]:
        return [values]
    inner = tuple(rest[1:])
    least = dict.fromkeys(field.items.schema.get("required", ()), "x")
    return [
        [least | {inner[0]: each} for each in insert_foreign_values(field.items, inner, values)]
    ]


def same(first: Answer, second: Answer) -> bool:
    """Return whether two answers are the same but for what tells requests _written_separately."""
    headers = [
        {name: text for name, text in answer.headers.items() if name.lower() not in OWN_HEADERS}
        for answer in (first, second)
    ]
    return (first.status, first.raw, headers[0]) == (second.status, second.raw, headers[1])


def referring(
    form: str, least: dict[str, Any], field: str, pair: Iterable[Any], record: dict[str, Any]
) -> list[dict[str, Any]]:
    """Yield bodies of the record's type that refer to each value."""
    own = ("type", "id") if form == "replace" else ("type",)
    same = least | {name: record[name] for name in own if name in record}
    return [same | {field: value} for value in pair]


def sent_objects(body: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a body, outer ones first."""
    if isinstance(body, dict):
        yield body
    for member in body.values() if isinstance(body, dict) else body:
        if isinstance(member, dict | list):
            yield from sent_objects(member)


def without_sent_keys(answer: Answer, body: Any) -> Answer:
    """Return an answer without the key objects that its messages repeat from the request's body.

    Their length affects the headers of the length and of the compression.
    """
    raw = answer.raw
    for sent in sent_objects(body):
        text = orjson.dumps(orjson.dumps(sent).decode())[1:-1]
        raw = raw.replace(b": %b." % text, b": {}.")
    if raw == answer.raw:
        return answer
    headers = answer.headers.copy()
    for name in ("Content-Length", "Content-Encoding"):
        headers.popall(name, None)
    return replace(answer, headers=headers, raw=raw)


def is_text(located: ResolvedSchema, path: tuple[str, ...]) -> bool:
    """Return whether the path leads to a text."""
    for part in path:
        located = located.items if part == "[]" else located.properties[part]
    return "string" in located.types


async def names(api: Api) -> set[str]:
    """Return the names and own keys of an organization's records."""
    own_keys = set()
    for name in ("brands", "groups", "style-categories"):
        for record in (await api.get(f"/api/{name}", {"pageSize": "100"})).data:
            own_keys |= {record.get("customId"), record.get("userDefinedId")}
    return own_keys - {None}


def stolen_queries(route: Route, records: list[dict[str, Any]]) -> Iterator[dict[str, str]]:
    """Yield queries of a list by every field, with values that the victim's documents have."""
    assert route.resource is not None
    for name, prop in route.resource.properties.items():
        if prop.sortable:
            yield {"sort[0].property": name, "sort[0].order": "desc", "pageSize": "100"}
        values = [record[name] for record in records if record.get(name) is not None]
        for value in values[-1:]:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            yield {name: text}
            for operator in sorted({*names_of(prop)} - {"isNull"}):
                parts = {"property": name, "operator": operator, "value": text}
                yield {f"filter[0].{part}": given for part, given in parts.items()}


async def stolen_cursors(tenant_pair: TenantPair, route: Route) -> AsyncIterator[tuple[str, str]]:
    """Yield cursors of the victim, by two sort orders, each with a forged copy."""
    assert route.resource is not None
    properties = route.resource.properties
    for query in ({"pageSize": "2"}, {"pageSize": "2", "sort[0].property": properties.key}):
        page = (await tenant_pair.victim.get(route.path, query)).json["pagination"]
        if not page["hasMore"]:
            continue
        theirs = cursor.scope(route.path, tenant_pair.victim_id)
        carried = cursor.decode(page["cursor"], properties, theirs)
        own = cursor.scope(route.path, 3 - tenant_pair.victim_id)
        yield page["cursor"], cursor.CursorWriter(carried).write(list(carried.after or ()), own)
