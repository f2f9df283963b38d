"""Records by the keys that the customer's own systems know them by (contract, Own keys)."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import asyncpg

from service.database.connections import Connection
from service.database.failing import own_locks
from service.database.statements import load
from service.queries.batch import Batch, Item
from service.queries.master_record import MasterRecord, Stored
from service.queries.outcomes import sent_key
from service.queries.references import stored_id
from service.queries.resource import SHARED

_TURNS: Final = load("turns")


class _Name(NamedTuple):
    """What tells the record of an item from others."""

    key: str | None
    within: int | None
    """The id of the record within which the key does so, where there is such."""


async def take_turn(connection: Connection, resource: MasterRecord, batch: Batch) -> None:
    """Wait for the others that write the organization's records of this collection by keys.

    So that no two of them find the same key missing and make twins. Nobody else waits.
    """
    named = (batch.caller.organization_id, resource.name)
    with own_locks():
        while await connection.fetchval(_TURNS["take"].text, *named) is None:
            await connection.execute(_TURNS["set_up"].text, *named)


async def name_records(connection: Connection, resource: MasterRecord, batch: Batch) -> None:
    """Give each item the id of the record that has its key, if there is one.

    That is the live one, else the deleted one with the highest id. Reports the keys of several.
    """
    names = [_name(resource, item) for item in batch.items]
    asked: list[Sequence[str | int | None]] = [[name.key for name in names]]
    if resource.own_key_within:
        asked.append([name.within for name in names])
    rows = await connection.fetch(finding(resource), batch.caller.organization_id, *asked)
    found = {_Name(row["key"], row["within_id"]): row for row in rows}
    for number, (name, item) in enumerate(zip(names, batch.items, strict=True)):
        item.pop("id", None)
        live = found[name]["live"] or () if name in found else ()
        if len(live) > 1:
            several = ", ".join(map(str, live))
            path, message = resource.own_key or "", f"Records {several} have this key."
            batch.fail(number, "conflict.ambiguous_key", path, message=message)
        elif name in found:
            item["id"] = live[0] if live else found[name]["deleted"]


def finding(resource: MasterRecord) -> str:
    """The statement that finds records by their keys, and the ids that they are within, if any."""
    parts = {
        "table": resource.table,
        "state": resource.stored_state,
        "key": resource.key_column,
    }
    if resource.own_key_within:
        return SHARED["find_by_key_within"].fill(**parts, within=resource.within_column)
    return SHARED["find_by_key"].fill(**parts)


def require_keys(resource: MasterRecord, items: list[Item], stored: Mapping[int, Stored]) -> None:
    """Have the transaction done again where locked records are not the ones that were found."""
    for item in items:
        record = stored.get(item["id"])
        if record is None or (record.key, record.within) != _name(resource, item):
            raise asyncpg.SerializationError("a record's own key has just changed")


def _name(resource: MasterRecord, item: Item) -> _Name:
    """What names the record of an item."""
    within = resource.own_key_within
    return _Name(sent_key(resource, item), stored_id(item[within]) if within else None)
