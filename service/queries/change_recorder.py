"""Change recorder: collects the ids that a write's statements return (contract, Changes).

A write statement returns one row per row that it changed, and none for rows that stay equal. The
column name says whose id it holds:

- ``id``: a record of the written collection, also when the changed row is only a part of it.
- ``<collection>`` or ``<collection> <operation>``: a record that a side effect changed, or null. A
  suffix after a dot distinguishes columns of the same collection.
- ``shown``: a flag. If true, the records that show this record change too (fan-out on read).
- ``cause <name>``: an id, or null. The records that show what it names change too.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

import orjson

from service.database.connections import Connection
from service.database.statements import load
from service.organizations.caller import Caller
from service.queries.bound_statements import BoundStatement

Records: TypeAlias = Mapping[str, Mapping[str, Sequence[int]]]
"""Sorted ids, by collection, then by operation."""

CREATED: Final = "created"
UPDATED: Final = "updated"
DELETED: Final = "deleted"
SHOWN: Final = "shown"
_CAUSE: Final = "cause"
SETTINGS: Final = "settings"
"""Name of the organization's settings as a cause."""

Rows: TypeAlias = Sequence[Mapping[str, Any]]
"""Rows that a write statement returned."""

_INSERT: Final = load("changes")["record"].text


class ChangeRecorder:
    """Ids that one write changed, by collection.

    ``causes`` are the records whose change also changes the records that show them.
    """

    def __init__(self) -> None:
        self.ids: defaultdict[str, set[int]] = defaultdict(set)
        self.causes: defaultdict[str, set[int]] = defaultdict(set)
        self.operations: defaultdict[str, dict[str, set[int]]] = defaultdict(dict)
        """Operations that side effects named explicitly: ids by collection, then by operation."""

    def collect(self, collection: str, rows: Rows) -> None:
        """Add the rows that a statement of ``collection`` returned."""
        for column in rows[0] if rows else ():
            if column == SHOWN:
                self.causes[collection].update(row["id"] for row in rows if row[column])
                continue
            target, _, operation = (collection if column == "id" else column).partition(" ")
            target = target.partition(".")[0]
            ids = {row[column] for row in rows if row[column] is not None}
            if target == _CAUSE:
                self.causes[operation] |= ids
                continue
            if ids:
                self.ids[target] |= ids
            if ids and operation:
                self.operations[target].setdefault(operation, set()).update(ids)

    def insert_statement(
        self,
        caller: Caller,
        request_id: str,
        record_operations: Mapping[str, Mapping[str, Collection[int]]],
    ) -> BoundStatement | None:
        """Return the statement that inserts the change into the outbox, or None if nothing changed.

        It runs in the write's own transaction. ``record_operations`` has the ids that were not
        updated, by collection, then by operation.
        """
        if not self.ids:
            return None
        records = {
            name: _by_operation(self.ids[name], record_operations.get(name, self.operations[name]))
            for name in sorted(self.ids)
        }
        causes = {name: sorted(ids) for name, ids in sorted(self.causes.items()) if ids}
        return _insert_statement(records, causes, caller.key_id, request_id)


async def record_settings(connection: Connection, organization_id: int) -> None:
    """Insert a change of the organization's settings, made by the operator."""
    statement = _insert_statement({}, {SETTINGS: [organization_id]}, None, None)
    await connection.execute(statement.text, organization_id, *statement.parameters)


def _insert_statement(
    records: Records,
    causes: Mapping[str, Sequence[int]],
    key_id: int | None,
    request_id: str | None,
) -> BoundStatement:
    parameters = (
        key_id,
        request_id,
        sum(len(ids) for operations in records.values() for ids in operations.values()),
        orjson.dumps(records).decode(),
        orjson.dumps(causes).decode() if causes else None,
    )
    return BoundStatement(_INSERT, parameters)


def _by_operation(
    changed_ids: set[int], operation_ids: Mapping[str, Collection[int]]
) -> dict[str, list[int]]:
    """Return sorted ids by operation; ids without another operation count as updated."""
    result = {operation: changed_ids.intersection(ids) for operation, ids in operation_ids.items()}
    result[UPDATED] = changed_ids.difference(*result.values())
    return {operation: sorted(ids) for operation, ids in result.items() if ids}
