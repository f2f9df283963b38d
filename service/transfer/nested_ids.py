"""Nested id matching: maps the files' ids of objects in records, such as sizes, to stored ids."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from service.client import Client
from service.limits import MAX_PAGE_SIZE
from service.transfer.collections import TransferCollection
from service.transfer.fields import Field
from service.transfer.id_map import IdMap

ImportedRecord: TypeAlias = tuple[dict[str, Any], dict[str, Any], Any]
"""Record as in the file, as sent, and its id in the service; None in a dry run."""
IdMapping: TypeAlias = tuple[str, Any, bytes | None]
"""Id in the file, id in the service, and the digest, which nested objects do not have."""
_NOT_COMPARABLE: Final = {"number", "array"}
"""Types of values whose representation in documents can differ from the request."""


async def nested_ids(
    client: Client, collection: TransferCollection, id_map: IdMap, records: Iterable[ImportedRecord]
) -> dict[str, list[IdMapping]]:
    """Return the id mappings of nested objects, by their owner such as ``size-ranges/sizes``.

    In a dry run the id of an object that is not in the map is None.
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
            objects, owner = in_file.get(name) or [], str(items.owner)
            if document is None:
                mappings[owner] += _placeholders(id_map, items, objects)
            else:
                mappings[owner] += match_objects(
                    items, objects, item.get(name) or [], document[name]
                )
    return mappings


async def _documents(
    client: Client, collection: TransferCollection, ids: list[Any]
) -> Mapping[Any, dict[str, Any]]:
    """Return the current documents of records by id."""
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
    """Return mappings to None of a record's nested objects that are not in the map, by owner."""
    return {
        str(items.owner): [*_placeholders(id_map, items, record.get(name))]
        for name, items in _owners(collection).items()
    }


def _owners(collection: TransferCollection) -> dict[str, Field]:
    """Return the fields of the objects in lists of objects with ids, by the name of the list."""
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
    fields: Field, objects: list[Any], items: list[Any], stored: list[dict[str, Any]]
) -> Iterator[IdMapping]:
    """Match objects of the file to stored objects of equal content, in the order of both lists.

    ``objects`` are from the file, ``items`` are the same objects as sent, ``stored`` is the result.
    """
    compared = {
        name
        for name, member in fields.members.items()
        if name != fields.own_id and not member.types & _NOT_COMPARABLE
    } & {name for entry in stored for name in entry}
    compared -= {name for item in items for name in item if isinstance(item[name], dict)}
    unmatched = defaultdict[Any, deque[Any]](deque)
    for entry in stored:
        unmatched[_content(entry, compared)].append(entry[fields.own_id])
    for in_file, item in zip(objects, items, strict=True):
        matches = unmatched[_content(item, compared)]
        if matches:
            stored_id = matches.popleft()
            if in_file.get(fields.own_id) is not None:
                yield str(in_file[fields.own_id]), stored_id, None


def _content(entry: dict[str, Any], names: set[str]) -> tuple[Any, ...]:
    return tuple((name, entry[name]) for name in sorted(names) if entry.get(name))
