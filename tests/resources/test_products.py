"""Tests of products (contract, Products)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.listing import walk
from tests.support.offenders import in_each
from tests.support.sold_style import PRODUCTS, Sold, languages
from tests.support.sold_style import sold as sold  # a fixture

pytestmark = pytest.mark.contract("Products")

UNKNOWN = "validation_error.unknown_reference"


async def test_the_document(sold: Sold) -> None:
    ids = sold.ids
    [document] = await sold.list()
    named = {"userDefinedId": "A1", "name": "A"}
    partner = {"customId": "A1", "name": "A"}
    german = {"languageId": 2, "languageCode": (await languages(sold.api))[2]}
    care_text = {
        "userDefinedId": None,
        "text": "English",
        "translations": [{**german, "text": "Deutsch"}],
    }
    file = {
        **dict.fromkeys(("mimeType", "sizeBytes", "width", "height", "altText", "sha256")),
        "category": "image",
        "url": "https://example.com/a.jpg",
        "isMain": False,
    }
    assert document == {
        "style": {
            "id": ids["styles"],
            "number": "PR-1",
            "name": "Jacket",
            "description": "Warm",
            "status": "published",
            **dict.fromkeys(("gender", "ageGroup", "countryOfOriginCode", "hsCode")),
            "netWeight": 412.5,
            "brand": {"id": ids["brands"], **partner},
            "season": {"id": ids["seasons"], **named},
            "styleCategory": {"id": ids["style-categories"], **named},
            "supplier": {"id": ids["suppliers"], **partner},
            "groups": [{"id": ids["groups"], **named}],
        },
        "translations": [{**german, "name": "Jacke", "description": None}],
        "colors": [
            {
                "styleColorId": ids["style-colors"],
                "colorId": ids["colors"],
                "colorUserDefinedId": "NVY",
                "name": "Navy",
                "translations": [{**german, "name": "Marine"}],
                "swatch": {"hex": "#1B2A41", "imageUrl": None},
                "files": [{**file, "styleFileId": ids["file of color"], "fileName": "c.jpg"}],
                "skus": [
                    {
                        "styleSkuId": ids["style-skus"],
                        "sku": "PR-1-M",
                        "gtin": "4006381333931",
                        "sizeRangeSizeId": ids["size"],
                        "sizeName": "M",
                        "netWeight": 412.5,
                        "prices": [
                            {
                                "priceListId": ids["euro"],
                                "currencyCode": "EUR",
                                "amount": 79.9,
                                "compareAtAmount": 99.9,
                                "lowestAmount30Days": 89.9,
                                "validTo": None,
                                "tiers": [{"minimumQuantity": 10, "amount": 70}],
                            },
                            {
                                "priceListId": ids["dollar"],
                                "currencyCode": "USD",
                                "amount": 85,
                                "compareAtAmount": None,
                                "lowestAmount30Days": None,
                                "validTo": "2199-12-31",
                                "tiers": [],
                            },
                        ],
                    }
                ],
            }
        ],
        "files": [{**file, "styleFileId": ids["style-files"], "fileName": "a.jpg", "isMain": True}],
        "care": [
            {
                "styleColorId": None,
                "icons": [
                    {
                        "careInstructionIconId": ids["care-instruction-icons"] - 2,
                        "symbol": "wash30",
                        "process": "washing",
                        **care_text,
                    },
                    {
                        "careInstructionIconId": ids["care-instruction-icons"] - 1,
                        "userDefinedId": None,
                        "symbol": "doNotBleach",
                        "process": "bleaching",
                        "text": "Second",
                        "translations": [],
                    },
                    {
                        "careInstructionIconId": ids["care-instruction-icons"],
                        **dict.fromkeys(("userDefinedId", "symbol", "process")),
                        "text": "Third",
                        "translations": [],
                    },
                ],
                "instructions": [{"careInstructionId": ids["care-instructions"], **care_text}],
            }
        ],
        "composition": [
            {
                "styleColorId": None,
                "layers": [
                    {
                        "careInstructionLayerId": ids["care-instruction-layers"],
                        **care_text,
                        "materials": [
                            {
                                "careInstructionMaterialId": ids["care-instruction-materials"],
                                **care_text,
                                "percentage": 95.5,
                                "recycledPercentage": 30,
                            }
                        ],
                    }
                ],
            }
        ],
        "customFieldValues": [
            {
                **dict.fromkeys(("styleColorId", "sizeRangeSizeId", "number", "value")),
                "customFieldId": ids["style-custom-fields"],
                "userDefinedId": "FIT",
                "name": "Fit",
                "text": "Slim",
                "allowedValueId": None,
            }
        ],
        "isComplete": True,
    }


async def test_what_is_not_sold_is_left_out(sold: Sold) -> None:
    """Inactive colors, SKUs and files; the names and weights of style colors and SKUs win."""
    await sold.patch("style-colors", "name", "Midnight")
    await sold.patch("style-skus", "netWeight", "400")
    await sold.patch("style-files", "state", "inactive")
    await sold.put(f"colors/{sold.ids['colors']}/swatch", {})
    [document] = await sold.list()
    [color] = document["colors"]
    assert (color["name"], color["swatch"], document["files"]) == ("Midnight", None, [])
    assert color["skus"][0]["netWeight"] == 400
    await sold.patch("style-skus", "state", "inactive")
    [document] = await sold.list()
    assert document["colors"][0]["skus"] == []
    await sold.patch("style-colors", "state", "inactive")
    [document] = await sold.list()
    assert document["colors"] == []


async def test_styles_that_are_no_products(sold: Sold) -> None:
    since = ("changedSince", "2026-01-01T00:00:00Z")
    style = sold.ids["styles"]
    removed = [{"style": {"id": style, "number": "PR-1"}, "isRemoved": True}]
    for field, value, former in (
        ("status", "workInProgress", "delivered"),
        ("status", "cancelled", "published"),
        ("state", "inactive", "active"),
        ("brandId", None, sold.ids["brands"]),
    ):
        await sold.patch("styles", field, value)
        complete = ("isComplete", "true")
        assert await sold.list(complete) == []
        assert await sold.list(complete, since) == removed
        marked = [{"isRemoved": True}]
        assert await sold.list(complete, since, ("fields", "colors")) == marked
        query = [*sold.query, complete, since]
        counted = await sold.api.get(PRODUCTS, query, headers={"Prefer": "count=exact"})
        assert counted.headers["Total-Count"] == "1"
        if field == "brandId":
            assert len(await sold.list()) == len(await sold.list(("isComplete", "false"))) == 1
            assert [row["isComplete"] for row in await sold.list(since)] == [False]
        else:
            assert await sold.list() == []
            assert await sold.list(since) == removed
        await sold.patch("styles", field, former)
        assert len(await sold.list(complete, since)) == len(await sold.list(complete)) == 1
    await sold.patch("styles", "status", "workInProgress")
    await sold.api.delete(f"/api/barcodes/{sold.ids['barcodes']}")
    await sold.api.delete(f"/api/style-skus/{sold.ids['style-skus']}")
    for price_list in (sold.ids["euro"], sold.ids["dollar"]):
        await sold.put(f"styles/{style}/prices/{price_list}", {"prices": []})
    answer = await sold.api.delete(f"/api/styles/{style}")
    assert answer.status == 200, answer.raw
    assert await sold.list(since) == removed
    assert await sold.list(since, ("isComplete", "false")) == removed


@pytest.mark.shared_demo_data
async def test_pages(api: Api) -> None:
    """Cursors carry the channel; pages are in the order of styles, and have an entity tag."""
    [channel, *_] = (await api.get("/api/channels")).data
    query = [("channel.userDefinedId", channel["userDefinedId"])]
    products = await walk(api, PRODUCTS, [*query, ("pageSize", "100")])
    published = [("state", "active"), ("status", "published"), ("status", "delivered")]
    styles = await walk(api, "/api/styles", [*published, ("pageSize", "100")])
    assert [each["style"]["id"] for each in products] == [style["id"] for style in styles]
    assert len(styles) > 20
    some = await walk(api, PRODUCTS, [("channelId", str(channel["id"])), ("pageSize", "7")])
    assert some == products
    numbered = await api.get(PRODUCTS, [*query, ("pageSize", "7"), ("pageNumber", "2")])
    assert numbered.data == products[7:14]
    again = {"If-None-Match": numbered.headers["ETag"]}
    params = [*query, ("pageSize", "7"), ("pageNumber", "2")]
    assert (await api.get(PRODUCTS, params, headers=again)).status == 304
    fields = await api.get(PRODUCTS, [*query, ("fields", "isComplete"), ("pageSize", "1")])
    assert fields.data == [{"isComplete": products[0]["isComplete"]}]
    cursor = fields.json["pagination"]["cursor"]
    assert (await api.get(PRODUCTS, [("cursor", cursor), *query])).status == 200
    other = await api.get(PRODUCTS, [("cursor", cursor), ("channelId", str(channel["id"]))])
    assert other.details == [("validation_error.exclusive_parameters", "channelId")]


@in_each(
    ("query", "details"),
    [
        ([], [("validation_error.required_field", "channelId")]),
        (
            [("sort[0].property", "style.id"), ("pageSize", "0")],
            [
                ("validation_error.unknown_parameter", "sort[0].property"),
                ("validation_error.out_of_range", "pageSize"),
                ("validation_error.required_field", "channelId"),
            ],
        ),
        (
            [("channelId", "1"), ("channel.userDefinedId", "A")],
            [("validation_error.exclusive_parameters", "channel.userDefinedId")],
        ),
        ([("channelId", "1"), ("channelId", "2")], [("validation_error.duplicate", "channelId")]),
        ([("channelId", "x")], [("validation_error.invalid_value", "channelId")]),
        (
            [("channel.userDefinedId", "a\0")],
            [("validation_error.invalid_value", "channel.userDefinedId")],
        ),
        ([("channelId", str(2**62))], [(UNKNOWN, "channelId")]),
        ([("channel.userDefinedId", "none")], [(UNKNOWN, "channel.userDefinedId")]),
        (
            [
                ("channelId", "1"),
                ("filter[0].property", "isComplete"),
                ("filter[0].operator", "ne"),
                ("filter[0].value", "true"),
            ],
            [("validation_error.invalid_value", "filter[0].operator")],
        ),
    ],
)
async def test_wrong_parameters(api: Api, query: Any, details: Any) -> None:
    answer = await api.get(PRODUCTS, query)
    assert (answer.status, answer.details) == (400, details)


async def test_channels_of_others_are_unknown(sold: Sold, other_api: Api) -> None:
    foreign = await other_api.get(PRODUCTS, sold.query)
    assert foreign.details == [(UNKNOWN, "channelId")]
