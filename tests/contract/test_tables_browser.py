"""Browser tests of the tables of `/data`: downloads and uploads (tools, Open pages)."""

import asyncio
import csv
import io
from pathlib import Path
from urllib.parse import urlencode

import pytest

from service import openapi
from tests.support.api import Api
from tests.support.browser import NEEDS_BROWSER, DataPage, Page, Reader
from tests.support.judged_style import made
from tests.support.sampling import Sample

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]

_NONE = "\N{EN DASH}"
_WITH_LISTS = {
    "care-instructions": "CareInstruction",
    "style-custom-fields": "StyleCustomField",
    "sub-suppliers": "SubSupplier",
    "styles": "Style",
}
_FORMULAS = {
    "=1+1": "'=1+1",
    "+49 30": "'+49 30",
    "-x": "'-x",
    "@cmd": "'@cmd",
    "'=quoted": "''=quoted",
    "plain": "plain",
    "a;=cmd|b": "a;'=cmd|b",
    "a\n\uff1db": "a\n'\uff1db",
}


def _rows(text: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text))]


async def test_a_list_is_downloaded_as_it_is_shown(
    reader: Reader, api: Api, tmp_path: Path
) -> None:
    """All pages, the filters, the sort and the columns; names beside ids; no formulas."""
    notes = {f"Dye {index:03}": [*_FORMULAS][index % len(_FORMULAS)] for index in range(130)}
    group = await made(api, "color-groups", name="Dyes; all", userDefinedId="DYE")
    items = [
        {"name": name, "colorNote": note, "colorGroupIds": [group]} for name, note in notes.items()
    ]
    assert (await api.post("/api/colors", items)).status == 201
    text = await asyncio.to_thread(_download, reader, tmp_path)
    rows = _rows(text)
    assert [*rows[0]] == ["Id", "Name", "Color note", "Color groups: ids", "Color groups in words"]
    assert [row["Name"] for row in rows] == sorted(notes, reverse=True)
    for row in rows:
        assert row["Color note"] == _FORMULAS[notes[row["Name"]]]
        assert row["Color groups: ids"] == str(group)
        assert row["Color groups in words"] == "Dyes; all"


def _download(reader: Reader, folder: Path) -> str:
    view = {
        "columns": "name,colorNote,colorGroups",
        "filter": "name:startsWith:Dye",
        "sort": "name",
        "order": "desc",
    }
    page = reader.enter(f"#/colors?{urlencode(view)}", reader.read_key)
    page.until(lambda: len(page.rows()) == 30)
    page.save_into(folder)
    page.press("Download CSV")
    text = page.saved(folder / "colors.csv")
    assert "130 records are downloaded." in page.texts(".actions .quiet")
    assert page.console_errors() == []
    return text


_LONG = "x" * 1001
_WRONG = {
    "K-010": ["K-010", _LONG, "", "", ""],
    "": ["", "No key", "", "", ""],
    "K-000": ["K-000", "Twice", "", "", ""],
    "K-011": ["K-011", "State", "lively", "", ""],
    "K-012": ["K-012", "Word", "", _LONG, ""],
}
_HEADER = ("User Defined ID", "NAME", "State", "Translation German", "translations.fr")


async def test_a_table_of_300_colors_is_uploaded(reader: Reader, api: Api, tmp_path: Path) -> None:
    """Checked row by row in a dry run, written, and the rejected rows corrected in their table."""
    old = {"userDefinedId": "K-000", "name": "Old navy", "colorNote": "kept"}
    color = (await api.post("/api/colors", old)).data
    path = f"/api/colors/{color['id']}"
    french = [{"languageId": {"code": "fr"}, "colorName": "Bleu"}]
    assert (await api.put(f"{path}/translations", french)).status == 200
    names = [f"Größe {index}" for index in range(300)]
    good = [[f"K-{index:03}", names[index], "", f"Farbe {index}", ""] for index in range(300)]
    rows = [row for row in good if row[0] not in {"K-010", "K-011", "K-012"}]
    rows[5:5] = _WRONG.values()
    table = tmp_path / "seasonal colors.csv"
    table.write_bytes("".join(f"{';'.join(row)}\r\n" for row in (_HEADER, *rows)).encode("cp1252"))
    page = await asyncio.to_thread(_dry_run, reader, table)
    assert (await api.get(path)).data["name"] == "Old navy", "a dry run writes nothing"
    rejects = await asyncio.to_thread(_write, page, tmp_path)
    assert (await api.get(path)).data | {"name": names[0]} == (await api.get(path)).data
    translations = (await api.get(f"{path}/translations")).data
    assert {entry["colorName"] for entry in translations} == {"Farbe 0", "Bleu"}
    corrected = [row for row in good if row[0] in {"K-010", "K-011", "K-012"}]
    table.write_text(_corrected(rejects, corrected), "utf-8-sig")
    await asyncio.to_thread(_correct, page, table)
    answer = await api.get(
        "/api/colors",
        {
            "filter[0].property": "userDefinedId",
            "filter[0].operator": "startsWith",
            "filter[0].value": "K-",
            "pageSize": 1,
        },
        headers={"Prefer": "count=exact"},
    )
    assert answer.headers["Total-Count"] == "300"


def _dry_run(reader: Reader, table: Path) -> DataPage:
    page = reader.enter("#/colors")
    page.press_link("Upload a table")
    page.wait_for("Upload a table: Colors")
    page.keys("input[type=file]", str(table))
    page.until(lambda: "See what would change" in page.texts("button"))
    facts = page.texts("section p")[0]
    assert facts.startswith("302 rows, in Windows-1252")
    assert "semicolons" in facts
    assert page.value(
        "[...document.querySelectorAll('section select')].map((one) => one.value)"
    ) == [*("Own reference", "Name", "State", "Translations: German", "Translations: French")]
    page.press("See what would change")
    page.until(lambda: "What would change" in page.texts("h2"))
    assert page.texts("section p")[1] == "5 rejected, 296 new, 1 changed."
    reasons = page.texts("[aria-label=Result] tbody tr")
    assert [row.split()[0] for row in reasons] == ["7", "8", "9", "10", "11"], reasons
    page.press("1 changed")
    page.until(lambda: page.texts("[aria-label=Result] tbody th") == ["2"])
    changes = page.texts(".changes li")
    assert changes == [
        "Name: Old navy \u2192 Größe 0",
        f"Translations: {_NONE} \u2192 German Farbe 0",
    ]
    return page


def _write(page: DataPage, folder: Path) -> str:
    page.save_into(folder)
    page.press("Write 297 rows")
    page.until(lambda: "What was written" in page.texts("h2"))
    assert page.texts("section p")[1] == "5 rejected, 296 new, 1 changed."
    page.press("Download the 5 rejected rows")
    return page.saved(folder / "rejects-colors.csv")


def _corrected(text: str, good: list[list[str]]) -> str:
    """Return the rejected rows with their errors corrected, the last column as it is."""
    header, *rows = csv.reader(io.StringIO(text), delimiter=";")
    assert header == [*_HEADER, "Why it was rejected"]
    assert [row[:5] for row in rows] == [*_WRONG.values()]
    assert all(row[5] for row in rows)
    right = {row[0]: row for row in good}
    rows = [[*right[row[0]], row[5]] for row in rows if row[0] in right]
    return "".join(f"{';'.join(row)}\r\n" for row in (header, *rows))


def _correct(page: DataPage, table: Path) -> None:
    page.keys("input[type=file]", str(table))
    page.until(lambda: "".join(page.texts("section p")).startswith("3 rows"))
    page.press("See what would change")
    page.press("Write 3 rows")
    page.until(lambda: page.texts("section p")[1:2] == ["3 new."])
    assert page.console_errors() == []


async def test_columns_are_chosen_and_an_interrupted_upload_goes_on(
    reader: Reader, api: Api, tmp_path: Path
) -> None:
    """What is no table, or has no key, is refused in words; references are named by own key."""
    brand = (await api.post("/api/brands", {"name": "Alpine", "customId": "0815"})).data
    rows = [
        ("Number", "Artikel", "Brand", "Remark"),
        ("ST-1", "Parka", "0815", "x"),
        ("ST-2", "Coat", "none", "y"),
        ("ST-3", "<b>Cape</b>", "", "z"),
    ]
    table, workbook = tmp_path / "styles.txt", tmp_path / "styles.xlsx"
    table.write_bytes("\n".join(map("\t".join, rows)).encode("utf-16"))
    workbook.write_bytes(b"PK\3\4\0\0")
    page = await asyncio.to_thread(_choose_columns, reader, workbook, table)
    await asyncio.to_thread(_interrupt, page)
    styles = (await api.get("/api/styles", {"number": ["ST-1", "ST-2", "ST-3"]})).data
    assert {(style["name"], style.get("brandId")) for style in styles} == {
        ("Parka", brand["id"]),
        ("<b>Cape</b>", None),
    }


def _choose_columns(reader: Reader, workbook: Path, table: Path) -> DataPage:
    page = reader.enter("#/styles/upload")
    page.wait_for("Upload a table: Styles")
    page.keys("input[type=file]", str(workbook))
    page.until(lambda: "CSV UTF-8" in "".join(page.texts("[role=alert]")))
    assert all("400" in each["message"] for each in page.console_errors())
    page.keys("input[type=file]", str(table))
    page.until(lambda: bool(page.texts("section select")))
    assert page.texts("section p")[0].startswith("3 rows, in UTF-16. Cells are separated by tabs")
    assert len(page.texts("section .error:not(:empty)")) == 2
    page.select("[aria-label='Field of Number']", "")
    page.press("See what would change")
    page.until(lambda: "choose a column for Style number" in "".join(page.texts("[role=alert]")))
    page.select("[aria-label='Field of Number']", "Style number")
    page.select("[aria-label='Field of Artikel']", "Style number")
    page.press("See what would change")
    page.until(lambda: "Two columns are Style number" in "".join(page.texts("[role=alert]")))
    page.select("[aria-label='Field of Artikel']", "Name")
    page.press("See what would change")
    page.until(lambda: page.texts("section p")[1:2] == ["1 rejected, 2 new."])
    assert "Brand: " in page.texts(".changes li")[0]
    assert page.texts(".changes li")[0].endswith(": none.")
    page.press("2 new")
    page.until(lambda: "Brand: Alpine" in page.texts(".changes li"))
    assert "Name: <b>Cape</b>" in page.texts(".changes li")
    return page


def _interrupt(page: DataPage) -> None:
    assert page.console_errors() == []
    conditions = {"latency": 0, "download_throughput": -1, "upload_throughput": -1}
    page.driver.set_network_conditions(offline=True, **conditions)
    page.press("Write 2 rows")
    page.until(lambda: "It stopped" in "".join(page.texts("[role=alert]")))
    page.driver.set_network_conditions(offline=False, **conditions)
    page.press("Go on")
    page.until(lambda: page.texts("section p")[1:2] == ["1 rejected, 2 new."])
    assert "What was written" in page.texts("h2")


_WORDS = {
    "en": ("Download {}", "Upload a table", "See what would change", "unchanged", "active"),
    "de": (
        *("{} herunterladen", "Tabelle hochladen", "Zeigen, was sich ändern würde"),
        *("unverändert", "aktiv"),
    ),
    "fr": (
        *("Télécharger {}", "Importer un tableau", "Voir ce qui changerait"),
        *("inchangées", "actif"),
    ),
}


@pytest.mark.parametrize("language", _WORDS)
async def test_a_downloaded_table_changes_nothing_when_it_is_uploaded(
    language: str, reader: Reader, tmp_path: Path, sample: Sample
) -> None:
    """With every column of records that have lists, translations, references and numbers."""
    schemas = openapi.build()["components"]["schemas"]
    Page(reader.driver).prefer(language)
    for name, schema in sample(_WITH_LISTS.items(), 2):
        columns = ",".join(schemas[schema]["properties"])
        address = f"#/{name}?columns={columns}"
        try:
            await asyncio.to_thread(_return_unchanged, reader, address, _WORDS[language], tmp_path)
        finally:
            Page(reader.driver).prefer("en")


def _return_unchanged(reader: Reader, address: str, words: tuple[str, ...], folder: Path) -> None:
    download, upload, check, unchanged, active = words
    page = reader.enter(address)
    path = folder / f"{address[2:].partition('?')[0]}.csv"
    page.until(lambda: bool(page.rows()) and page.address().startswith(address[:8]))
    page.save_into(folder)
    page.press(download.format("CSV"))
    text = page.saved(path)
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    rows = [*csv.DictReader(io.StringIO(text), delimiter=delimiter)]
    assert active in rows[0].values() or "state" not in address
    page.press_link(upload)
    page.until(lambda: page.heading().startswith(upload))
    page.keys("input[type=file]", str(path))
    page.press(check)
    page.until(lambda: bool(page.texts(".kinds")))
    assert page.texts("section p")[1] == f"{len(rows)} {unchanged}.", page.texts(".changes li")


async def test_a_row_that_removes_entries_says_how_many(
    reader: Reader, api: Api, tmp_path: Path
) -> None:
    """Of lists of records, of prices in price lists, and of translations that columns number."""
    groups = [
        await made(api, "color-groups", name=name, userDefinedId=name) for name in ("A", "B", "C")
    ]
    color = {"name": "Woad", "userDefinedId": "WOAD", "colorGroupIds": groups}
    assert (await api.post("/api/colors", color)).status == 201
    table = tmp_path / "colors.csv"
    table.write_text(f"userDefinedId,colorGroupIds\nWOAD,{groups[0]}\n", "utf-8")
    style = await made(api, "styles", number="LOSS-1", name="Coat")
    priced = {"type": "retail", "currencyCode": "EUR", "userDefinedId": "LOSS"}
    prices = await made(api, "price-lists", name="Loss", **priced)
    body = [{"minimumQuantity": each, "amount": "50"} for each in (1, 10, 20)]
    path = f"/api/styles/{style}"
    assert (await api.put(f"{path}/prices/{prices}", {"prices": body})).status == 200
    texts = [{"languageId": {"code": code}, "name": code} for code in ("de", "fr", "it")]
    assert (await api.put(f"{path}/translations", texts)).status == 200
    others = tmp_path / "styles.csv"
    others.write_text(_LOSSES, "utf-8")
    await asyncio.to_thread(_see_losses, reader, table, others)


_LOSSES = (
    "number,prices[0].priceListId,prices[0].prices[0].amount,"
    "translations[0].languageId,translations[0].name\n"
    'LOSS-1,"{""userDefinedId"": ""LOSS""}",50,"{""code"": ""de""}",Mantel\n'
)


def _see_losses(reader: Reader, colors: Path, styles: Path) -> None:
    assert _losses(reader, colors, "Colors") == ["2 entries are removed."]
    lost = ["2 prices are removed.", "2 translations are removed."]
    assert sorted(_losses(reader, styles, "Styles")) == lost


def _losses(reader: Reader, table: Path, title: str) -> list[str]:
    page = reader.enter(f"#/{table.stem}/upload")
    page.wait_for(f"Upload a table: {title}")
    page.keys("input[type=file]", str(table))
    page.press("See what would change")
    page.until(lambda: "What would change" in page.texts("h2"))
    return page.texts(".changes strong.error")
