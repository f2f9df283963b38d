"""Browser tests of the tables of `/data`: downloads, uploads, bulk edits (contract, Open pages)."""

import asyncio
import csv
import io
from pathlib import Path
from urllib.parse import urlencode

import pytest
from selenium import webdriver

from tests.support.api import Api
from tests.support.browser import INSTALLED, Reader, reader_of

pytestmark = [
    pytest.mark.contract("Open pages"),
    pytest.mark.skipif(not INSTALLED, reason="chromium and chromedriver are not installed"),
]

_FORMULAS = ("=1+1", "+49 30", "-x", "@cmd", "'=quoted", "plain")


def _rows(text: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text))]


async def test_a_list_is_downloaded_as_it_is_shown(
    browser: webdriver.Chrome, api: Api, demo_dsn: str, tmp_path: Path
) -> None:
    """All pages, the filters, the sort and the columns; names beside ids; no formulas."""
    notes = {f"Dye {index:03}": _FORMULAS[index % len(_FORMULAS)] for index in range(130)}
    group = (
        await api.post("/api/color-groups", {"name": "Dyes; all", "userDefinedId": "DYE"})
    ).data
    items = [
        {"name": name, "colorNote": note, "colorGroupIds": [group["id"]]}
        for name, note in notes.items()
    ]
    assert (await api.post("/api/colors", items)).status == 201
    reader = await reader_of(browser, api, demo_dsn)
    text = await asyncio.to_thread(_download, reader, tmp_path)
    rows = _rows(text)
    assert [*rows[0]] == ["id", "name", "colorNote", "colorGroupIds", "Color groups names"]
    assert [row["name"] for row in rows] == sorted(notes, reverse=True)
    for row in rows:
        note = notes[row["name"]]
        assert row["colorNote"] == (note if note == "plain" else f"'{note}")
        assert row["colorGroupIds"] == str(group["id"])
        assert row["Color groups names"] == "Dyes; all"


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
