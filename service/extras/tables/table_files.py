"""Files of tables: CSV in the encodings of spreadsheets, and workbooks, as rows of texts."""

import codecs
import csv
import io
import re
from typing import Any, Final

from service.extras.tables.workbooks import SIGNATURE, SheetRows

TABLE_ENCODING: Final = "utf-8-sig"
"""Encoding of written CSV files: without its byte order mark spreadsheets assume a code page."""
_MARKS: Final = {
    codecs.BOM_UTF8: TABLE_ENCODING,
    **dict.fromkeys((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), "utf-32"),
    **dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16"),
}
_REMEDY: Final = "save the file as CSV UTF-8, or name its encoding: --encoding"
_DELIMITERS: Final = re.compile(r"[^,;\t|\r\n]*([,;\t|]?)")
_MAX_CELL_LENGTH: Final = 2**24
"""Maximum characters of a cell; larger than any value that the service accepts.

It becomes the limit of the ``csv`` module in the whole process.
"""


class TableError(Exception):
    """Line of a file that cannot be read as a row of a table, with its number in ``line``."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def read(raw: bytes, encoding: str | None) -> tuple[Any, str]:
    """Return the rows of a file, with the number of the last line, and the delimiter of cells.

    The encoding is that of the byte order mark, otherwise the given one, otherwise UTF-8. Raise
    TableError for bytes that are none of it, and CellError for what is no workbook.
    """
    if raw.startswith(SIGNATURE):
        return SheetRows(raw), ","
    csv.field_size_limit(_MAX_CELL_LENGTH)
    text = _decoded(raw, encoding)
    delimiter = _DELIMITERS.match(text)[1] or ","  # type: ignore[index]
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), delimiter


def _decoded(raw: bytes, option: str | None) -> str:
    marked = (encoding for mark, encoding in _MARKS.items() if raw.startswith(mark))
    encoding = next(marked, option or "utf-8")
    if encoding == "utf-8" and b"\0" in raw[:4]:
        reason = "the file looks like UTF-16 without a byte order mark"
        raise TableError(1, f"{reason}: {_REMEDY} utf-16-le")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].decode(encoding, "replace").count("\n") + 1
        name = encoding.upper().removesuffix("-SIG")
        raise TableError(line, f"no {name}: {_REMEDY} cp1252") from error
