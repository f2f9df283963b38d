"""Master records whose fields are columns: their statements are made from their schemas.

What is in ``sql/<name>.sql`` comes beside these statements, or in place of them.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from service import schemas
from service.database.statements import Statement, load, load_bound
from service.files import SQL
from service.listing.pages import column_of
from service.queries.master_record import MasterRecord
from service.schemas.definitions import Located

_UTC: Final = "to_char({} at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"


class PlainRecord(MasterRecord):
    """A record of texts and ids. Lists in its documents are texts that ``more`` joins to the page.

    ``more`` is a part of ``documents`` and ``writables`` in its own file, if it has any.
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
        parts = self._written() | {
            "table": self.table,
            "more": more.text if more else "",
            "deletion_shows": str("state" in self.shown).lower(),
        }
        bound = load_bound("plain_records", **parts)
        shape = bound.pop("shape")
        for name, form in (("documents", "document"), ("writables", "writable")):
            rendered = _rendered(schemas.definition(self.name, form))
            bound[name] = shape.bind(rendered=rendered)
        for name in {"delete", "purge"}.difference(self.deletes):
            del bound[name]
        return {**bound, **own}

    def _written(self) -> dict[str, str]:
        """The parts that writes have: a column for each writable field."""
        fields = schemas.definition(self.name, "writable").properties
        columns = {name: column_of(name) for name in fields if name not in self.written_separately}
        types = {name: "bigint" if _is_number(fields[name]) else "text" for name in columns}
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


def _kind(located: Located) -> str:
    return next(iter(located.types - {"null"}))


def _is_number(located: Located) -> bool:
    """Whether the column holds a number, also where callers know it as a text."""
    return bool(located.schema.get("x-stored", _kind(located)) == "integer")


def _rendered(shape: Located) -> str:
    """The SQL of a document of that shape: its columns in JSON, in the schema's order."""
    required, parts = shape.schema.get("required", ()), list[str]()
    for name, located in shape.properties.items():
        key, column = f'"{name}":', column_of(name)
        value = _value(column, located)
        if _kind(located) == "array" or (name in required and "null" not in located.types):
            parts.append(f"',{key}' || {value}")
        elif name in required:
            parts.append(f"',{key}' || coalesce({value}, 'null')")
        else:
            parts.append(f"coalesce(',{key}' || {value}, '')")
    first, *rest = parts
    opened = "'{" + first.removeprefix("',")
    return " || ".join((opened, *rest, "'}'"))


def _value(column: str, located: Located) -> str:
    """The SQL of a column's value in JSON, null where it has none."""
    kind = _kind(located)
    if kind == "array":
        return f"'[' || coalesce({column}, '') || ']'"
    if kind == "integer":
        return f"{column}::text"
    if located.schema.get("format") == "date-time":
        return f"'\"' || {_UTC.format(column)} || '\"'"
    return f"to_json({column}::text)::text" if _is_number(located) else f"to_json({column})::text"
