"""Answers about tables: headings, rows and cells of a file as JSON (tools, Files)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import orjson

from service import limits
from service.extras.tables.cells import CellError
from service.extras.tables.columns import Column, column_of, score, with_names
from service.extras.tables.csv_records import RowReader, find_headings, has_text
from service.extras.tables.fields import Field
from service.extras.tables.headings import TEXTS, Headings
from service.extras.tables.table_cells import SheetFacts, SheetRow, TableError
from service.extras.tables.table_files import TableChoice, read
from service.records.reference_targets import TARGETS

_FALLBACK: Final = "windows-1252"
"""Encoding of text files without a byte order mark that are no UTF-8."""


@dataclass(frozen=True)
class TableRequest:
    """Request for an answer: what is read of a file, and for which collection."""

    headings: Headings | None = None
    """Headings of the collection; None to answer rows alone, all of them."""
    sheet: str | None = None
    heading_row: int | None = None
    """Number of the row of the headings; None to find it."""
    columns: list[Any] | None = None
    """Fields of the columns: their ``path`` and ``each``, or null; None for those of headings."""


def answer(raw: bytes, request: TableRequest) -> Iterator[bytes]:
    """Yield the pieces of an answer; after a line break, an object with the ``error`` ends it."""
    try:
        yield from _Answer(raw, request).pieces()
    except TableError as error:
        yield b"\n" + orjson.dumps({"error": f"Line {error.line}: {error}."})


class _Answer:
    """Answer about one file."""

    def __init__(self, raw: bytes, request: TableRequest) -> None:
        self._facts, self._request = SheetFacts(), request
        rows_score = partial(score, headings=request.headings) if request.headings else None
        choice = TableChoice(request.sheet, rows_score)
        self._file = read(raw, None, self._facts, fallback=_FALLBACK, choice=choice)
        self._heading, self._rest = self._found(_limited(self._file.rows))
        names = [cell.text.strip() for cell in self._heading.cells] if self._heading else []
        if self._heading and not any(names):
            raise TableError(self._heading.number, "there is no row with the names of columns")
        self._columns = self._chosen(names)
        # Columns whose headings name no field are left out, until somebody chooses their fields.
        columns = [
            column or (Column(name, (), Field()) if name else None)
            for name, column in zip(names, self._columns, strict=True)
        ]
        self._reader = RowReader(columns, self._file.decimal_signs, is_sheet=self._file.is_workbook)

    def pieces(self) -> Iterator[bytes]:
        """Yield the pieces; what is known after the last row stands after the rows."""
        yield b'{"rows":['
        before = b""
        for row in filter(has_text, self._rest):
            yield before + orjson.dumps(self._row(row))
            before = b","
        yield b"]," + orjson.dumps(self._about_all()).removeprefix(b"{")

    def _found(self, rows: Iterator[SheetRow]) -> tuple[SheetRow | None, Iterator[SheetRow]]:
        """Return the row of the headings, and the rows after it."""
        headings, number = self._request.headings, self._request.heading_row
        if not headings:
            return None, rows
        if number is None:
            return find_headings(rows, headings)
        for row in rows:
            if row.number >= number:
                return row, rows
        raise TableError(number, "there is no such row")

    def _chosen(self, names: list[str]) -> list[Column | None]:
        """Return the columns: those of the request, else those that the headings name."""
        headings = self._request.headings
        if not headings:
            return []
        if self._request.columns is not None:
            chosen = [*self._request.columns, *[None] * len(names)]
            return [_of_path(*pair, headings) for pair in zip(names, chosen, strict=False)]
        return with_names([_named(name, headings) for name in names], headings)

    def _row(self, row: SheetRow) -> dict[str, Any]:
        cells = [
            {"text": cell.text, "kind": cell.kind}
            | ({"problem": cell.problem} if cell.problem else {})
            for cell in row.cells
        ]
        if not self._heading:
            return {"number": row.number, "cells": cells}
        record = self._reader.record(row)
        problems = [
            {"column": problem.column_index, "message": problem.message}
            for problem in record.problems
        ]
        document = {"document": record.document, "problems": problems}
        references = [reference._asdict() for reference in record.references]
        named = {"references": references} if references else {}
        return {"number": row.number, "cells": cells, **document, **named}

    def _about_all(self) -> dict[str, Any]:
        facts, file = self._facts, self._file
        cells = self._heading.cells if self._heading else []
        return {
            "headingRow": self._heading and self._heading.number,
            "headings": [
                {"name": cell.text.strip(), "field": column and _field(column)}
                for cell, column in zip(cells, self._columns, strict=False)
            ],
            "isWorkbook": file.is_workbook,
            "sheet": facts.name,
            "sheets": facts.sheets,
            "encoding": facts.encoding,
            "delimiter": facts.delimiter,
            "hasDecimalCommas": "," in file.decimal_signs,
            "notes": facts.notes,
        }


def _limited(rows: Iterator[SheetRow]) -> Iterator[SheetRow]:
    """Yield the rows; raise TableError at one too many."""
    for count, row in enumerate(rows):
        if count > limits.MAX_TABLE_ROWS:
            message = (
                f"it has more than {limits.MAX_TABLE_ROWS:,} rows: split it into several files"
            )
            raise TableError(row.number, message)
        yield row


def _named(name: str, headings: Headings) -> Column | None:
    """Return the column that a heading names; None for one that names no field.

    Fields that the service sets are not read: requests leave them out.
    """
    try:
        column = column_of(name, headings) if name else None
    except CellError:
        return None
    return column and (column if column.field.is_written else Column(name, (), Field()))


def _field(column: Column) -> dict[str, Any]:
    """Return the field of a column; its path is empty if its cells are not read."""
    return {"path": column.path, "each": column.each or None}


def _of_path(name: str, chosen: Any, headings: Headings) -> Column | None:
    """Return the column of a chosen field; None for one that is left out."""
    if chosen is None:
        return None
    path, each = tuple(chosen["path"]), str(chosen.get("each") or "")
    if target := headings.target_of(name, path, each):
        return Column(name, *target)
    if each:
        return Column(name, path, TEXTS, each)
    field = headings.fields
    for step in path:
        field = _below(field, step)
    return Column(name, path, field)


def _below(field: Field, step: Any) -> Field:
    """Return the field at a step below another: a member, an entry, or a member of a key."""
    if field.items:
        return field.items
    if field.refers_to in TARGETS and step not in field.members:
        return TEXTS
    return field.members.get(str(step)) or Field()
