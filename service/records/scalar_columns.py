"""Scalar columns: SQL generated from a collection's schema, for slots of its statements.

A scalar is a field without a list, or a set of plain values (``x-stored``: ``values``), an array.
Its column is its name in snake case. ``{{new_columns}}``,
``{{new_types}}`` and ``{{new_values}}`` are for the insert: fields of the form ``create``.
``{{types}}``, ``{{assigned}}``, ``{{stored_values}}`` and ``{{sent_values}}`` are for the update:
fields of the form ``writable``. In both, ``item`` is the item of the request, and in the update,
``stored`` is the row. ``{{document_scalars}}`` and ``{{writable_scalars}}`` open the JSON object of
a form, with its members up to the first list; the statement closes it.
"""

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from itertools import takewhile
from typing import Final

from service import schemas
from service.listing.page_sql import UTC_TEXT, column_of
from service.schemas.definitions import ResolvedSchema
from service.schemas.visible_text import VISIBLE_SQL
from service.schemas.write_forms import FIXED

_TYPES: Final = {
    "boolean": "boolean",
    "date": "date",
    "decimal": "jsonb",
    "integer": "bigint",
    "number": "double precision",
    "values": "text[]",
}
"""SQL types of what items have for columns other than text, by kind of the stored values."""
_DECIMAL: Final = "({} #>> '{{}}')::numeric"
"""SQL of a decimal number in an item, which is a text or a number."""
_NEW_DECIMAL: Final = (
    f"(case when jsonb_typeof({{0}}) = 'number' and {_DECIMAL.format('{0}')} = stored.{{1}}"
    f" then stored.{{1}} else {_DECIMAL.format('{0}')} end)"
).replace("'{}'", "'{{}}'")
"""SQL of one that replaces a stored one: a number that equals it keeps its digits."""
_KEY_OR_NULL: Final = f"case when {{0}} ~ {VISIBLE_SQL} then {{0}} end"
"""SQL of a stored own key that writes may keep: a blank one belongs to nobody."""


def slots(
    collection: str,
    *,
    late: Collection[str] = (),
    without: Collection[str] = (),
    keeps_omitted: bool = False,
) -> dict[str, str]:
    """Return the SQL of a collection's scalar columns, by slot.

    The insert and the update leave out the fields named in ``without``.

    In the document, columns named in ``late`` become slots of their name, to bind later. With
    ``keeps_omitted``, an update keeps the values of fields that an item omits or that are null,
    except for fields that documents show as null.
    Otherwise these become null, or the default of ``_sent``.
    """
    document = schemas.definition(collection, "document")
    writable = schemas.definition(collection, "writable")
    own_key = schemas.key_fields(collection)[:1]
    return {
        **_insert_slots(collection, without),
        **_update_slots(collection, without, keeps_omitted=keeps_omitted),
        "document_scalars": object_sql(document, _leading_scalars(document), late),
        "writable_scalars": object_sql(writable, _leading_scalars(writable), keys=own_key),
    }


def document_sql(
    collection: str, form: str, late: Collection[str] = (), as_json: Collection[str] = ()
) -> str:
    """Return the SQL of a whole document in a form: ``document`` or ``writable``.

    Members are in the schema's order. A list is a column of texts: its elements as JSON, joined by
    commas. Columns named in ``late`` become slots; those named in ``as_json`` are JSON already.
    """
    shape = schemas.definition(collection, form)
    keys = schemas.key_fields(collection)[:1] if form == "writable" else ()
    return joined([object_sql(shape, shape.properties, late, keys, as_json), "'}'"])


def members_sql(shape: ResolvedSchema, keys: Collection[str] = ()) -> str:
    """Return the SQL of all members of a JSON object without its braces, as ``document_sql``."""
    return "'" + object_sql(shape, shape.properties, keys=keys).removeprefix("'{")


def braced(members: str) -> str:
    """Return the SQL of the JSON object of ``members_sql``."""
    return joined(["'{'", members, "'}'"])


def _insert_slots(collection: str, without: Collection[str]) -> dict[str, str]:
    create = schemas.definition(collection, "create").properties.items()
    fields = {name: field for name, field in create if is_scalar(field) and name not in without}
    return {
        "new_columns": ", ".join(map(column_of, fields)),
        "new_types": _column_types(fields),
        "new_values": ", ".join(_sent(collection, "create", name) for name in fields),
    }


def _update_slots(
    collection: str, without: Collection[str], *, keeps_omitted: bool
) -> dict[str, str]:
    fields = _updated(collection, without)
    values = {
        column_of(name): _kept_or_sent(collection, name)
        if keeps_omitted
        else _sent(collection, "replace", name)
        for name in fields
    }
    # 12.5 and 12.50 are equal, but not the same text.
    exact = {column_of(n): "::text" for n, f in fields.items() if _stored_kind(n, f) == "decimal"}
    return {
        "types": _column_types(fields),
        "assigned": ", ".join(f"{column} = {value}" for column, value in values.items()),
        "stored_values": ", ".join(f"stored.{column}{exact.get(column, '')}" for column in values),
        "sent_values": ", ".join(f"{v}{exact.get(column, '')}" for column, v in values.items()),
    }


def _updated(collection: str, without: Collection[str]) -> dict[str, ResolvedSchema]:
    """Return the scalar fields that an update may change."""
    sent = schemas.definition(collection, "fields").properties
    fixed = {name for name, field in sent.items() if FIXED in field.schema}
    writable = schemas.definition(collection, "writable").properties.items()
    left_out = fixed.union(without)
    return {name: field for name, field in writable if is_scalar(field) and name not in left_out}


def _kept_or_sent(collection: str, name: str) -> str:
    """Return the SQL of a field's new value, which is the stored one unless it may be null."""
    if "null" in schemas.definition(collection, "document").properties[name].types:
        return _sent(collection, "replace", name)
    stored = f"stored.{column_of(name)}"
    if name in schemas.key_fields(collection)[:1]:
        stored = _KEY_OR_NULL.format(stored)
    return f'coalesce(item."{name}", {stored})'


def is_scalar(field: ResolvedSchema) -> bool:
    """Return whether the field is a column; read-only fields of a request have no type."""
    return bool(field.types) and ("array" not in field.types or is_value_set(field))


def is_value_set(field: ResolvedSchema) -> bool:
    """Return whether the field is a set of plain values, such as country codes."""
    return field.schema.get("x-stored") == "values"


def _column_types(fields: Mapping[str, ResolvedSchema]) -> str:
    """Return the column definitions of ``jsonb_to_recordset``, which have the fields' names."""
    return ", ".join(f'"{name}" {type_of(name, field)}' for name, field in fields.items())


def type_of(name: str, field: ResolvedSchema) -> str:
    """Return the SQL type of a field's column."""
    return _TYPES.get(_stored_kind(name, field), "text")


def _sent(collection: str, form: str, name: str) -> str:
    """Return the SQL of a field's value in an item, with a default in place of null.

    A column needs one if all documents have a value, but the form may omit it: false, an empty set,
    or the first value of an enumeration.
    """
    document, shape = (
        schemas.definition(collection, "document"),
        schemas.definition(collection, form),
    )
    value = f'item."{name}"'
    if _stored_kind(name, shape.properties[name]) == "decimal":
        value = (_DECIMAL if form == "create" else _NEW_DECIMAL).format(value, column_of(name))
    if name in shape.schema.get("required", ()) or not _is_present(document, name):
        return value
    resolved = document.properties[name]
    if _kind(resolved) == "boolean":
        return f"coalesce({value}, false)"
    if is_value_set(resolved):
        return f"coalesce({value}, '{{}}')"
    return f"coalesce({value}, '{resolved.schema['enum'][0]}')" if _is_enum(resolved) else value


def _leading_scalars(shape: ResolvedSchema) -> Iterable[str]:
    return takewhile(lambda name: is_scalar(shape.properties[name]), shape.properties)


def object_sql(
    shape: ResolvedSchema,
    names: Iterable[str],
    late: Collection[str] = (),
    keys: Collection[str] = (),
    as_json: Collection[str] = (),
) -> str:
    """Return the SQL that opens a JSON object with the named members; blank ``keys`` are null."""
    columns = {name: column_of(name) for name in names}
    columns |= {name: f"{{{{{column}}}}}" for name, column in columns.items() if column in late}
    columns |= {
        name: _KEY_OR_NULL.format(column_of(name))
        for name in keys
        if "null" in shape.properties[name].types
    }
    members = joined(
        _member(shape, name, column if name in as_json else _value(column, name, shape))
        for name, column in columns.items()
    )
    return "'{" + members.removeprefix("',")


def _member(shape: ResolvedSchema, name: str, value: str) -> str:
    """Return the SQL of a member with a value, with the comma before it."""
    member = joined([f"',\"{name}\":'", value])
    if _kind(shape.properties[name]) == "array" or _is_present(shape, name):
        return member
    if name in shape.schema.get("required", ()):
        return f"',\"{name}\":' || coalesce({value}, 'null')"
    return f"coalesce({member}, '')"


def _is_present(shape: ResolvedSchema, name: str) -> bool:
    """Return whether each document has the field, with a value."""
    return name in shape.schema.get("required", ()) and "null" not in shape.properties[name].types


def _value(column: str, name: str, shape: ResolvedSchema) -> str:
    """Return the SQL of a column's JSON value; it is null if the column is."""
    resolved = shape.properties[name]
    kind = _kind(resolved)
    if resolved.schema.get("maxItems") == 0:
        return "'[]'"
    if kind == "array" and not is_value_set(resolved):
        return f"'[' || coalesce({column}, '') || ']'"
    if kind in ("boolean", "integer", "number"):
        return f"{column}::text"
    if resolved.schema.get("format") == "date-time":
        text = column if column.startswith("{{") else UTC_TEXT.format(column)
        return f"'\"' || {text} || '\"'"
    if _stored_kind(name, resolved) in ("decimal", "integer") or _is_enum(resolved):
        # Nothing to escape.
        return f"'\"' || {column} || '\"'"
    return f"to_json({column})::text"


def _kind(resolved: ResolvedSchema) -> str:
    return next(iter(resolved.types - {"null"}))


def _is_enum(resolved: ResolvedSchema) -> bool:
    return "enum" in resolved.schema


def _stored_kind(name: str, resolved: ResolvedSchema) -> str:
    """Return the kind of the stored values: an integer, even if documents show a string."""
    if resolved.schema.get("format") == "date":
        return "date"
    return "integer" if name == "id" else str(resolved.schema.get("x-stored", _kind(resolved)))


def joined(expressions: Iterable[str]) -> str:
    """Return the concatenation of SQL texts, with adjacent literals as one."""
    return " || ".join(expressions).replace("' || '", "")


def decimal_text(value: str | float | None, stored: str | None = None) -> str | None:
    """Return the text of a value as PostgreSQL writes it: without exponent, a zero without sign.

    A text keeps its digits: ``52.50`` stays ``52.50``. A JSON number gets its shortest text, or
    ``stored``, the text that is stored now, if it equals that: a double carries no number of
    digits. The schema has checked the form of texts. None stays None.
    """
    if value is None:
        return None
    decimal = Decimal(value if isinstance(value, str) else repr(value))
    if not isinstance(value, str) and stored is not None and Decimal(stored) == decimal:
        return stored
    return format(abs(decimal) if decimal.is_zero() else decimal, "f")


def shortest(value: str | float | None) -> str | float | None:
    """Return the value, 120 for a number sent as 120.0, for columns that may have no decimals."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def digits_after_point(value: str | float | None) -> int:
    """Return the digits after the point: of a text all, of a JSON number those that count."""
    if value is None:
        return 0
    number = Decimal(value if isinstance(value, str) else repr(value))
    exponent = (number if isinstance(value, str) else number.normalize()).as_tuple().exponent
    return max(-int(exponent), 0)
