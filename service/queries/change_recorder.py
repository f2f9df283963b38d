"""Change recorder: collects the ids that a write's statements return, for the outbox.

A write statement returns a row for each row that it changed, and none for rows that stay equal; all
rows have the same columns. A null id counts as none. The column name says whose id it holds:

- ``id``: a record of the statement's own collection, for a part that of its part collection (the
  owner's id). It is that also if the changed row is a child or link.
- ``<collection>`` or ``<collection> <operation>``: a record that a side effect changed. A suffix of
  the collection after a dot distinguishes columns of the same collection.
- ``shown``: a flag, not an id. If true, the record of the row's ``id`` is a cause: records that
  show it change, too. Readers of the change feed find these (fan-out on read).
- ``cause <name>``: an id of another cause. The name may have a dot.

Source: contract, Changes.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

import orjson

from service.database.connections import Connection
from service.database.statements import load
from service.organizations.caller import Caller
from service.queries.bound_statements import BoundStatement
from service.queries.new_ids import next_ids

Records: TypeAlias = Mapping[str, Mapping[str, Sequence[int]]]
"""Sorted ids of changed records, by collection, then by operation."""

CREATED: Final = "created"
UPDATED: Final = "updated"
DELETED: Final = "deleted"
SHOWN: Final = "shown"
_CAUSE: Final = "cause"
SETTINGS: Final = "settings"
"""Name of the organization's settings as a cause; its id is that of the organization."""

Rows: TypeAlias = Sequence[Mapping[str, Any]]
"""Rows that a write statement returned."""

_INSERT: Final = load("changes")["record"].text


class ChangeRecorder:
    """Ids that one write changed, by collection.

    ``causes`` has, by cause, the ids of records whose change also changes the records that show
    them. A cause is a collection, or the name of a column ``cause <name>``.
    """

    def __init__(self) -> None:
        self.ids: defaultdict[str, set[int]] = defaultdict(set)
        self.causes: defaultdict[str, set[int]] = defaultdict(set)
        self.operations: defaultdict[str, dict[str, set[int]]] = defaultdict(dict)
        """Operations that column names have: ids by collection, then by operation."""

    def collect(self, collection: str, rows: Rows) -> None:
        """Add the rows that one statement returned; ``collection`` is that of its column ``id``."""
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
        """Return the statement that inserts the change into the outbox; None if no record changed.

        Its parameters begin after the change's id, ``$2``. Causes alone are not inserted. The
        caller executes the statement in the write's own transaction. ``record_operations`` has the
        ids of created and deleted records, by collection, then by operation; those that were not
        collected are left out. All other collected ids are updated. Operations of column names hold
        only for collections that ``record_operations`` lacks.
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
    """Insert a change of the organization's settings into the outbox, in the caller's transaction.

    It names no records, API key or request: readers of the feed find the records that show it.
    """
    statement = _insert_statement({}, {SETTINGS: [organization_id]}, None, None)
    (change_id,) = await next_ids(connection, "change", 1)
    await connection.execute(statement.text, organization_id, change_id, *statement.parameters)


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
