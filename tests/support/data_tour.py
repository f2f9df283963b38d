"""Tour of `/data`: opens every kind of view in turn, for checks that hold in each of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from selenium.webdriver.common.keys import Keys

from tests.support.api import Api
from tests.support.browser import ALL, DataPage, Reader

_CHANGE = """fetch("api/colors/{id}", {{
  method: "PATCH",
  headers: {{
    Authorization: "Bearer " + sessionStorage["selvedge.key"],
    "Content-Type": "application/merge-patch+json",
  }},
  body: JSON.stringify({{ colorNote: {note} }}),
}}).then((response) => response.status)
"""


@dataclass(frozen=True, slots=True)
class Texts:
    """Stored texts that the views show."""

    first: str
    """Name of a color, and its name in a language."""
    key: str
    """Own key of that color."""
    note: str
    """Note of that color."""
    second: str
    """Name of another color."""
    group: str
    """Name of the color group of both."""


@dataclass(frozen=True, slots=True)
class Records:
    """Ids of the records that the views show."""

    first: int
    second: int
    group: int
    style: int
    sample_request: int

    @property
    def shown(self) -> str:
        """Return the address of a list with both colors."""
        view = {
            "filter": f"id:in:{self.first},{self.second}",
            "columns": "name,colorNote,colorGroups,state",
        }
        return f"#/colors?{urlencode(view)}"


async def create(api: Api, texts: Texts) -> Records:
    """Create the records of a tour; the style and its sample request are of the demo data."""
    group = (await api.post("/api/color-groups", {"name": texts.group})).data["id"]
    colors = [
        {
            "name": texts.first,
            "userDefinedId": texts.key,
            "colorNote": texts.note,
            "colorGroupIds": [group],
        },
        {"name": texts.second, "userDefinedId": "TOUR-1", "colorGroupIds": [group]},
    ]
    first, second = [color["id"] for color in (await api.post("/api/colors", colors)).data]
    german = [{"languageId": {"code": "de"}, "colorName": texts.first}]
    assert (await api.put(f"/api/colors/{first}/translations", german)).status == 200
    sample_request = (await api.get("/api/sample-requests", {"pageSize": 1})).data[0]
    return Records(first, second, group, sample_request["styleId"], sample_request["id"])


def tour(
    reader: Reader, records: Records, texts: Texts, folder: Path
) -> Iterator[tuple[str, DataPage]]:
    """Yield each view by name, with the page that shows it."""
    page = DataPage(reader.driver, f"{reader.url}data")
    page.find("#key")
    yield "sign-in", page
    page.enter(reader.key)
    for views in (_reading, _style, _editing, _conflict, _bulk_edit, _upload, _delete, _keys):
        yield from ((name, page) for name in views(page, records, texts, folder))


def _go(page: DataPage, address: str) -> None:
    page.driver.execute_script("location.hash = arguments[0]", address)


def _open(page: DataPage, address: str, heading: str) -> None:
    _go(page, address)
    page.wait_for(heading)
    page.until(lambda: not page.is_busy())


def _reading(page: DataPage, records: Records, texts: Texts, _: Path) -> Iterator[str]:
    page.until(lambda: bool(page.texts(".recent")) and not page.is_busy())
    page.keys("#search-all", "tour")
    page.until(lambda: bool(page.texts(".hits li")))
    yield "start"
    _open(page, records.shown, "Colors")
    page.until(lambda: len(page.rows()) == 2)
    yield "list"
    page.driver.execute_script("document.querySelector('td.editable').focus()")
    page.press_keys(Keys.ENTER)
    page.keys(".in-edit input", ALL, Keys.BACKSPACE, Keys.ENTER)
    page.until(lambda: bool(page.texts(".in-edit .error")))
    yield "cell"
    page.keys(".in-edit input", Keys.ESCAPE)
    page.click("details.menu summary")
    page.click("details.menu + details.menu summary")
    page.click("[aria-label='All rows of this page']")
    page.until(lambda: bool(page.texts(".selection a")))
    yield "menus"
    _open(page, f"#/colors/{records.first}", texts.first)
    yield "record"
    _go(page, f"#/sample-requests/{records.sample_request}")
    page.until(lambda: page.heading() != texts.first)
    page.until(lambda: not page.is_busy())
    yield "sample request"


def _style(page: DataPage, records: Records, _texts: Texts, _: Path) -> Iterator[str]:
    _go(page, f"#/styles/{records.style}")
    page.until(lambda: bool(page.texts(".style-head h1")))
    page.until(lambda: not page.is_busy())
    yield "style"
    grids = ("Edit prices", "Edit the measurement chart", "Edit the custom field values")
    for text in (*grids, "Add colors", "Edit the care label"):
        page.press(text)
    page.until(lambda: len(page.texts(".savebar")) == 5 and bool(page.texts(".palette li, .rows")))
    page.click(".palette li:nth-child(2)")
    yield "grids"
    page.click(".palette li:nth-child(2)")


def _editing(page: DataPage, records: Records, texts: Texts, _: Path) -> Iterator[str]:
    _open(page, f"#/colors/{records.first}/edit", f"Edit {texts.first}")
    page.keys("[role=combobox]", Keys.ARROW_DOWN)
    page.until(lambda: bool(page.texts("[role=option]")))
    yield "pick list"
    page.keys("[role=combobox]", Keys.ESCAPE)
    page.fill("Name (required)", "")
    page.press("Save")
    page.until(lambda: bool(page.texts(".error:not(:empty)")))
    yield "errors"


def _conflict(page: DataPage, records: Records, texts: Texts, _: Path) -> Iterator[str]:
    page.press("Cancel")
    page.wait_for(texts.first)
    _open(page, f"#/colors/{records.first}/edit", f"Edit {texts.first}")
    change = _CHANGE.format(id=records.first, note=json.dumps(texts.note[::-1]))
    assert page.value(change) == 200
    page.fill("Color note", "Mine")
    page.press("Save")
    page.until(lambda: "Somebody else changed this meanwhile" in page.texts("h2"))
    yield "conflict"
    page.press("Discard my changes")
    page.wait_for(texts.first)


def _bulk_edit(page: DataPage, records: Records, texts: Texts, _: Path) -> Iterator[str]:
    ids = f"{records.first},{records.second}"
    _open(page, f"#/colors/selected?{urlencode({'ids': ids})}", "Edit 2 at once: Colors")
    page.select("form > .actions select", "state")
    page.select(".bulk-field select", "inactive")
    page.press("See what would change")
    page.until(lambda: "2 changed." in page.texts("section p"))
    page.click("main details summary")
    assert texts.first in page.value("document.querySelector('main details').textContent")
    yield "bulk edit"
    page.click("[aria-label='Leave State as it is']")
    address = records.shown.replace("#/colors?", "#/colors/matching/delete?")
    _open(page, address, "Delete all that match: Colors")
    page.press("See what would change")
    page.until(lambda: "2 deleted." in page.texts("section p"))
    yield "delete all"


def _upload(page: DataPage, _: Records, texts: Texts, folder: Path) -> Iterator[str]:
    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    rows = [
        ["User defined id", "Name", "Remark", "State"],
        [texts.key, f"{texts.first} 2", texts.note, "active"],
        ["TOUR-2", texts.first, texts.note, texts.second],
        ["TOUR-3", texts.second, "y", "inactive"],
    ]
    table = folder / "tour.csv"
    table.write_text("\n".join(",".join(map(quoted, row)) for row in rows), "utf-8")
    _open(page, "#/colors/upload", "Upload a table: Colors")
    page.click(".rules summary")
    page.keys("input[type=file]", str(table))
    page.until(lambda: "See what would change" in page.texts("button"))
    yield "columns"
    page.click(".rules summary")
    page.press("See what would change")
    page.until(lambda: "What would change" in page.texts("h2"))
    yield "rejected rows"


def _delete(page: DataPage, records: Records, texts: Texts, _: Path) -> Iterator[str]:
    _open(page, f"#/color-groups/{records.group}", texts.group)
    page.press("Delete …")
    yield "delete"
    page.press("Delete")
    page.until(lambda: "2 colors" in "".join(page.texts("[role=alert]")))
    yield "in the way"


def _keys(page: DataPage, _: Records, _texts: Texts, _folder: Path) -> Iterator[str]:
    _open(page, "#/keys", "API keys")
    yield "keys"
    page.press("Rotate …")
    yield "rotation"
    page.press("Cancel")
    _open(page, "#/keys/new", "New API key")
    page.click(".scope-choice summary")
    page.select("select[name=styles]", "write")
    yield "new key"
