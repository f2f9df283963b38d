"""Browser tests of what completeness leads to on `/data`: GTINs that are allocated, and texts."""

import asyncio

import pytest
from selenium.webdriver.common.keys import Keys

from tests.support.api import Api
from tests.support.browser import NEEDS_BROWSER, DataPage, Reader
from tests.support.judged_style import Judged, made

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]
_COLORS = ["Camel", "Cognac"]
_MARKED = ".palette [aria-selected=true] strong"
_CHANNEL = "//details[summary/bdi[text()='Weld shop']]"


async def test_what_is_missing_is_filled_in_where_its_link_leads(reader: Reader, api: Api) -> None:
    """The range is chosen before numbers are allocated; languages that lack a name have rows."""
    style = await Judged.create(api)
    size_range = await made(api, "size-ranges", name="Weld sizes")
    await api.put(f"/api/size-ranges/{size_range}/sizes", [{"name": "S"}, {"name": "M"}])
    await style.set(sizeRangeId=size_range)
    color = (await api.get("/api/colors")).data[0]["id"]
    await made(api, "style-colors", styleId=style.style, colorId=color)
    await api.post("/api/style-skus/generate", [{"styleId": style.style}])
    languages = {entry["name"]: entry["id"] for entry in (await api.get("/api/languages")).data}
    chosen = {"languageIds": [languages["Danish"], languages["German"]], "name": "Weld shop"}
    await made(api, "channels", requirements=["barcodes", "translations"], **chosen)
    last = (await api.get("/api/barcode-ranges", {"state": "active"})).data[-1]
    await asyncio.to_thread(_choose_colors, reader, f"#/styles/{style.style}")
    chosen = (await api.get("/api/style-colors", {"styleId": style.style})).data
    assert [each["colorName"] for each in chosen[1:]] == _COLORS
    page = await asyncio.to_thread(_allocate, reader, style.style, str(last["id"]))
    skus = (await api.get("/api/style-skus", {"styleId": style.style})).data
    assert [sku["gtin"][:7] for sku in skus] == [last["companyPrefix"]] * 2
    await asyncio.to_thread(_name, page)
    texts = (await api.get(f"{style.path}/translations")).data
    assert {text["languageId"]: text["name"] for text in texts} == {languages["German"]: "Wau"}


def _choose_colors(reader: Reader, address: str) -> None:
    """Several at once, by keys alone: with swatches, numbers and names."""
    page = reader.enter(address)
    page.press("Add colors")
    page.until(lambda: len(page.texts(".palette li")) == 48)
    assert "#" in page.texts(".palette li")[5]
    assert page.value("document.querySelector('.palette .swatch').offsetHeight") > 40
    page.press_keys("camel")
    page.until(lambda: page.texts(".palette strong")[:1] == [_COLORS[0]])
    page.press_keys(Keys.ENTER, Keys.BACKSPACE)
    page.until(lambda: len(page.texts(".palette li")) == 48)
    page.press_keys(Keys.ARROW_DOWN)
    page.press_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.SPACE)
    page.press_keys(Keys.ARROW_UP, Keys.SPACE, Keys.SPACE)
    assert page.texts(_MARKED) == _COLORS
    assert page.texts(".chosen bdi") == _COLORS
    page.press("Save")
    page.until(lambda: page.texts(".of-colors .card h3")[1:] == _COLORS)


def _allocate(reader: Reader, style: int, range_id: str) -> DataPage:
    page = reader.enter(f"#/styles/{style}")
    page.click(f"{_CHANNEL}/summary")
    for answer in ("Cancel", "Allocate 2 GTINs"):
        page.until(lambda: not page.is_busy() and not page.texts(".of-sizes .editing"))
        page.click(f"{_CHANNEL}//a[text()='Fill in barcodes']")
        page.select(".of-sizes .editing select", range_id)
        assert "never gives these numbers out again" in page.texts(".of-sizes .editing")[0]
        page.press(answer)
    report = "document.querySelector('.report')?.textContent"
    page.until(lambda: page.value(report) == "2 GTINs allocated.")
    return page


def _name(page: DataPage) -> None:
    assert "Allocate GTINs" not in page.texts("button")
    page.click(f"{_CHANNEL}/summary")
    page.click(f"{_CHANNEL}//a[text()='Fill in translations']")
    page.until(lambda: page.texts(".of-translations tbody th") == ["Danish", "German"])
    label = "document.activeElement.getAttribute('aria-label')"
    page.until(lambda: page.value(label) == "Danish, Name")
    page.keys(".of-translations [aria-label='German, Name']", "Wau")
    page.press("Save")
    page.until(lambda: "Wau" in page.texts(".texts td"))
    assert page.console_errors() == []
