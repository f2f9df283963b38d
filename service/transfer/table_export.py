"""CSV writer: converts an NDJSON file of records to a table that an import can read.

Cells are separated by commas, in UTF-8 with a byte order mark. The order of rows is that of lines.
"""

from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from service import csv_lines
from service.files import private
from service.transfer.cells import text_of
from service.transfer.columns import Path as ColumnPath
from service.transfer.columns import path_text
from service.transfer.encodings import TABLE_ENCODING
from service.transfer.fields import Field
from service.transfer.id_translation import shown_lists

_Order: TypeAlias = tuple[int, ...]
"""Sort key of a column: indexes of fields in their schema, and of entries in their list."""
_Cells: TypeAlias = dict[_Order, tuple[ColumnPath, str]]


def write_table(lines: Path, table: Path, fields: Field) -> None:
    """Write the records of an NDJSON file as CSV, in two passes: the first collects the columns.

    ``fields`` are those of a line. Every field of one cell at the first level has a column; members
    of objects and of list entries have one if some record has a value there. Columns are in the
    order of the schema. An empty list of objects is ``[]`` in a column of its own. ``table`` is
    replaced, and only its owner can read it. Other members of the lines are left out.
    """
    columns = _columns(lines, fields)
    orders = sorted(columns)
    with TextIOWrapper(private(table), TABLE_ENCODING, newline="") as file:
        file.write(csv_lines.line(path_text(columns[order]) for order in orders))
        for cells in _rows(lines, fields):
            texts = (cells[order][1] if order in cells else "" for order in orders)
            file.write(csv_lines.line(texts))


def _columns(lines: Path, fields: Field) -> dict[_Order, ColumnPath]:
    columns = dict(_scalar_columns(fields))
    for cells in _rows(lines, fields):
        columns |= {order: path for order, (path, _) in cells.items()}
    return columns


def _rows(lines: Path, fields: Field) -> Iterator[_Cells]:
    with lines.open("rb") as file:
        for line in file:
            yield {order: (path, text) for order, path, text in _cells(fields, orjson.loads(line))}


def _scalar_columns(fields: Field) -> Iterator[tuple[_Order, ColumnPath]]:
    """Yield the columns that every table has: fields of one cell at the first level."""
    for index, (name, field) in enumerate(fields.members.items()):
        if not field.members and not (field.items and field.items.members):
            yield (index,), (name,)


def _cells(
    fields: Field, value: Any, order: _Order = (), path: ColumnPath = ()
) -> Iterator[tuple[_Order, ColumnPath, str]]:
    """Yield order, path and text of each cell of a value, without those of null."""
    if isinstance(value, dict) and fields.members:
        document = value | {name: ids for name, _, ids in shown_lists(fields, value)}
        for index, (name, field) in enumerate(fields.members.items()):
            yield from _cells(field, document.get(name), (*order, index), (*path, name))
    elif isinstance(value, list) and value and fields.items and fields.items.members:
        for index, entry in enumerate(value):
            yield from _cells(fields.items, entry, (*order, index), (*path, index))
    elif value is not None:
        yield order, path, text_of(value)
