"""Change recorder: collects the ids that a write's statements return, for the outbox.

The names of the columns say whose ids they hold (docs/adding-a-resource.md, Statements of its own).
All rows of a statement have the same columns.

Source: contract, Changes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from service.database.connections import Connection
from service.database.new_ids import next_ids
from service.database.statements import load
from service.organizations.caller import Caller


class BoundStatement(NamedTuple):
    """SQL text with its parameters, except the organization (``$1``)."""

    text: str
    parameters: tuple[Any, ...]
    before: str = ""
    """Statement with these parameters whose rows name the records that an insert changes."""


WritePlan: TypeAlias = list[BoundStatement]
"""Statements to execute in this order, once all checks have passed."""


Records: TypeAlias = Mapping[str, Mapping[str, Sequence[int]]]
"""Sorted ids of changed records, by collection, then by operation."""

CREATED: Final = "created"
UPDATED: Final = "updated"
DELETED: Final = "deleted"
SHOWN: Final = "shown"
_CAUSE: Final = "cause"
_PART: Final = "part"
SETTINGS: Final = "settings"
"""Name of the organization's settings as a cause; its id is that of the organization."""

ImageKey: TypeAlias = tuple[str, int, int]
"""Collection in the change feed, id of the record, and id of the part or 0."""


class Image(NamedTuple):
    """Writable form of a record or part before a transaction changes it."""

    version: int
    """Number among the versions of the record or part."""
    form: str | None
    """Writable form; None if it did not exist."""


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
            if column == _PART or column.endswith(f".{_PART}"):
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


class WriteChange(NamedTuple):
    """What the write of one collection changed."""

    collection: str
    """Collection of the written records in the change feed."""
    recorder: ChangeRecorder
    operations: Mapping[str, Mapping[str, Collection[int]]]
    """Ids of created and deleted records, by collection, then by operation.

    Those that were not collected do not count. All other collected ids are updated. Operations of
    column names hold only for collections that are missing here.
    """


def change_statement(
    caller: Caller,
    request_id: str,
    changes: Iterable[WriteChange],
    without_versions: Collection[str] | None,
) -> BoundStatement | None:
    """Return the statement that inserts a change into the outbox; None if no record changed.

    ``changes`` are those of the writes of one transaction, in their order. The parameters begin
    after the change's id, ``$2``. Causes alone are not inserted.
    """
    final = defaultdict[str, dict[int, str]](dict)
    causes = defaultdict[str, set[int]](set)
    for collection, recorder, operations in changes:
        for name, ids in filter(itemgetter(1), recorder.ids.items()):
            of_collection = operations.get(name, recorder.operations[name])
            for operation, operation_ids in _by_operation(ids, of_collection).items():
                # Only a write of a deleted record itself restores it; others count it anew.
                stays = {CREATED} if name == collection else {CREATED, DELETED}
                stays = stays if operation == UPDATED else set()
                latest = final[name]
                staying = {id_ for id_ in latest.keys() & operation_ids if latest[id_] in stays}
                latest |= dict.fromkeys(operation_ids - staying, operation)
        for name, ids in recorder.causes.items():
            causes[name] |= ids
    if not final:
        return None
    records = {name: _in_groups(final[name]) for name in sorted(final)}
    sorted_causes = {name: sorted(ids) for name, ids in sorted(causes.items()) if ids}
    return insert_statement(records, sorted_causes, caller.key_id, request_id, without_versions)


async def record_settings(connection: Connection, organization_id: int, *, is_shown: bool) -> None:
    """Insert a change of the organization's settings into the outbox, in the caller's transaction.

    It names no API key or request. If other records show it, readers of the feed find these.
    """
    records = {"organizations": {UPDATED: [organization_id]}}
    causes = {SETTINGS: [organization_id]} if is_shown else {}
    statement = insert_statement(records, causes, None, None)
    (change_id,) = await next_ids(connection, "change", 1)
    await connection.execute(statement.text, organization_id, change_id, *statement.parameters)


def insert_statement(
    records: Records,
    causes: Mapping[str, Sequence[int]],
    key_id: int | None,
    request_id: str | None,
    without_versions: Collection[str] | None = None,
) -> BoundStatement:
    """Return the statement that inserts a change into the outbox, as ``change_statement`` does.

    ``without_versions`` are the collections whose versions are not kept; None if none are.
    """
    parameters = (
        key_id,
        request_id,
        sum(len(ids) for operations in records.values() for ids in operations.values()),
        orjson.dumps(records).decode(),
        orjson.dumps(causes).decode() if causes else None,
        None if without_versions is None else f"{{{','.join(sorted(without_versions))}}}",
    )
    return BoundStatement(_INSERT, parameters)


def _by_operation(
    changed_ids: set[int], operation_ids: Mapping[str, Collection[int]]
) -> dict[str, set[int]]:
    """Return ids by operation; ids without another operation count as updated."""
    result = {operation: changed_ids.intersection(ids) for operation, ids in operation_ids.items()}
    result[UPDATED] = changed_ids.difference(*result.values())
    return result


def _in_groups(operations: Mapping[int, str]) -> dict[str, list[int]]:
    """Return the sorted ids by operation."""
    groups = defaultdict[str, list[int]](list)
    for record_id in sorted(operations):
        groups[operations[record_id]].append(record_id)
    return {name: groups[name] for name in (CREATED, DELETED, UPDATED) if name in groups}
