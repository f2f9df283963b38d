"""Browser tests of the rows of lists on `/data`: pictures, density, cards, empty lists."""

import asyncio

import pytest

from tests.support.api import Api
from tests.support.browser import NEEDS_BROWSER, Reader

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]

_DYED = "document.querySelector('.results tbody .cloth')?.style.fill"
_SWATCH = "document.querySelector('.results tbody .swatch')?.style.backgroundColor"
_HEIGHT = "document.querySelector('.results tbody tr').offsetHeight"
_TOPS = "[...document.querySelectorAll('tbody tr:first-child td')].map((one) => one.offsetTop)"


async def test_rows_have_pictures_a_density_and_a_layout_for_phones(
    reader: Reader, api: Api
) -> None:
    color = (await api.post("/api/colors", {"name": "Weld", "userDefinedId": "W-1"})).data["id"]
    assert (await api.put(f"/api/colors/{color}/swatch", {"hex": "#D9A441"})).status == 200
    style = (await api.post("/api/styles", {"number": "LR-1", "name": "Weld Parka"})).data["id"]
    first = {"styleId": style, "colorId": color}
    assert (await api.post("/api/style-colors", first)).status == 201
    await asyncio.to_thread(_look, reader)


def _look(reader: Reader) -> None:
    page = reader.enter("#/styles?q=LR-1")
    page.until(lambda: page.value(_DYED) == "rgb(217, 164, 65)")
    page.press("Compact")
    compact = page.value(_HEIGHT)
    page.driver.refresh()
    page.until(lambda: len(page.rows()) == 1)
    assert page.value(_HEIGHT) == compact, "the choice stays in the browser"
    page.press("Compact")
    assert page.value(_HEIGHT) > compact
    assert len({*page.value(_TOPS)}) == 1
    page.use_phone_layout("light")
    assert len({*page.value(_TOPS)}) > 1, "cells stand one below the other"
    assert "Style number" in page.texts("button.sort"), "cards can be sorted"
    page.use_desktop_layout()
    page.driver.execute_script("location.hash = '#/colors?q=W-1'")
    page.until(lambda: page.value(_SWATCH) == "rgb(217, 164, 65)")
    page.driver.execute_script("location.hash = '#/colors?q=nothing+of+this+name'")
    page.until(lambda: page.texts(".nothing p") == ["No record matches.", "Show all"])
    page.press_link("Show all")
    page.until(lambda: len(page.rows()) == 30)
