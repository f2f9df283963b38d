"""Workbooks (XLSX): first sheets as rows of texts, and sheets of typed cells (contract, Files)."""

import io
import re
import zlib
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

from service import csv_lines
from service.console import OperatorError
from service.extras.tables.cells import CellError, text_of
from service.extras.tables.fields import Field
from service.files import private

SUFFIX: Final = ".xlsx"
SIGNATURE: Final = b"PK\3\4"
_MOST_BYTES: Final = 2**30
"""Bytes of all parts of a workbook that is read; openpyxl has some of them in memory."""
_DIGITS: Final = 15
"""Decimal digits that the number of a cell has."""
_DAMAGED: Final = (BadZipFile, LookupError, ParseError, TypeError, ValueError, zlib.error)
"""What openpyxl raises for a file that is no workbook, or not a whole one."""
_UNSAFE: Final = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_ESCAPE: Final = re.compile("_x([0-9A-Fa-f]{4})_")


def _library() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise OperatorError("workbooks need openpyxl: install selvedge[xlsx]") from error
    return openpyxl


class SheetRows(Iterator[list[str]]):
    """Rows of the first sheet that shows as those of ``csv.reader``, with the last one's number."""

    line_num = 0
    _width = 0

    def __init__(self, raw: bytes) -> None:
        try:
            if sum(part.file_size for part in ZipFile(io.BytesIO(raw)).infolist()) > _MOST_BYTES:
                raise ValueError("it is too large, save its sheet as CSV UTF-8")
            book = _library().load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
            sheet, *_ = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        except _DAMAGED as error:
            raise CellError(f"no workbook: {error}") from error
        # The file may name too small a size, which would cut it off, or the largest one.
        sheet.reset_dimensions()
        self._rows = sheet.iter_rows(values_only=True)

    def __next__(self) -> list[str]:
        try:
            cells = [csv_lines.guard(_text(value)) for value in next(self._rows)]
        except _DAMAGED as error:
            raise CellError(f"no whole workbook: {error}") from error
        self.line_num += 1
        self._width = self._width or len(cells)  # empty cells at the end of a row are not stored
        return cells + [""] * (self._width - len(cells))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), value)
    if isinstance(value, datetime):
        return (value.date() if value.time() == time() else value).isoformat()
    return f"{value:.{_DIGITS}g}" if isinstance(value, float) else text_of(value)


def write_sheet(path: Path, rows: Iterable[Iterable[tuple[Any, Field]]]) -> None:
    """Write rows of values and their fields as a workbook that only its owner can read."""
    library = _library()
    book = library.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in rows:
        sheet.append([_cell(library.cell.WriteOnlyCell(sheet), *cell) for cell in row])
    with private(path) as file:
        book.save(file)


def _cell(cell: Any, value: Any, field: Field) -> Any:
    text = text_of(value)
    if value and field.limits.get("format") == "date":
        return date.fromisoformat(value)
    is_short = len(text.lstrip("-0").replace(".", "")) <= _DIGITS
    if value is None or (is_short and isinstance(value, bool | int | float)):
        return value
    if is_short and "number" in field.types and text:
        return float(text)
    cell.value = _UNSAFE.sub(lambda match: f"_x{ord(match[0]):04X}_", text)
    cell.data_type, cell.number_format = "s", "@"  # a text that begins with = is no formula
    return cell
