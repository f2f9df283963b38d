"""Listing of the columns that a CSV file can have, for ``selvedge import --columns``.

Two forms that an import accepts as well are not listed: fields that the service sets, which it
ignores, and lists of objects that documents show in place of lists of ids.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from service.transfer.cells import EMPTY_LIST, SEPARATOR
from service.transfer.collections import TransferCollection
from service.transfer.fields import Field

_KINDS: Final = {
    "boolean": "true or false",
    "integer": "whole number",
    "number": "decimal number",
    "string": "text",
}
"""Value descriptions by JSON type. A field with several types has the first match."""
_UNBOUNDED: Final = 2**53
"""Maxima above this are those of the number's type, not of the field, and are not listed."""


class ColumnRow(NamedTuple):
    """Row of the listing: name, kind of value, requiredness and allowed values of a column.

    ``required`` is "yes" or empty. Within an entry or object it means: if that one is there.
    """

    column: str
    kind: str
    required: str
    allowed: str


def column_rows(collection: TransferCollection) -> Iterator[ColumnRow]:
    """Yield a row for each column in the order of the schema, the id first, those of parts last.

    A list of objects has a row for the list itself, whose only cell text is ``[]``, and rows for
    the members of an entry, with the index ``[0]``. Objects have rows for their members alone.
    """
    fields, [own_key, *_] = collection.all_fields, (*collection.key_fields, None)
    for row in _rows(fields, ""):
        if row.column == "id":
            yield row._replace(allowed="id of the record within the files: references name it")
        else:
            is_key = row.column == own_key and own_key != collection.id_field
            yield row._replace(allowed=_joined(row.allowed, "the own key" if is_key else ""))


def _rows(fields: Field, prefix: str) -> Iterator[ColumnRow]:
    for name, field in fields.members.items():
        path, required = prefix + name, "yes" if name in fields.required else ""
        if field.items and field.items.members:
            allowed = _joined(_count(field), f"{EMPTY_LIST} for none")
            yield ColumnRow(path, "list", required, allowed)
            yield from _rows(field.items, f"{path}[0].")
        elif field.items:
            kind = f"{_kind(field.items)}s, separated by {SEPARATOR}"
            allowed = _joined(_count(field), _reference(field.items))
            yield ColumnRow(path, kind, required, allowed)
        elif field.members:
            yield from _rows(field, f"{path}.")
        else:
            is_own_id = bool(fields.owner) and name == fields.own_id
            own_id = f"id of the entry of {fields.owner} within the files"
            yield ColumnRow(path, _kind(field), required, own_id if is_own_id else _allowed(field))


def _kind(field: Field) -> str:
    return next((kind for type_, kind in _KINDS.items() if type_ in field.types), "text")


def _reference(field: Field) -> str:
    return f"ids in {field.refers_to}" if field.refers_to else ""


def _allowed(field: Field) -> str:
    """Return the target of a reference, else the allowed values, decimals, lengths or range."""
    if field.refers_to:
        return f"an id in {field.refers_to}"
    limits = field.limits
    if "enum" in limits:
        return ", ".join(str(value) for value in limits["enum"] if value is not None)
    if "x-decimals" in limits:
        return f"at most {limits['x-decimals']} digits after the point"
    if "string" in field.types:
        return _span(limits, "minLength", "maxLength", " characters")
    return _span(limits, "minimum", "maximum", "")


def _count(field: Field) -> str:
    return _span(field.limits, "minItems", "maxItems", " entries")


def _span(limits: Any, low: str, high: str, unit: str) -> str:
    minimum, maximum = limits.get(low), limits.get(high)
    if maximum is None or maximum > _UNBOUNDED:
        return f"{minimum} or more{unit}" if minimum else ""
    return f"{minimum} to {maximum}{unit}" if minimum is not None else f"at most {maximum}{unit}"


def _joined(*texts: str) -> str:
    return "; ".join(filter(None, texts))
