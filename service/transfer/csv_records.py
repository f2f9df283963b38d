"""CSV reader: a record for each row, a field for each column (contract, Files).

Columns are named by paths, as the interface names fields: ``languages[0].text``. Lists of values
are separated by semicolons within a cell. An empty cell says nothing.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Final, NamedTuple

from service.transfer import encodings
from service.transfer.cells import CellError, value_of
from service.transfer.columns import Column, ColumnError, Path, columns_of, path_of, path_text
from service.transfer.fields import Field

_MOST: Final = 2**24
"""Characters of a cell; the service takes fewer."""
_DISAGREE: Final = "the columns disagree whether there is a list, an object or a value"
_UNMARKED: Final = "the file looks like UTF-16 without a byte order mark"


class TableError(Exception):
    """The file is no table of records."""

    def __init__(self, line: int, reason: str, column: str = "") -> None:
        super().__init__(f"column {column}: {reason}" if column else reason)
        self.line = line


class TableRow(NamedTuple):
    """A record, and where it stands in the file."""

    line: int
    """The number of the row's first line."""
    document: dict[str, Any]
    size: int
    """Bytes read since the row before; the file is read in blocks."""
    names: Mapping[Path, str]
    """The names of the columns, by their paths."""
    numbers: Mapping[Path, int]
    """The numbers in the names of list entries, by their paths in the document."""

    def column(self, field: str | None) -> str:
        """Return the column of a field that the service names, or what it would be called."""
        path, actual = path_of(field or "") or (), list[str | int]()
        for end, step in enumerate(path, start=1):
            actual.append(self.numbers.get(path[:end], step))
        for end in range(len(path), 0, -1):
            if tuple(actual[:end]) in self.names:
                return self.names[tuple(actual[:end])]
        return path_text(tuple(actual)) or field or ""


def rows(file: IO[bytes], fields: Field, encoding: str | None = None) -> Iterator[TableRow]:
    """Yield the rows that are not empty; raises TableError.

    The encoding is that of the byte order mark, else the given one, else UTF-8.
    """
    actual = encodings.encoding_of(file, encoding)
    if actual is None:
        raise TableError(1, f"{_UNMARKED}: {encodings.REMEDY.replace('cp1252', 'utf-16-le')}")
    table = _Table(file, fields)
    try:
        yield from table.rows(actual)
    except csv.Error as error:
        reason = f"no CSV: {error}; within quotation marks write a quotation mark twice"
        raise TableError(table.line, reason) from error
    except UnicodeDecodeError as error:
        raise _undecodable(file, error, actual) from error


@dataclass
class _Table:
    """One file while it is read."""

    file: IO[bytes]
    fields: Field
    line: int = 1
    _columns: Sequence[Column | None] = ()
    _names: Mapping[Path, str] = field(default_factory=dict)
    _delimiter: str = ","
    _taken: int = 0

    def rows(self, encoding: str) -> Iterator[TableRow]:
        csv.field_size_limit(_MOST)
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
            raise TableError(1, "there is no line that names the columns")
        try:
            self._columns = columns_of(names, self.fields)
        except ColumnError as error:
            raise TableError(1, str(error)) from error
        self._names = {one.path: one.name for one in self._columns if one}

    def _row(self, row: list[str]) -> TableRow:
        if len(row) < len(self._columns):
            reason = f"{len(row)} cells below {len(self._columns)} columns"
            raise TableError(self.line, f"{reason}: write empty cells too")
        found = dict[str | int, Any]()
        for place, text in enumerate(row):
            if text:
                self._add(found, place, text)
        numbers = dict[Path, int]()
        document: dict[str, Any] = _whole(found, (), numbers)
        return TableRow(self.line, document, self._size(), self._names, numbers)

    def _add(self, record: dict[str | int, Any], place: int, text: str) -> None:
        """Put the value of a cell where its column says."""
        column = self._columns[place] if place < len(self._columns) else None
        if column is None:
            reason = f"cell {place + 1} stands in no named column: name it, or empty the cell"
            raise TableError(self.line, f"{reason}; quote cells that contain {self._delimiter!r}")
        *way, last = column.path
        parent = record
        for step in way:
            parent = parent.setdefault(step, {})
            if not isinstance(parent, dict):
                raise TableError(self.line, _DISAGREE, column.name)
        if last in parent:
            raise TableError(self.line, _DISAGREE, column.name)
        parent[last] = self._value(text, column)

    def _value(self, text: str, column: Column) -> Any:
        # Where commas are decimal points, spreadsheets separate cells by semicolons.
        has_decimal_commas = self._delimiter == ";"
        try:
            return value_of(text, column.field, has_decimal_commas=has_decimal_commas)
        except CellError as error:
            raise TableError(self.line, str(error), column.name) from error

    def _size(self) -> int:
        before, self._taken = self._taken, self.file.tell()
        return self._taken - before


def _undecodable(file: IO[bytes], error: UnicodeDecodeError, encoding: str) -> TableError:
    """Return the error of the line that is not in the encoding, and of its column."""
    lines = encodings.text_before(file, error, encoding).split("\n")
    lines[-1] += "?"  # stands for what cannot be decoded
    delimiter = encodings.delimiter_of(lines[0])
    names, cells = (
        next(csv.reader([one], delimiter=delimiter), []) for one in (lines[0], lines[-1])
    )
    column = names[len(cells) - 1] if 0 < len(cells) <= len(names) and len(lines) > 1 else ""
    named = encoding.upper().removesuffix("-SIG")
    return TableError(len(lines), f"no {named}: {encodings.REMEDY}", column.strip())


def _whole(found: Any, path: Path, numbers: dict[Path, int]) -> Any:
    """Return what was put together by steps; lists have what is not empty, by their numbers.

    Enters the number of each list entry by the entry's path.
    """
    if not isinstance(found, dict):
        return found
    order = sorted(step for step in found if isinstance(step, int))
    if not order:
        return {step: _whole(part, (*path, step), numbers) for step, part in found.items()}
    numbers |= {(*path, place): number for place, number in enumerate(order)}
    return [_whole(found[n], (*path, place), numbers) for place, n in enumerate(order)]
