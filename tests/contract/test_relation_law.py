"""Law of relations: what a delete does to those that refer to a record (contract, States).

Every relation that refuses no delete: the target is deleted and restored in each way. Nothing live
names what is deleted, and the change feed and products tell of each document that differs.
``test_refused_deletes`` has the others.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import uuid4

import orjson
import pytest
from aiohttp.test_utils import TestClient

from service.listing.properties import stored_id
from service.records import relations
from service.records.keyed_values import values_at
from service.records.relation_statements import uses_of
from service.records.relations import RELATIONS, OnDelete, Relation, relations_to
from service.resources.registry import MASTER_RECORDS
from tests.contract.test_refused_deletes import Way, judged, ways
from tests.support.api import Api, issue_key, replacing
from tests.support.changes import CheckedApi, Readable, Records, reading
from tests.support.databases import demo_database
from tests.support.sampling import Sample
from tests.support.serving import serving
from tests.support.shop import Copy
from tests.support.transactions import PATH, entry

pytestmark = pytest.mark.contract("States")

_RESOURCES: Final = {resource.name: resource for resource in MASTER_RECORDS}
#: Relations by which a live record may name a deleted one.
_LASTING: Final = (OnDelete.KEEP,)
#: Links to brands, groups and categories, whose delete styles of the demo data refuse.
_CLEARED: Final = ("brands", "groups", "style-categories")
_ALLOWED: Final = [
    each
    for each in RELATIONS
    if each.on_delete is not OnDelete.REFUSE and each.target in _RESOURCES
]


def label(relation: Relation) -> str:
    return f"{relation.source}.{relation.field}"


def read(readable: Readable) -> dict[tuple[str, int], Any]:
    """Return the documents of live records and their parts, by collection and id."""
    documents = {
        (name, stored_id(record_id)): orjson.loads(document)
        for (name, record_id), (document, _) in readable.items()
    }
    return {key: each for key, each in documents.items() if each.get("state") != "deleted"}


def named(relation: Relation, document: Any) -> set[int]:
    """Return the ids in a field of a document; lists of ids may be shown as objects."""
    names = relation.field.split(".")
    shown = [*names[:-1], names[-1].removesuffix("Ids") + "s"]
    values = values_at([document], names) + values_at([document], shown)
    ids = [value["id"] if isinstance(value, dict) else value for value in values]
    return {stored_id(value) for value in ids if value is not None}


def referring(relation: Relation, live: dict[tuple[str, int], Any]) -> Iterator[tuple[int, int]]:
    """Yield the id of each live record that refers to another one, with the id of this."""
    for (name, record_id), document in live.items():
        if name == relation.source:
            yield from ((record_id, target_id) for target_id in named(relation, document))


def dangling(readable: Readable) -> list[tuple[str, int, int]]:
    """Return the live records that name deleted ones, with the relation and the ids of both."""
    live = read(readable)
    return [
        (label(relation), record_id, target_id)
        for relation in RELATIONS
        if relation.target in _RESOURCES and relation.on_delete not in _LASTING
        for record_id, target_id in referring(relation, live)
        if (relation.target, target_id) not in live
    ]


async def target_of(api: Api, relation: Relation, readable: Readable) -> int:
    """Return a live record that the relation leads to, and that nothing protects."""
    if relation.target in _CLEARED:
        key = {str(_RESOURCES[relation.target].own_key): f"GONE {relation.target}"}
        record = (await api.post(f"/api/{relation.target}", {"name": "Gone", **key})).data["id"]
        field = {"name": "Limited", "type": "text", relation.field: [{"id": record}]}
        assert (await api.post(f"/api/{relation.source}", field)).status == 201
        return int(record)
    if relation.target in ("styles", "style-colors"):
        return (await made_style(api))[relation.target]
    live = read(readable)
    for target_id in sorted({target_id for _, target_id in referring(relation, live)}):
        path = f"/api/{relation.target}/{target_id}"
        if (await Api.call(api, "DELETE", path, params={"dryRun": "true"})).status == 200:
            return target_id
    raise AssertionError(f"no live record that {label(relation)} leads to can be deleted")


async def made_style(api: Api) -> dict[str, int]:
    """Make a style with a color that entries of its parts name; return the ids of both."""
    style = (await api.post("/api/styles", {"number": uuid4().hex, "name": "Coat"})).data["id"]
    root, [color, *_] = f"/api/styles/{style}", (await api.get("/api/colors")).data
    color = {"styleId": style, "colorId": color["id"]}
    color = (await api.post("/api/style-colors", color)).data["id"]
    file = {"styleId": style, "styleColorId": color, "fileName": "a.png", "category": "image"}
    field = {"name": "Dye", "type": "text", "diffPerColor": True}
    field = (await api.post("/api/style-custom-fields", field)).data["id"]
    of_color, [item, *_] = {"styleColorId": color}, (await api.get("/api/items")).data
    [prices, *_] = (await api.get("/api/price-lists", {"type": "retail"})).data
    for answer in (
        await api.post("/api/style-files", file | {"url": "https://example.com/a.png"}),
        await api.put(f"{root}/care-instructions", [of_color]),
        await api.put(
            f"{root}/items", [{"itemId": item["id"], "colors": [of_color | {"isOmitted": True}]}]
        ),
        await api.put(f"{root}/prices/{prices['id']}", {"prices": [of_color | {"amount": "5"}]}),
        await api.put(
            f"{root}/custom-field-values", [of_color | {"customFieldId": field, "text": "Blue"}]
        ),
    ):
        assert answer.status in (200, 201), answer.raw
    return {"styles": style, "style-colors": color}


def deleting(name: str, record: Any) -> list[Way]:
    """Return ways to delete a record: its path, and those that others have for it."""
    return [Way("DELETE", f"/api/{name}/{record['id']}"), *ways(_RESOURCES[name], record)]


async def restore(api: CheckedApi, name: str, record: Any, way: Way) -> None:
    """Restore a record, in a transaction if it was deleted so."""
    path = f"/api/{name}/{record['id']}"
    if way.path == PATH:
        form = (await api.get(path, {"form": "writable"})).data
        item = form | {"id": record["id"], "state": "active"}
        answer = await api.post(PATH, [entry(name, "upsert", **item)])
    else:
        answer = await api.patch(path, replacing("/state", "active"))
    assert answer.status == 200, answer.raw


@pytest.fixture(scope="module")
async def served(server_dsn: str, worker_id: str) -> AsyncIterator[tuple[Api, Records]]:
    """A caller of organization 1 of a database of the module's own, and all that it can read."""
    dsn = demo_database(server_dsn, f"relations_{worker_id}")
    async with serving(dsn) as server, TestClient(server) as client, reading(dsn) as records:
        yield Api(client, await issue_key(dsn, 1)), records


@pytest.mark.parametrize("relation", _ALLOWED, ids=label)
async def test_nothing_live_names_what_is_deleted(
    relation: Relation, served: tuple[Api, Records], sample: Sample
) -> None:
    """By itself, in bulk and in a transaction; what its owner's delete takes along, by this."""
    api = CheckedApi(*served)
    name, readable = relation.target, await served[1].now()
    record_id = await target_of(api, relation, readable)
    [channel, *_] = (await api.get("/api/channels")).data
    copy = Copy(served[0], ("channelId", str(channel["id"])))
    await copy.read()
    since = (datetime.now(UTC) - timedelta(seconds=1)).isoformat()
    record = (await api.get(f"/api/{name}/{record_id}")).data
    assert dangling(await served[1].now()) == []
    for way in sample(deleting(name, record), 3):
        answer = await api.call(way.method, way.path, way.body, params=way.query)
        assert answer.status == 200, (way, answer.raw)
        assert dangling(api.readable) == [], way
        await restore(api, name, record, way)
        assert dangling(api.readable) == [], way
    await api.get("/api/changes", {"from": "now"})  # numbers the changes
    await copy.read(since)
    assert await copy.differences() == []


async def test_a_delete_asks_what_protects_the_records_that_it_takes_along(
    served: tuple[Api, Records], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If steps protected facilities: sub-suppliers, with which facilities go, would be, too."""
    api, _ = served
    [step] = [each for each in relations_to("facilities") if each.on_delete is OnDelete.KEEP]
    changed = [replace(e, on_delete=OnDelete.REFUSE) if e == step else e for e in RELATIONS]
    monkeypatch.setattr(relations, "RELATIONS", tuple(changed))
    for name in ("facilities", "sub-suppliers"):
        monkeypatch.setattr(type(_RESOURCES[name]), "uses", tuple(uses_of(name)))
    maker = (await api.post("/api/sub-suppliers", {"name": "Mill", "customId": "LAW-1"})).data
    site = {"name": "Hall", "subSupplierId": maker["id"]}
    site = (await api.post("/api/facilities", site)).data
    style = (await api.post("/api/styles", {"number": "LAW-1", "name": "Coat"})).data
    steps = f"/api/styles/{style['id']}/supplier-facilities"
    assert (await api.put(steps, [{"process": "dyeing", "facilityId": site["id"]}])).status == 200
    for name, record in (("facilities", site), ("sub-suppliers", maker)):
        for way in deleting(name, record):
            assert await judged(api, way, {}) == (409, "conflict.in_use"), way
    assert (await api.put(steps, [])).status == 200
    path = f"/api/sub-suppliers/{maker['id']}"
    assert (await api.delete(path)).status == 200
    assert (await api.get(f"/api/facilities/{site['id']}")).data["state"] == "deleted"
    again = await api.put(steps, [{"process": "dyeing", "facilityId": site["id"]}])
    assert again.details == [("validation_error.unknown_reference", "[0].facilityId")]
