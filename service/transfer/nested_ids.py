"""Nested id matching: maps the files' ids of objects in records, such as sizes, to stored ids.

Outcomes of writes have no ids of nested objects. So the records are read back, and their nested
objects are matched by content.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from service.client import Client
from service.limits import MAX_PAGE_SIZE
from service.transfer.collections import TransferCollection
from service.transfer.fields import Field
from service.transfer.id_map import INACTIVE_ENTRY, IdMap
from service.transfer.id_translation import DEACTIVATED

ImportedRecord: TypeAlias = tuple[dict[str, Any], dict[str, Any], Any]
"""Record as in the file, as sent, and its id; None for one that a dry run would create."""
IdMapping: TypeAlias = tuple[str, Any, bytes | None]
"""Id in the file, id in the service; in a dry run ``INACTIVE_ENTRY`` for a deactivated entry."""
_NOT_COMPARABLE: Final = {"number", "array"}
"""Types of values that are not compared: documents can show them in another form."""


async def nested_ids(
    client: Client,
    collection: TransferCollection,
    id_map: IdMap,
    records: Iterable[ImportedRecord],
    *,
    dry_run: bool,
) -> dict[str, list[IdMapping]]:
    """Return the id mappings of nested objects, by their list such as ``size-ranges/sizes``.

    ``records`` have just been written, or checked by a dry run; stored ones are read, 100 at a
    time. Objects without an id in the file are left out. So are those without a stored object like
    them, except in a dry run: a real import would create these, so they are mapped to None unless
    ``id_map`` has them. Nothing is stored in ``id_map``.
    """
    owners = _owners(collection)
    with_ids = [
        record
        for record in records
        if any([*_own_ids(items, record[0].get(name))] for name, items in owners.items())
    ]
    mappings = defaultdict[str, list[IdMapping]](list)
    ids = [record_id for *_, record_id in with_ids if record_id is not None]
    documents = await _documents(client, collection, ids)
    for in_file, item, record_id in with_ids:
        document = documents.get(record_id)
        for name, items in owners.items():
            objects, stored = in_file.get(name) or [], document[name] if document else []
            sent = item.get(name) or []
            matched = [*match_objects(items, objects, sent, stored, dry_run=dry_run)]
            names = {name for name, *_ in matched}
            created = _placeholders(id_map, items, objects) if dry_run else ()
            mappings[str(items.owner)] += matched
            mappings[str(items.owner)] += (row for row in created if row[0] not in names)
    return mappings


async def _documents(
    client: Client, collection: TransferCollection, ids: list[Any]
) -> Mapping[Any, dict[str, Any]]:
    """Return the current documents of live records by id, without those that are gone."""
    documents, records = dict[Any, dict[str, Any]](), client.collection(collection.name)
    for start in range(0, len(ids), MAX_PAGE_SIZE):
        chunk = ids[start : start + MAX_PAGE_SIZE]
        query: dict[str, Any] = {collection.id_field: chunk}
        async for document in records.records(page_size=MAX_PAGE_SIZE, **query):
            documents[document[collection.id_field]] = document
    return documents


def placeholders(
    collection: TransferCollection, id_map: IdMap, record: dict[str, Any]
) -> dict[str, list[IdMapping]]:
    """Return mappings to None of a record's nested objects that are not in the id map, by list."""
    return {
        str(items.owner): [*_placeholders(id_map, items, record.get(name))]
        for name, items in _owners(collection).items()
    }


def _owners(collection: TransferCollection) -> dict[str, Field]:
    """Return the fields of nested objects that have ids, by the member name of their list."""
    return {
        name: member.items
        for name, member in collection.fields.members.items()
        if member.items and member.items.owner
    }


def _own_ids(fields: Field, objects: Any) -> Iterator[str]:
    for entry in objects if isinstance(objects, list) else ():
        if isinstance(entry, dict) and entry.get(fields.own_id) is not None:
            yield str(entry[fields.own_id])


def _placeholders(id_map: IdMap, fields: Field, objects: Any) -> Iterator[IdMapping]:
    for name in _own_ids(fields, objects):
        if not id_map.find(str(fields.owner), name):
            yield name, None, None


def match_objects(
    fields: Field,
    objects: list[Any],
    items: list[Any],
    stored: list[dict[str, Any]],
    *,
    dry_run: bool,
) -> Iterator[IdMapping]:
    """Match objects of the file to stored objects of equal content, equal ones in their order.

    ``objects`` are from the file, ``items`` the same objects as sent, in the same order, ``stored``
    those of the document. The contents of ``items`` and ``stored`` are compared. Each stored object
    is matched at most once. Yield a mapping for each matched object with an id in the file. Own
    ids, decimal numbers and lists are not compared, nor are fields that no stored object has, or
    that are a key object (a reference by own key) in some item. Missing, null, false, 0 and empty
    values are equal. A dry run activates no entries: it compares ``isDeactivated`` as the file has
    it, and then matches the others without it.
    """
    compared = {
        name
        for name, member in fields.members.items()
        if name != fields.own_id and not member.types & _NOT_COMPARABLE
    } & {name for entry in stored for name in entry}
    compared -= {name for item in items for name in item if isinstance(item[name], dict)}
    pairs = [*zip(objects, items, strict=True)]
    if dry_run:
        pairs = [
            (in_file, item | {DEACTIVATED: in_file.get(DEACTIVATED)}) for in_file, item in pairs
        ]
    for names in (compared, compared - {DEACTIVATED}) if dry_run else (compared,):
        unmatched = defaultdict[Any, deque[Any]](deque)
        for entry in stored:
            unmatched[_content(entry, names)].append(entry)
        missing = list[tuple[Any, Any]]()
        for in_file, item in pairs:
            if matches := unmatched[_content(item, names)]:
                entry = matches.popleft()
                marker = INACTIVE_ENTRY if dry_run and entry.get(DEACTIVATED) else None
                if in_file.get(fields.own_id) is not None:
                    yield str(in_file[fields.own_id]), entry[fields.own_id], marker
            else:
                missing.append((in_file, item))
        stored, pairs = [entry for entries in unmatched.values() for entry in entries], missing


def _content(entry: dict[str, Any], names: set[str]) -> tuple[Any, ...]:
    return tuple((name, entry[name]) for name in sorted(names) if entry.get(name))
