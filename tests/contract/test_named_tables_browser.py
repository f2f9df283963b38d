"""Browser tests of tables of `/data` whose cells and headings name records (tools, Files)."""

import asyncio
from pathlib import Path

import pytest

from tests.support.api import Api
from tests.support.browser import NEEDS_BROWSER, DataPage, Reader
from tests.support.judged_style import made

pytestmark = [pytest.mark.contract("Files"), NEEDS_BROWSER]

_TABLE = """Prices of spring, by brand
Number;Name;Marke;Preis: NT Retail;Translation German;Brand name;Groups
NT-1;Coat;Alpine;77,50;Mantel;2026;
NT-2;Coat;Twin;;;;
NT-3;Coat;Nordwand;12;Jacke;;
NT-4;Cape;" Nordwand ";;;;"NT wool; NT linen"
NT-5;Cape;"{""customId"": ""Alpine""}";;;;
"""


def _result(page: DataPage) -> str:
    page.press("See what would change")
    page.until(lambda: "What would change" in page.texts("h2"))
    return page.texts("section p")[1]


def _check(reader: Reader, table: Path) -> DataPage:
    page = reader.enter("#/styles/upload")
    page.wait_for("Upload a table: Styles")
    page.keys("input[type=file]", str(table))
    page.until(lambda: "See what would change" in page.texts("button"))
    assert [*filter(None, page.texts(".columns .quiet"))] == [
        "Not taken: the service sets it, or it says in words what another column has."
    ]
    assert _result(page) == "4 rejected, 1 changed."
    reasons = page.texts("[aria-label=Result] .changes li")
    assert reasons[0] == "2 brands are named Twin: use the reference."
    assert reasons[1].startswith("C5: Brand: "), reasons
    assert reasons[1].endswith(": Nordwand."), reasons
    page.click("//label[contains(., 'named') or contains(., 'these names')]/input")
    assert _result(page) == "2 rejected, 2 new, 1 changed."
    assert page.texts(".made li") == ["Brands: Nordwand", "Groups: NT linen"]
    page.press("2 new")
    page.until(lambda: "Brand: Nordwand" in page.texts("[aria-label=Result] table li"))
    assert "Groups: NT wool, NT linen" in page.texts("[aria-label=Result] table li")
    assert "removed" not in "".join(page.texts("[aria-label=Result]"))
    return page


def _write(page: DataPage) -> None:
    page.press("Write 3 rows")
    page.until(lambda: "What was written" in page.texts("h2"))
    assert page.texts("section p")[1] == "2 rejected, 2 new, 1 changed."
    assert page.console_errors() == []


async def test_cells_name_records_and_headings_price_lists(
    reader: Reader, api: Api, tmp_path: Path
) -> None:
    """Missing records are made if people choose so, and other prices and languages stay."""
    alpine = await made(api, "brands", name="Alpine", customId="ALP")
    for key in ("T1", "T2"):
        await made(api, "brands", name="Twin", customId=key)
    priced = {"type": "retail", "currencyCode": "EUR"}
    retail = await made(api, "price-lists", name="NT Retail", userDefinedId="NT-EUR", **priced)
    wool = await made(api, "groups", name="NT wool", userDefinedId="W")
    style = await made(api, "styles", number="NT-1", name="Coat")
    prices = {"prices": [{"amount": "80"}, {"minimumQuantity": 10, "amount": "70"}]}
    assert (await api.put(f"/api/styles/{style}/prices/{retail}", prices)).status == 200
    french = [{"languageId": {"code": "fr"}, "name": "Manteau"}]
    assert (await api.put(f"/api/styles/{style}/translations", french)).status == 200
    table = tmp_path / "styles.csv"
    table.write_text(_TABLE, "utf-8")
    page = await asyncio.to_thread(_check, reader, table)
    assert (await api.get("/api/brands", {"name": ["Nordwand"]})).data == []
    await asyncio.to_thread(_write, page)
    [nordwand] = (await api.get("/api/brands", {"name": ["Nordwand"]})).data
    numbers = [f"NT-{number}" for number in range(1, 6)]
    styles = (await api.get("/api/styles", {"number": numbers})).data
    assert {each["number"]: each["brandId"] for each in styles} == {
        "NT-1": alpine, "NT-3": nordwand["id"], "NT-4": nordwand["id"]
    }  # fmt: skip
    [linen] = (await api.get("/api/groups", {"name": ["NT linen"]})).data
    [cape] = [each for each in styles if each["number"] == "NT-4"]
    assert cape["groupIds"] == [wool, linen["id"]]
    [shown] = (await api.get(f"/api/styles/{style}/prices")).data
    assert [price["amount"] for price in shown["prices"]] == [77.5, 70]
    translations = (await api.get(f"/api/styles/{style}/translations")).data
    assert {entry["name"] for entry in translations} == {"Mantel", "Manteau"}
