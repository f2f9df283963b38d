"""Master records whose fields are columns: their statements are made from their schemas.

What is in ``sql/<name>.sql`` comes beside these statements, or in place of them.
"""

from collections.abc import Collection, Mapping
from typing import ClassVar, Final

from service import schemas
from service.database.statements import Statement, load, load_bound
from service.files import SQL
from service.listing.page_sql import column_of
from service.queries.master_record import MasterRecord
from service.schemas.definitions import ResolvedSchema

_UTC: Final = "to_char({} at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"

_TYPES: Final = {"integer": "bigint", "number": "double precision"}
"""Of columns that hold no text, by the kind of their values."""
_UNDATED: Final = {
    "deleted": "state = 'deleted'",
    "moment": "",
    "end_column": "",
    "new_end": "",
    "end_assigned": "",
}
_DATED: Final = {
    "deleted": "state = 'deleted', end_date = now()",
    "moment": "cross join present",
    "end_column": ", end_date",
    "new_end": ", case item.state when 'inactive' then now() end",
    "end_assigned": ", end_date = case when item.state = 'active' then null"
    " when item.state = stored.state then stored.end_date else present.moment end",
}
"""What statements have beside where records have an end date: since when they are not active."""
_SLOTS: Final = ("state", "end_date")
"""Columns that are others in the last document of a record that goes for good."""


class PlainRecord(MasterRecord):
    """A record of single values. One that has an ``endDate`` has it set as its state changes.

    Its own file may have parts of these statements: ``record`` in place of the rows that are
    documents, with what is counted, and ``more``, which joins lists to the page as texts.
    """

    shown: ClassVar[tuple[str, ...]] = ()
    """The fields that others show of it."""
    counted_by: ClassVar[Mapping[str, str]] = {}
    """The collections that count live records, by the fields that name theirs."""

    def load_statements(self) -> Mapping[str, Statement]:
        """Those of all plain records, on this one's columns, and its own."""
        file = self.name.replace("-", "_")
        own = dict(load(file)) if (SQL / f"{file}.sql").exists() else {}
        more = own.pop("more", None)
        is_dated = "endDate" in schemas.definition(self.name, "document").properties
        bound = load_bound(
            "plain_records",
            **self._written(),
            **(_DATED if is_dated else _UNDATED),
            table=self.table,
            more=more.text if more else "",
            deletion_shows=str("state" in self.shown).lower(),
        )
        shape, record, present = (bound.pop(name) for name in ("shape", "record", "present"))
        bound["update"] = bound["update"].bind(present=f"{present.text}\n" if is_dated else "")
        for name, form, rows in (
            ("documents", "document", own.pop("record", record)),
            ("writables", "writable", record),
        ):
            bound[name] = shape.bind(record=rows.text, rendered=self._rendered(form))
        for name in {"delete", "purge"}.difference(self.deletes):
            del bound[name]
        return {**bound, **own}

    def _rendered(self, form: str) -> str:
        """The SQL of a document of that form; of records that go for good with slots."""
        slots = _SLOTS if form == "document" and "purge" in self.deletes else ()
        return _rendered(schemas.definition(self.name, form), slots)

    def _written(self) -> dict[str, str]:
        """The parts that writes have: a column for each writable field."""
        fields = schemas.definition(self.name, "writable").properties
        columns = {name: column_of(name) for name in fields if _kind(fields[name]) != "array"}
        types = {name: _TYPES.get(_stored_kind(fields[name]), "text") for name in columns}
        sent = {name: f'item."{name}"' for name in columns}
        new = sent | ({"state": "coalesce(item.state, 'active')"} if "state" in sent else {})
        return {
            "columns": ", ".join(columns.values()),
            "types": ", ".join(f'"{name}" {kind}' for name, kind in types.items()),
            "new": ", ".join(new.values()),
            "assigned": ", ".join(f"{columns[name]} = {sent[name]}" for name in columns),
            "held": ", ".join(f"stored.{column}" for column in columns.values()),
            "sent": ", ".join(sent.values()),
            "shows": _differs([column_of(name) for name in self.shown]),
            "counted": "".join(
                f', {column_of(name)} as "{collection}"'
                for name, collection in self.counted_by.items()
            ),
            "counted_anew": "".join(
                _counted_anew(column_of(name), collection)
                for name, collection in self.counted_by.items()
            ),
        }


def _differs(columns: list[str]) -> str:
    """Whether an update changed any of the columns."""
    if not columns:
        return "false"
    stored, before = (
        ", ".join(f"{of}.{column}" for column in columns) for of in ("stored", "before")
    )
    return f"row({stored}) is distinct from row({before})"


def _counted_anew(column: str, collection: str) -> str:
    """The records that count one more or one less after an update: the former and the present."""
    moved = (
        f"(stored.{column}, stored.state = 'deleted')"
        f" is distinct from (before.{column}, before.state = 'deleted')"
    )
    return "".join(
        f", case when {of}.state <> 'deleted' and {moved} then {of}.{column} end"
        f' as "{collection}"'
        for of in ("before", "stored")
    )


def _kind(located: ResolvedSchema) -> str:
    return next(iter(located.types - {"null"}))


def _stored_kind(located: ResolvedSchema) -> str:
    """The kind of the column's values: a number, also where callers know it as a text."""
    return str(located.schema.get("x-stored", _kind(located)))


def _rendered(shape: ResolvedSchema, slots: Collection[str]) -> str:
    """The SQL of a document of that shape: its columns in JSON, in the schema's order.

    Columns that are named as ``slots`` are filled in later.
    """
    required, parts = shape.schema.get("required", ()), list[str]()
    for name, located in shape.properties.items():
        key, column = f'"{name}":', column_of(name)
        value = _value(f"{{{{{column}}}}}" if column in slots else column, located)
        if _kind(located) == "array" or (name in required and "null" not in located.types):
            parts.append(f"',{key}' || {value}")
        elif name in required:
            parts.append(f"',{key}' || coalesce({value}, 'null')")
        else:
            parts.append(f"coalesce(',{key}' || {value}, '')")
    first, *rest = parts
    opened = "'{" + first.removeprefix("',")
    return " || ".join((opened, *rest, "'}'"))


def _value(column: str, located: ResolvedSchema) -> str:
    """The SQL of a column's value in JSON, null where it has none."""
    kind = _kind(located)
    if located.schema.get("maxItems") == 0:
        return "'[]'"
    if kind == "array":
        return f"'[' || coalesce({column}, '') || ']'"
    if kind == "integer":
        return f"{column}::text"
    if located.schema.get("format") == "date-time":
        return f"'\"' || {_UTC.format(column)} || '\"'"
    is_number = _stored_kind(located) == "integer"
    return f"to_json({column}::text)::text" if is_number else f"to_json({column})::text"
