"""CSV codec: reads a record from each row of a table, and writes tables (contract, Files).

The header, line 1, has the path of each column's field: ``languages[0].text``. Its first delimiter
is that of all cells. Semicolons separate the values of a list in one cell. An empty cell leaves its
field out, and guards of formulas (``csv_lines``) are no part of a value.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path as FilePath
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from service import csv_lines
from service.extras.tables import table_files
from service.extras.tables.cells import CellError, text_of, value_of
from service.extras.tables.columns import Column, Path, columns_of, path_of, path_text
from service.extras.tables.fields import Field, shown_lists
from service.extras.tables.table_files import TABLE_ENCODING, TableError
from service.extras.tables.workbooks import SUFFIX, write_sheet
from service.files import private

_Order: TypeAlias = tuple[int, ...]
"""Sort key of a column: indexes of fields in their schema, and of entries in their list."""
_Cells: TypeAlias = dict[_Order, tuple[Path, tuple[Any, Field]]]
_CONFLICT: Final = "another column has a list, an object or a value at the same path"


class TableRow(NamedTuple):
    """Record of a row, with its position in the file."""

    line: int
    """Number of the row's first line in the file; the header is line 1."""
    document: dict[str, Any]
    """Record without the fields and list entries whose cells are empty."""
    names: Mapping[Path, str]
    """Column names by path, with the list indexes of the header."""
    header_indexes: Mapping[Path, int]
    """Index of each list entry in the header, by its path in the document.

    The document omits entries whose cells are all empty, so that its own indexes can be lower.
    """

    def column(self, field: str | None) -> str:
        """Return the name of the column of an error's field path, whose indexes are the document's.

        Without such a column it is the column of the nearest value around it, such as a list in
        one cell, else the path with the header's indexes. Text that is no path is returned as it
        is, and None as an empty text.
        """
        path = path_of(field or "") or ()
        actual = tuple(
            self.header_indexes.get(path[: end + 1], path[end]) for end in range(len(path))
        )
        around = (self.names.get(actual[:end]) for end in range(len(path), 0, -1))
        return next(filter(None, around), path_text(actual) or field or "")


def rows(raw: bytes, fields: Field, encoding: str | None = None) -> Iterator[TableRow]:
    """Yield the rows that have any text. Raise TableError where reading cannot go on.

    The encoding is that of the byte order mark, otherwise the given one, otherwise UTF-8.
    TableError is also raised for a missing header or one with a wrong or repeated name, a row with
    fewer cells than the header or with text beyond it, two cells for the same value, a text in the
    column of an object (``CellError``), and UTF-16 or UTF-32 without a mark or a given encoding.
    """
    line = 1
    try:
        lines, delimiter = table_files.read(raw, encoding)
        columns = columns_of(next(lines, []), fields)
        names = {column.path: column.name for column in columns if column}
        line = lines.line_num + 1
        for row in lines:
            if any(row):
                indexes = dict[Path, int]()
                yield TableRow(
                    line, _assembled(_tree(row, columns, delimiter), (), indexes), names, indexes
                )
            line = lines.line_num + 1
    except csv.Error as error:
        reason = f"no CSV: {error}; double each quotation mark within a quoted cell"
        raise TableError(line, reason) from error
    except CellError as error:
        raise TableError(line, str(error)) from error


def _tree(
    row: Sequence[str], columns: Sequence[Column | None], delimiter: str
) -> dict[str | int, Any]:
    """Return a tree of dicts of the values; lists have their indexes in the header as keys."""
    if len(row) < len(columns):
        raise CellError(f"{len(row)} cells below {len(columns)} columns: write empty cells too")
    tree = dict[str | int, Any]()
    for index, (text, column) in enumerate(zip_longest(row, columns)):
        if text and column is None:
            reason = f"cell {index + 1} has no column name: name its column, or empty the cell"
            raise CellError(f"{reason}; quote cells that contain {delimiter!r}")
        if text and column:
            _add(tree, column, csv_lines.unguard(text), has_decimal_commas=delimiter == ";")
    return tree


def _add(tree: Any, column: Column, text: str, *, has_decimal_commas: bool) -> None:
    *parents, last = column.path
    for step in parents:
        tree = tree.setdefault(step, {}) if isinstance(tree, dict) else tree
    if not isinstance(tree, dict) or last in tree:
        raise CellError(f"column {column.name}: {_CONFLICT}")
    try:
        # Spreadsheets with decimal commas separate cells by semicolons.
        tree[last] = value_of(text, column.field, has_decimal_commas=has_decimal_commas)
    except CellError as error:
        raise CellError(f"column {column.name}: {error}") from error


def _assembled(tree: Any, path: Path, header_indexes: dict[Path, int]) -> Any:
    """Convert a tree of path steps to JSON: lists are sorted by index and omit empty entries.

    Adds the header's index of each list entry to ``header_indexes``.
    """
    if not isinstance(tree, dict):
        return tree
    order = sorted(step for step in tree if isinstance(step, int))
    if not order:
        return {step: _assembled(tree[step], (*path, step), header_indexes) for step in tree}
    header_indexes |= {(*path, index): header_index for index, header_index in enumerate(order)}
    return [
        _assembled(tree[step], (*path, index), header_indexes) for index, step in enumerate(order)
    ]


def write_table(lines: FilePath, table: FilePath, fields: Field) -> None:
    """Write the records of an NDJSON file as CSV, or as a workbook if ``table`` is one by its name.

    There are two passes: the first collects the columns.

    ``fields`` are those of a line. Every field of one cell at the first level has a column; members
    of objects and of list entries have one if some record has a value there. Columns are in the
    order of the schema. An empty list of objects is ``[]`` in a column of its own. ``table`` is
    replaced, and only its owner can read it. Other members of the lines are left out.
    """
    columns = dict(_scalar_columns(fields))
    for cells in _lines(lines, fields):
        columns |= {order: path for order, (path, _) in cells.items()}
    orders = sorted(columns)
    heads = [(path_text(columns[order]), Field()) for order in orders]
    none = ((), (None, Field()))
    values = ([each.get(order, none)[1] for order in orders] for each in _lines(lines, fields))
    if SUFFIX in table.suffixes:
        return write_sheet(table, chain([heads], values))
    with io.TextIOWrapper(private(table), TABLE_ENCODING, newline="") as file:
        for row in chain([heads], values):
            file.write(csv_lines.line(text_of(value) for value, _ in row))
    return None


def _lines(lines: FilePath, fields: Field) -> Iterator[_Cells]:
    with lines.open("rb") as file:
        for line in file:
            yield {order: (path, cell) for order, path, cell in _cells(fields, orjson.loads(line))}


def _scalar_columns(fields: Field) -> Iterator[tuple[_Order, Path]]:
    """Yield the columns that every table has: fields of one cell at the first level."""
    for index, (name, field) in enumerate(fields.members.items()):
        if not field.members and not (field.items and field.items.members):
            yield (index,), (name,)


def _cells(
    fields: Field, value: Any, order: _Order = (), path: Path = ()
) -> Iterator[tuple[_Order, Path, tuple[Any, Field]]]:
    """Yield order, path, value and field of each cell of a value, without those of null."""
    if isinstance(value, dict) and fields.members:
        document = value | shown_lists(fields, value)
        for index, (name, field) in enumerate(fields.members.items()):
            yield from _cells(field, document.get(name), (*order, index), (*path, name))
    elif isinstance(value, list) and value and fields.items and fields.items.members:
        for index, entry in enumerate(value):
            yield from _cells(fields.items, entry, (*order, index), (*path, index))
    elif value is not None:
        yield order, path, (value, fields)
