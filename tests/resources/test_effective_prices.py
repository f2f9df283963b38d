"""Tests of effective prices of SKUs (contract, Effective prices)."""

from datetime import date, timedelta
from typing import Any

import asyncpg
import orjson
import pytest

from service.resources.registry import EFFECTIVE_PRICES
from tests.contract.test_page_query_plans import nodes
from tests.support.api import Api, replacing
from tests.support.offenders import in_each
from tests.support.priced_styles import Priced, price, priced_style

pytestmark = pytest.mark.contract("Effective prices")

PATH = "/api/effective-prices"
INVALID, UNKNOWN = "validation_error.invalid_value", "validation_error.unknown_reference"
REQUIRED = "validation_error.required_field"
EXCLUSIVE = "validation_error.exclusive_parameters"


@pytest.fixture
async def priced(api: Api) -> Priced:
    """The style with an SKU for each color and size, and prices of all levels."""
    of = await priced_style(api)
    for color in of.colors[:2]:
        for size in of.sizes[:2]:
            pair = {"styleColorId": color, "sizeRangeSizeId": size}
            await of.made("style-skus", sku=f"{color}-{size}", **pair)
    navy, small = of.colors[0], of.sizes[0]
    answer = await of.set(
        "RRP",
        price("99.90", None, "2027-01-31"),
        price("79.90", "2027-02-01", "2027-02-28", compareAtAmount="99.90"),
        price("99.90", "2027-03-01"),
        price("60", minimumQuantity=10),
        price("55", minimumQuantity=20, validTo="2027-02-09"),
        price("70", styleColorId=navy, minimumQuantity=5),
        price("82", styleColorId=navy, sizeRangeSizeId=small),
        price("81", sizeRangeSizeId=small),
    )
    assert answer.status == 200
    return of


def query(priced: Priced, day: str = "2027-02-10", **more: str) -> dict[str, str]:
    return {"priceListId": str(priced.lists["RRP"]), "date": day, **more}


async def test_the_most_specific_price_wins(priced: Priced) -> None:
    """A level without a price of one piece falls back to the next; tiers are those of its level."""
    rows = (await priced.api.get(PATH, query(priced))).data
    assert [row["amount"] for row in rows] == [82, 79.9, 81, 79.9]
    assert [row["tiers"] for row in rows] == [
        *([], [{"minimumQuantity": 10, "amount": 60}], [], [{"minimumQuantity": 10, "amount": 60}])
    ]
    navy = rows[1]
    assert navy == {
        "styleSkuId": navy["styleSkuId"],
        "sku": f"{priced.colors[0]}-{priced.sizes[1]}",
        "gtin": None,
        "styleId": priced.style,
        "priceListId": priced.lists["RRP"],
        "currencyCode": "EUR",
        "amount": 79.9,
        "compareAtAmount": 99.9,
        "lowestAmount30Days": 99.9,
        "validTo": "2027-02-28",
        "tiers": [{"minimumQuantity": 10, "amount": 60}],
    }
    barcode = {"barcode": "4006381333931", "styleSkuId": navy["styleSkuId"]}
    await priced.made("barcodes", **barcode)
    [row] = (await priced.api.get(PATH, query(priced, "2027-03-05", sku=navy["sku"]))).data
    assert (row["gtin"], row["lowestAmount30Days"]) == ("4006381333931", 79.9)
    [row] = (await priced.api.get(PATH, query(priced, "2027-01-05", sku=navy["sku"]))).data
    assert (row["lowestAmount30Days"], len(row["tiers"])) == (None, 2)


@pytest.mark.contract("Pages", "Cursors", "CSV", "Selected fields", "Preconditions")
async def test_lists_are_paged_filtered_and_tagged(priced: Priced) -> None:
    """The cursor carries the price list and the day; tables have no tiers."""
    api, by_key = priced.api, {"priceList.userDefinedId": "RRP", "date": "2027-02-10"}
    rows = (await api.get(PATH, query(priced))).data
    seen, params = list[Any](), {**by_key, "pageSize": "3"}
    while params:
        page = await api.get(PATH, params)
        seen += page.data
        cursor = page.json["pagination"].get("cursor")
        params = {"cursor": cursor} if cursor else {}
    assert seen == rows
    other = {
        "cursor": (await api.get(PATH, by_key | {"pageSize": "1"})).json["pagination"]["cursor"]
    }
    refused = await api.get(PATH, other | {"date": "2027-02-11"})
    assert refused.details == [(EXCLUSIVE, "date")]
    for filters in ({"styleId": str(priced.style)}, {"style.number": "T-1"}):
        assert (await api.get(PATH, by_key | filters)).data == rows
        none = {name: text.replace("T-1", "T-2") for name, text in filters.items()}
        none = {name: "1" if name == "styleId" else text for name, text in none.items()}
        assert (await api.get(PATH, by_key | none)).data == []
    read = await api.get(PATH, by_key)
    again = await api.get(PATH, by_key, headers={"If-None-Match": read.headers["ETag"]})
    assert again.status == 304
    table = {"fields": "sku,amount,validTo", **by_key}
    csv = await api.get(PATH, table, headers={"Accept": "text/csv"})
    line = f"{rows[1]['sku']},79.90,2027-02-28".encode()
    assert csv.raw.split(b"\r\n")[:3:2] == [b"sku,amount,validTo", line]


async def test_what_is_not_effective(priced: Priced) -> None:
    """Inactive and other lists, days outside of the list's period, deleted SKUs."""
    api, path = priced.api, f"/api/price-lists/{priced.lists['RRP']}"
    assert len((await api.get(PATH, {"priceList.userDefinedId": "RRP"})).data) == 4
    assert (await api.get(PATH, {"priceListId": str(priced.lists["JP"])})).data == []
    for patch in (replacing("/validTo", "2027-02-09"), replacing("/state", "inactive")):
        assert (await api.patch(path, patch)).status == 200
        assert (await api.get(PATH, query(priced))).data == []
    assert (await api.patch(path, replacing("/state", "active"))).status == 200
    rows = (await api.get(PATH, query(priced, "2027-02-09"))).data
    assert len(rows) == 4
    gone = f"/api/style-skus/{rows[0]['styleSkuId']}"
    assert (await api.delete(gone)).status == 200
    assert (await api.get(PATH, query(priced, "2027-02-09"))).data == rows[1:]


@pytest.mark.contract("Errors")
@in_each(
    ("params", "errors"),
    [
        ({}, [(REQUIRED, "priceListId")]),
        ({"priceListId": "x"}, [(INVALID, "priceListId")]),
        ({"priceListId": str(2**62)}, [(UNKNOWN, "priceListId")]),
        ({"priceList.userDefinedId": "none"}, [(UNKNOWN, "priceList.userDefinedId")]),
        (
            {"priceListId": "1", "priceList.userDefinedId": "RRP"},
            [(EXCLUSIVE, "priceList.userDefinedId")],
        ),
        ({"priceListId": "1", "date": "2027-02-30"}, [(INVALID, "date")]),
        (
            {"priceListId": "1", "sort[0].property": "amount", "pageNumber": "2"},
            [
                ("validation_error.unknown_parameter", "sort[0].property"),
                ("validation_error.unknown_parameter", "pageNumber"),
            ],
        ),
    ],
)
async def test_errors(api: Api, params: dict[str, str], errors: Any) -> None:
    answer = await api.get(PATH, params)
    assert (answer.status, answer.details) == (400, errors)
    twice = [("priceListId", "1"), ("priceListId", "2")]
    answer = await api.get(PATH, twice)
    assert answer.details == [("validation_error.duplicate", "priceListId")]


async def test_many_periods_are_read_in_proportion(priced: Priced, demo_dsn: str) -> None:
    """Of 1,000 prices, a plan has rows in proportion to their number, not to its square."""
    days = [str(date(2026, 1, 1) + timedelta(number)) for number in range(1000)]
    prices = [price(number % 7 + 1, day, day) for number, day in enumerate(days)]
    assert (await priced.set("RRP", *prices)).status == 200
    names = {"priceListId": str(priced.lists["RRP"]), "date": days[-1], "pageSize": "1"}
    query = EFFECTIVE_PRICES.query([*names.items(), ("styleId", str(priced.style))], "")
    connection = await asyncpg.connect(demo_dsn)
    values = (1, priced.lists["RRP"], date.fromisoformat(days[-1]), *query.parameters)
    explain = "explain (analyze, timing off, format json) "
    [explained] = orjson.loads(await connection.fetchval(explain + query.text, *values))
    await connection.close()
    rows = 0.0
    for node in nodes(explained["Plan"]):
        removed = sum(node[name] for name in node if name.startswith("Rows Removed"))
        rows += (node["Actual Rows"] + removed) * node["Actual Loops"]
    assert 1000 < rows < 30_000
