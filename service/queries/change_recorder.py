"""What a write changed: the ids that its statements answered (contract, Changes).

A statement that writes answers a row for each row that it changed, and none for what stayed as it
was. The column says whose id it has: ``id`` is the record's that is written, also where the row is
a part of it; a collection's name is that of a side effect there, behind which may stand what became
of those records, and null is none. ``shown`` tells that what other records show of this one has
changed.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial
from typing import Final, TypeAlias

import asyncpg
import orjson

from service.database.connections import Connection
from service.database.statements import load
from service.organizations.caller import Caller
from service.queries.bound_statements import FIRST_PARAMETER, BoundStatement, EmbeddedStatement

Records: TypeAlias = Mapping[str, Mapping[str, Sequence[int]]]
"""Ids in their order, by operation, by collection."""

CREATED: Final = "created"
UPDATED: Final = "updated"
DELETED: Final = "deleted"
SHOWN: Final = "shown"
SETTINGS: Final = "settings"
"""What the organization's settings are as a cause."""

_INSERT: Final = load("changes")["record"]


class ChangeRecorder:
    """The ids of what one write changed, by collection; those of what others show are causes."""

    def __init__(self) -> None:
        self.ids: defaultdict[str, set[int]] = defaultdict(set)
        self.causes: defaultdict[str, set[int]] = defaultdict(set)
        self.operations: defaultdict[str, dict[str, set[int]]] = defaultdict(dict)
        """What became of ids, where a side effect says so: by operation, by collection."""

    def collect(self, collection: str, rows: Sequence[asyncpg.Record]) -> None:
        """Take what a statement of the collection answered."""
        for place, name in enumerate(rows[0].keys() if rows else ()):
            if name == SHOWN:
                self.causes[collection].update(row["id"] for row in rows if row[place])
                continue
            target, _, operation = (collection if name == "id" else name).partition(" ")
            ids = {row[place] for row in rows if row[place] is not None}
            if ids:
                self.ids[target] |= ids
            if ids and operation:
                self.operations[target].setdefault(operation, set()).update(ids)

    def insert_statement(
        self, caller: Caller, request_id: str, own: Mapping[str, Mapping[str, Collection[int]]]
    ) -> EmbeddedStatement | None:
        """What stores the changes in the transaction that made them, if there are any.

        ``own`` are ids that were not updated, by operation, by collection.
        """
        if not self.ids:
            return None
        records = {
            name: _by_operation(self.ids[name], own.get(name, self.operations[name]))
            for name in sorted(self.ids)
        }
        causes = {name: sorted(ids) for name, ids in sorted(self.causes.items()) if ids}
        return partial(_insert_statement, records, causes, caller.key_id, request_id)


async def record_settings(connection: Connection, organization_id: int) -> None:
    """Store that the operator changed the organization's settings."""
    step = _insert_statement({}, {SETTINGS: [organization_id]}, None, None, FIRST_PARAMETER)
    await connection.execute(step.text, organization_id, *step.parameters)


def _insert_statement(
    records: Records,
    causes: Mapping[str, Sequence[int]],
    key_id: int | None,
    request_id: str | None,
    first: int,
) -> BoundStatement:
    """What stores a transaction's change, its parameters from the number ``first`` on."""
    parameters = (
        key_id,
        request_id,
        sum(len(ids) for operations in records.values() for ids in operations.values()),
        orjson.dumps(records).decode(),
        orjson.dumps(causes).decode() if causes else None,
    )
    return BoundStatement(insert_text(first), parameters)


@cache
def insert_text(first: int) -> str:
    """The statement that stores a change, its parameters from the number ``first`` on."""
    names = ("key_id", "request_id", "entries", "records", "causes")
    return _INSERT.fill(**{name: f"${number}" for number, name in enumerate(names, first)})


def _by_operation(changed: set[int], others: Mapping[str, Collection[int]]) -> dict[str, list[int]]:
    """The changed ids in their order; what is under no other operation was updated."""
    found = {operation: changed.intersection(ids) for operation, ids in others.items()}
    found[UPDATED] = changed.difference(*found.values())
    return {operation: sorted(ids) for operation, ids in found.items() if ids}
