"""Writes the foreign workbooks: by openpyxl, XlsxWriter, ExcelJS and LibreOffice, and by hand.

Run `python -m tests.transfer.foreign_workbooks.make_workbooks`. Node.js with ExcelJS is needed
(`npm install exceljs` in a folder that NODE_PATH names), and LibreOffice (`soffice`).
"""

import subprocess
from datetime import date, datetime, time, timedelta
from json import dumps
from pathlib import Path
from typing import Any

import openpyxl
import xlsxwriter

from tests.support.workbook_parts import number, packed, parts, row, strict, text
from tests.transfer.foreign_workbooks.table import HEADINGS, ROWS, Cell

FOLDER = Path(__file__).parent


def by_openpyxl() -> None:
    """Write the results of formulas: this library has no place for them."""
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.append(HEADINGS)
    for line, cells in enumerate(ROWS, start=2):
        for column, cell in enumerate(cells, start=1):
            written = sheet.cell(line, column, cell.value)
            written.number_format = cell.format
            if cell.value == "#N/A":
                written.data_type = "e" if cell.formula else "s"
    book.save(FOLDER / "openpyxl.xlsx")


def by_xlsxwriter(name: str, **options: bool) -> None:
    book = xlsxwriter.Workbook(str(FOLDER / name), options)
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, HEADINGS)
    for line, cells in enumerate(ROWS, start=1):
        for column, cell in enumerate(cells):
            form = book.add_format({"num_format": cell.format})
            if cell.formula:
                sheet.write_formula(line, column, cell.formula, form, cell.value)
            elif isinstance(cell.value, date | time | timedelta):
                sheet.write_datetime(line, column, cell.value, form)
            else:
                sheet.write(line, column, cell.value, form)
    book.close()


def by_exceljs() -> None:
    table = dumps([HEADINGS, [[_json(cell) for cell in cells] for cells in ROWS]])
    script = FOLDER / "make_workbook.cjs"
    subprocess.run(["node", script, FOLDER / "exceljs.xlsx"], input=table, text=True, check=True)


def _json(cell: Cell) -> dict[str, Any]:
    """Return a cell for ExcelJS, which takes times and durations as numbers of days."""
    value = cell.value
    kind = "date" if isinstance(value, date) else "value"
    if isinstance(value, datetime | date):
        value = value.isoformat()
    if isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute)
    if isinstance(value, timedelta):
        value = value / timedelta(days=1)
    return {"value": value, "kind": kind, "format": cell.format, "formula": cell.formula[1:]}


def by_libreoffice() -> None:
    """Convert the workbook of XlsxWriter, whose formulas are calculated anew."""
    source = FOLDER / "xlsxwriter.xlsx"
    target = FOLDER / "converted"
    command = ["soffice", "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML"]
    subprocess.run([*command, "--outdir", target, source], check=True)
    (target / source.name).rename(FOLDER / "libreoffice.xlsx")
    target.rmdir()


def by_hand() -> None:
    """Write a strict workbook, with days as such and texts in their cells."""
    formats = sorted({cell.format for cells in ROWS for cell in cells} - {"General"})
    styles = {"General": 0} | {form: style for style, form in enumerate(formats, start=1)}
    lines = (row(*(_xml(cell, styles[cell.format]) for cell in cells)) for cells in ROWS)
    content = packed(strict(parts(row(*HEADINGS), *lines, formats=formats)))
    (FOLDER / "strict.xlsx").write_bytes(content)


def _xml(cell: Cell, style: int) -> str:
    value = cell.value
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, time):
        return f'<c t="d" s="{style}"><v>{value.isoformat()}</v></c>'
    if isinstance(value, date):
        return f'<c t="d" s="{style}"><v>{value.isoformat()}</v></c>'
    if isinstance(value, timedelta):
        return number(repr(value / timedelta(days=1)), style)
    if isinstance(value, str) and cell.formula:
        kind = "e" if value.startswith("#") else "str"
        return f'<c t="{kind}"><f>{cell.formula[1:]}</f><v>{value}</v></c>'
    return text(value) if isinstance(value, str) else number(repr(value), style)


if __name__ == "__main__":
    by_openpyxl()
    by_xlsxwriter("xlsxwriter.xlsx")
    by_xlsxwriter("xlsxwriter-1904.xlsx", date_1904=True)
    by_exceljs()
    by_libreoffice()
    by_hand()
