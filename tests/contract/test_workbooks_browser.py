"""Browser tests of workbooks (XLSX) on `/data`: lists, uploads, charts and prices."""

import asyncio
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from tests.support.api import Api
from tests.support.browser import NEEDS_BROWSER, DataPage, Page, Reader
from tests.transfer import foreign_workbooks

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]

_NOTE = '=1+1 & <b>"é"</b>\n_x0041_ 🧵'
_ROWS: list[list[Any]] = [
    ["User defined id", "Name", "State", "Translation German", "When"],
    ["00123", "Weld <i>1</i>", "active", "Wau", datetime(2026, 2, 28)],
    [45.0, "=1+1", None, None, None],
    ["W-3", "Weld 3", "lively", None, None],
    ["W-4", "Weld 4", "active", "x" * 1001, None],
]


def _sheet(path: Path) -> Worksheet:
    sheet = openpyxl.load_workbook(path).active
    assert isinstance(sheet, Worksheet)
    return sheet


def _values(path: Path) -> list[tuple[Any, ...]]:
    return list(_sheet(path).iter_rows(values_only=True))


def _write(path: Path, rows: list[list[Any]]) -> str:
    book = openpyxl.Workbook()
    for number, row in enumerate(rows, 1):
        for column, value in enumerate(row, 1):
            cell = book.worksheets[0].cell(number, column, value)
            if isinstance(value, str):
                cell.data_type = "s"
    book.create_sheet("Notes").append(["not read"])
    book.save(path)
    return str(path)


def _upload(page: DataPage, path: str) -> None:
    page.keys("input[type=file]", path)
    page.press("See what would change")
    page.until(lambda: "What would change" in page.texts("h2"))


async def test_a_list_is_downloaded_as_a_workbook_and_changes_nothing(
    reader: Reader, api: Api, tmp_path: Path
) -> None:
    """Filtered, with texts as texts, numbers and times as such."""
    color = {"name": "Woad", "userDefinedId": "0012345678905", "colorNote": _NOTE}
    id_ = (await api.post("/api/colors", color)).data["id"]
    season = {"name": "Woad", "userDefinedId": "007", "startDate": "2026-02-28"}
    await api.post("/api/seasons", season)
    supplier = (await api.get("/api/suppliers", {"pageSize": 1})).data[0]

    async def rows(address: str) -> list[tuple[Any, ...]]:
        return await asyncio.to_thread(_there_and_back, reader, address, tmp_path)

    head, first = await rows("#/colors?q=woad&columns=name,userDefinedId,colorNote")
    assert head == ("Id", "Name", "Own reference", "Color note")
    assert first == (id_, "Woad", "0012345678905", _NOTE.replace("_x", "_x005F_x"))
    _, first = await rows("#/seasons?q=woad&columns=name,userDefinedId,startDate")
    assert first[2:] == ("007", datetime(2026, 2, 28))
    _, first, *_ = await rows("#/suppliers?columns=name,createdAt&sort=id")
    created = datetime.fromisoformat(supplier["createdAt"]).replace(tzinfo=None)
    assert abs((first[2] - created).total_seconds()) < 1
    items = await rows("#/items?columns=name,number,netWeight,supplierId,languages,translations")
    assert any(isinstance(row[3], int | float) for row in items[1:])


def _there_and_back(reader: Reader, address: str, folder: Path) -> list[tuple[Any, ...]]:
    page = reader.enter(address)
    path = folder / f"{address[2:].partition('?')[0]}.xlsx"
    page.until(lambda: bool(page.rows()) and page.address().startswith(address[:8]))
    page.save_into(folder)
    page.press("Download XLSX")
    page.until(path.exists)
    rows = _values(path)
    page.press_link("Upload a table")
    page.until(lambda: page.heading().startswith("Upload a table"))
    _upload(page, str(path))
    count = len(rows) - 1
    assert page.texts("section p")[1] == f"{count} unchanged.", page.texts(".changes li")
    assert page.console_errors() == []
    return rows


async def test_wrong_rows_of_a_workbook_are_named_by_their_cells(
    reader: Reader, api: Api, tmp_path: Path
) -> None:
    """Written without them; their table is a workbook again."""
    await asyncio.to_thread(_upload_wrong_rows, reader, tmp_path)
    colors = (
        await api.get("/api/colors", {"userDefinedId": ["00123", "45"], "sort[0].property": "id"})
    ).data
    assert [color["name"] for color in colors] == ["Weld <i>1</i>", "=1+1"]


def _upload_wrong_rows(reader: Reader, folder: Path) -> None:
    page = reader.enter("#/colors/upload")
    page.wait_for("Upload a table: Colors")
    page.save_into(folder)
    page.keys("input[type=file]", _write(folder / "colors.xlsx", _ROWS))
    page.until(lambda: "See what would change" in page.texts("button"))
    facts = page.texts(".columns p")[0]
    assert facts.startswith("4 rows of the sheet “Sheet”. 1 other sheet is not read."), facts
    assert "2026-02-28" in page.texts(".columns td")
    page.press("See what would change")
    page.until(lambda: "2 rejected, 2 new." in page.texts("section p"))
    reasons = page.texts("[aria-label=Result] .changes li")
    assert reasons[0].startswith("C4: State: "), reasons
    assert reasons[1].startswith("D5: Translations: German"), reasons
    page.press("Write 2 rows")
    page.until(lambda: "What was written" in page.texts("h2"))
    page.press("Download the 2 rejected rows")
    path = folder / "rejects-colors.xlsx"
    page.until(path.exists)
    assert [row[0] for row in _values(path)] == ["User defined id", "W-3", "W-4"]
    assert page.console_errors() == []


@pytest.mark.parametrize(
    ("language", "check", "wrong_cell", "no_table"),
    [
        ("de", "Zeigen, was sich ändern würde", "E8 zeigt #N/A.", "Zeile 1: Die Datei ist ein PDF"),
        ("fr", "Voir ce qui changerait", "E8 affiche #N/A.", "Ligne 1 : Le fichier est un PDF"),
    ],
)
async def test_cells_are_refused_in_the_language_of_the_page(
    reader: Reader, language: str, check: str, wrong_cell: str, no_table: str, tmp_path: Path
) -> None:
    path = Path(foreign_workbooks.__file__).with_name("exceljs.xlsx")
    (tmp_path / "styles.xlsx").write_bytes(b"%PDF-1.7")

    def upload() -> None:
        page = reader.enter("#/styles/upload")
        page.keys("input[type=file]", str(tmp_path / "styles.xlsx"))
        page.until(lambda: any(no_table in text for text in page.texts(".columns")))
        page.keys("input[type=file]", str(path))
        page.until(lambda: check in page.texts("button"))
        page.press(check)
        page.until(lambda: any(wrong_cell in text for text in page.texts(".changes li")))

    Page(reader.driver).prefer(language)
    try:
        await asyncio.to_thread(upload)
    finally:
        Page(reader.driver).prefer("en")


async def test_a_chart_and_prices_are_changed_in_a_spreadsheet(
    reader: Reader, api: Api, tmp_path: Path
) -> None:
    """Their cells are filled and marked, saved with one request, and wrong cells are named."""
    style = (await api.get("/api/sample-requests", {"pageSize": 1})).data[0]["styleId"]
    chart = f"/api/styles/{style}/measurement-chart"
    before = [line for line in (await api.get(chart)).data["lines"] if not line["isDeactivated"]]
    await asyncio.to_thread(_change, reader, style, tmp_path)
    after = [line for line in (await api.get(chart)).data["lines"] if not line["isDeactivated"]]
    assert float(after[0]["tolerance"]) == 0.75
    assert [line["lineId"] for line in after[:-1]] == [line["lineId"] for line in before]
    assert after[1:-1] == before[1:], "what the sheet did not change is as it was"
    assert [after[-1]["name"], float(after[-1]["requested"][0]["value"])] == ["Pocket", 12.5]


def _edit(page: DataPage, folder: Path) -> Worksheet:
    """Download the sheet that is edited; return it to be changed."""
    page.press("Download XLSX")
    page.until(lambda: any(folder.glob("*.xlsx")))
    [download] = folder.glob("*.xlsx")
    return _sheet(download)


def _bring(page: DataPage, sheet: Worksheet, path: Path) -> None:
    assert sheet.parent
    sheet.parent.save(path)
    page.keys(".exchange-controls input", str(path))
    page.until(lambda: bool(page.texts(".exchange [role=status]")))


def _change(reader: Reader, style: int, folder: Path) -> None:
    page = reader.enter(f"#/styles/{style}")
    page.until(lambda: bool(page.texts(".style-head h1")) and not page.is_busy())
    (folder / "a").mkdir()
    page.save_into(folder / "a")
    page.press("Edit the measurement chart")
    page.find(".sheet")
    page.until(lambda: not page.is_busy())
    sheet = _edit(page, folder / "a")
    assert [sheet["A1"].value, sheet["B1"].value, sheet["C1"].value] == [
        "Id",
        "Point of measure",
        "Tolerance",
    ]
    assert sheet["C2"].data_type == "n"
    sheet["C2"], sheet["D3"] = 0.75, "wide"
    sheet.append([None, "Pocket", None, 12.5])
    _bring(page, sheet, folder / "a" / "chart.xlsx")
    assert page.texts(".exchange [role=status]")[0].startswith("1 value differs, 1 row is new.")
    assert page.texts(".exchange li") == ["D3: “wide” is no number."]
    page.press("Save")
    page.until(lambda: "Pocket" in page.texts(".chart th"))
    _change_prices(page, folder)
    assert page.console_errors() == []


def _change_prices(page: DataPage, folder: Path) -> None:
    (folder / "b").mkdir()
    page.save_into(folder / "b")
    page.press("Edit prices")
    page.find(".sheet")
    page.until(lambda: not page.is_busy())
    sheet = _edit(page, folder / "b")
    cells = [sheet[name].value for name in ("B1", "A2", "B2")]
    assert cells == ["Color", "all", "All colors"]
    sheet["C2"], sheet["A3"] = 77.5, "0815"
    _bring(page, sheet, folder / "b" / "prices.xlsx")
    assert page.texts(".exchange li") == ["A3: the table has no row “0815”."]
    assert page.value("document.querySelector('.sheet .changed input').value") == "77.5"
    page.press("Undo")
    page.until(lambda: page.value("document.querySelectorAll('.sheet .changed').length") == 0)
    page.press("Cancel")
    page.until(lambda: not page.texts(".sheet"))


def _hostile(path: Path, sheet: str, styles: str = "") -> str:
    """Write a workbook whose sheet is this XML."""
    book = '<workbook xmlns:r="x"><sheets><sheet name="S" r:id="r"/></sheets></workbook>'
    relation = '<Relationships><Relationship Id="r" Target="s.xml"/></Relationships>'
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", book)
        archive.writestr("xl/_rels/workbook.xml.rels", relation)
        archive.writestr("xl/s.xml", f"<worksheet>{sheet}")
        archive.writestr("xl/styles.xml", styles)
    return str(path)


_FORMAT = f'<numFmt numFmtId="200" formatCode="{"[" * 300_000}"/>'


async def test_hostile_workbooks_are_refused_at_once(reader: Reader, tmp_path: Path) -> None:
    """They would have the page count cells without end, or search their ends again and again."""
    await asyncio.to_thread(_upload_hostile, reader, tmp_path)


def _shows(page: DataPage, text: str) -> bool:
    return text in page.texts("section")[0]


def _upload_hostile(reader: Reader, folder: Path) -> None:
    page = reader.enter("#/colors/upload")
    page.wait_for("Upload a table: Colors")
    sheets = {
        '<row><c r="ZZZZZZ1"><v>1</v></c></row></worksheet>': "no workbook: it is damaged",
        '<row><c r="XFD1"><v>1</v></c></row>' * 700: "its sheet has too many cells",
        f'<row><c r="{"1" * 300_000}A"/></row>{"<?" * 300_000}': "it is damaged",
        '<row><c t="str"><v>name&#x110000;</v></c></row>' + "<!--" * 300_000: "it is damaged",
        "</worksheet>": "there is no row with the names of columns",
    }
    for number, (sheet, text) in enumerate(sheets.items()):
        page.keys("input[type=file]", _hostile(folder / f"{number}.xlsx", sheet, _FORMAT))
        page.until(partial(_shows, page, text))
    assert all("400" in each["message"] for each in page.console_errors())
