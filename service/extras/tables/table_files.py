"""Files of tables: CSV in the forms of spreadsheets, and workbooks, as rows of cells."""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from service import csv_lines
from service.extras.tables.archives import WorkbookError
from service.extras.tables.table_cells import SheetFacts, SheetRow, TableCell, TableError
from service.extras.tables.workbooks import SIGNATURE, Workbook
from service.limits import MAX_WORKBOOK_BYTES, byte_size

TABLE_ENCODING: Final = "utf-8-sig"
"""Encoding of written CSV files: without its byte order mark spreadsheets assume a code page."""
_MARKS: Final = {
    codecs.BOM_UTF8: TABLE_ENCODING,
    **dict.fromkeys((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), "utf-32"),
    **dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16"),
}
_REMEDY: Final = "save the file as CSV UTF-8"
_DELIMITERS: Final = ",;\t|"
_IN_FIRST_LINE: Final = re.compile(rf"[^{_DELIMITERS}\r\n]*([{_DELIMITERS}]?)")
_ANYWHERE: Final = re.compile(rf"[^{_DELIMITERS}]*([{_DELIMITERS}]?)")
MAX_TITLE_ROWS: Final = 20
"""Rows among which that of the headings is."""
Score = Callable[[Sequence[str]], int]
"""Returns how many of the texts of a row name fields; 0 if it is no row of headings."""
_SEPARATOR_LINE: Final = re.compile(r'"?sep=([^\r\n"])"?[,;\t|]*(\r\n|\r|\n|$)', re.IGNORECASE)
"""First line of a file by which some spreadsheets learn its delimiter."""
_OTHER_FILES: Final = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "is an old (XLS) or an encrypted workbook",
    b"%PDF": "is a PDF",
    b"{\\rtf": "is a text document",
    b"PK": "is a damaged archive",
    **dict.fromkeys((b"\x1f\x8b", b"Rar!\x1a", b"7z\xbc\xaf"), "is packed"),
}
_MARKUP: Final = re.compile(rb"[\s\xef\xbb\xbf]*<(!doctype|html|\?xml|table|meta|head|body)", re.I)
_COMMA_NUMBER: Final = re.compile(r"-?(?![0-9]{1,3},[0-9]{3}$)[0-9]{1,18},[0-9]{1,18}", re.ASCII)
"""Number with a decimal comma, unless it may as well be one with thousands: 1,234."""
_MAX_CELL_LENGTH: Final = 2**24
"""Maximum characters of a cell; larger than any value that the service accepts.

It becomes the limit of the ``csv`` module in the whole process.
"""


class TableFile(NamedTuple):
    """Rows of a file, and the signs that its numbers may have as decimal point."""

    rows: Iterator[SheetRow]
    decimal_signs: str
    """Decimal signs of numbers that are texts: ``.``, ``,`` first, or both without a preference."""
    is_workbook: bool


class TableChoice(NamedTuple):
    """What is read of a file."""

    sheet: str | None = None
    """Sheet of a workbook; None for the first one that is shown."""
    score: Score | None = None
    """Score of rows as headings, which tells what separates the cells of a text."""


def mark_encoding(raw: bytes) -> str | None:
    """Return the encoding of the byte order mark at the beginning; None without one."""
    return next((name for mark, name in _MARKS.items() if raw.startswith(mark)), None)


def read(
    raw: bytes,
    encoding: str | None,
    facts: SheetFacts,
    *,
    fallback: str | None = None,
    choice: TableChoice | None = None,
) -> TableFile:
    """Return the rows of a file; fill its facts.

    The encoding is
    that of the byte order mark, otherwise the given one, otherwise UTF-8; bytes that are no UTF-8
    have the ``fallback``, if there is one. Raise TableError for other bytes, for what is no table,
    and, from the rows, for what is damaged.
    """
    sheet, score = choice or TableChoice()
    for signature, what in _OTHER_FILES.items():
        if raw.startswith(signature) and not raw.startswith(SIGNATURE):
            raise TableError(1, f"the file {what}: save it as XLSX or CSV UTF-8")
    if _MARKUP.match(raw):
        what = "the file is a web page or XML, whatever its name is"
        raise TableError(1, f"{what}: open it in a spreadsheet, and save it as XLSX")
    if raw.startswith(SIGNATURE):
        if len(raw) > MAX_WORKBOOK_BYTES:
            size = byte_size(MAX_WORKBOOK_BYTES)
            raise TableError(1, f"a workbook has at most {size}: save it as CSV UTF-8")
        return TableFile(_sheet_rows(raw, facts, sheet), ".,", is_workbook=True)
    csv.field_size_limit(_MAX_CELL_LENGTH)
    text, facts.encoding = _decoded(raw, encoding, fallback)
    separator = _SEPARATOR_LINE.match(text)
    facts.delimiter = delimiter = separator[1] if separator else _delimiter(text, score)
    content = text[separator.end() :] if separator else text
    rows = _text_rows(content, delimiter, 1 if separator else 0)
    return TableFile(rows, _decimal_signs(content, delimiter), is_workbook=False)


def _sheet_rows(raw: bytes, facts: SheetFacts, sheet: str | None) -> Iterator[SheetRow]:
    number = 0
    try:
        for row in Workbook(raw).rows(facts, sheet):
            number = row.number
            yield row
    except WorkbookError as error:
        what = "no whole workbook" if number else "no workbook"
        raise TableError(number + 1, f"{what}: {error}") from error


def _text_rows(text: str, delimiter: str, before: int) -> Iterator[SheetRow]:
    """Yield the rows of a text, after a number of lines ``before`` it."""
    lines = _lines(text, delimiter)
    number = before + 1
    try:
        for texts in lines:
            yield SheetRow(number, [TableCell(csv_lines.unguard(each)) for each in texts])
            number = before + lines.line_num + 1
    except csv.Error as error:
        reason = "a quotation mark is never closed, or text follows a quoted cell"
        remedy = "no CSV: double each quotation mark within a quoted cell"
        raise TableError(number, f"{remedy}: {reason}") from error


def _delimiter(text: str, score: Score | None) -> str:
    """Return the delimiter with which a row of headings names most fields.

    Of several it is that in the first line; where no row names fields, the first one of the file.
    """
    in_first_line = _first(_IN_FIRST_LINE, text)
    delimiters = dict.fromkeys((in_first_line, *_DELIMITERS))
    scores = {each: _best_score(text, each, score) if score else 0 for each in delimiters}
    best = max(scores, key=lambda each: scores[each])
    return best if scores[best] or not score else _first(_ANYWHERE, text)


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.match(text)
    return match[1] if match and match[1] else _DELIMITERS[0]


def _best_score(text: str, delimiter: str, score: Score) -> int:
    try:
        return max(map(score, islice(_lines(text, delimiter), MAX_TITLE_ROWS)), default=0)
    except csv.Error:
        return 0


def _lines(text: str, delimiter: str) -> "csv.Reader":  # type: ignore[name-defined]
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)


def _decimal_signs(text: str, delimiter: str) -> str:
    """Return the decimal signs of a text: spreadsheets with decimal commas do not separate at them.

    Between tabs numbers show what the sign is.
    """
    if delimiter == ";":
        return ",."
    if delimiter == ",":
        return "."
    try:
        rows: Iterable[list[str]] = _lines(text, delimiter)
        has_commas = any(_COMMA_NUMBER.fullmatch(cell.strip()) for row in rows for cell in row)
    except csv.Error:
        return "."
    return ",." if has_commas else "."


def _decoded(raw: bytes, option: str | None, fallback: str | None) -> tuple[str, str]:
    """Return the text of a file, and its encoding."""
    encoding = mark_encoding(raw) or option or "utf-8"
    if encoding == "utf-8" and b"\0" in raw[:4]:
        reason = "the file looks like UTF-16 without a byte order mark"
        option = "" if fallback else ", or name its encoding: --encoding utf-16-le"
        raise TableError(1, f"{reason}: {_REMEDY}{option}")
    try:
        return raw.decode(encoding), encoding
    except UnicodeDecodeError as error:
        if fallback and encoding == "utf-8" and b"\0" not in raw:
            return raw.decode(fallback, "replace"), fallback
        line = error.object[: error.start].decode(encoding, "replace").count("\n") + 1
        name = encoding.upper().removesuffix("-SIG")
        option = "" if fallback else ", or name its encoding: --encoding cp1252"
        raise TableError(line, f"no {name}: {_REMEDY}{option}") from error
