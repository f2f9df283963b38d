"""Records by the keys that the customer's own systems know them by (contract, Own keys)."""

from collections.abc import Mapping

import asyncpg

from service.database.connections import Connection
from service.database.failing import own_locks
from service.database.statements import load
from service.queries.batch import Batch, Item
from service.queries.master_record import MasterRecord, Stored
from service.queries.outcomes import sent_key
from service.queries.resource import SHARED

_TURNS = load("turns")


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
    text = SHARED["find_by_key"].fill(table=resource.table, key=resource.key_column)
    keys = [sent_key(resource, item) for item in batch.items]
    rows = await connection.fetch(text, batch.caller.organization_id, keys)
    found = {row["key"]: row for row in rows}
    for number, (key, item) in enumerate(zip(keys, batch.items, strict=True)):
        item.pop("id", None)
        live = found[key]["live"] or () if key in found else ()
        if len(live) > 1:
            several = ", ".join(map(str, live))
            path, message = resource.own_key or "", f"Records {several} have this key."
            batch.fail(number, "conflict.ambiguous_key", path, message=message)
        elif key in found:
            item["id"] = live[0] if live else found[key]["deleted"]


def require_keys(resource: MasterRecord, items: list[Item], stored: Mapping[int, Stored]) -> None:
    """Have the transaction done again where locked records are not the ones that were found."""
    for item in items:
        record = stored.get(item["id"])
        if record is None or record.key != sent_key(resource, item):
            raise asyncpg.SerializationError("a record's own key has just changed")
