"""Allowed values of custom fields: complete sets, of which only the differences are written.

Source: contract, Allowed values.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from service.database.connections import Connection
from service.database.id_arrays import id_array
from service.database.statements import Statement
from service.error_types import ErrorType
from service.organizations.caller import Caller
from service.queries.batch import Batch
from service.queries.bound_statements import BoundStatement, WritePlan
from service.queries.matching import MatchKey, Row, match_existing
from service.queries.new_ids import next_ids
from service.queries.write_set import WriteSet

Rows: TypeAlias = dict[int, Row]
"""Stored values as rows (``AllowedValues``), by the id of the value."""
_IS_NEW: Final = "isNew"
"""Member that marks values whose id is new, and not that of a stored value."""


class AllowedValueEntry(NamedTuple):
    """Allowed value in a request, with its position."""

    item_index: int
    """Index of the item in the batch."""
    value_index: int
    """Index of the value in the item's ``allowedValues``."""
    field_id: int
    """Id of the custom field, which is that of the item."""
    value: dict[str, Any]
    """Value as the request has it, or a copy with an id."""

    def fail(self, batch: Batch, member: str, message: str) -> None:
        """Add ``unknown_reference`` to the batch, at a member of the value."""
        path = ("allowedValues", self.value_index, member)
        batch.fail(self.item_index, ErrorType.UNKNOWN_REFERENCE, *path, message=message)


def allowed_value_entries(batch: Batch, having: str = "value") -> Iterator[AllowedValueEntry]:
    """Yield the allowed values of all items, those whose member ``having`` is not null."""
    for item_index, item in enumerate(batch.items):
        for value_index, value in enumerate(item.get("allowedValues") or ()):
            if value.get(having) is not None:
                yield AllowedValueEntry(item_index, value_index, item["id"], value)


class NamedValue(NamedTuple):
    """Allowed value that values of child fields can refer to."""

    id: int
    value: str
    reference: str | None
    """The ``userDefinedId``."""

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> "NamedValue":
        """Return the named value of a value in a request, which must have an id."""
        return cls(value["id"], value["value"], value.get("userDefinedId"))


@dataclass(slots=True)
class ValueDifferences:
    """Differences between the stored allowed values and those of a request."""

    unknown: list[AllowedValueEntry] = field(default_factory=list)
    """Values with an id that is not one of the field's; ``plan`` ignores them."""
    changed: list[AllowedValueEntry] = field(default_factory=list)
    """Values with the id of a stored value from which they differ."""
    new: list[AllowedValueEntry] = field(default_factory=list)
    """Values that match no stored one, with new ids."""
    removed: list[int] = field(default_factory=list)
    """Ids of stored values that the request leaves out, sorted."""


#: Keys that match values without an id to stored ones, in this order: the row but for the first two
#: ids, the reference and the value, the reference, the value. The reference is ``userDefinedId``.
_MATCH_KEYS: tuple[MatchKey, ...] = (
    lambda row: row[2:],
    lambda row: (row[3], row[2]) if row[3] else None,
    lambda row: row[3] or None,
    lambda row: row[2],
)


class AllowedValues:
    """Store of the allowed values of one kind of custom fields, in ``table``.

    Values keep their identity: by id, else by a stored value of the field that no other value
    claims and that is equal in one of ``_MATCH_KEYS``.

    A row has the field's id, the value's id, value, ``userDefinedId``, ``isDefaultValue``, and the
    id in the member ``pointer``; None for kinds without one, whose pointer is empty. The statement
    ``stored_values`` takes ids of fields and returns one row, an array per column. The statements
    ``update_values`` and ``insert_values`` take rows as JSON arrays. ``removals`` are the names of
    the statements that take the ids of removed values, in the order in which they run.
    """

    def __init__(
        self,
        statements: Mapping[str, Statement],
        table: str,
        pointer: str,
        removals: Sequence[str],
    ) -> None:
        self._statements = statements
        self._table = table
        self._pointer = pointer
        self._removals = removals

    async def compare(self, connection: Connection, write_set: WriteSet) -> ValueDifferences:
        """Return the differences between the stored values of the upserts' fields and their values.

        The custom fields are locked. An item's values are its field's complete set: stored values
        that it omits are ``removed``, all of them if it has no ``allowedValues``. New fields have
        no stored values.
        """
        batch = write_set.upserts
        is_new = len(write_set.created_ids) == len(batch.items)
        stored = {} if is_new else await self._stored(connection, batch.caller, batch.ids)
        entries, matched_ids = self._unequal(batch, stored)
        differences = ValueDifferences()
        for entry in self._with_ids(entries, stored, matched_ids):
            value_id = entry.value.get("id")
            row = stored.get(value_id or 0)
            if row and row[0] == entry.field_id:
                matched_ids.add(row[1])
                if row != self._row(entry.field_id, entry.value):
                    differences.changed.append(entry)
            elif value_id is None or entry.value.get(_IS_NEW):
                differences.new.append(entry)
            else:
                differences.unknown.append(entry)
        differences.removed = sorted(stored.keys() - matched_ids)
        differences.new = await self._with_new_ids(connection, differences.new)
        return differences

    def _unequal(self, batch: Batch, stored: Rows) -> tuple[list[AllowedValueEntry], set[int]]:
        """Return the values that do not equal the stored one with their id, and the others' ids.

        Most values of most requests are equal. Making a row of each takes twice the time.
        """
        entries, equal_ids = list[AllowedValueEntry](), set[int]()
        for item_index, item in enumerate(batch.items):
            field_id = item["id"]
            for value_index, value in enumerate(item.get("allowedValues") or ()):
                get = value.get
                row = stored.get(get("id") or 0)
                if (
                    row is not None
                    and row[0] == field_id
                    and row[2] == get("value")
                    and row[3] == get("userDefinedId")
                    and row[4] == (get("isDefaultValue") or False)
                    and row[5] == get(self._pointer)
                ):
                    equal_ids.add(row[1])
                elif get("value") is not None:
                    entries.append(AllowedValueEntry(item_index, value_index, field_id, value))
        return entries, equal_ids

    async def after_request(
        self, connection: Connection, batch: Batch, field_ids: set[int]
    ) -> dict[int, list[NamedValue]]:
        """Return the values of fields as the request leaves them, by field id.

        Those of fields in the batch are the batch's, those of other fields are stored ones. If any
        of ``field_ids`` is in the batch, all values of the batch get ids first: of the stored
        values that they match, or new ones. The items' lists change then: the caller has copied
        them.
        """
        stored = await self._stored(connection, batch.caller, {*batch.ids, *field_ids})
        if field_ids & {*batch.ids}:
            await self._identify(connection, batch, stored)
        values = defaultdict[int, list[NamedValue]](list)
        for entry in allowed_value_entries(batch):
            if entry.value.get("id"):
                values[entry.field_id].append(NamedValue.of(entry.value))
        for field_id, value_id, text, reference, *_ in stored.values():
            if field_id in field_ids - {*batch.ids}:
                values[field_id].append(NamedValue(value_id, text, reference))
        return values

    async def _identify(
        self, connection: Connection, batch: Batch, stored: Mapping[int, Row]
    ) -> None:
        """Give each value of the batch without an id that of its match, or a new one."""
        entries = self._with_ids([*allowed_value_entries(batch)], stored)
        for entry in await self._with_new_ids(connection, entries):
            batch.items[entry.item_index]["allowedValues"][entry.value_index] = entry.value

    async def _with_new_ids(
        self, connection: Connection, entries: list[AllowedValueEntry]
    ) -> list[AllowedValueEntry]:
        """Return the entries; give values without an id a new one, in copies."""
        count = sum(entry.value.get("id") is None for entry in entries)
        ids = iter(await next_ids(connection, self._table, count))
        return [
            entry
            if entry.value.get("id") is not None
            else entry._replace(value=entry.value | {"id": next(ids), _IS_NEW: True})
            for entry in entries
        ]

    async def _stored(
        self, connection: Connection, caller: Caller, field_ids: Iterable[int]
    ) -> Rows:
        """Return the rows of the stored values of fields, by the id of the value."""
        columns = await connection.fetchrow(
            self._statements["stored_values"].text, caller.organization_id, id_array(field_ids)
        )
        rows = zip(*[column or () for column in columns], strict=True)
        if self._pointer:
            return {row[1]: row for row in rows}
        return {row[1]: (*row, None) for row in rows}

    def _with_ids(
        self,
        entries: list[AllowedValueEntry],
        stored: Mapping[int, Row],
        matched_ids: Set[int] = frozenset(),
    ) -> list[AllowedValueEntry]:
        """Return the entries; give values without an id that of the stored value that they match.

        The others have none. Other values of the request claim the stored values of
        ``matched_ids``. Values that get an id are copied.
        """
        request_ids = {entry.value.get("id") for entry in entries}
        if None not in request_ids:
            return entries
        request_ids |= matched_ids
        free_rows, new_rows = defaultdict[int, Rows](dict), defaultdict[int, Rows](dict)
        for value_id, row in stored.items():
            if value_id not in request_ids:
                free_rows[row[0]][value_id] = row
        for index, entry in enumerate(entries):
            if entry.value.get("id") is None:
                new_rows[entry.field_id][index] = self._row(entry.field_id, entry.value)
        for field_id, rows in new_rows.items():
            for index, value_id in match_existing(rows, free_rows[field_id], _MATCH_KEYS).items():
                value = entries[index].value | {"id": value_id}
                entries[index] = entries[index]._replace(value=value)
        return entries

    def plan(self, differences: ValueDifferences) -> WritePlan:
        """Return the statements that store the differences; [] if there are none.

        Inserts come first, because changed values may refer to new ones. Removals come last, so
        that no value refers to a removed one.
        """
        changed, removed, new = differences.changed, differences.removed, differences.new
        return [
            *([self._bound("insert_values", self._json(new))] if new else ()),
            *([self._bound("update_values", self._json(changed))] if changed else ()),
            *(self._bound(name, removed) for name in (self._removals if removed else ())),
        ]

    def _bound(self, name: str, argument: str | list[int]) -> BoundStatement:
        return BoundStatement(self._statements[name].text, (argument,))

    def _json(self, entries: list[AllowedValueEntry]) -> str:
        rows = [self._row(entry.field_id, entry.value) for entry in entries]
        return orjson.dumps(rows).decode()

    def _row(self, field_id: int, value: Mapping[str, Any]) -> Row:
        get = value.get
        parent_id = get(self._pointer)
        return (
            field_id,
            get("id"),
            get("value"),
            get("userDefinedId"),
            get("isDefaultValue") or False,
            # A key object, whose id is not known yet, counts as null.
            None if isinstance(parent_id, dict) else parent_id,
        )
