"""Column listing option: `selvedge import --columns COLLECTION` lists the columns of CSV files.

Fields that the service sets, which an import ignores, are not listed.
"""

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from service.console import say
from service.extras.commands.prompts import print_table
from service.extras.tables.cells import EMPTY_LIST, SEPARATOR
from service.extras.tables.fields import Field
from service.extras.transfer.collections import (
    TransferCollection,
    require_collection,
    transfer_collections,
)
from service.extras.transfer.errors import TransferError
from service.schemas.write_forms import DECIMALS

_KINDS: Final = {
    "boolean": "true or false",
    "integer": "whole number",
    "number": "decimal number",
    "string": "text",
}
"""Value descriptions by JSON type. A field with several types has the first match."""
_UNBOUNDED: Final = 2**53
"""Maxima above this are those of the number's type, not of the field, and are not listed."""
_SPANS: Final = (
    ("minLength", "maxLength", " characters"),
    ("minimum", "maximum", ""),
    ("minItems", "maxItems", " entries"),
)
_NOTE = """
List entries are numbered: [0] is the first, [1] the second. An empty cell leaves its field out.
"required" applies within an entry. Columns of fields that the service sets are ignored."""


class ListColumns(Action):
    """Option that prints the columns of a collection and exits, as ``--help`` does."""

    def __call__(
        self, parser: ArgumentParser, _: Namespace, values: Any, __: str | None = None
    ) -> None:
        """Print the columns and exit with 0; for an unknown collection exit with an error and 2."""
        collections = transfer_collections()
        try:
            require_collection(values, collections)
        except TransferError as error:
            parser.error(str(error))
        print_table(("column", "value", "required", "allowed"), column_rows(collections[values]))
        say(*_NOTE.split("\n"))
        parser.exit()


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
    for row in _rows(collection.all_fields, ""):
        if row.column == "id":
            yield row._replace(allowed="id of the record within the files: references name it")
        elif row.column == collection.key_fields[0] != collection.id_field:
            yield row._replace(allowed="; ".join(filter(None, (row.allowed, "the own key"))))
        else:
            yield row


def _rows(fields: Field, prefix: str) -> Iterator[ColumnRow]:
    for name, field in fields.members.items():
        path, items = prefix + name, field.items or Field()
        if field.members:
            yield from _rows(field, f"{path}.")
            continue
        allowed, kind = [*_spans(field.limits)], _kind(field)
        if items.members:
            kind, allowed = "list", [*allowed, f"{EMPTY_LIST} for none"]
        elif field.items:
            kind = f"{_kind(items)}s, separated by {SEPARATOR}"
        if fields.owner and name == fields.own_id:
            allowed = [f"id of the entry of {fields.owner} within the files"]
        elif field.items:
            allowed += _targets(field)
        else:
            allowed = [*_targets(field)] or allowed
        required = "yes" if name in fields.required else ""
        yield ColumnRow(path, kind, required, "; ".join(allowed))
        yield from _rows(items, f"{path}[0].")


def _targets(field: Field) -> Iterator[str]:
    """Yield of which collection the ids of a reference, or of a list of them, are."""
    ids, items = ("ids", field.items) if field.items else ("an id", field)
    if target := field.refers_to or items.refers_to:
        yield f"{ids} in {target}"


def _kind(field: Field) -> str:
    if field.limits.get("format") == "date":
        return "day, YYYY-MM-DD"
    return next((kind for type_, kind in _KINDS.items() if type_ in field.types), "text")


def _spans(limits: Any) -> Iterator[str]:
    """Yield the allowed values, decimals, lengths or range of a field."""
    if "enum" in limits:
        yield ", ".join(str(value) for value in limits["enum"] if value is not None)
    elif DECIMALS in limits:
        yield f"at most {limits[DECIMALS]} digits after the point"
    else:
        for low, high, unit in _SPANS:
            minimum, maximum = limits.get(low), limits.get(high, _UNBOUNDED + 1)
            if maximum <= _UNBOUNDED:
                span = f"at most {maximum}" if minimum is None else f"{minimum} to {maximum}"
                yield f"{span}{unit}"
            elif minimum:
                yield f"{minimum} or more{unit}"
