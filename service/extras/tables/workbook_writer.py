"""Writer of workbooks (XLSX) of one sheet, whose cells are texts, numbers, flags and days."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from service.extras.tables.cells import text_of
from service.extras.tables.fields import Field
from service.extras.tables.table_cells import cell_name
from service.files import private

SUFFIX: Final = ".xlsx"
_DIGITS: Final = 15
"""Decimal digits that the number of a cell has."""
_UNSAFE: Final = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_DAY_0: Final = date(1899, 12, 30).toordinal()
_FIRST_DAY: Final = date(1900, 3, 1)
"""First day whose number all spreadsheets agree on."""
_TEXT, _DAY = 1, 2
"""Cell formats; 0 is the general one."""
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_DOCUMENT: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_RELATIONS: Final = "application/vnd.openxmlformats-package.relationships+xml"
_SHEET: Final = "xl/worksheets/sheet1.xml"
_PARTS: Final = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    f'<Default Extension="rels" ContentType="{_RELATIONS}"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
    f'<Override PartName="/{_SHEET}" ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}"><sheets>'
    '<sheet name="Sheet" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_DOCUMENT}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">'
    '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="49" applyNumberFormat="1"/>'
    '<xf numFmtId="164" applyNumberFormat="1"/></cellXfs><cellStyles count="1">'
    '<cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}


def write_sheet(path: Path, rows: Iterable[Iterable[tuple[Any, Field]]]) -> None:
    """Write rows of values and their fields as a workbook that only its owner can read."""
    with private(path) as file, ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, xml in _PARTS.items():
            archive.writestr(_entry(name), _HEAD + xml)
        with archive.open(_entry(_SHEET), "w", force_zip64=True) as sheet:
            for text in _sheet(rows):
                sheet.write(text.encode())


def _entry(name: str) -> ZipInfo:
    """Return the entry of a part, which is of the same day in each file."""
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    return entry


def _sheet(rows: Iterable[Iterable[tuple[Any, Field]]]) -> Iterator[str]:
    yield f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'
    for number, row in enumerate(rows, start=1):
        cells = (_cell(cell_name(index, number), *cell) for index, cell in enumerate(row))
        yield f'<row r="{number}">{"".join(cells)}</row>'
    yield "</sheetData></worksheet>"


def _cell(name: str, value: Any, field: Field) -> str:
    if value is None:
        return ""
    text = text_of(value)
    if value and field.limits.get("format") == "date" and (serial := _serial(value)):
        return f'<c r="{name}" s="{_DAY}"><v>{serial}</v></c>'
    if isinstance(value, bool):
        return f'<c r="{name}" t="b"><v>{int(value)}</v></c>'
    is_short = len(text.lstrip("-0").replace(".", "")) <= _DIGITS
    is_number = isinstance(value, int | float) or ("number" in field.types and bool(text))
    if is_short and is_number:
        return f'<c r="{name}"><v>{escape(text)}</v></c>'
    safe = escape(_UNSAFE.sub(lambda match: f"_x{ord(match[0]):04X}_", text))
    inline = f'<is><t xml:space="preserve">{safe}</t></is>'
    return f'<c r="{name}" s="{_TEXT}" t="inlineStr">{inline}</c>'


def _serial(text: str) -> int:
    """Return the number of a day; 0 for one that spreadsheets count differently."""
    day = date.fromisoformat(text)
    return day.toordinal() - _DAY_0 if day >= _FIRST_DAY else 0
