"""Tests of the prices of styles in price lists (contract, Prices of styles)."""

from typing import Any

import pytest

from tests.support.api import MERGE_PATCH, Api, replacing
from tests.support.changes import Follower
from tests.support.offenders import in_each
from tests.support.priced_styles import Priced, price, priced_style

pytestmark = pytest.mark.contract("Prices of styles")

UNKNOWN, INVALID = "validation_error.unknown_reference", "validation_error.invalid_value"
RANGE, DUPLICATE = "validation_error.out_of_range", "validation_error.duplicate"
OVERLAP, MANY = "conflict.overlap", "validation_error.too_many_items"


@pytest.fixture
async def priced(api: Api) -> Priced:
    return await priced_style(api)


async def test_prices_are_sorted_exact_and_named_by_key(priced: Priced) -> None:
    """By color, size, quantity and first day, those for all first; keys take the place of ids."""
    navy, size, api = priced.colors[0], priced.sizes[1], priced.api
    key = (await api.get(f"/api/style-colors/{navy}")).data["colorUserDefinedId"]
    prices = [
        price(99.90, None, "2027-01-31"),
        price(79.90, "2027-02-01", compareAtAmount=99.90),
        price(70, minimumQuantity=10),
        price(80, sizeRangeSizeId=size),
        price(85, styleColorId=navy),
        price(86.5, styleColorId=navy, sizeRangeSizeId=size),
    ]
    keyed: dict[str, Any] = {
        "styleColorId": {"colorId": {"userDefinedId": key}},
        "sizeRangeSizeId": {"name": "M"},
    }
    sent: list[Any] = [{**each} for each in prices[::-1]]
    sent[0] |= keyed | {"amount": "86.50"}
    sent[1] = {"amount": 85, "styleColorId": {"styleId": priced.style} | keyed["styleColorId"]}
    answer = await priced.set("RRP", *sent)
    assert answer.data == {"priceListId": priced.lists["RRP"], "prices": prices}, answer.raw
    assert b'"amount":86.50' in answer.raw
    by_key = "/api/styles/number=T-1/prices/userDefinedId=RRP"
    assert (await api.get(by_key)).data == answer.data
    writable = (await api.get(by_key, {"form": "writable"})).data
    assert [each["amount"] for each in writable["prices"]] == [
        *("99.9", "79.9", "70", "80", "85", "86.50")
    ]
    follower = Follower(api)
    await follower.begin()
    for body in (writable, answer.data | {"priceListId": None}):
        assert (await api.put(by_key, body)).raw == answer.raw
    assert (await api.patch(by_key, {"prices": sent}, content_type=MERGE_PATCH)).status == 200
    assert await follower.entries() == []
    assert (await api.get(f"/api/styles/{priced.style}/prices")).data == [answer.data]
    prices_of = {"priceListId": {"userDefinedId": "RRP"}, "prices": [{"amount": 1} | keyed]}
    item = {"styleId": {"number": "T-1"}, "priceLists": [prices_of]}
    [written] = (await api.put("/api/style-prices", [item])).data
    assert written["priceLists"][0]["prices"] == [prices[5] | {"amount": 1}]


@pytest.mark.contract("Part collections", "Changes")
async def test_an_item_leaves_other_price_lists(priced: Priced) -> None:
    """Lists without prices are left out; a style without any is no record."""
    api, lists, path = priced.api, priced.lists, "/api/style-prices"
    follower = Follower(api)
    await follower.begin()

    def item(**prices: list[Any]) -> Any:
        entries = [{"priceListId": lists[name], "prices": prices[name]} for name in prices]
        return {"styleId": priced.style, "priceLists": entries}

    async def write(**prices: list[Any]) -> Any:
        [written] = (await api.put(path, [item(**prices)])).data
        changed = {
            (e["collection"], e["recordId"], e["operation"]) for e in await follower.entries()
        }
        await follower.begin()
        names = {id_: name for name, id_ in lists.items()}
        return {names[each["priceListId"]] for each in written["priceLists"]}, changed

    def counted(*names: str) -> set[Any]:
        return {("price-lists", lists[name], "updated") for name in names}

    own = ("style-prices", priced.style)
    first = [{"amount": 1}]
    assert await write(RRP=first, JP=first) == (
        {"RRP", "JP"},
        {(*own, "created"), *counted("RRP", "JP")},
    )
    assert await write(COST=first, JP=[]) == (
        {"RRP", "COST"},
        {(*own, "updated"), *counted("COST", "JP")},
    )
    filtered = await api.get(path, {"priceList.userDefinedId": "COST", "style.number": "T-1"})
    assert [record["styleId"] for record in filtered.data] == [priced.style]
    assert (await api.get(path, {"priceList.id": str(lists["JP"])})).data == []
    assert (await priced.stored("JP"), await priced.stored("COST")) == ([], [price(1)])
    used = await api.get("/api/price-lists", {"usedInPrices": "1", "userDefinedId": "RRP"})
    assert [record["usedInPrices"] for record in used.data] == [1]
    assert await write(COST=[], RRP=[]) == (set(), {(*own, "deleted"), *counted("COST", "RRP")})
    assert (await api.get(path, {"styleId": str(priced.style)})).data == []
    twice = await api.put(
        path, [item(RRP=first) | {"priceLists": item(RRP=first)["priceLists"] * 2}]
    )
    assert twice.details == [(DUPLICATE, "[0].priceLists[1].priceListId")]


@pytest.mark.contract("Part collections")
@in_each(
    ("name", "sent", "error", "member"),
    [
        ("RRP", {"amount": "9.999"}, INVALID, "amount"),
        ("RRP", {"amount": 1, "compareAtAmount": 2.125}, INVALID, "compareAtAmount"),
        ("JP", {"amount": "1.00"}, INVALID, "amount"),
        ("RRP", {"amount": "-1"}, RANGE, "amount"),
        ("RRP", {"amount": 5, "compareAtAmount": "4.99"}, RANGE, "compareAtAmount"),
        ("RRP", {"amount": 5, "minimumQuantity": 0}, RANGE, "minimumQuantity"),
        ("RRP", {}, "validation_error.required_field", "amount"),
        ("RRP", {"amount": 5, "validFrom": "2027-02-30"}, INVALID, "validFrom"),
        (
            "RRP",
            {"amount": 5, "validFrom": "2027-02-02", "validTo": "2027-02-01"},
            RANGE,
            "validTo",
        ),
        ("RRP", {"amount": 5, "color": 2}, INVALID, "styleColorId"),
        ("RRP", {"amount": 5, "color": 9}, UNKNOWN, "styleColorId"),
        ("RRP", {"amount": 5, "size": 2}, INVALID, "sizeRangeSizeId"),
        ("RRP", {"amount": 5, "size": 9}, UNKNOWN, "sizeRangeSizeId"),
        ("RRP", {"amount": 5, "sizeRangeSizeId": {"name": "XL"}}, UNKNOWN, "sizeRangeSizeId"),
        ("RRP", {"amount": 5, "styleColorId": {"colorId": 2**40}}, UNKNOWN, "styleColorId"),
    ],
)
async def test_errors(priced: Priced, name: str, sent: Any, error: str, member: str) -> None:
    """Colors and sizes are named by their position."""
    sent = dict(sent)
    if "color" in sent:
        sent["styleColorId"] = [*priced.colors, *[2**40] * 6][sent.pop("color")]
    if "size" in sent:
        sent["sizeRangeSizeId"] = [*priced.sizes, *[2**40] * 6][sent.pop("size")]
    answer = await priced.set(name, {"amount": 1, "minimumQuantity": 7}, sent)
    assert answer.details == [(error, f"prices[1].{member}")]
    entry = {"priceListId": priced.lists[name], "prices": [sent]}
    items = [{"styleId": priced.style, "priceLists": [entry]}]
    answer = await priced.api.put("/api/style-prices", items)
    assert answer.details == [(error, f"[0].priceLists[0].prices[0].{member}")]


async def test_decimals_of_currencies_hold_for_sales(priced: Priced) -> None:
    """Costs have up to four; whole numbers have none, however they are sent."""
    assert (await priced.set("COST", {"amount": "1.2345"})).status == 200
    assert (await priced.set("JP", {"amount": 120.0})).status == 200
    ended = replacing("/prices/0/validTo", "2027-01-31")
    assert (await priced.api.patch(priced.path_in("JP"), ended)).status == 200
    refused = await priced.set("JP", {"amount": 0.5})
    assert refused.json["error"]["details"][0]["value"] == "JPY has no decimals."
    refused = await priced.set("RRP", {"amount": 0.125})
    assert refused.json["error"]["details"][0]["value"] == "EUR has at most 2 decimals."


async def test_periods_do_not_overlap(priced: Priced) -> None:
    """Both ends are days of a period; a patch conflicts with stored prices."""
    february = {"amount": 1, "validFrom": "2027-02-01", "validTo": "2027-02-28"}
    free: list[Any] = [
        february,
        {"amount": 2, "validTo": "2027-01-31"},
        {"amount": 3, "validFrom": "2027-03-01"},
        {"amount": 4, "minimumQuantity": 2},
        {"amount": 5, "styleColorId": priced.colors[0]},
        {"amount": 6, "sizeRangeSizeId": priced.sizes[0]},
    ]
    assert (await priced.set("RRP", *free)).status == 200
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"validFrom": "2027-02-28"}, "from 2027-02-01."),
        ({"validTo": "1900-01-01", "minimumQuantity": 1}, "without a beginning."),
        ({"minimumQuantity": 2, "validFrom": "2199-12-31"}, "without a beginning."),
        ({"styleColorId": {"colorId": {"userDefinedId": f"Navy {priced.style}"}}}, "without a"),
    ]
    for entry, message in wrong:
        sent = {"amount": 9} | entry
        answer = await priced.set("RRP", *free, sent)
        assert answer.details == [(DUPLICATE, f"prices[{len(free)}].validFrom")]
        assert answer.json["error"]["details"][0]["value"].startswith(
            f"Overlaps the price {message}"
        )
    add = [{"op": "add", "path": "/prices/-", "value": {"amount": 9, "validTo": "2027-02-01"}}]
    refused = await priced.api.patch(priced.path_in("RRP"), add)
    assert (refused.status, refused.details) == (409, [(OVERLAP, "prices[6].validFrom")])
    navy = {"colorId": {"userDefinedId": f"Navy {priced.style}"}}
    by_key = [{"op": "add", "path": "/prices/-", "value": {"amount": 9, "styleColorId": navy}}]
    refused = await priced.api.patch(priced.path_in("RRP"), by_key)
    assert (refused.status, refused.details) == (409, [(OVERLAP, "prices[6].validFrom")])
    merge = {"prices": [*free, add[0]["value"]]}
    refused = await priced.api.patch(priced.path_in("RRP"), merge, content_type=MERGE_PATCH)
    assert (refused.status, refused.details) == (400, [(DUPLICATE, "prices[6].validFrom")])
    late = {"amount": 9, "minimumQuantity": 3}
    both = [{"op": "add", "path": "/prices/-", "value": late}] * 2
    refused = await priced.api.patch(priced.path_in("RRP"), both)
    assert refused.details == [(DUPLICATE, "prices[7].validFrom")]
    assert (await priced.api.patch(priced.path_in("RRP"), both[:1])).status == 200


async def test_at_most_a_thousand(priced: Priced) -> None:
    """Prices of a deleted color are hidden, stay, and count; a restore shows them."""
    api, navy = priced.api, priced.colors[0]
    assert (await priced.set("RRP", price(1), price(2, styleColorId=navy))).status == 200
    assert (await priced.set("COST", price(2, styleColorId=navy))).status == 200
    follower = Follower(api)
    await follower.begin()
    assert (await api.delete(f"/api/style-colors/{navy}")).status == 200
    prices = ("style-prices", priced.style, "updated")
    assert prices in [
        (e["collection"], e["recordId"], e["operation"]) for e in await follower.entries()
    ]
    assert await priced.stored("RRP") == [price(1)]
    assert [
        e["priceListId"] for e in (await api.get(f"/api/styles/{priced.style}/prices")).data
    ] == [priced.lists["RRP"]]
    refused = await priced.set("RRP", price(2, styleColorId=navy))
    assert refused.details == [(UNKNOWN, "prices[0].styleColorId")]
    many = [price(1, minimumQuantity=number + 1) for number in range(1000)]
    assert (await priced.set("RRP", *many)).details == [(MANY, "prices")]
    assert (await priced.set("RRP", *many, price(1))).details == [(MANY, "prices")]
    assert (await priced.set("RRP", *many[1:])).status == 200
    assert (await priced.set("RRP")).status == 200
    await follower.begin()
    restored = [{"op": "replace", "path": "/state", "value": "active"}]
    assert (await api.patch(f"/api/style-colors/{navy}", restored)).status == 200
    created = ("style-prices", priced.style, "created")
    assert created in [
        (e["collection"], e["recordId"], e["operation"]) for e in await follower.entries()
    ]
    assert await priced.stored("RRP") == [price(2, styleColorId=navy)]


@pytest.mark.contract("Merges")
async def test_prices_are_not_merged_by_colors(priced: Priced) -> None:
    """Several prices are of one color, so that none of them is named by it."""
    color = priced.colors[0]
    await priced.set("RRP", price(5, styleColorId=color), price(9))
    before = (await priced.api.get(f"/api/styles/{priced.style}/prices")).data
    path = f"/api/styles/{priced.style}/prices/{priced.lists['RRP']}"
    unknown = "validation_error.unknown_reference"
    prices = {"prices": {str(color): {"amount": 6}}}
    answer = await priced.api.patch(path, prices, content_type=MERGE_PATCH)
    assert answer.details == [(unknown, f"prices.{color}")]
    item = {"styleId": priced.style, "priceLists": {"RRP": prices}}
    answer = await priced.api.patch("/api/style-prices", [item])
    assert answer.details == [(unknown, f"[0].priceLists.RRP.prices.{color}")]
    without = {"prices": {str(color): None}}
    answer = await priced.api.patch(path, without, content_type=MERGE_PATCH)
    assert answer.status == 200
    assert (await priced.api.get(f"/api/styles/{priced.style}/prices")).data == before
