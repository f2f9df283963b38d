"""Workbooks made by hand: the parts of an XLSX file, each of which a test may replace or rename."""

import io
from collections.abc import Mapping, Sequence
from typing import Final
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
_STRICT: Final = {
    _MAIN: "http://purl.oclc.org/ooxml/spreadsheetml/main",
    _RELATIONS: "http://purl.oclc.org/ooxml/officeDocument/relationships",
}
SHEET: Final = "xl/worksheets/sheet1.xml"
BOOK: Final = "xl/workbook.xml"
STYLES: Final = "xl/styles.xml"
TEXTS: Final = "xl/sharedStrings.xml"
BOOK_RELATIONS: Final = "xl/_rels/workbook.xml.rels"


def text(value: str) -> str:
    """Return the XML of a cell with a text of its own."""
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def number(value: str, style: int = 0) -> str:
    """Return the XML of a cell with a number in a cell format."""
    return f'<c s="{style}"><v>{value}</v></c>'


def row(*cells: str) -> str:
    """Return the XML of a row: texts, unless they are the XML of cells."""
    return f"<row>{''.join(cell if cell.startswith('<c') else text(cell) for cell in cells)}</row>"


def _relations(*relations: tuple[str, str, str]) -> str:
    entries = "".join(
        f'<Relationship Id="{name}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for name, kind, target in relations
    )
    return f'<Relationships xmlns="{_PACKAGE}">{entries}</Relationships>'


def parts(
    *rows: str, formats: Sequence[str] = (), texts: Sequence[str] = (), options: str = ""
) -> dict[str, str]:
    """Return the parts of a workbook of one sheet with these rows.

    The cell format n+1 has the n-th code of ``formats``; ``texts`` are those that cells share, and
    ``options`` the attributes of the workbook's properties.
    """
    codes = "".join(
        f'<numFmt numFmtId="{200 + index}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>'
        for index, code in enumerate(formats)
    )
    cell_formats = "".join(f'<xf numFmtId="{200 + index}"/>' for index in range(len(formats)))
    shared = "".join(f"<si><t>{escape(each)}</t></si>" for each in texts)
    return {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": _relations(("rId1", "officeDocument", BOOK)),
        BOOK: f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><workbookPr {options}/><sheets>'
        '<sheet name="Sheet" sheetId="1" r:id="rId1"/></sheets></workbook>',
        BOOK_RELATIONS: _relations(
            ("rId1", "worksheet", "worksheets/sheet1.xml"),
            ("rId2", "styles", "styles.xml"),
            ("rId3", "sharedStrings", "sharedStrings.xml"),
        ),
        STYLES: f'<styleSheet xmlns="{_MAIN}"><numFmts>{codes}</numFmts><fills><fill/></fills>'
        f'<cellXfs><xf numFmtId="0"/>{cell_formats}</cellXfs></styleSheet>',
        TEXTS: f'<sst xmlns="{_MAIN}">{shared}</sst>',
        SHEET: f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(rows)}</sheetData></worksheet>',
    }


def strict(content: Mapping[str, str]) -> dict[str, str]:
    """Return the parts as those of a strict workbook, whose namespaces are others."""
    changed = dict(content)
    for name in changed:
        for usual, other in _STRICT.items():
            changed[name] = changed[name].replace(usual, other)
    return changed


def packed(content: Mapping[str, str | bytes]) -> bytes:
    """Return the workbook of some parts."""
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return file.getvalue()
