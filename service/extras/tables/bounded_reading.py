"""Bounded reading of workbooks: their rows come from a bounded process of their own."""

from collections.abc import Iterator
from typing import Any, Final

import orjson

from service.extras.tables import bounded_process
from service.extras.tables.bounded_process import BoundError
from service.extras.tables.table_cells import TEXT, SheetFacts, SheetRow, TableCell, TableError
from service.extras.tables.table_files import Score, TableChoice, TableFile, read
from service.extras.tables.workbooks import SIGNATURE

_ERROR: Final = "error"


def read_bounded(raw: bytes, encoding: str | None = None, score: Score | None = None) -> TableFile:
    """Return the rows of a file; those of a workbook are read in a process of its own.

    The rows of a text are read here: nothing in it is larger than it says. Raise TableError as
    ``read`` does, and from the rows.
    """
    file = read(raw, encoding, SheetFacts(), choice=TableChoice(score=score))
    return file._replace(rows=_rows(raw)) if raw.startswith(SIGNATURE) else file


def _rows(raw: bytes) -> Iterator[SheetRow]:
    try:
        for line in bounded_process.run(lambda: _lines(raw)):
            number, cells = orjson.loads(line)
            if number == _ERROR:
                raise TableError(*cells)
            yield SheetRow(number, [*map(_cell, cells)])
    except BoundError as error:
        raise TableError(1, str(error)) from error


def _lines(raw: bytes) -> Iterator[bytes]:
    """Yield a line for each row, and one for an error that ends them."""
    try:
        for row in read(raw, None, SheetFacts()).rows:
            cells = [cell.text if _is_plain(cell) else [*cell] for cell in row.cells]
            yield orjson.dumps([row.number, cells], option=orjson.OPT_APPEND_NEWLINE)
    except TableError as error:
        yield orjson.dumps([_ERROR, [error.line, str(error)]], option=orjson.OPT_APPEND_NEWLINE)


def _is_plain(cell: TableCell) -> bool:
    return cell.kind == TEXT and not cell.problem


def _cell(cell: Any) -> TableCell:
    return TableCell(cell) if isinstance(cell, str) else TableCell(*cell)
