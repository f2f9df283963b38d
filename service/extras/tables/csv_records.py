"""CSV codec: reads a record from each row of a table, and writes tables (tools, Files).

The header, line 1, has the path of each column's field: ``languages[0].text``. Its first delimiter
is that of all cells. Semicolons separate the values of a list in one cell. An empty cell leaves its
field out, and guards of formulas (``csv_lines``) are no part of a value.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path as FilePath
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from service import csv_lines
from service.extras.tables.bounded_reading import read_bounded
from service.extras.tables.cells import (
    EMPTY_LIST,
    SEPARATOR,
    CellError,
    key_object,
    text_of,
    value_of,
)
from service.extras.tables.columns import (
    Column,
    Path,
    columns_of,
    path_of,
    path_text,
    score,
)
from service.extras.tables.fields import Field, shown_lists
from service.extras.tables.headings import LANGUAGE, TEXTS, Headings
from service.extras.tables.table_cells import (
    SheetRow,
    TableCell,
    TableError,
    cell_name,
)
from service.extras.tables.table_files import MAX_TITLE_ROWS, TABLE_ENCODING, TableFile
from service.extras.tables.workbook_writer import SUFFIX, write_sheet
from service.files import private

_Order: TypeAlias = tuple[int, ...]
"""Sort key of a column: indexes of fields in their schema, and of entries in their list."""
_Cells: TypeAlias = dict[_Order, tuple[Path, tuple[Any, Field]]]
_CONFLICT: Final = "has a value, and another column has a list, an object or a value at its path"
_UNNAMED: Final = (
    "has no column name: name its column, or empty the cell; quote cells that contain delimiters"
)


class CellProblem(NamedTuple):
    """Cell that rejects its row: the index and name of its column, and a sentence."""

    column_index: int
    column_name: str
    message: str


class NamedKey(dict[str, str]):
    """Object with an own key that is the text of a cell, which may be a name as well."""

    def __init__(self, member: str, text: str, collection: str) -> None:
        super().__init__({member: text})
        self.collection = collection


class NamedReference(NamedTuple):
    """Text that names a record by its own key, or by its name."""

    path: Path
    """Steps to the ``NamedKey``, or to the entry whose key is the text."""
    collection: str
    text: str


class TableRow(NamedTuple):
    """Record of a row, with its position in the file."""

    line: int
    """Number of the row's first line in the file, or of the row in its sheet, from 1."""
    document: dict[str, Any]
    """Record without the fields and list entries whose cells are empty or have problems."""
    names: Mapping[Path, str]
    """Column names by path, with the list indexes of the header."""
    header_indexes: Mapping[Path, int]
    """Index of each list entry in the header, by its path in the document.

    The document omits entries whose cells are all empty, so that its own indexes can be lower.
    """
    problems: Sequence[CellProblem] = ()
    """Reasons to reject the row; the other rows stay what they are."""
    references: Sequence[NamedReference] = ()

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


def rows(raw: bytes, headings: Headings | Field, encoding: str | None = None) -> Iterator[TableRow]:
    """Yield the rows that have any text. Raise TableError where reading cannot go on.

    The encoding is that of the byte order mark, otherwise the given one, otherwise UTF-8.
    TableError is also raised for a missing header or one with a wrong or repeated name, for bytes
    that are no text, for broken quotation marks, and for files that are no tables.
    """
    if isinstance(headings, Field):
        headings = Headings("", headings)
    file = read_bounded(raw, encoding, partial(score, headings=headings))
    yield from sheet_records(file, headings)


def sheet_records(file: TableFile, headings: Headings) -> Iterator[TableRow]:
    """Yield the records of the rows below the headings; those before them are left out.

    Rows with text beyond the headings, two cells for the same value, a text in the column of an
    object, or a cell that shows no value, have ``problems``. Raise TableError without headings.
    """
    heading, rest = find_headings(file.rows, headings)
    try:
        columns = columns_of([cell.text for cell in heading.cells], headings)
    except CellError as error:
        raise TableError(heading.number, str(error)) from error
    reader = RowReader(columns, file.decimal_signs, is_sheet=file.is_workbook)
    yield from map(reader.record, filter(has_text, rest))


def find_headings(
    sheet_rows: Iterator[SheetRow], headings: Headings
) -> tuple[SheetRow, Iterator[SheetRow]]:
    """Return the row of the headings and the rows after it.

    It is the first row of which most cells name fields, among the first ones; without such a row,
    the first one with text.
    """
    before = [row for row in islice(sheet_rows, MAX_TITLE_ROWS) if has_text(row)]
    for index, row in enumerate(before):
        if score([cell.text for cell in row.cells], headings):
            return row, chain(before[index + 1 :], sheet_rows)
    if not before:
        return SheetRow(1, []), sheet_rows
    return before[0], chain(before[1:], sheet_rows)


def has_text(row: SheetRow) -> bool:
    """Return whether some cell of a row has a text or a problem."""
    return any(cell.text or cell.problem for cell in row.cells)


class RowReader:
    """Reader of the rows below headings, whose columns are None where nothing is read."""

    def __init__(
        self, columns: Sequence[Column | None], decimal_signs: str, *, is_sheet: bool
    ) -> None:
        self.columns = columns
        self._signs, self._is_sheet = decimal_signs, is_sheet
        self._names = {column.path: column.name for column in columns if column}
        self._entries = [column for column in columns if column and column.is_entry]
        others = {
            column.path[0] for column in columns if column and column.path and not column.is_entry
        }
        self._mixed = others & {column.path[0] for column in self._entries}
        self._has_references = any(column and column.names for column in columns)

    def record(self, row: SheetRow) -> TableRow:
        """Return the record of a row."""
        tree, indexes, problems = dict[str | int, Any](), dict[Path, int](), list[CellProblem]()
        for index, cell in enumerate(row.cells):
            if cell.text or cell.problem:
                try:
                    self._add(tree, index, cell)
                except CellError as error:
                    column = self.columns[index] if index < len(self.columns) else None
                    name = column.name if column else ""
                    message = self._sentence(index, row.number, name, str(error))
                    problems.append(CellProblem(index, name, message))
        document = _assembled(tree, (), indexes)
        references = [*self._references(document)] if self._has_references else []
        return TableRow(row.number, document, self._names, indexes, problems, references)

    def _references(self, document: dict[str, Any]) -> Iterator[NamedReference]:
        yield from _named_keys(document, ())
        for column in self._entries:
            member, key = map(str, column.path[:2])
            if key in document.get(member, ()):
                yield NamedReference((member, key), column.names, key)

    def _sentence(self, index: int, number: int, name: str, predicate: str) -> str:
        in_text = f"the cell of {name}" if name else f"cell {index + 1}"
        return f"{cell_name(index, number) if self._is_sheet else in_text} {predicate}."

    def _add(self, tree: Any, index: int, cell: TableCell) -> None:
        column = self.columns[index] if index < len(self.columns) else None
        if column is None:
            raise CellError(_UNNAMED)
        if cell.problem:
            raise CellError(cell.problem)
        if not column.is_read:
            return
        is_key = bool(column.names) and not column.each and not column.is_entry
        *parents, last = column.path[: -1 if is_key else None]
        for step in parents:
            tree = tree.setdefault(step, {}) if isinstance(tree, dict) else tree
        if not isinstance(tree, dict) or last in tree or column.path[0] in self._mixed:
            raise CellError(_CONFLICT)
        if is_key:
            tree[last] = self._key(self._text(cell), str(column.path[-1]), column)
        else:
            tree[last] = self._value(cell, column)

    def _value(self, cell: TableCell, column: Column) -> Any:
        if not column.each:
            return value_of(cell.text, column.field, cell.kind, self._signs)
        text = self._text(cell)
        texts = [] if text.strip() == EMPTY_LIST else text.split(SEPARATOR)
        return [self._key(text, column.each, column) for text in texts if text.strip()]

    def _text(self, cell: TableCell) -> str:
        """Return the text of a cell; raise CellError for a percentage, which is none."""
        return str(value_of(cell.text, TEXTS, cell.kind, self._signs))

    def _key(self, text: str, member: str, column: Column) -> dict[str, Any]:
        value = key_object(text.strip(), member)
        is_text = value == {member: text.strip()} and column.names
        return NamedKey(member, text.strip(), column.names) if is_text else value


def _named_keys(value: Any, path: Path) -> Iterator[NamedReference]:
    if isinstance(value, NamedKey):
        yield NamedReference(path, value.collection, *value.values())
    elif isinstance(value, dict | list):
        for step, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _named_keys(each, (*path, step))


def _assembled(tree: Any, path: Path, header_indexes: dict[Path, int]) -> Any:
    """Convert a tree of path steps to JSON: lists are sorted by index and omit empty entries.

    Adds the header's index of each list entry to ``header_indexes``.
    """
    if not isinstance(tree, dict) or isinstance(tree, NamedKey):
        return tree
    order = sorted(step for step in tree if isinstance(step, int))
    if languages := [step for step in tree if str(step).startswith(LANGUAGE)]:
        entries = ({"languageId": int(str(step)[1:]), **tree[step]} for step in languages)
        return [
            *(_assembled(tree[step], (*path, step), header_indexes) for step in order),
            *entries,
        ]
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
