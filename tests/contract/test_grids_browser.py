"""Browser test of a grid on `/data`: a measurement chart as one sheet."""

import asyncio
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.support.api import Api, issue_key
from tests.support.browser import ALL, NEEDS_BROWSER, DataPage, Reader
from tests.support.clipboard import copied, paste

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]

_SIZES = ["XS", "S", "M", "L", "XL", "XXL"]
_BAR_IS_IN_VIEW = """(() => {
  const { top, bottom } = document.querySelector(".savebar").getBoundingClientRect();
  return top >= 0 && Math.floor(bottom) <= innerHeight;
})()"""


async def test_a_measurement_chart_is_one_sheet(reader: Reader, api: Api, demo_dsn: str) -> None:
    """Paste, keys, undo, errors at cells, changes of others, an expired key, and a reload."""
    style_id = await _new_style(api)
    path = f"/api/styles/{style_id}/measurement-chart"
    page = await asyncio.to_thread(_paste_chart, reader, style_id)
    chart = (await api.get(path)).data
    assert chart["unit"] == "cm"
    assert [line["name"] for line in chart["lines"]] == [f"Point {row}" for row in range(1, 16)]
    values = [[entry["value"] for entry in line["requested"]] for line in chart["lines"]]
    assert values == [[row + column + 0.5 for column in range(6)] for row in range(1, 16)]
    await asyncio.to_thread(_change_chart, page)
    theirs = [{**line, "tolerance": 2} for line in chart["lines"]]
    theirs[0]["requested"] = [
        {**entry, "value": 77} if index < 2 else entry
        for index, entry in enumerate(theirs[0]["requested"])
    ]
    assert (await api.put(path, {"unit": "cm", "lines": theirs})).status == 200
    await asyncio.to_thread(_save_over_others, page)
    chart = (await api.get(path)).data
    first = [entry["value"] for entry in chart["lines"][0]["requested"]]
    assert first == [60, 77, 3.5, 4.5, 5.5, 6.5], "mine, theirs, and what nobody changed"
    assert {line["tolerance"] for line in chart["lines"]} == {2}
    foreign = await issue_key(demo_dsn, 2)
    await asyncio.to_thread(_save_with_another_key, page, reader.key, foreign)
    chart = (await api.get(path)).data
    assert chart["lines"][0]["requested"][5]["value"] == 99


async def _new_style(api: Api) -> int:
    size_range = (await api.post("/api/size-ranges", {"name": "Weld letters"})).data["id"]
    sizes = [{"name": name} for name in _SIZES]
    assert (await api.put(f"/api/size-ranges/{size_range}/sizes", sizes)).status == 200
    style = {"number": "WELD-1", "name": "Weld Coat", "sizeRangeId": size_range}
    style_id: int = (await api.post("/api/styles", style)).data["id"]
    return style_id


def _cell(row: int, title: str) -> str:
    """Return the selector of the input of a row, from 1 on, and a column."""
    return f".sheet tbody tr:nth-child({row}) input[aria-label$=', {title}']"


def _open_chart(page: DataPage) -> None:
    page.press("Edit the measurement chart")
    page.find(".sheet")
    page.until(lambda: not page.is_busy())


def _paste_chart(reader: Reader, style_id: int) -> DataPage:
    page = reader.enter(f"#/styles/{style_id}")
    page.wait_for("Weld Coat")
    page.until(lambda: not page.is_busy())
    _open_chart(page)
    page.keys(".of-measurement-chart input", "cm")
    page.click(_cell(1, "Point of measure"))
    rows = [
        [f"Point {row}", "1,0", *(f"{row + column},5" for column in range(6))]
        for row in range(1, 16)
    ]
    rows.insert(0, ["Point of measure", "Tolerance", *_SIZES])
    paste(page, "\r\n".join("\t".join(cells) for cells in rows))
    page.until(lambda: len(page.texts(".sheet tbody tr")) == 15)
    assert page.value(_BAR_IS_IN_VIEW), "the bar with Save stays in view"
    page.keys(_cell(1, "XS"), ALL, "wide")
    page.press("Save")
    page.until(lambda: len(page.texts(".sheet .error")) == 1)
    assert page.value("document.activeElement.value") == "wide", "the focus is at the error"
    assert page.value(_BAR_IS_IN_VIEW)
    ActionChains(page.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    assert page.find(_cell(1, "XS")).get_property("value") == "1.5", "an error is taken back"
    ActionChains(page.driver).key_down(Keys.CONTROL).send_keys("s").key_up(Keys.CONTROL).perform()
    page.until(lambda: len(page.texts(".chart tbody tr")) == 15)
    page.console_errors()
    return page


def _change_chart(page: DataPage) -> None:
    """Change a cell by keys alone; the draft survives a reload."""
    _open_chart(page)
    _copy_formulas(page)
    page.until(lambda: bool(page.texts(".chart")))
    _open_chart(page)
    page.click(_cell(2, "S"))
    page.keys(_cell(2, "S"), ALL)
    page.press_keys(Keys.ARROW_UP)
    page.press_keys(Keys.ARROW_LEFT)
    label = page.value("document.activeElement.getAttribute('aria-label')")
    assert label == "Point 1, XS"
    page.press_keys("60")
    page.until(lambda: "1 change is not saved." in page.texts(".savebar span"))
    page.driver.refresh()
    page.until(lambda: "draft" in "".join(page.texts(".savebar [role=alert]")))
    assert page.find(_cell(1, "XS")).get_property("value") == "60"


def _copy_formulas(page: DataPage) -> None:
    """Formulas are copied behind an apostrophe, which goes when they are pasted here."""
    name, number = _cell(3, "Point of measure"), _cell(3, "Tolerance")
    for text in ("=1+1", "@x", "-a", "'=1"):
        page.keys(name, ALL, text)
        assert copied(page) == f"'{text}"
        page.keys(name, ALL)
        paste(page, f"'{text}")
        assert page.find(name).get_property("value") == text
        paste(page, f"'{text}\t-2.5")
        assert page.find(name).get_property("value") == text
    assert page.find(number).get_property("value") == "-2.5"
    page.click(number)
    assert copied(page) == "-2.5", "numbers stay"
    page.press("Cancel")


def _save_over_others(page: DataPage) -> None:
    page.press("Save")
    page.until(lambda: "Somebody else" in "".join(page.texts(".savebar [role=alert]")))
    assert page.value("document.querySelectorAll('.sheet .conflict').length") == 1
    assert page.find(_cell(1, "XS")).get_property("value") == "60"
    assert page.find(_cell(1, "S")).get_property("value") == "77"
    page.press("Save")
    page.until(lambda: bool(page.texts(".chart")))
    page.console_errors()


def _save_with_another_key(page: DataPage, key: str, foreign: str) -> None:
    """Save with a key that the service does not know any more, then with another."""
    _open_chart(page)
    page.keys(_cell(1, "XXL"), ALL, "99")
    script = "sessionStorage.setItem('selvedge.key'"
    page.driver.execute_script(f"{script}, 'slv_1_1_expired')")
    page.press("Save")
    page.until(lambda: "Another key" in page.texts(".savebar label"))
    assert page.value(_BAR_IS_IN_VIEW)
    assert page.find(_cell(1, "XXL")).get_property("value") == "99", "the input stays"
    page.press_keys(foreign, Keys.ENTER)
    refusal = "This key is of another organization."
    page.until(lambda: page.texts(".savebar .error") == [refusal])
    page.press_keys(ALL, key, Keys.ENTER)
    page.until(lambda: bool(page.texts(".chart")))
    page.console_errors()


async def test_measured_values_are_one_sheet(reader: Reader, api: Api) -> None:
    """Values beyond the tolerance are marked; those of a size are edited with one request."""
    record = (await api.get("/api/sample-requests", {"pageSize": 1})).data[0]
    path = f"/api/styles/{record['styleId']}/sample-requests/{record['id']}/measurements"
    sizes = (await api.get(path)).data
    await asyncio.to_thread(_measure, reader, record["id"], sizes)
    after = (await api.get(path)).data
    first = after[0]["lines"][0]
    assert first["companyMeasurement"] == first["requestedMeasurement"]
    assert after[0]["lines"][1:] == sizes[0]["lines"][1:]
    assert after[1:] == sizes[1:]


def _beyond(sizes: list[dict[str, Any]]) -> int:
    """Return how many measured values deviate by more than the tolerance."""
    names = ("companyMeasurement", "supplierMeasurement", "newMeasurement")
    lines = [line for size in sizes for line in size["lines"]]
    return sum(
        abs(line[name] - line["requestedMeasurement"]) > line["tolerance"] + 1e-9
        for line in lines
        for name in names
        if None not in (line[name], line["requestedMeasurement"], line["tolerance"])
    )


def _measure(reader: Reader, record_id: int, sizes: list[dict[str, Any]]) -> None:
    page = reader.enter(f"#/sample-requests/{record_id}")
    page.until(lambda: bool(page.texts(".measured")) and not page.is_busy())
    assert len(page.texts(".beyond")) == _beyond(sizes)
    line = sizes[0]["lines"][0]
    assert abs(line["companyMeasurement"] - line["requestedMeasurement"]) > line["tolerance"]
    page.press(f"Edit the values of {sizes[0]['sizeRangeSizeName']}")
    cell = f".sheet [aria-label='{line['name']}, Company']"
    page.keys(cell, ALL, str(line["requestedMeasurement"]))
    page.press("Save")
    page.until(lambda: len(page.texts(".beyond")) == _beyond(sizes) - 1)
    assert page.console_errors() == []
