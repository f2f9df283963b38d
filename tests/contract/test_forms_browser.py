"""Browser tests of forms of `/data`: parts, sizes, unsaved input and emptied fields."""

import asyncio
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.expected_conditions import alert_is_present

from tests.support.api import Api
from tests.support.browser import NEEDS_BROWSER, DataPage, Reader
from tests.support.clipboard import paste

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]


async def test_measured_values_and_sizes_are_edited(reader: Reader, api: Api) -> None:
    """Lines are named, sizes are found by words of their range and name, and stay as they were."""
    record = (await api.get("/api/sample-requests", {"pageSize": 1})).data[0]
    path = f"/api/styles/{record['styleId']}/sample-requests/{record['id']}/measurements"
    before = (await api.get(path)).data
    sizes = [{"name": "Petite"}, {"name": "Tall"}]
    size_range = (await api.post("/api/size-ranges", {"name": "Woad trousers"})).data
    sizes = (await api.put(f"/api/size-ranges/{size_range['id']}/sizes", sizes)).data
    await asyncio.to_thread(_measure, reader, record["id"], before[0])
    after = (await api.get(path)).data
    assert after[0]["designerComment"] == "Shoulder a touch wide"
    lines = [line for line in before[0]["lines"] if line["lineId"] is not None]
    assert [line["lineId"] for line in after[0]["lines"] if line["lineId"] is not None] == [
        line["lineId"] for line in lines
    ]
    assert after[0]["lines"][0]["companyMeasurement"] == 54.25
    assert after[0]["lines"][1:] == before[0]["lines"][1:]
    assert after[1:] == before[1:]
    style = (await api.post("/api/styles", {"number": "WOAD-1", "name": "Woad"})).data
    request = {"styleId": style["id"], "name": "Proto"}
    request_id = (await api.post("/api/sample-requests", request)).data["id"]
    await asyncio.to_thread(_choose_size, reader, request_id)
    stored = (await api.get(f"/api/sample-requests/{request_id}")).data["sizes"]
    assert [size["sizeRangeSizeId"] for size in stored] == [sizes[1]["id"]]
    moss = {"styleId": style["id"], "colorId": (await api.get("/api/colors")).data[0]["id"]}
    moss_id = (await api.post("/api/style-colors", moss | {"name": "Moss"})).data["id"]
    await asyncio.to_thread(_choose_color, reader, f"#/styles/{style['id']}")
    label = (await api.get(f"/api/styles/{style['id']}/care-instructions")).data
    assert [entry["styleColorId"] for entry in label] == [moss_id]


def _measure(reader: Reader, record_id: int, values: dict[str, object]) -> None:
    page = reader.enter(f"#/sample-requests/{record_id}")
    page.press_link(f"Edit the measurements of {values['sizeRangeSizeName']}")
    page.until(
        lambda: page.heading().startswith(f"Edit measurements of {values['sizeRangeSizeName']}")
    )
    lines = values["lines"]
    assert isinstance(lines, list)
    assert page.texts(".rows tbody th")[0] == lines[0]["name"]
    assert "Add an entry" not in page.texts("button")
    page.fill("Comment on the fit", "Shoulder a touch wide")
    page.fill("Company", "54.25")
    page.press("Save")
    page.until(lambda: f"#/sample-requests/{record_id}" == page.address())
    assert page.console_errors() == []


def _choose_color(reader: Reader, address: str) -> None:
    page = reader.enter(f"{address}/edit/care-instructions")
    page.press("Add an entry")
    page.fill("Color of the style", "oak")
    page.until(lambda: page.texts(".picker p") == ["Nothing matches."])
    page.press_keys(*[Keys.BACKSPACE] * 3, "mos")
    page.click(".picker li")
    page.press("Save")
    page.wait_for("Woad")
    assert page.value("document.querySelector('.report').textContent") == "Saved."


def _choose_size(reader: Reader, request_id: int) -> None:
    page = reader.enter(f"#/sample-requests/{request_id}/edit")
    page.wait_for("Edit Proto")
    page.fill("Sizes", "woad ta")
    page.until(lambda: page.texts("[role=option]") == ["Woad trousers: Tall"])
    page.press_keys(Keys.ARROW_DOWN, Keys.ENTER)
    page.until(lambda: page.texts(".chosen bdi") == ["Woad trousers: Tall"])
    page.press("Save")
    page.wait_for("Proto")
    page.press_link("Edit")
    page.wait_for("Edit Proto")
    assert page.texts(".chosen bdi") == ["Woad trousers: Tall"]


async def test_short_entries_are_rows_and_countries_have_names(reader: Reader, api: Api) -> None:
    """Sizes are typed one below the other, pasted and moved; codes are chosen by their names."""
    path = (
        f"/api/size-ranges/{(await api.post('/api/size-ranges', {'name': 'Weld kids'})).data['id']}"
    )
    await asyncio.to_thread(_enter_sizes, reader, path.removeprefix("/api"))
    sizes = (await api.get(f"{path}/sizes")).data
    assert [(size["name"], size["isDefaultGrading"]) for size in sizes] == [
        ("98", False),
        ("92", False),
        ("104", True),
        ("110", False),
    ]
    await asyncio.to_thread(_choose_countries, reader)
    stored = (await api.get("/api/price-lists", {"name": "Weld"})).data[0]
    assert (stored["currencyCode"], stored["countryCodes"]) == ("CHF", ["AT", "CH"])


def _enter_sizes(reader: Reader, address: str) -> None:
    page = reader.enter(f"#{address}/edit/sizes")
    page.press("Add an entry")
    page.press_keys("92", Keys.ENTER, "98", Keys.ENTER)
    paste(page, "104\t\t\t\tyes\n110")
    page.until(lambda: page.texts(".rows tbody th") == ["1", "2", "3", "4"])
    page.press_keys(Keys.ARROW_UP)
    page.press_keys(Keys.ALT, Keys.ARROW_UP)
    assert page.value("document.activeElement.value") == "98", "the row moves with its focus"
    assert page.value("document.querySelector('.rows').offsetHeight") < 250
    page.press("Save")
    page.wait_for("Weld kids")


def _choose_countries(reader: Reader) -> None:
    reader.driver.execute_script("localStorage.setItem('selvedge.language', 'de')")
    page = DataPage(reader.driver, f"{reader.url}data#/price-lists/new")
    page.fill("Name (Pflichtfeld)", "Weld")
    page.select("#view select", "retail")
    page.fill("Währung (Pflichtfeld)", "chf")
    page.press_keys(Keys.TAB)
    currency = page.value("document.querySelector('[aria-required][role=combobox]').value")
    assert currency == "Schweizer Franken · CHF"
    for text, country in (("schw", "Schweiz · CH"), ("osterr", "Österreich · AT")):
        page.fill("Länder", text)
        page.until(lambda country=country: country in page.texts("[role=option]"))  # type: ignore[misc]
        downs = 1 + page.texts("[role=option]").index(country)
        page.press_keys(*[Keys.ARROW_DOWN] * downs, Keys.ENTER)
    page.press("Speichern")
    page.until(lambda: {"Schweiz", "Österreich"} <= {*page.texts("dd li")})
    page.driver.execute_script("localStorage.removeItem('selvedge.language')")


async def test_unsaved_input_is_not_lost(reader: Reader, api: Api) -> None:
    """Links, Back and a reload ask first; a form without changes, or a saved one, is just left."""
    color = (await api.post("/api/colors", {"name": "Alizarin"})).data
    await asyncio.to_thread(_leave, reader, color["id"])
    assert (await api.get(f"/api/colors/{color['id']}")).data["name"] == "Alizarin red"


def _leave(reader: Reader, color_id: int) -> None:
    page = reader.enter(f"#/colors/{color_id}")
    page.wait_for("Alizarin")
    page.press_link("Edit")
    page.wait_for("Edit Alizarin")
    page.choose("Brands")
    page.wait_for("Brands")
    page.driver.back()
    page.wait_for("Edit Alizarin")
    page.fill("Name (required)", "Alizarin red")
    for leave in (
        lambda: page.driver.find_element("link text", "Brands").click(),
        lambda: page.driver.execute_script("history.back()"),
    ):
        leave()
        _answer(page, leaves=False)
        assert page.heading() == "Edit Alizarin"
        assert page.address() == f"#/colors/{color_id}/edit"
    assert page.value("dispatchEvent(new Event('beforeunload', { cancelable: true }))") is False
    page.press("Save")
    page.wait_for("Alizarin red")
    assert page.value("dispatchEvent(new Event('beforeunload', { cancelable: true }))") is True
    page.driver.execute_script("location.hash = arguments[0]", f"#/colors/{color_id}/edit")
    page.wait_for("Edit Alizarin red")
    page.fill("Name (required)", "Alizarin green")
    page.driver.find_element("link text", "Brands").click()
    _answer(page, leaves=True)
    page.wait_for("Brands")


def _answer(page: DataPage, *, leaves: bool) -> None:
    alert = page.wait.until(alert_is_present())
    assert alert.text == "What you entered is not saved. Leave it?"
    alert.accept() if leaves else alert.dismiss()


async def test_empty_cells_empty_fields_if_that_is_chosen(
    reader: Reader, api: Api, tmp_path: Path
) -> None:
    """References, too; texts in languages and fields that need a value stay."""
    brand = (await api.post("/api/brands", {"name": "Lichen", "customId": "LI"})).data
    style = {"number": "LI-1", "name": "Jacket", "brandId": brand["id"]}
    style_id = (await api.post("/api/styles", style)).data["id"]
    table = tmp_path / "styles.csv"
    table.write_text("Number,Name,Brand\nLI-1,,\n")
    await asyncio.to_thread(_empty, reader, table)
    stored = (await api.get(f"/api/styles/{style_id}")).data
    assert (stored["name"], stored.get("brandId")) == ("Jacket", None)


def _empty(reader: Reader, table: Path) -> None:
    page = reader.enter("#/styles/upload")
    page.wait_for("Upload a table: Styles")
    page.keys("input[type=file]", str(table))
    page.press("See what would change")
    page.until(lambda: page.texts("section p")[1:2] == ["1 unchanged."])
    page.click(".option input[type=checkbox]")
    page.press("See what would change")
    page.until(lambda: page.texts("section p")[1:2] == ["1 changed."])
    page.press("Write 1 row")
    page.until(lambda: "What was written" in page.texts("h2"))
    assert page.console_errors() == []
