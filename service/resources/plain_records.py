"""Plain records: master records whose fields are columns; statements are generated from schemas.

Statements in ``sql/<name>.sql`` add to the generated ones or override them.
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
"""SQL types of columns other than text, by kind of the stored values."""
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
"""SQL parts for records with an ``end_date``: the time since which a record is not active."""
_SLOTS: Final = ("state", "end_date")
"""Columns that a hard delete changes in the last document."""


class PlainRecord(MasterRecord):
    """Master record with scalar fields; state changes set its ``endDate``, if it has one.

    The resource's own SQL file may have parts of the generated statements: ``record`` overrides
    the rows of documents, to add counts, and ``more`` joins lists to the page as texts.
    """

    shown: ClassVar[tuple[str, ...]] = ()
    """Fields that documents of other records show."""
    counted_by: ClassVar[Mapping[str, str]] = {}
    """Collections whose documents count live records, by the field that refers to them."""

    def load_statements(self) -> Mapping[str, Statement]:
        """Return the generated statements, and those of the resource's own SQL file."""
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
        """Return the SQL of a document of a form, with slots if the resource has hard deletes."""
        slots = _SLOTS if form == "document" and "purge" in self.deletes else ()
        return _rendered(schemas.definition(self.name, form), slots)

    def _written(self) -> dict[str, str]:
        """Return the SQL parts of writes: a column for each writable scalar field."""
        fields = schemas.definition(self.name, "writable").properties
        columns = {name: column_of(name) for name in fields if _kind(fields[name]) != "array"}
        types = {name: _TYPES.get(_stored_kind(fields[name]), "text") for name in columns}
        item_values = {name: f'item."{name}"' for name in columns}
        state = {"state": "coalesce(item.state, 'active')"} if "state" in columns else {}
        return {
            "columns": ", ".join(columns.values()),
            "types": ", ".join(f'"{name}" {kind}' for name, kind in types.items()),
            "new": ", ".join((item_values | state).values()),
            "assigned": ", ".join(f"{columns[name]} = {item_values[name]}" for name in columns),
            "held": ", ".join(f"stored.{column}" for column in columns.values()),
            "sent": ", ".join(item_values.values()),
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
    """Return the SQL condition that an update changed any of the columns."""
    if not columns:
        return "false"
    stored, before = (
        ", ".join(f"{of}.{column}" for column in columns) for of in ("stored", "before")
    )
    return f"row({stored}) is distinct from row({before})"


def _counted_anew(column: str, collection: str) -> str:
    """Return the SQL of the records whose count an update changes: former and new reference."""
    moved = (
        f"(stored.{column}, stored.state = 'deleted')"
        f" is distinct from (before.{column}, before.state = 'deleted')"
    )
    return "".join(
        f", case when {of}.state <> 'deleted' and {moved} then {of}.{column} end"
        f' as "{collection}"'
        for of in ("before", "stored")
    )


def _kind(resolved: ResolvedSchema) -> str:
    return next(iter(resolved.types - {"null"}))


def _stored_kind(resolved: ResolvedSchema) -> str:
    """Return the kind of the stored values: an integer, even if documents show a string."""
    return str(resolved.schema.get("x-stored", _kind(resolved)))


def _rendered(shape: ResolvedSchema, slots: Collection[str]) -> str:
    """Return the SQL of a document: columns as JSON members, in the schema's order.

    Columns named in ``slots`` become ``{{slots}}`` to bind later.
    """
    required, parts = shape.schema.get("required", ()), list[str]()
    for name, resolved in shape.properties.items():
        key, column = f'"{name}":', column_of(name)
        value = _value(f"{{{{{column}}}}}" if column in slots else column, resolved)
        if _kind(resolved) == "array" or (name in required and "null" not in resolved.types):
            parts.append(f"',{key}' || {value}")
        elif name in required:
            parts.append(f"',{key}' || coalesce({value}, 'null')")
        else:
            parts.append(f"coalesce(',{key}' || {value}, '')")
    first, *rest = parts
    opened = "'{" + first.removeprefix("',")
    return " || ".join((opened, *rest, "'}'"))


def _value(column: str, resolved: ResolvedSchema) -> str:
    """Return the SQL of a column's JSON value; it is null if the column is."""
    kind = _kind(resolved)
    if resolved.schema.get("maxItems") == 0:
        return "'[]'"
    if kind == "array":
        return f"'[' || coalesce({column}, '') || ']'"
    if kind == "integer":
        return f"{column}::text"
    if resolved.schema.get("format") == "date-time":
        return f"'\"' || {_UTC.format(column)} || '\"'"
    is_number = _stored_kind(resolved) == "integer"
    return f"to_json({column}::text)::text" if is_number else f"to_json({column})::text"
