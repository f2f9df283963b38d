"""Tests of cells that name records by own key or by name, and prices by list (tools, Files)."""

from typing import Any

import pytest

from selvedge_client import Client
from service.extras.commands.verify import compare_contents
from service.extras.transfer.collections import transfer_collections
from service.extras.transfer.errors import TransferError
from service.extras.transfer.files import sources
from service.extras.transfer.import_files import ImportOptions
from tests.transfer.conftest import ImportFolder, listed

pytestmark = pytest.mark.contract("Files")

_SKIP = ImportOptions(skip=True)
_COMPOSED, _DECOMPOSED = "Ma\N{LATIN SMALL LETTER I WITH DIAERESIS}a", "Mai\N{COMBINING DIAERESIS}a"


async def _brands(client: Client, *brands: tuple[str | None, str]) -> dict[str, int]:
    """Make brands; return their ids by own key, else by name."""
    documents = [
        {"name": name, **({"customId": key} if key is not None else {})} for key, name in brands
    ]
    records = await client.collection("brands").create_many(documents)
    return {record.get("customId") or record["name"]: record["id"] for record in records}


async def _styles(client: Client) -> dict[str, Any]:
    return {style["number"]: style for style in await listed(client, "styles")}


async def test_a_cell_takes_an_own_key_else_the_only_name(
    client: Client, folder: ImportFolder
) -> None:
    """Blanks around and the normal form aside, in lists as well; a JSON object is no name."""
    brands = [("ALP", "Alpine"), ("Nord", "Alpine North"), ("X", "Nord"), (None, _DECOMPOSED)]
    ids = await _brands(client, *brands)
    groups = [{"userDefinedId": "G1", "name": "Basics"}, {"userDefinedId": "G2", "name": "Wool"}]
    await client.collection("groups").create_many(groups)
    folder.write(
        "styles.csv",
        "Number;Name;Marke;Groups",
        "S1;Coat; Alpine ;Basics",
        "S2;Coat;Nord;",
        f"S3;Coat;{_COMPOSED};",
        'S4;Coat;"{""customId"": ""Alpine""}";',
        'S5;Coat;"{""customId"": ""ALP""}";"G1; Wool;{""userDefinedId"":""G2""}"',
        'S6;Coat;;"G2;{""userDefinedId"": ""G1""}"',
        "S7;Coat;alpine;",
    )
    await folder.import_records(client, options=_SKIP)
    styles = await _styles(client)
    assert {number: style.get("brandId") for number, style in styles.items()} == {
        "S1": ids["ALP"], "S2": ids["Nord"], "S3": ids[_DECOMPOSED], "S6": None
    }  # fmt: skip
    assert [len(styles[number]["groupIds"]) for number in ("S1", "S6")] == [1, 2]
    unknown = "validation_error.unknown_reference"
    assert folder.details() == [
        (5, unknown, "brandId"),
        (6, "validation_error.duplicate", "groupIds[2]"),
        (8, unknown, "brandId"),
    ]
    assert len(await listed(client, "brands")) == len(brands), "a command makes no records"


async def test_a_name_of_several_is_refused(client: Client, folder: ImportFolder) -> None:
    ids = await _brands(client, ("A", "Alpine"), ("B", "Alpine"), ("C", "Alpine"), ("D", "Dune"))
    await client.collection("brands").delete(ids["D"])
    folder.write("styles.csv", "number,name,Brand", "S1,Coat,Alpine", "S2,Coat,Dune")
    await folder.import_records(client, options=_SKIP)
    values = [row["value"] for reject in folder.rejected for row in reject["details"]]
    assert values[0] == "3 brands are named Alpine: use the reference."
    assert [reject["line"] for reject in folder.rejected] == [2, 3]
    assert await _styles(client) == {}


async def test_own_keys_of_the_files_come_before_stored_names(
    client: Client, folder: ImportFolder
) -> None:
    await _brands(client, ("ALP", "Alpine"))
    folder.write("brands.csv", "customId,name", "Alpine,Alpine new")
    folder.write("styles.csv", "number,name,Brand", "S1,Coat,Alpine")
    await folder.import_records(client)
    by_key = {brand["customId"]: brand["id"] for brand in await listed(client, "brands")}
    assert (await _styles(client))["S1"]["brandId"] == by_key["Alpine"]


@pytest.mark.parametrize("heading", ["Price RETAIL-EUR", "Preis: Retail", "prix  RETAIL-EUR "])
async def test_a_price_column_changes_the_base_price_alone(
    heading: str, client: Client, folder: ImportFolder
) -> None:
    """By reference or name of the list; tiers and periods stay, and other lists do."""
    lists = [
        {"userDefinedId": key, "name": name, "type": "retail", "currencyCode": "EUR"}
        for key, name in (("RETAIL-EUR", "Retail"), ("OUTLET", "Outlet"))
    ]
    await client.collection("price-lists").create_many(lists)
    styles = client.collection("styles")
    await styles.create_many([{"number": number, "name": "Coat"} for number in ("S1", "S2", "S4")])
    tier = {"minimumQuantity": 10, "amount": "70.00"}
    period = {"amount": "60.00", "validFrom": "2027-01-01", "validTo": "2027-01-31"}
    priced = {"S1": [{"amount": "80.00"}, tier], "S4": [period]}
    for number, prices in priced.items():
        for key in ("RETAIL-EUR", "OUTLET"):
            part = client.part("styles", f"number={number}", "prices", f"userDefinedId={key}")
            await part.replace({"prices": prices})
    folder.write(
        "styles.csv",
        f"number;name;{heading}",
        *("S1;Coat;77,50", "S2;Coat;12,5", "S3;Coat;5", "S4;Coat;50", "S5;Coat;"),
    )
    await folder.import_records(client, options=_SKIP)
    assert folder.details() == [
        (5, "validation_error.duplicate", "prices.RETAIL-EUR.prices.base.validFrom")
    ]
    amounts = {
        (each["styleId"], prices["priceListId"]): [price["amount"] for price in prices["prices"]]
        for each in await listed(client, "style-prices")
        for prices in each["priceLists"]
    }
    ids = {number: style["id"] for number, style in (await _styles(client)).items()}
    retail, outlet = [each["id"] for each in await listed(client, "price-lists")]
    assert amounts == {
        (ids["S1"], retail): [77.5, 70],
        (ids["S1"], outlet): [80, 70],
        (ids["S2"], retail): [12.5],
        (ids["S3"], retail): [5],
        (ids["S4"], retail): [60],
        (ids["S4"], outlet): [60],
    }
    assert await folder.import_records(client, options=_SKIP) == {
        "styles": {"unchanged": 5},
        "style-prices": {"unchanged": 3, "failed": 1},
    }


async def test_two_columns_of_one_price_list_are_refused(
    client: Client, folder: ImportFolder
) -> None:
    """By its key and by its name; a row with one of the two prices is none of that."""
    retail = {"userDefinedId": "RE", "name": "Retail", "type": "retail", "currencyCode": "EUR"}
    await client.collection("price-lists").create_many([retail])
    folder.write("styles.csv", "number,name,Price RE,Preis Retail", "S1,Coat,5,6", "S2,Coat,,6")
    await folder.import_records(client, options=_SKIP)
    assert folder.details() == [(2, "conflict.duplicate", "prices.Retail")]
    [prices] = [each["priceLists"] for each in await listed(client, "style-prices")]
    assert [price["amount"] for price in prices[0]["prices"]] == [6]


async def test_names_are_verified_and_price_columns_refused(
    client: Client, folder: ImportFolder
) -> None:
    await _brands(client, ("ALP", "Alpine"))
    folder.write("styles.csv", "number,name,Brand", "S1,Coat,Alpine")
    await folder.import_records(client)
    files = sources(folder.path, transfer_collections())
    results = await compare_contents(client, files)
    assert [(each.missing, each.different) for each in results.values()] == [([], [])]
    folder.write("styles.csv", "number,name,Price RETAIL-EUR", "S1,Coat,5")
    with pytest.raises(TransferError, match="line 2: whole lists of prices are compared"):
        await compare_contents(client, files)
