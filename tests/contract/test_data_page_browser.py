"""Browser tests of `/data`: people find, read and edit records (tools, Open pages)."""

import asyncio
import re
from urllib.parse import urlencode

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from tests.support.api import MERGE_PATCH, Api, issue_key
from tests.support.browser import ALL, NEEDS_BROWSER, DataPage, Reader, reader_of
from tests.support.sampling import Sample

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]

_HOSTILE = {
    "script": '<script>document.title="owned"</script><img src=x onerror=alert(1)>',
    "entities": "&lt;b&gt; &amp; {{name}} ${name} `'\"",
    "from right to left": "\u202e\u05d0\u05d3\u05d5\u05dd\u202c",
    "long": "Ultramarine " * 83,
}
_NONE = "\N{EN DASH}"
_NAMES = "tbody td:nth-child(2)"
_COLLECTIONS = (
    *("Style custom fields", "Care instructions", "Size ranges", "Sub-suppliers"),
    *("Style relations", "Sample requests", "Languages"),
)


async def test_a_reader_browses(logged_browser: webdriver.Chrome, api: Api, demo_dsn: str) -> None:
    """Collections, search with accents, filters, columns, sorts, pages, links and the way back."""
    await api.post("/api/colors", {"name": "Crème brûlée", "userDefinedId": "CB-1"})
    reader = await reader_of(logged_browser, api, demo_dsn)
    counted = await api.get("/api/colors", headers={"Prefer": "count=exact"})
    await asyncio.to_thread(_browse, reader, int(counted.headers["Total-Count"]))


def _browse(reader: Reader, total: int) -> None:
    page = reader.enter(key=reader.read_key)
    assert "may read only" in page.texts("#who")[0]
    assert page.texts("#collections a")[:3] == ["Start", "Styles", "Style colors"]
    page.choose("Colors")
    page.until(lambda: len(page.rows()) == 30)
    assert page.texts(".results th")[:3] == ["Id", "Name", "Own reference"]
    assert "New color" not in page.texts("main a"), "a key that may only read sees no controls"
    page.until(lambda: page.texts("p.total") == [f"{total} records"])
    _turn_pages(page)
    page.type("input[type=search]", "CREME bru")
    page.until(lambda: page.column(2) == ["Crème brûlée"])
    assert page.console_errors() == []
    _sort_and_filter(page)
    _choose_columns(page)
    page.driver.refresh()
    page.until(lambda: page.texts(".results thead th") == ["Id", "State"])
    page.driver.back()
    page.find(".results")
    own = ("data:", reader.url)
    assert not [address for address in page.requested() if not address.startswith(own)]


def _turn_pages(page: DataPage) -> None:
    first = page.column(1)
    page.press("Next page")
    page.until(lambda: page.column(1) not in ([], first))
    second = page.column(1)
    assert "cursor=" in page.value("location.hash")
    page.press("Previous page")
    page.until(lambda: page.column(1) == first)
    page.driver.back()
    page.until(lambda: page.column(1) == second)
    page.driver.refresh()
    page.until(lambda: page.column(1) == second)
    page.press("First page")
    page.until(lambda: page.column(1) == first)


def _sort_and_filter(page: DataPage) -> None:
    page.keys("input[type=search]", ALL, Keys.BACKSPACE)
    page.until(lambda: len(page.rows()) == 30)
    page.press("Name")
    page.until(lambda: page.column(2) == sorted(page.column(2)) and "sort=name" in page.address())
    assert page.texts("th[aria-sort=ascending]") == ["Name ▲"]
    assert page.value("document.activeElement.dataset.focus") == "sort name", "the focus stays"
    page.press("Name ▲")
    page.until(lambda: page.column(2)[:1] == [max(page.column(2) or [""])])
    page.click("details.menu summary")
    page.press("Add a condition")
    page.select("select[aria-label=Field]", "state")
    page.select("select[aria-label=Value]", "inactive")
    page.press("Apply")
    page.until(lambda: {*page.column(7)} == {"inactive"})
    assert page.texts("details.menu summary")[0] == "Filter (1)"


def _choose_columns(page: DataPage) -> None:
    page.click("details.menu + details.menu summary")
    for name in ("name", "userDefinedId", "userDefinedId2", "colorReference", "colorNote"):
        page.click(f"fieldset input[value={name}]")
    page.until(lambda: page.texts(".results thead th") == ["Id", "State"])


async def test_a_narrow_key_sees_its_collections(reader: Reader, api: Api, demo_dsn: str) -> None:
    """And no controls of others; records are shown without the names that it may not read."""
    style = (await api.get("/api/styles", {"pageSize": 1})).data[0]
    key = await issue_key(demo_dsn, 1, "styles:read", "colors:write")
    await asyncio.to_thread(_see_some, reader, key, style["id"], style["name"])


def _see_some(reader: Reader, key: str, style: int, name: str) -> None:
    page = reader.enter(key=key)
    assert "has the scopes styles:read, colors:write" in page.texts("#who")[0]
    shown = ["Start", "Colors", "Styles", "Countries", "Currencies", "Languages"]
    assert sorted(page.texts("#collections a")) == sorted(shown)
    page.choose("Colors")
    page.until(lambda: "New color" in page.texts("main a"))
    page.choose("Styles")
    page.until(lambda: bool(page.column(1)))
    assert "New style" not in page.texts("main a")
    page = reader.enter(f"#/styles/{style}", key=key)
    page.wait_for(name)
    page.until(lambda: not page.is_busy())
    assert "This key lacks the scope style-colors:read." in page.texts(".of-colors")[0]


async def test_a_record_shows_its_parts_references_and_history(
    reader: Reader, api: Api, sample: Sample
) -> None:
    """A record links to the records that it names, and lists its parts and its changes."""
    style = (await api.get("/api/styles", {"pageSize": 1})).data[0]
    await api.patch(f"/api/styles/{style['id']}", [_replace("/name", "Madder Coat")])
    brand = (await api.get(f"/api/brands/{style['brandId']}")).data
    await asyncio.to_thread(_read_style, reader, style["id"], brand["name"])
    await asyncio.to_thread(_read_collections, reader, sample(_COLLECTIONS, 3))


def _replace(path: str, value: object) -> dict[str, object]:
    return {"op": "replace", "path": path, "value": value}


def _read_style(reader: Reader, style_id: int, brand: str) -> None:
    page = reader.enter(f"#/styles/{style_id}")
    page.until(lambda: page.texts("h1") == ["Madder Coat"] and not page.is_busy())
    product = ["Details", "Colors", "Sizes and prices", "Files", "Translations", "Completeness"]
    making = ["Care label", "Bill of materials", "From fiber to packing", "Measurement chart"]
    others = ["Custom fields", "Sample requests", "Related styles", "Contacts", "Used by"]
    assert page.texts("h2") == [*product, *making, *others, "History"]
    assert "updated" in page.texts("section:last-of-type tbody td")
    page.press_link("Show the sample requests of this record")
    page.until(lambda: page.texts("h1") == ["Sample requests"] and "styleId" in page.address())
    page.driver.back()
    page.until(lambda: page.texts("h1") == ["Madder Coat"])
    page.press_link(brand)
    page.until(lambda: page.texts("h1") == [brand])
    assert page.value("document.activeElement.tagName") == "H1", "the focus is at the heading"
    assert page.console_errors() == []


def _read_collections(reader: Reader, titles: list[str]) -> None:
    page = reader.enter()
    for title in titles:
        page.choose(title)
        page.wait_for(title)
        page.until(lambda: bool(page.rows()))
        page.click(".results tbody a")
        page.until(lambda: "Fields" in page.texts("h2") and not page.is_busy())
        assert page.texts("[role=alert]") == [], title
    assert page.console_errors() == []


async def test_stored_text_is_shown_as_text(reader: Reader, api: Api) -> None:
    """Markup, directions and long texts are shown as they are stored, in lists and records."""
    names = [{"name": name, "colorNote": name + "\n" + "é" * 3000} for name in _HOSTILE.values()]
    ids = [color["id"] for color in (await api.post("/api/colors", names)).data]
    await asyncio.to_thread(_read_hostile, reader, ids)


def _read_hostile(reader: Reader, ids: list[int]) -> None:
    condition = f"id:in:{','.join(map(str, ids))}"
    page = reader.enter(f"#/colors?{urlencode({'filter': condition})}")
    page.until(lambda: len(page.rows()) == len(ids))
    cells = f"[...document.querySelectorAll({_NAMES!r})]"
    shown = page.value(f"{cells}.map((cell) => cell.textContent)")
    assert shown == [*_HOSTILE.values()]
    for record_id, name in zip(ids, _HOSTILE.values(), strict=True):
        page.driver.get(f"{reader.url}data#/colors/{record_id}")
        page.wait_for(name)
        assert page.value("document.title").startswith(name[:11])
    assert page.value("document.querySelectorAll('main script, main img').length") == 0
    assert page.value("document.documentElement.scrollWidth <= innerWidth")
    assert page.console_errors() == []


async def test_an_editor_creates_changes_and_deletes(reader: Reader, api: Api) -> None:
    """Errors stand beside their fields, conflicts side by side, and uses in the way of deletes."""
    group = (await api.post("/api/color-groups", {"name": "Crème tones"})).data
    color_id = await asyncio.to_thread(_create, reader)
    groups = (await api.get(f"/api/colors/{color_id}")).data["colorGroups"]
    assert [entry["id"] for entry in groups] == [group["id"]]
    page = await asyncio.to_thread(_begin_to_edit, reader, color_id)
    change = {"name": "Their navy", "colorReference": "19-0001", "state": "inactive"}
    await api.patch(f"/api/colors/{color_id}", change, content_type=MERGE_PATCH)
    await asyncio.to_thread(_settle_conflict, page)
    color = (await api.get(f"/api/colors/{color_id}")).data
    mine, theirs = (color["name"], color["colorNote"]), (color["colorReference"], color["state"])
    assert mine == ("My navy", "Mine")
    assert theirs == ("19-0001", "inactive")
    await asyncio.to_thread(_translate, reader, color_id)
    languages = (await api.get(f"/api/colors/{color_id}/translations")).data
    assert [entry["colorName"] for entry in languages] == ["<b>Marine</b>"]
    await asyncio.to_thread(_delete, reader, color_id, group["id"])
    assert (await api.get(f"/api/colors/{color_id}")).data["state"] == "deleted"


def _create(reader: Reader) -> str:
    page = reader.enter("#/colors")
    page.press_link("New color")
    page.wait_for("New color")
    # Thousands of keys would take a while.
    page.fill("Color note", "")
    page.driver.execute_script("document.activeElement.value = 'n'.repeat(4001)")
    page.press("Save")
    page.until(lambda: len(page.texts(".error:not(:empty)")) == 2)
    name_error, note_error = page.texts(".error:not(:empty)")
    assert name_error
    assert "4000" in note_error.replace(",", "")
    assert page.value("document.activeElement.labels[0].textContent") == "Name (required)"
    page.fill("Name (required)", "Deep navy")
    page.fill("Color note", "")
    page.fill("Color groups", "creme ton")
    page.until(lambda: page.texts("[role=option]") == ["Crème tones"])
    page.press_keys(Keys.ARROW_DOWN, Keys.ENTER)
    page.until(lambda: len(page.texts(".chosen li")) == 1)
    page.press("Save")
    page.wait_for("Deep navy")
    return page.address().rpartition("/")[2]


def _begin_to_edit(reader: Reader, color_id: str) -> DataPage:
    page = reader.enter(f"#/colors/{color_id}/edit")
    page.wait_for("Edit Deep navy")
    page.fill("Name (required)", "My navy")
    page.fill("Color note", "Mine")
    return page


def _settle_conflict(page: DataPage) -> None:
    page.press("Save")
    page.until(lambda: "Somebody else changed this meanwhile" in page.texts("h2"))
    assert [row.split() for row in page.texts(".conflict tbody tr")] == [
        ["Name", "Their", "navy", "My", "navy"],
        ["State", "inactive", "active"],
        ["Color", "reference", "19-0001", _NONE],
        ["Color", "note", _NONE, "Mine"],
    ]
    inputs = "[...document.querySelectorAll('.conflict :checked')]"
    chosen = page.value(f"{inputs}.map((input) => input.value)")
    assert sorted(chosen) == ["theirs", "theirs", "yours", "yours"]
    page.press("Save my choice")
    page.wait_for("My navy")


def _translate(reader: Reader, color_id: str) -> None:
    page = reader.enter(f"#/colors/{color_id}")
    page.press_link("Edit the translations")
    page.wait_for("Edit translations of My navy")
    page.press("Add an entry")
    page.fill("Language (required)", "ger")
    page.until(lambda: len(page.texts("[role=option]")) == 1)
    page.press_keys(Keys.ARROW_DOWN, Keys.ENTER)
    page.fill("Color name", "<b>Marine</b>")
    page.press("Save")
    page.until(lambda: "<b>Marine</b>" in "".join(page.texts("section td")))


def _delete(reader: Reader, color_id: str, group_id: int) -> None:
    page = reader.enter(f"#/color-groups/{group_id}")
    page.wait_for("Crème tones")
    page.press("Delete …")
    page.press("Delete")
    page.until(lambda: "1 colors" in "".join(page.texts("[role=alert]")))
    page.click(f"[role=alert] a[href='#/colors/{color_id}']")
    page.wait_for("My navy")
    page.press("Delete …")
    page.press("Delete")
    page.wait_for("Colors")
    for entry in page.console_errors():
        assert re.search(r"status of (400|409|412) ", entry["message"]), entry
