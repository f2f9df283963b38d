"""Browser tests of `/data`: the start page, filters with names, neighbors, and keys that stay."""

import asyncio
from functools import partial

import pytest
from selenium.webdriver.common.keys import Keys

from tests.support.api import Api
from tests.support.browser import NEEDS_BROWSER, DataPage, Reader

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]

_GROUPS = [
    *("Products", "Colors and sizes", "Making", "Care", "Suppliers", "Prices and channels"),
    *("Compliance", "Settings", "What changed last"),
]


async def test_people_find_their_way(reader: Reader, api: Api) -> None:
    """From the start page to a brand, what names it, and the list of these by name."""
    brand = (await api.post("/api/brands", {"name": "Woad & Madder"})).data
    for number in range(3):
        style = {"number": f"WM-{number}", "name": f"Woad {number}", "brandId": brand["id"]}
        await api.post("/api/styles", style)
    brands = (await api.get("/api/brands", {"pageSize": 100})).data
    page = await asyncio.to_thread(_begin, reader, len(brands))
    await asyncio.to_thread(_search_everything, page)
    await asyncio.to_thread(_follow_neighbors, page)
    await asyncio.to_thread(_filter_by_name, page)


def _begin(reader: Reader, brands: int) -> DataPage:
    page = reader.enter("#/")
    page.until(lambda: page.texts("#view h2") == ["Newest styles", *_GROUPS] and not page.is_busy())
    assert page.texts(".newest a")[0].split("\n") == ["Woad 2", "WM-2"]
    assert [text.capitalize() for text in page.texts("#collections .group")] == _GROUPS[:-1]
    rows = page.texts(".groups li")
    assert rows[0].split("\n")[0] == "Styles", "styles are first"
    assert f"Brands\n{brands}" in rows
    assert "Styles\n100+" in rows
    assert page.texts("main .actions a") == ["New style"]
    assert page.texts(".recent li")[0].startswith("created")
    assert any("Woad & Madder" in row for row in page.texts(".recent li"))
    return page


def _search_everything(page: DataPage) -> None:
    page.keys("#search-all", "woad")
    page.until(lambda: page.texts(".hits h2") == ["Styles", "Brands"])
    assert page.texts(".hits li a") == ["Woad 0", "Woad 1", "Woad 2", "Woad & Madder"]
    page.press_link("Woad & Madder")
    page.wait_for("Woad & Madder")


def _follow_neighbors(page: DataPage) -> None:
    page.until(lambda: page.texts(".neighbors a") == ["3 styles"])
    page.press("Delete …")
    page.until(lambda: page.texts("dialog .neighbors a") == ["3 styles"])
    page.press("Keep it")
    page.press_link("3 styles")
    page.until(lambda: len(page.rows()) == 3)
    assert page.texts(".conditions-in-words bdi") == ["Brand is Woad & Madder"]


def _filter_by_name(page: DataPage) -> None:
    """Choose another record by its name, with keys alone; take conditions away again."""
    page.click("details.menu summary")
    page.select("select[aria-label=Operator]", "in")
    page.click(".condition [role=combobox]")
    page.until(lambda: page.texts(".choices .more") == ["More match: type to narrow."])
    page.keys(".condition [role=combobox]", "Tindholt Alpine")
    page.until(lambda: page.texts("[role=option]")[:1] == ["Tindholt Alpine · TH-B001"])
    page.keys(".condition [role=combobox]", Keys.ARROW_DOWN, Keys.ENTER)
    assert page.texts(".condition .chosen bdi") == ["Woad & Madder", "Tindholt Alpine"]
    page.press("Apply")
    words = "Brand is one of Woad & Madder, Tindholt Alpine"
    page.until(lambda: page.texts(".conditions-in-words bdi") == [words])
    page.until(lambda: len(page.rows()) > 3)
    page.click(".conditions-in-words button")
    page.until(lambda: not page.texts(".conditions-in-words") and len(page.rows()) == 30)
    assert page.console_errors() == []


async def test_a_deleted_record_is_restored(reader: Reader, api: Api) -> None:
    color = (await api.post("/api/colors", {"name": "Lost blue"})).data
    style = (await api.post("/api/styles", {"number": "LOST-1", "name": "Lost"})).data
    for path in (f"/api/colors/{color['id']}", f"/api/styles/{style['id']}"):
        assert (await api.delete(path)).status in (200, 204)
    paths = (f"colors/{color['id']}", f"styles/{style['id']}")
    await asyncio.to_thread(_restore, reader, paths)
    for path in paths:
        assert (await api.get(f"/api/{path}")).data["state"] == "active"


def _restore(reader: Reader, paths: tuple[str, str]) -> None:
    for path in paths:
        page = reader.enter(f"#/{path}")
        page.until(partial(_is_deleted, page))
        page.press("Restore")
        page.until(partial(_is_restored, page))


def _is_deleted(page: DataPage) -> bool:
    return "Restore" in page.texts("button") and not page.is_busy()


def _is_restored(page: DataPage) -> bool:
    texts = page.texts("button")
    return "Delete …" in texts and "Restore" not in texts


async def test_a_key_stays_only_if_it_is_asked_for(reader: Reader) -> None:
    """A key that is kept is there in other tabs, and forgotten in all of them."""
    await asyncio.to_thread(_keep, reader)


def _keep(reader: Reader) -> None:
    page = reader.enter("#/colors")
    page.until(lambda: bool(page.rows()))
    assert page.value("localStorage.length") == 0, "off by default"
    page.press("Forget the key")
    page.click("#keep")
    page.type("#key", reader.key)
    page.press("Show the data")
    page.until(lambda: bool(page.rows()))
    assert page.value("localStorage.length") == 1
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.driver.get(f"{reader.url}data#/brands")
    page.until(lambda: bool(page.rows()))
    page.press("Forget the key")
    page.driver.close()
    page.driver.switch_to.window(first)
    page.until(lambda: "forgotten in another tab" in "".join(page.texts("#message")))
    assert page.value("localStorage.length + sessionStorage.length") == 0


async def test_a_list_is_found_again_as_it_was_left(reader: Reader) -> None:
    """Back leads to the same rows; a view has a name, in this browser, and can be removed."""
    await asyncio.to_thread(_come_back, reader)
    await asyncio.to_thread(_save_view, reader)


def _come_back(reader: Reader) -> None:
    page = reader.enter("#/styles")
    page.until(lambda: len(page.rows()) == 30)
    page.driver.execute_script("scrollTo(0, 400)")
    page.until(lambda: page.value("scrollY") == 400)
    page.driver.execute_script("document.querySelector('tr:nth-child(20) th a').click()")
    page.until(lambda: bool(page.texts(".style-head h1")) and not page.is_busy())
    page.driver.back()
    page.until(lambda: len(page.rows()) == 30)
    page.until(lambda: page.value("scrollY") == 400)


def _save_view(reader: Reader) -> None:
    page = reader.enter("#/colors?q=navy&sort=name&columns=name,state")
    page.until(lambda: bool(page.rows()) and len(page.rows()) < 30)
    shown = page.rows()
    menu = "details.menu:last-of-type"
    page.click(f"{menu} summary")
    page.type("[aria-label='Name of the view']", "Navy <b>")
    page.press("Save this view")
    page.until(lambda: page.texts(f"{menu} summary") == ["Views (1)"])
    page.choose("Colors")
    page.until(lambda: len(page.rows()) == 30)
    page.press_link("Navy <b>")
    page.until(lambda: page.rows() == shown)
    page.click("[aria-label='Remove the view Navy <b>']")
    page.until(lambda: page.texts(f"{menu} summary") == ["Views"])
    assert page.console_errors() == []
