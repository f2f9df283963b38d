"""Ids of objects in records, such as allowed values: the file's, and what they became."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from service.client import Client
from service.transfer.collections import TransferCollection
from service.transfer.fields import Field
from service.transfer.id_map import IdMap

Pair: TypeAlias = tuple[dict[str, Any], dict[str, Any], Any]
"""A record as the file has it, as it was sent, and its id; None where it was only rehearsed."""
Named: TypeAlias = tuple[str, Any, bytes | None]
_PAGE: Final = 100
_TOLD_DIFFERENTLY: Final = {"number", "array"}
"""Types of values that need not be shown as they are sent."""


async def nested_ids(
    client: Client, collection: TransferCollection, known: IdMap, done: Iterable[Pair]
) -> dict[str, list[Named]]:
    """The ids that files' ids of objects became, by what the objects belong to.

    In a rehearsal an id is None where nothing is known of it.
    """
    owners = {
        name: part.items
        for name, part in collection.fields.members.items()
        if part.items and part.items.owner
    }
    wanted = [pair for pair in done if any(_named(pair[0].get(name)) for name in owners)]
    found = defaultdict[str, list[Named]](list)
    documents = await _documents(client, collection, [one for *_, one in wanted if one is not None])
    for in_file, sent, record_id in wanted:
        document = documents.get(record_id)
        for name, items in owners.items():
            objects, owner = in_file.get(name) or [], str(items.owner)
            if document is None:
                found[owner] += _unmade(known, owner, objects)
            else:
                found[owner] += paired(items, objects, sent.get(name) or [], document[name])
    return found


async def _documents(
    client: Client, collection: TransferCollection, ids: list[Any]
) -> Mapping[Any, dict[str, Any]]:
    """The records as they are now, by id."""
    found, records = dict[Any, dict[str, Any]](), client.collection(collection.name)
    for start in range(0, len(ids), _PAGE):
        part = ids[start : start + _PAGE]
        async for document in records.records(id=part, page_size=_PAGE):
            found[document["id"]] = document
    return found


def ids_of_part(fields: Field, in_file: Any, sent: Any, shown: Any) -> Iterator[tuple[str, Named]]:
    """By owner the same of a part, from the file, as it was sent, and as it is shown then."""
    if fields.items and fields.items.owner:
        for one in paired(fields.items, in_file, sent, shown):
            yield fields.items.owner, one
    for name, part in fields.members.items():
        if part.items and part.items.owner and in_file.get(name):
            yield from ids_of_part(part, in_file[name], sent[name], shown[name])


def own_ids(fields: Field, in_file: Any) -> Iterator[tuple[str, str]]:
    """The owners and ids of the objects in a part, as the file has them."""
    if isinstance(in_file, list) and fields.items and fields.items.owner:
        for one in in_file:
            if isinstance(one, dict) and one.get(fields.items.own_id) is not None:
                yield fields.items.owner, str(one[fields.items.own_id])
    if isinstance(in_file, dict):
        for name, part in fields.members.items():
            yield from own_ids(part, in_file.get(name))


def _named(objects: Any) -> bool:
    return isinstance(objects, list) and any(_id(one) is not None for one in objects)


def _id(one: Any) -> Any:
    return one.get("id") if isinstance(one, dict) else None


def _unmade(known: IdMap, owner: str, objects: list[Any]) -> Iterator[Named]:
    for one in objects:
        if _id(one) is not None and not known.find(owner, str(one["id"])):
            yield str(one["id"]), None, None


def paired(
    items: Field, objects: list[Any], sent: list[Any], shown: list[dict[str, Any]]
) -> Iterator[Named]:
    """Objects of the file and those of the record that say the same, in their order."""
    said = {
        name
        for name, part in items.members.items()
        if name != items.own_id and not part.types & _TOLD_DIFFERENTLY
    } & {name for one in shown for name in one}
    waiting = defaultdict[Any, deque[Any]](deque)
    for one in shown:
        waiting[_content(one, said)].append(one[items.own_id])
    for in_file, as_sent in zip(objects, sent, strict=True):
        same = waiting[_content(as_sent, said)]
        if same:
            became = same.popleft()
            if in_file.get(items.own_id) is not None:
                yield str(in_file[items.own_id]), became, None


def _content(one: dict[str, Any], names: set[str]) -> tuple[Any, ...]:
    return tuple((name, one[name]) for name in sorted(names) if one.get(name))
