"""CSV reader: parses a record from each row of a table (contract, Files).

The header, line 1, has the path of each column's field: ``languages[0].text``. Its first delimiter
is that of all cells. Semicolons separate the values of a list in one cell. An empty cell leaves its
field out, and guards of formulas (``csv_lines``) are no part of a value.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Final, NamedTuple

from service import csv_lines
from service.transfer import encodings
from service.transfer.cells import CellError, value_of
from service.transfer.columns import Column, ColumnError, Path, columns_of, path_of, path_text
from service.transfer.fields import Field

_MAX_CELL_LENGTH: Final = 2**24
"""Maximum characters of a cell; larger than any value that the service accepts.

It becomes the limit of the ``csv`` module in the whole process.
"""
_COLUMNS_CONFLICT: Final = "another column has a list, an object or a value at the same path"
_UNMARKED: Final = "the file looks like UTF-16 without a byte order mark"


class TableError(Exception):
    """Line of a file that cannot be read as a row of a table, with its number in ``line``."""

    def __init__(self, line: int, reason: str, column: str = "") -> None:
        super().__init__(f"column {column}: {reason}" if column else reason)
        self.line = line


class TableRow(NamedTuple):
    """Record of a row, with its position in the file."""

    line: int
    """Number of the row's first line in the file; the header is line 1."""
    document: dict[str, Any]
    """Record without the fields and list entries whose cells are empty."""
    size: int
    """Bytes read from the file since the previous row was yielded.

    The file is read in blocks: most rows have 0, and a row for which a block was read has all of
    it. Only the sum over many rows is near the bytes of these rows.
    """
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
        path, actual = path_of(field or "") or (), list[str | int]()
        for end, step in enumerate(path, start=1):
            actual.append(self.header_indexes.get(path[:end], step))
        for end in range(len(path), 0, -1):
            if tuple(actual[:end]) in self.names:
                return self.names[tuple(actual[:end])]
        return path_text(tuple(actual)) or field or ""


def rows(file: IO[bytes], fields: Field, encoding: str | None = None) -> Iterator[TableRow]:
    """Yield the rows that have any text. Raise TableError where reading cannot go on.

    The file has to be seekable, and is closed with the iterator. The encoding is that of the byte
    order mark, otherwise the given one, otherwise UTF-8. TableError is also raised for a missing
    header or one with a wrong or repeated name, a row with fewer cells than the header or with text
    beyond it, two cells for the same value, a text in the column of an object (``CellError``), and
    UTF-16 or UTF-32 without a mark or a given encoding.
    """
    actual = encodings.encoding_of(file, encoding)
    if actual is None:
        raise TableError(1, f"{_UNMARKED}: {encodings.REMEDY.replace('cp1252', 'utf-16-le')}")
    table = _Table(file, fields)
    try:
        yield from table.rows(actual)
    except csv.Error as error:
        reason = f"no CSV: {error}; double each quotation mark within a quoted cell"
        raise TableError(table.line, reason) from error
    except UnicodeDecodeError as error:
        raise _undecodable(file, error, actual) from error


@dataclass
class _Table:
    """Parser of one file."""

    file: IO[bytes]
    fields: Field
    line: int = 1
    _columns: Sequence[Column | None] = ()
    _names: Mapping[Path, str] = field(default_factory=dict)
    _delimiter: str = ","
    _bytes_read: int = 0

    def rows(self, encoding: str) -> Iterator[TableRow]:
        csv.field_size_limit(_MAX_CELL_LENGTH)
        text = encodings.texts(self.file, encoding)
        self._delimiter = encodings.delimiter_of(text.readline())
        text.seek(0)
        cells = csv.reader(text, delimiter=self._delimiter, strict=True)
        self._read_header(next(cells, []))
        self.line = cells.line_num + 1
        for row in cells:
            if any(row):
                yield self._row(row)
            self.line = cells.line_num + 1

    def _read_header(self, names: list[str]) -> None:
        if not any(name.strip() for name in names):
            raise TableError(1, "there is no header: name the columns in the first line")
        try:
            self._columns = columns_of(names, self.fields)
        except ColumnError as error:
            raise TableError(1, str(error)) from error
        self._names = {column.path: column.name for column in self._columns if column}

    def _row(self, row: list[str]) -> TableRow:
        if len(row) < len(self._columns):
            reason = f"{len(row)} cells below {len(self._columns)} columns"
            raise TableError(self.line, f"{reason}: write empty cells too")
        tree = dict[str | int, Any]()
        for index, text in enumerate(row):
            if text:
                self._add(tree, index, text)
        header_indexes = dict[Path, int]()
        document: dict[str, Any] = _assembled(tree, (), header_indexes)
        return TableRow(self.line, document, self._size(), self._names, header_indexes)

    def _add(self, tree: dict[str | int, Any], index: int, text: str) -> None:
        """Insert the value of a cell at its column's path.

        The tree is of dicts; lists have their indexes in the header as keys.
        """
        column = self._columns[index] if index < len(self._columns) else None
        if column is None:
            reason = f"cell {index + 1} has no column name: name its column, or empty the cell"
            raise TableError(self.line, f"{reason}; quote cells that contain {self._delimiter!r}")
        *parents, last = column.path
        parent = tree
        for step in parents:
            parent = parent.setdefault(step, {})
            if not isinstance(parent, dict):
                raise TableError(self.line, _COLUMNS_CONFLICT, column.name)
        if last in parent:
            raise TableError(self.line, _COLUMNS_CONFLICT, column.name)
        parent[last] = self._value(text, column)

    def _value(self, text: str, column: Column) -> Any:
        # Spreadsheets with decimal commas separate cells by semicolons.
        has_decimal_commas = self._delimiter == ";"
        try:
            bare = csv_lines.unguard(text)
            return value_of(bare, column.field, has_decimal_commas=has_decimal_commas)
        except CellError as error:
            raise TableError(self.line, str(error), column.name) from error

    def _size(self) -> int:
        before, self._bytes_read = self._bytes_read, self.file.tell()
        return self._bytes_read - before


def _undecodable(file: IO[bytes], error: UnicodeDecodeError, encoding: str) -> TableError:
    """Return the error for a decoding failure, with the line of the undecodable bytes.

    It names the column, too, unless the line is the header or begins within a cell.
    """
    lines = encodings.text_before(file, error, encoding).split("\n")
    lines[-1] += "?"  # placeholder of the undecodable bytes: their cell is never empty
    delimiter = encodings.delimiter_of(lines[0])
    names, cells = (
        next(csv.reader([line], delimiter=delimiter), []) for line in (lines[0], lines[-1])
    )
    column = names[len(cells) - 1] if 0 < len(cells) <= len(names) and len(lines) > 1 else ""
    encoding_name = encoding.upper().removesuffix("-SIG")
    return TableError(len(lines), f"no {encoding_name}: {encodings.REMEDY}", column.strip())


def _assembled(tree: Any, path: Path, header_indexes: dict[Path, int]) -> Any:
    """Convert a tree of path steps to JSON: lists are sorted by index and omit empty entries.

    Adds the header's index of each list entry to ``header_indexes``.
    """
    if not isinstance(tree, dict):
        return tree
    order = sorted(step for step in tree if isinstance(step, int))
    if not order:
        return {
            step: _assembled(part, (*path, step), header_indexes) for step, part in tree.items()
        }
    header_indexes |= {(*path, index): header_index for index, header_index in enumerate(order)}
    return [
        _assembled(tree[header_index], (*path, index), header_indexes)
        for index, header_index in enumerate(order)
    ]
