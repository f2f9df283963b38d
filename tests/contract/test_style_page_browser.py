"""Browser tests of the page of a style on `/data`: a product that is edited in place."""

import asyncio
from functools import partial
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.support.api import MERGE_PATCH, Api
from tests.support.browser import ALL, NEEDS_BROWSER, DataPage, Reader

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]


async def test_a_style_is_shown_as_a_product(reader: Reader, api: Api) -> None:
    """Colors, SKUs with GTINs and prices, texts, label, materials, steps, and what is missing."""
    shown = await _product(api)
    await asyncio.to_thread(_read_product, reader, shown)
    await asyncio.to_thread(_read_making, reader, shown)
    await asyncio.to_thread(_follow_what_is_missing, reader, shown)


async def _product(api: Api) -> dict[str, Any]:
    """Return what the page of the first style shows, as the interface has it."""
    style = (await api.get("/api/styles", {"pageSize": 1})).data[0]
    own = {"styleId": style["id"], "pageSize": 100}
    path = f"/api/styles/{style['id']}"
    lists = [
        record
        for record in (await api.get("/api/price-lists", {"pageSize": 100})).data
        if record["state"] == "active"
    ]
    channels = (await api.get("/api/channels", {"state": "active", "pageSize": 100})).data
    missing = {}
    for channel in channels:
        answer = await api.get(f"{path}/completeness", {"channelId": channel["id"]})
        missing[channel["name"]] = answer.data["missing"]
    return {
        "style": style,
        "skus": (await api.get("/api/style-skus", own)).data,
        "colors": (await api.get("/api/style-colors", own)).data,
        "lists": lists[:2],
        "prices": [
            (await api.get("/api/effective-prices", {"priceListId": entry["id"], **own})).data
            for entry in lists[:2]
        ],
        "texts": (await api.get(f"{path}/translations")).data,
        "items": (await api.get(f"{path}/items")).data,
        "missing": missing,
    }


def _read_product(reader: Reader, shown: dict[str, Any]) -> None:
    style = shown["style"]
    page = reader.enter(f"#/styles/{style['id']}", key=reader.read_key)
    page.wait_for(style["name"])
    page.until(lambda: not page.is_busy())
    assert page.texts("main button") == [], "a key that may only read sees no controls"
    complete = sum(not missing for missing in shown["missing"].values())
    badges = page.texts(".badges .badge")
    assert badges[-1] == f"Complete in {complete} of {len(shown['missing'])} channels"
    assert page.value("document.querySelectorAll('.head svg[role=img]').length") == 1
    assert len(page.texts(".of-colors .card")) == len(shown["colors"])
    for index, prices in enumerate(shown["prices"]):
        page.select(".of-sizes select", str(shown["lists"][index]["id"]))
        amount = f"{prices[0]['amount']:.2f} {prices[0]['currencyCode']}"
        page.until(partial(_begins, page, amount))
        cells = page.texts(".matrix td")
        assert len(page.texts(".matrix .price strong")) == len(prices)
        for sku in shown["skus"]:
            assert any(sku["sku"] in cell and sku["gtin"] in cell for cell in cells), sku
    assert len(page.texts(".texts thead th")) == 1 + len(shown["texts"])
    assert "missing" in page.texts(".texts td"), "a text that a language lacks is seen"
    assert page.console_errors() == []
    page.driver.execute_script("sessionStorage.clear()")


def _begins(page: DataPage, amount: str) -> bool:
    return page.texts(".matrix .price strong")[:1] == [amount]


def _read_making(reader: Reader, shown: dict[str, Any]) -> None:
    page = reader.enter(f"#/styles/{shown['style']['id']}")
    page.wait_for(shown["style"]["name"])
    page.until(lambda: not page.is_busy())
    assert [text.split("\n")[0] for text in page.texts(".materials tbody th")] == [
        line["itemName"] for line in shown["items"]
    ]
    steps = [text.split("\n")[0].split(" ")[0] for text in page.texts(".steps h3")]
    assert steps == ["Knitting", "Dyeing", "Assembly", "Packing"]
    symbols = page.texts(".label:first-child .symbols li")
    assert [text.split("\n")[-1] for text in symbols][:2] == ["Wash at 95 °C", "Bleach"]
    german = "[...document.querySelectorAll('.of-care-instructions option')]"
    page.select(
        ".of-care-instructions select",
        page.value(f"{german}.find((option) => option.text === 'German').value"),
    )
    page.until(lambda: "Waschen bei 95 °C" in "".join(page.texts(".label:first-child .symbols")))


def _follow_what_is_missing(reader: Reader, shown: dict[str, Any]) -> None:
    page = DataPage(reader.driver, f"{reader.url}data#/styles/{shown['style']['id']}")
    page.until(lambda: bool(page.texts(".channel")) and not page.is_busy())
    name, missing = next(
        (name, entries)
        for name, entries in shown["missing"].items()
        if any(entry["requirement"] == "prices" for entry in entries)
    )
    list_id = next(entry["priceListId"] for entry in missing if entry["priceListId"])
    channel = f"//details[summary/bdi[normalize-space()='{name}']]"
    page.click(f"{channel}/summary")
    texts = page.driver.find_element("xpath", channel).text
    assert next(entry["message"] for entry in missing) in texts
    page.click(f"{channel}//a[text()='Fill in prices']")
    page.until(lambda: page.value("document.activeElement.textContent") == "Sizes and prices")
    page.until(
        lambda: page.value("document.querySelector('.of-sizes select').value") == f"{list_id}"
    )
    page.driver.back()
    page.until(lambda: page.value("document.activeElement.tagName") == "H1")
    assert page.console_errors() == []


async def test_prices_texts_and_values_are_edited_in_place(reader: Reader, api: Api) -> None:
    """A price of today leaves those of other days; texts and values of fields are written whole."""
    style = (await api.get("/api/styles", {"pageSize": 1})).data[0]
    path = f"/api/styles/{style['id']}"
    colors = (await api.get("/api/style-colors", {"styleId": style["id"]})).data
    lists = (await api.get("/api/price-lists", {"pageSize": 100})).data
    list_id = lists[0]["id"]
    prices = (await api.get(f"{path}/prices/{list_id}")).data["prices"]
    values = (await api.get(f"{path}/custom-field-values")).data
    page = await asyncio.to_thread(_edit_prices, reader, style, colors[0])
    after = (await api.get(f"{path}/prices/{list_id}")).data["prices"]
    added = [price for price in after if price not in prices]
    assert [(price["styleColorId"], price["amount"]) for price in added] == [
        (colors[0]["id"], 71.5)
    ]
    assert [price for price in prices if price not in after] == []
    await asyncio.to_thread(_edit_texts, page)
    texts = (await api.get(f"{path}/translations")).data
    languages = {entry["id"]: entry["code"] for entry in (await api.get("/api/languages")).data}
    assert {languages[text["languageId"]]: text["name"] for text in texts}["da"] == "Jakke <1>"
    await asyncio.to_thread(_edit_values, page)
    changed = [
        value
        for value in (await api.get(f"{path}/custom-field-values")).data
        if value not in values
    ]
    assert [value["number"] for value in changed] == [135]


def _edit_prices(reader: Reader, style: dict[str, Any], color: dict[str, Any]) -> DataPage:
    page = reader.enter(f"#/styles/{style['id']}")
    page.wait_for(style["name"])
    page.until(lambda: not page.is_busy())
    page.press("Edit prices")
    cell = f".of-sizes [aria-label='{color['colorName']}, All sizes']"
    of_size = ".of-sizes .sheet tbody tr td:nth-child(3) input"
    below = f"[...document.querySelectorAll('[aria-label^=\"{color['colorName']}, \"]')][1]"
    page.keys(of_size, ALL, "66")
    assert page.value(f"{below}.placeholder") == "66", "what an empty cell costs follows"
    page.keys(cell, "-1")
    assert page.value(f"{below}.placeholder") == "-1", "the color goes before the size"
    page.keys(of_size, Keys.CONTROL, "z", "z")
    page.keys(cell, "-1")
    page.press("Save")
    page.until(lambda: len(page.texts(".of-sizes .sheet .error")) == 1)
    page.keys(cell, ALL, "71.50")
    page.press("Save")
    page.until(lambda: "71.50 EUR" in page.texts(".matrix .price strong"))
    page.console_errors()
    return page


def _edit_texts(page: DataPage) -> None:
    page.press("Edit the translations")
    language = "[...document.querySelectorAll('.of-translations option')]"
    page.find(".of-translations select")
    danish = page.value(f"{language}.find((option) => option.text === 'Danish').value")
    page.select(".of-translations select", danish)
    page.press("Add this language")
    page.press_keys("Jakke <1>")
    page.press("Save")
    page.until(lambda: "Jakke <1>" in page.texts(".texts td"))


def _edit_values(page: DataPage) -> None:
    page.press("Edit the custom field values")
    page.find(".of-custom-field-values .field")
    page.fill("Fabric weight in g/m² (required)", "12x")
    page.press("Save")
    page.until(lambda: len(page.texts(".field .error:not(:empty)")) == 1)
    assert page.value("document.activeElement.ariaInvalid") == "true"
    page.fill("Fabric weight in g/m² (required)", "135")
    page.press("Save")
    page.until(lambda: "135" in page.texts(".of-custom-field-values dd"))
    page.console_errors()


async def test_a_record_that_somebody_else_changed_is_settled_in_place(
    reader: Reader, api: Api
) -> None:
    """The details of a style have the guards of every form."""
    style = (await api.post("/api/styles", {"number": "WELD-2", "name": "Weld Vest"})).data
    page = await asyncio.to_thread(_rename, reader, style["id"])
    path = f"/api/styles/{style['id']}"
    theirs = {"name": "Their vest", "description": "Theirs"}
    await api.patch(path, theirs, content_type=MERGE_PATCH)
    await asyncio.to_thread(_settle, page)
    stored = (await api.get(path)).data
    assert (stored["name"], stored["description"]) == ("My vest", "Theirs")


def _rename(reader: Reader, style_id: int) -> DataPage:
    page = reader.enter(f"#/styles/{style_id}/at/details")
    page.wait_for("Weld Vest")
    page.find(".of-details form")
    page.fill("Name (required)", "My vest")
    return page


def _settle(page: DataPage) -> None:
    page.press("Save")
    page.until(lambda: "Somebody else changed this meanwhile" in page.texts("h2"))
    page.press("Save my choice")
    page.wait_for("My vest")
    page.until(lambda: "Theirs" in page.texts(".of-details dd"))
    page.console_errors()


async def test_skus_and_quantities_are_edited_in_place(reader: Reader, api: Api) -> None:
    """SKUs are guarded one by one and written at once; errors stand in their cells."""
    style = (await api.get("/api/styles", {"pageSize": 1})).data[0]
    own = {"styleId": style["id"], "pageSize": 100}
    first, second, *others = (await api.get("/api/style-skus", own)).data
    items = (await api.get(f"/api/styles/{style['id']}/items")).data
    page = await asyncio.to_thread(_edit_skus, reader, style, first, second)
    theirs = {"sku": "THEIRS-2"}
    path = f"/api/style-skus/{second['id']}"
    assert (await api.patch(path, theirs, content_type=MERGE_PATCH)).status == 200
    await asyncio.to_thread(_save_skus, page, others[0]["sku"])
    skus = (await api.get("/api/style-skus", own)).data
    assert [sku["sku"] for sku in skus][:3] == ["MINE-1", "MINE-2", others[0]["sku"]]
    await asyncio.to_thread(_edit_quantities, page, items[0])
    after = (await api.get(f"/api/styles/{style['id']}/items")).data
    assert after[0]["quantity"] == 3.25
    assert [line["colors"] for line in after] == [line["colors"] for line in items]


def _edit_skus(reader: Reader, style: dict[str, Any], *skus: dict[str, Any]) -> DataPage:
    page = reader.enter(f"#/styles/{style['id']}")
    page.wait_for(style["name"])
    page.until(lambda: not page.is_busy())
    page.press("Edit SKUs")
    for number, sku in enumerate(skus, 1):
        cell = f".sheet [aria-label='{sku['colorName']}, {sku['sizeName']}']"
        page.keys(cell, ALL, f"MINE-{number}")
    return page


def _save_skus(page: DataPage, taken: str) -> None:
    page.press("Save")
    page.until(lambda: "1 value is changed by both" in "".join(page.texts(".savebar p")))
    cell = ".sheet tbody tr td:nth-child(2) input"
    page.keys(cell, ALL, taken)
    page.press("Save")
    page.until(lambda: len(page.texts(".sheet .error")) == 1)
    page.keys(cell, ALL, "MINE-1")
    page.press("Save")
    page.until(lambda: any("MINE-1" in cell for cell in page.texts(".matrix td")))
    page.console_errors()


def _edit_quantities(page: DataPage, line: dict[str, Any]) -> None:
    page.press("Edit quantities")
    cell = f".sheet [aria-label^='{line['itemName']}'][aria-label$='All sizes']"
    page.keys(cell, ALL, "3,25", Keys.ENTER)
    assert page.find(cell).get_property("value") == "3.25"
    page.press("Save")
    page.until(lambda: "3.25" in page.texts(".materials .amount strong"))
    page.console_errors()
