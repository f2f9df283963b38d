"""Workbooks (XLSX): sheets as rows of typed cells, of transitional and strict files (ECMA-376).

A cell that shows no value of its own, such as an error, has a problem and no value. Only the parts
that say what cells are, are read: nothing outside of the file.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import lru_cache
from typing import Final

from service.extras.tables.archives import DAMAGED, Archive, WorkbookError
from service.extras.tables.markup import elements, feed
from service.extras.tables.number_formats import (
    GENERAL,
    Dates,
    NumberFormat,
    built_in,
    moment_cell,
    number_format,
    shown,
)
from service.extras.tables.table_cells import (
    BOOLEAN,
    DAY,
    EMPTY,
    MAX_COLUMNS,
    NUMBER,
    TIME,
    SheetFacts,
    SheetRow,
    TableCell,
    cell_name,
    column_name,
)
from service.limits import MAX_SHEET_ROWS

SIGNATURE: Final = b"PK\3\4"
_TRUE: Final = ("1", "true", "on")
_FLAGS: Final = {"1": "true", "true": "true", "0": "false", "false": "false"}
_ESCAPE: Final = re.compile("_x([0-9A-Fa-f]{4})_")
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_LETTERS: Final = re.compile("[A-Za-z]{1,3}", re.ASCII)
_SHORT: Final = re.compile("-?[1-9][0-9]{0,14}|0", re.ASCII)
"""Whole number that needs no rounding."""
_RUNS: Final = ("t", "rPh", "is", "r")
_ROW_NUMBER: Final = re.compile("[0-9]{1,7}", re.ASCII)
_MAX_CHARACTERS: Final = 2**24
"""Characters of a cell; more than any value that the service accepts."""
_MAX_SHEET_CHARACTERS: Final = 2**26
"""Characters of all cells of a sheet: a shared text counts as often as cells have it."""
_MAX_CELLS: Final = 10_000_000
"""Cells of a sheet, with the empty ones before others."""
_NO_RESULT: Final = "has a formula without a result: open the file in a spreadsheet and save it"
_MOST_NOTED: Final = 3
_OTHER_FORMATS: Final = {
    "xl/workbook.bin": "is a binary workbook (XLSB)",
    "content.xml": "is an OpenDocument file",
    "Index/Document.iwa": "is a file of Numbers",
    "word/document.xml": "is a text document",
}


@dataclass
class _Sheet:
    """Sheet of a workbook, with the name of its part."""

    name: str
    part: str
    is_hidden: bool


@dataclass
class _Context:
    """Parts of a workbook that its cells refer to."""

    texts: list[str] = field(default_factory=list)
    formats: list[NumberFormat] = field(default_factory=list)
    dates: Dates = field(default_factory=Dates)


class Workbook:
    """Workbook: its visible sheets with cells, and the rows of one of them."""

    def __init__(self, raw: bytes) -> None:
        self._archive = Archive(raw)
        self._part = self._workbook_part()
        properties = elements(self._archive.chunks(self._part), "workbook", "workbookPr")
        options = properties[0] if properties else {}
        is_1904 = options.get("date1904", "").lower() in _TRUE
        has_leap_day = options.get("dateCompatibility", "1").lower() in _TRUE
        self._dates = Dates(is_1904, has_leap_day)
        self._relations = self._relations_of(self._part)
        self.sheets = [*self._sheets()]
        if all(sheet.is_hidden for sheet in self.sheets):
            raise WorkbookError("it has no sheet with cells that is shown")

    def rows(self, facts: SheetFacts, sheet_name: str | None = None) -> Iterator[SheetRow]:
        """Yield the rows with cells of a sheet, by default of the first one that is shown.

        ``facts`` are filled; their notes are complete after the last row.
        """
        visible = (sheet for sheet in self.sheets if not sheet.is_hidden)
        named = (sheet for sheet in self.sheets if sheet.name == sheet_name)
        sheet = next(named if sheet_name else visible, None)
        if sheet is None:
            raise WorkbookError(f"it has no sheet {sheet_name}")
        facts.name, facts.sheets = sheet.name, [each.name for each in self.sheets]
        context = _Context(self._texts(), self._formats(), self._dates)
        reader = _SheetReader(context)
        for _ in feed(self._archive.chunks(sheet.part), reader):
            yield from reader.rows
            reader.rows.clear()
        facts.notes += reader.notes()

    def _workbook_part(self) -> str:
        """Return the name of the part that lists the sheets."""
        relations = elements(self._archive.chunks("_rels/.rels"), "Relationships", "Relationship")
        for relation in relations:
            if relation.get("Type", "").endswith("/officeDocument"):
                target = relation.get("Target", "").lstrip("/")
                if target in self._archive and not target.endswith(".bin"):
                    return self._checked(target)
        return self._checked("xl/workbook.xml")

    def _checked(self, part: str) -> str:
        for other, what in _OTHER_FORMATS.items():
            if other in self._archive and (part not in self._archive or part == other):
                raise WorkbookError(f"it {what}: save it as XLSX or CSV UTF-8")
        if part not in self._archive:
            raise WorkbookError("save it as XLSX or CSV UTF-8")
        return part

    def _relations_of(self, part: str) -> dict[str, tuple[str, str]]:
        """Return the last word of the type, and the part, of each relation by its id."""
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        return {
            relation.get("Id", ""): (
                relation.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))),
            )
            for relation in elements(self._archive.chunks(path), "Relationships", "Relationship")
            if relation.get("TargetMode") != "External"
        }

    def _sheets(self) -> Iterator[_Sheet]:
        for values in elements(self._archive.chunks(self._part), "sheets", "sheet"):
            kind, part = self._relations.get(values.get("id", ""), ("", ""))
            if kind in ("worksheet", "") and part in self._archive:
                is_hidden = "hidden" in values.get("state", "").lower()
                yield _Sheet(values.get("name", ""), part, is_hidden)

    def _related(self, kind: str, name: str) -> str:
        """Return the part of a kind; without a relation that of the usual name."""
        parts = (part for each, part in self._relations.values() if each == kind)
        return next(parts, posixpath.join(posixpath.dirname(self._part), name))

    def _texts(self) -> list[str]:
        reader = _TextsReader()
        for _ in feed(
            self._archive.chunks(self._related("sharedStrings", "sharedStrings.xml")), reader
        ):
            pass
        return reader.texts

    def _formats(self) -> list[NumberFormat]:
        """Return the number format of each cell format, by its index."""
        reader = _FormatsReader()
        for _ in feed(self._archive.chunks(self._related("styles", "styles.xml")), reader):
            pass
        return [reader.codes.get(number) or _built_in(number) for number in reader.formats]


def _built_in(number: str) -> NumberFormat:
    return built_in(int(number)) if _ROW_NUMBER.fullmatch(number) else GENERAL


class _FormatsReader:
    """Reader of the styles: number formats by their numbers, and those of cell formats."""

    def __init__(self) -> None:
        self.codes = dict[str, NumberFormat]()
        self.formats = list[str]()
        self._is_inside = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "numFmt":
            self.codes[attributes.get("numFmtId", "")] = number_format(
                attributes.get("formatCode", "")
            )
        elif name == "cellXfs":
            self._is_inside = True
        elif name == "xf" and self._is_inside:
            self.formats.append(attributes.get("numFmtId", "0"))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._is_inside = False

    def text(self, text: str) -> None:
        """Skip text."""


class _TextReader:
    """Reader of texts that may have several runs, without their phonetic ones."""

    def __init__(self) -> None:
        self._pieces = list[str]()
        self._is_text = self._is_phonetic = False

    def start(self, name: str, _: Mapping[str, str]) -> None:
        if name == "rPh":
            self._is_phonetic = True
        self._is_text = name in ("t", "v") and not self._is_phonetic

    def end(self, name: str) -> None:
        if name == "rPh":
            self._is_phonetic = False
        self._is_text = False

    def text(self, text: str) -> None:
        if self._is_text:
            self._pieces.append(text)

    def take(self) -> str:
        """Return the text since the last call."""
        text = "".join(self._pieces)
        self._pieces.clear()
        return text


class _TextsReader(_TextReader):
    """Reader of the texts that cells share."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = list[str]()

    def end(self, name: str) -> None:
        super().end(name)
        if name == "si":
            self.texts.append(self.take())


class _SheetReader(_TextReader):
    """Reader of a sheet, whose ``rows`` are those that have been read since they were taken."""

    def __init__(self, context: _Context) -> None:
        super().__init__()
        self.rows = list[SheetRow]()
        self._context = context
        self._row = SheetRow(0, [])
        self._column = -1
        self._cell: Mapping[str, str] | None = None
        self._has_formula = self._has_value = False
        self._is_hidden, self._hidden_rows = False, 0
        self._unlike = list[str]()
        self._hidden_columns, self._merged = list[str](), list[str]()
        self._characters = self._cells = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "c":
            self._start_cell(attributes)
        elif name == "v":
            self._is_text = self._has_value = True
        elif name in _RUNS:
            super().start(name, attributes)
        elif name == "f":
            self._has_formula = True
        elif name == "row":
            self._start_row(attributes)
        elif name == "col" and attributes.get("hidden", "").lower() in _TRUE:
            self._hidden_columns.append(_columns_of(attributes))
        elif name == "mergeCell":
            self._merged.append(attributes.get("ref", ""))

    def _start_row(self, attributes: Mapping[str, str]) -> None:
        number = attributes.get("r", str(self._row.number + 1))
        if (
            not _ROW_NUMBER.fullmatch(number)
            or not self._row.number < int(number) <= MAX_SHEET_ROWS
        ):
            message = f"its sheet has a row {number[:20]} after row {self._row.number}"
            raise WorkbookError(f"{message}: save it again as XLSX")
        self._row, self._column = SheetRow(int(number), []), -1
        self._is_hidden = attributes.get("hidden", "").lower() in _TRUE

    def _start_cell(self, attributes: Mapping[str, str]) -> None:
        column = self._column + 1
        if "r" in attributes:
            column = _index_of(attributes["r"].rstrip("0123456789"))
        if not self._column < column < MAX_COLUMNS:
            raise WorkbookError(DAMAGED)
        self._column, self._cell = column, attributes
        self._has_formula = self._has_value = False
        self._pieces.clear()

    def end(self, name: str) -> None:
        self._is_text = False
        if name == "c" and self._cell is not None:
            self._end_cell(self._cell)
            self._cell = None
        elif name == "row":
            self._end_row()
        elif name == "rPh":
            self._is_phonetic = False

    def _end_cell(self, attributes: Mapping[str, str]) -> None:
        cell = self._read(attributes, self.take())
        if cell is EMPTY:
            return
        self._characters += len(cell.text)
        if self._characters > _MAX_SHEET_CHARACTERS:
            raise WorkbookError("its sheet has too much text: save it as CSV UTF-8")
        cells = self._row.cells
        if len(cells) < self._column:
            cells.extend([EMPTY] * (self._column - len(cells)))
        cells.append(cell)

    def _end_row(self) -> None:
        self._cells += len(self._row.cells)
        if self._cells > _MAX_CELLS:
            raise WorkbookError("its sheet has too many cells: save it as CSV UTF-8")
        if self._row.cells:
            self.rows.append(self._row)
            self._hidden_rows += self._is_hidden

    def _read(self, attributes: Mapping[str, str], text: str) -> TableCell:
        kind = attributes.get("t", "n")
        if self._has_formula and (not self._has_value or (not text and kind != "str")):
            return TableCell(problem=_NO_RESULT)
        if kind == "e":
            return TableCell(problem=f"shows {text or 'an error'}")
        if kind == "s":
            return self._shared(text)
        if kind in ("str", "inlineStr"):
            return _text_cell(text)
        if not text.strip():
            return EMPTY
        if kind == "b":
            flag = _FLAGS.get(text.strip().lower())
            return TableCell(flag, BOOLEAN) if flag else TableCell(problem="has no truth value")
        return _iso_cell(text.strip()) if kind == "d" else self._number(attributes, text)

    def _shared(self, text: str) -> TableCell:
        texts, index = self._context.texts, text.strip()
        if not text:
            return EMPTY
        if not _ROW_NUMBER.fullmatch(index) or int(index) >= len(texts):
            return TableCell(problem="names a text that the file does not have")
        return _text_cell(texts[int(index)])

    def _number(self, attributes: Mapping[str, str], text: str) -> TableCell:
        formats, style = self._context.formats, attributes.get("s", "0")
        index = int(style) if _ROW_NUMBER.fullmatch(style) else len(formats)
        form = formats[index] if index < len(formats) else GENERAL
        if form is GENERAL and _SHORT.fullmatch(text):
            return TableCell(text, NUMBER)
        cell = shown(text, form, self._context.dates)
        if form.is_unlike and not cell.problem:
            self._unlike.append(f"{cell_name(self._column, self._row.number)} as {cell.text}")
        return cell

    def notes(self) -> list[str]:
        """Return sentences about what is read otherwise than people see it."""
        sentences = list[str]()
        if self._hidden_rows:
            sentences.append(f"Hidden rows are read, too: {self._hidden_rows}.")
        if self._hidden_columns:
            sentences.append(f"Hidden columns are read, too: {_some(self._hidden_columns)}.")
        if self._merged:
            text = "Of merged cells the first one has the value, and the others are empty"
            sentences.append(f"{text}: {_some(self._merged)}.")
        if self._unlike:
            text = "Numbers are read without the signs of their formats"
            sentences.append(f"{text}: {_some(self._unlike)}.")
        return sentences


def _some(texts: list[str]) -> str:
    more = len(texts) - _MOST_NOTED
    return ", ".join(texts[:_MOST_NOTED]) + (f" and {more} more" if more > 0 else "")


@lru_cache(maxsize=MAX_COLUMNS)
def _index_of(letters: str) -> int:
    """Return the index of a column from 0; one beyond all columns for what is no name of one."""
    if not _LETTERS.fullmatch(letters):
        return MAX_COLUMNS
    index = 0
    for letter in letters.upper():
        index = index * 26 + ord(letter) - ord("A") + 1
    return index - 1


def _columns_of(attributes: Mapping[str, str]) -> str:
    bounds = [attributes.get(name, "") for name in ("min", "max")]
    names = [
        column_name(min(int(bound), MAX_COLUMNS) - 1)
        for bound in bounds
        if _ROW_NUMBER.fullmatch(bound) and int(bound)
    ]
    return " to ".join(dict.fromkeys(names))


def _text_cell(text: str) -> TableCell:
    if not text:
        return EMPTY
    if len(text) > _MAX_CHARACTERS:
        return TableCell(problem="has too long a text")
    if "_x" in text:
        text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    if _SURROGATES.search(text):
        # A character beyond the first plane may be escaped as two halves.
        try:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            return TableCell(problem="has a text with half a character")
    return TableCell(text)


def _iso_cell(text: str) -> TableCell:
    """Return the cell of a day or time that the file has as such (ISO 8601)."""
    bare = text.removeprefix("T").removesuffix("Z")
    for read in (_day_of, _moment_of, _time_of):
        try:
            return read(bare)
        except ValueError:
            continue
    return TableCell(text, DAY, f"has neither a day nor a time: {text[:40]}")


def _day_of(text: str) -> TableCell:
    return TableCell(date.fromisoformat(text).isoformat(), DAY)


def _moment_of(text: str) -> TableCell:
    return moment_cell(datetime.fromisoformat(text).replace(tzinfo=None))


def _time_of(text: str) -> TableCell:
    moment = time.fromisoformat(text)
    return TableCell(
        moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds"), TIME
    )
