"""Law of deletes: what one way to delete a record refuses, every way refuses (contract, States).

The references are those of the schemas, the records those of the demo data.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import asyncpg
import orjson
import pytest

from service.database.statements import load
from service.listing.properties import stored_id
from service.records.keyed_values import keyed_fields, values_at
from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS, PART_COLLECTIONS
from service.writing.collection_writes import deletes_late
from tests.support import generate
from tests.support.api import Api
from tests.support.transactions import PATH, SKIP, entry

pytestmark = [pytest.mark.contract("States"), pytest.mark.shared_demo_data]

DRY: Final = {"dryRun": "true"}
PREVIEW: Final = DRY | {"preview": "true"}
Field = tuple[str, tuple[str, ...]]
Documents = Mapping[str, Sequence[Any]]


class Way(NamedTuple):
    """Request that deletes one record."""

    method: str
    path: str
    body: Any = None
    query: Mapping[str, str] = {}


def referring(target: str) -> Iterator[Field]:
    """Yield each field that refers to a collection, with the collection that has it."""
    for resource in (*MASTER_RECORDS, *PART_COLLECTIONS):
        for field in keyed_fields(resource.name, resource.list_name):
            if field.target.name == target:
                yield resource.collection, field.names


REFERRED: Final = [each for each in MASTER_RECORDS if any(referring(each.name))]


async def live(api: Api) -> Documents:
    """Return the documents of all live records, by collection."""
    documents = defaultdict[str, list[Any]](list)
    for line in (await api.get("/api/export")).raw.splitlines()[:-1]:
        record = orjson.loads(line)
        if record["document"].get("state") != "deleted":
            documents[record["collection"]].append(record["document"])
    return documents


def referred_ids(documents: Sequence[Any], names: Sequence[str]) -> set[int]:
    """Return the ids in a field of documents; colors show their groups as objects."""
    shown = (names[0].removesuffix("Ids") + "s", "id")
    values = {*values_at(documents, names), *values_at(documents, shown)} - {None}
    return {*map(stored_id, values)}


def chosen(resource: MasterRecord, documents: Documents) -> Iterator[tuple[Field, Any]]:
    """Yield a record for each field that refers to its collection, if possible to it alone."""
    fields_of = defaultdict[int, set[Field]](set)
    for field in referring(resource.name):
        for record_id in referred_ids(documents[field[0]], field[1]):
            fields_of[record_id].add(field)
    records = {stored_id(each["id"]): each for each in documents[resource.name]}
    for field in referring(resource.name):
        ids = [id_ for id_ in records if field in fields_of[id_]]
        assert ids, f"the demo data have no live record that {field} refers to"
        yield field, records[min(ids, key=lambda id_: (len(fields_of[id_]), id_))]


def ways(resource: MasterRecord, record: Any) -> Iterator[Way]:
    """Yield every way to delete a record but that of its path, by its id and by its own key."""
    root, gone = f"/api/{resource.name}", {"state": "deleted"}
    yield Way("DELETE", root, query={"ids": str(record["id"])})
    if "state" in record:
        yield Way("PUT", root, [{"id": record["id"], **generate.deletion(resource, record)}])
        upsert = generate.deletion(resource, record) | {"id": record["id"]}
        yield Way("POST", PATH, [entry(resource.name, "upsert", **upsert)])
    yield Way("POST", PATH, [entry(resource.name, "delete", id=record["id"])])
    key = generate.key_of(resource, record)
    if resource.own_key is None or None in key.values():
        return
    match = {"match": resource.own_key}
    if not resource.own_key_within:
        yield Way("DELETE", root, query=match | {"keys": str(key[resource.own_key])})
    yield Way("PUT", root, [key | gone], match)
    yield Way("PATCH", root, [key | gone], match)
    yield Way("POST", PATH, [entry(resource.name, "delete", **key)])
    yield Way("POST", PATH, [entry(resource.name, "upsert", **(key | gone))])
    yield Way("POST", PATH, [entry(resource.name, "merge", **(key | gone))])


async def judged(api: Api, way: Way, options: Mapping[str, str]) -> tuple[int, str]:
    """Return the status of a request that deletes a record, and how it judges the record."""
    query = {**way.query, **options}
    answer = await api.call(way.method, way.path, way.body, params=query)
    if answer.status >= 400:
        return answer.status, answer.details[0][0]
    if isinstance(answer.data, dict):
        return 200, "deleted"
    [row] = answer.data
    return answer.status, row["details"][0]["type"] if row["details"] else row["outcome"]


@pytest.mark.parametrize("resource", REFERRED, ids=[each.name for each in REFERRED])
async def test_what_its_path_refuses_is_refused_on_every_way(
    resource: MasterRecord, api: Api
) -> None:
    documents = await live(api)
    refused = False
    for field, record in chosen(resource, documents):
        path = f"/api/{resource.name}/{record['id']}"
        status, verdict = await judged(api, Way("DELETE", path), DRY)
        refused |= status == 409
        # What is not refused is only tried, so that the other fields find their records.
        for way in ways(resource, record):
            tried = DRY if way.method == "DELETE" else PREVIEW
            for options in ({}, SKIP, tried) if status == 409 else (tried,):
                expected = (200 if options is SKIP else status, verdict)
                assert await judged(api, way, options) == expected, (field, way, options)
    assert refused is bool(resource.uses or "in_use" in resource.statements)
    assert await live(api) == documents


async def test_rows_of_others_go_with_a_row_only_where_their_use_is_checked(
    shared_connection: asyncpg.Connection,
) -> None:
    """Records whose rows go are checked at the end of a transaction, allowed values by fields."""
    keys = await shared_connection.fetch(load("deleted_records")["references"].text)
    owners = defaultdict[str, set[str]](set)
    for key in keys:
        if key["cascades"]:
            owners[key["source"]].add(key["target"])
    removed = {each.table: each for each in MASTER_RECORDS if "delete" not in each.deletes}
    soft = {each.table for each in MASTER_RECORDS} - removed.keys()
    of_others = [
        (target, source)
        for source, targets in owners.items()
        for target in targets - soft
        if len(targets) > 1
    ]
    records = [(removed[target], source) for target, source in of_others if target in removed]
    assert records, "an instruction's row goes with what is in labels"
    for resource, source in records:
        assert deletes_late(resource)
        assert source in {use.relation.tables[0] for use in resource.uses}
    entries = {pair for pair in of_others if pair[0] not in removed}
    belonging = {("style_care_set", "style_care_instruction"), ("style_item", "style_item_color")}
    assert entries == {("style_allowed_value", "custom_field_value"), *belonging}
