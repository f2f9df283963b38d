"""Tests of what a request frees: the state after it decides (contract, Transactions)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.transactions import entry, position, send, shown

pytestmark = pytest.mark.contract("Transactions over collections")

IN_USE = "conflict.in_use"
K: dict[str, Any] = {"userDefinedId": "K"}
STYLE: dict[str, Any] = {"number": "K"}
COLOR: dict[str, Any] = {"styleId": STYLE, "colorId": K}
SIZE = {"sizeRangeId": K, "name": "M"}
SKU: dict[str, Any] = {"sku": "K", "styleColorId": COLOR, "sizeRangeSizeId": SIZE}
PARTS = {"size-range-sizes", "measurement-charts", "measurements"}
FIELD = entry("style-custom-fields", **K, name="Field", type="text")
PRICES = {"priceListId": K, "prices": [{"amount": "1", "sizeRangeSizeId": SIZE}]}


def valued(**members: Any) -> dict[str, Any]:
    """Return an entry that gives the style one value."""
    values = [{"customFieldId": K, "text": "Soft", **members}]
    return entry("custom-field-values", styleId=STYLE, values=values)


@pytest.fixture
async def stored(api: Api) -> Api:
    """A style with a color, an SKU, a price of a size and a value in a custom field."""
    list_of = {"name": "List", "type": "cost", "currencyCode": "EUR"}
    written = [
        entry("colors", **K, name="Navy"),
        *(entry("size-ranges", userDefinedId=key, name="Sizes") for key in "KL"),
        entry("size-range-sizes", sizeRangeId=K, sizes=[{"name": "M"}]),
        entry("price-lists", **K, **list_of),
        entry("styles", **STYLE, name="Coat", sizeRangeId=K),
        entry("style-colors", **COLOR),
        entry("style-skus", **SKU),
        entry("style-prices", styleId=STYLE, priceLists=[PRICES]),
        FIELD,
        valued(),
    ]
    assert {*shown(await send(api, written))} == {"created", "updated"}
    return api


async def test_a_size_range_is_free_when_its_skus_and_prices_go(stored: Api) -> None:
    moved = entry("styles", "merge", **STYLE, sizeRangeId={"userDefinedId": "L"})
    emptied = {"priceListId": K, "prices": []}
    freeing = [
        entry("style-prices", styleId=STYLE, priceLists=[emptied]),
        entry("style-skus", "delete", sku="K"),
    ]
    for some in ([], freeing[:1], freeing[1:]):
        refused = await send(stored, [moved, *some])
        assert (refused.status, refused.details) == (409, [(IN_USE, "[0].item.sizeRangeId")])
    assert shown(await send(stored, [moved, *freeing])) == ["updated", "updated", "deleted"]


async def test_a_field_differs_by_color_when_its_values_do(stored: Api) -> None:
    turned = {**FIELD, "item": FIELD["item"] | {"diffPerColor": True}}
    refused = await send(stored, [turned])
    assert (refused.status, refused.details) == (409, [(IN_USE, "[0].item.diffPerColor")])
    assert shown(await send(stored, [turned, valued(styleColorId=COLOR)])) == ["updated"] * 2
    refused = await send(stored, [FIELD])
    assert refused.details == [(IN_USE, "[0].item.diffPerColor")]
    emptied = entry("custom-field-values", styleId=STYLE, values=[])
    assert shown(await send(stored, [FIELD, emptied])) == ["updated"] * 2


async def test_an_allowed_value_goes_when_its_uses_are_turned(stored: Api) -> None:
    """It stays otherwise, and with it what has it; a preview shows that it goes."""
    key = {"userDefinedId": "C"}
    values = [{"value": name, "userDefinedId": name} for name in "AB"]
    field = entry("style-custom-fields", **key, name="C", type="allowedValue", allowedValues=values)

    def chosen(name: str) -> dict[str, Any]:
        value = {"customFieldId": key, "allowedValueId": {"userDefinedId": name}}
        return entry("custom-field-values", styleId=STYLE, values=[value])

    assert shown(await send(stored, [field, chosen("A")])) == ["created", "updated"]
    fewer = {**field, "item": field["item"] | {"allowedValues": values[1:]}}
    for some in ([], [chosen("A")]):
        refused = await send(stored, [fewer, *some])
        assert (refused.status, refused.details) == (409, [(IN_USE, "[0].item.allowedValues")])
    turned = [fewer, chosen("B")]
    preview = await send(stored, turned, params={"dryRun": "true", "preview": "true"})
    [change] = preview.data[0]["changes"]
    assert [value["userDefinedId"] for value in change["after"]] == ["B"]
    assert shown(await send(stored, turned)) == shown(preview) == ["updated"] * 2
    style = (await stored.get("/api/styles", {"number": "K"})).data[0]["id"]
    values = (await stored.get(f"/api/styles/{style}/custom-field-values")).data
    assert [value["allowedValueId"] for value in values] == [
        (await stored.get("/api/style-custom-fields", {"userDefinedId": "C"})).data[0][
            "allowedValues"
        ][0]["id"]
    ]


async def _entries(api: Api, collection: str, member: str) -> list[tuple[str, bool]]:
    """Return the names of the entries of the only part with any, and whether they are off."""
    [part] = (await api.get(f"/api/{collection}")).data or [{member: []}]
    return [(each["name"], each["isDeactivated"]) for each in part[member]]


@pytest.fixture
async def charted(api: Api) -> Api:
    """A style whose chart names two sizes, one of which relates to a third."""
    sizes = [{"name": "S"}, {"name": "M", "relatedSizeRangeSizeId": {"name": "S"}}, {"name": "L"}]
    written = [
        entry("size-ranges", **K, name="Sizes"),
        entry("size-range-sizes", sizeRangeId=K, sizes=sizes),
        entry("styles", **STYLE, name="Coat", sizeRangeId=K),
        chart("M", "L"),
    ]
    assert {*shown(await send(api, written))} == {"created", "updated"}
    return api


def chart(*sizes: str) -> dict[str, Any]:
    """Return an entry of a chart with a line for each size, which is named after it."""
    lines = [
        {"name": size, "requested": [{"sizeRangeSizeId": {"name": size}, "value": "1"}]}
        for size in sizes
    ]
    return entry("measurement-charts", styleId=STYLE, unit="CM", lines=lines)


async def test_sizes_go_with_their_last_use_in_one_request(charted: Api) -> None:
    """In any order, in previews, too; without the other entry they are deactivated."""
    fewer = entry("size-range-sizes", sizeRangeId=K, sizes=[{"name": "L"}])
    dry_run = {"dryRun": "true", "preview": "true"}
    for number, entries in enumerate(([fewer, chart("L")], [chart("L"), fewer])):
        preview = await send(charted, entries, params=dry_run)
        assert shown(preview) == ["updated"] * 2
        [change] = preview.data[number]["changes"]
        assert [size["name"] for size in change["after"]] == ["L"]
    assert shown(await send(charted, [fewer])) == ["updated"]
    sizes = [("L", False), ("S", True), ("M", True)]
    assert sorted(await _entries(charted, "size-range-sizes", "sizes")) == sorted(sizes)
    every = [{"name": name} for name in "SML"]
    back = entry("size-range-sizes", sizeRangeId=K, sizes=every)
    assert shown(await send(charted, [back])) == ["updated"]
    assert shown(await send(charted, [fewer, chart("L")])) == ["updated"] * 2
    assert await _entries(charted, "size-range-sizes", "sizes") == [("L", False)]


async def test_lines_and_their_sizes_go_with_the_sample_request(charted: Api) -> None:
    """Parts that lose their last entries so are deleted in the feed."""
    key: dict[str, Any] = {"styleId": STYLE, "name": "P"}
    request = entry("sample-requests", **key, sizeRangeSizeIds=[{"name": "M"}])
    assert shown(await send(charted, [request])) == ["created"]
    emptied = [
        entry("measurement-charts", styleId=STYLE, lines=[]),
        entry("size-range-sizes", sizeRangeId=K, sizes=[]),
    ]
    after = await position(charted)
    gone = entry("sample-requests", "delete", **key)
    assert shown(await send(charted, [*emptied, gone])) == ["updated", "updated", "deleted"]
    for collection, member in (("size-range-sizes", "sizes"), ("measurement-charts", "lines")):
        assert await _entries(charted, collection, member) == []
    changes = (await charted.get("/api/changes", {"after": str(after)})).data
    assert {
        (each["collection"], each["operation"]) for each in changes if each["collection"] in PARTS
    } == {(collection, "deleted") for collection in PARTS}
