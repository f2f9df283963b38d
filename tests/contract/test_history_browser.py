"""Browser test of a record's history on `/data`: what changed, part by part, and by whose key."""

import asyncio

import pytest

from tests.support.api import MERGE_PATCH, Api, issue_key
from tests.support.browser import NEEDS_BROWSER, Reader

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]

_ROWS = ".history tbody tr"


async def test_a_history_tells_parts_and_names_of_keys(
    reader: Reader, api: Api, demo_dsn: str
) -> None:
    """One row for each transaction, the newest first; what a key may not read is left out."""
    id_ = (await api.post("/api/colors", {"name": "Saffron"})).data["id"]
    german = [{"languageId": {"code": "de"}, "colorName": "Safran"}]
    assert (await api.put(f"/api/colors/{id_}/translations", german)).status == 200
    note = {"colorNote": "Warm"}
    await api.patch(f"/api/colors/{id_}", note, content_type=MERGE_PATCH)
    name = (await api.get("/api/me")).data["key"]["name"]
    narrow = await issue_key(demo_dsn, 1, "colors:read")
    await asyncio.to_thread(_read, reader, id_, name, narrow)


def _read(reader: Reader, id_: int, name: str, narrow: str) -> None:
    page = reader.enter(f"#/colors/{id_}")
    page.wait_for("Saffron")
    page.until(lambda: not page.is_busy())
    changes = page.texts(f"{_ROWS} td:nth-child(2)")
    assert changes[0].split() == ["updated"]
    assert "Translations: created" in changes[1].replace("\n", " ")
    assert changes[-1].split() == ["created"]
    assert {*page.texts(f"{_ROWS} td:nth-child(3)")} == {name}
    assert page.console_errors() == []
    page.driver.execute_script("sessionStorage.clear()")
    page.driver.refresh()
    page.enter(narrow)
    page.until(lambda: page.heading() == "Saffron" and not page.is_busy())
    others = page.texts(f"{_ROWS} td:nth-child(3)")
    assert {text.split()[0] for text in others} == {"Key"}
