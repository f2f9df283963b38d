"""Records by the keys that the customer's own systems know them by (contract, Own keys)."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from service.database.connections import Connection
from service.database.errors import own_locks
from service.database.statements import load
from service.error_types import ErrorType
from service.queries.batch import Batch, Item
from service.queries.master_record import LockedRow, MasterRecord
from service.queries.outcomes import sent_key
from service.queries.references import stored_id

_WRITER_LOCKS: Final = load("writer_locks")
_MAX_LISTED_IDS: Final = 5
"""Of several records with one key the ids that are told."""


class _OwnKey(NamedTuple):
    """What tells the record of an item from others."""

    key: str | None
    within: int | None
    """The id of the record within which the key does so, where there is such."""


async def take_writer_lock(connection: Connection, resource: MasterRecord, batch: Batch) -> None:
    """Wait for the others that write the organization's records of this collection by keys.

    So that no two of them find the same key missing and make twins. Nobody else waits.
    """
    named = (batch.caller.organization_id, resource.name)
    with own_locks():
        while await connection.fetchval(_WRITER_LOCKS["lock"].text, *named) is None:
            await connection.execute(_WRITER_LOCKS["insert"].text, *named)


async def lock_records(
    connection: Connection, resource: MasterRecord, batch: Batch, strength: str
) -> dict[int, LockedRow]:
    """The records that have the items' keys, locked, by their ids, which the items are given.

    Of each key that is the live one, else the deleted one with the highest id. Reports the keys of
    several.
    """
    names = [_name(resource, item) for item in batch.items]
    asked: list[Sequence[str | int | None]] = [[name.key for name in names]]
    if resource.own_key_within:
        asked.append([name.within for name in names])
    text, organization_id = resource.lock_by_key_text(strength), batch.caller.organization_id
    with own_locks():
        rows = await connection.fetch(text, organization_id, *asked, record_class=LockedRow)
    live: defaultdict[_OwnKey, list[LockedRow]] = defaultdict(list)
    deleted: dict[_OwnKey, LockedRow] = {}
    for row in rows:
        name = _OwnKey(row["key"], row["within_id"])
        if row["state"] == "deleted":
            deleted[name] = row
        else:
            live[name].append(row)
    stored: dict[int, LockedRow] = {}
    for number, (name, item) in enumerate(zip(names, batch.items, strict=True)):
        item.pop("id", None)
        found = live.get(name) or ([deleted[name]] if name in deleted else [])
        if len(found) > 1:
            several = ", ".join(str(one["id"]) for one in found[:_MAX_LISTED_IDS])
            path, message = resource.own_key or "", f"Records {several} have this key."
            batch.fail(number, ErrorType.CONFLICT_AMBIGUOUS_KEY, path, message=message)
        elif found:
            item["id"] = found[0]["id"]
            stored[item["id"]] = found[0]
    return stored


def _name(resource: MasterRecord, item: Item) -> _OwnKey:
    """What names the record of an item."""
    within = resource.own_key_within
    return _OwnKey(sent_key(resource, item), stored_id(item[within]) if within else None)
