"""Tests of products (contract, Products)."""

from typing import Any

import pytest

from tests.support.api import Api, replacing
from tests.support.listing import walk

pytestmark = pytest.mark.contract("Products")

PRODUCTS = "/api/products"
CARE = (
    *("care-instructions", "care-instruction-icons", "care-instruction-layers"),
    "care-instruction-materials",
)
UNKNOWN = "validation_error.unknown_reference"


class Sold:
    """A style with one color, size and SKU, and a channel in German."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.ids: dict[str, int] = {}

    async def make(self, path: str, **fields: Any) -> int:
        answer = await self.api.post(f"/api/{path}", fields)
        assert answer.status == 201, answer.raw
        self.ids[path] = answer.data["id"]
        return self.ids[path]

    async def put(self, path: str, body: Any) -> Any:
        answer = await self.api.put(f"/api/{path}", body)
        assert answer.status == 200, answer.raw
        return answer.data

    async def patch(self, path: str, field: str, value: Any) -> None:
        changed = f"/api/{path}/{self.ids[path]}"
        answer = await self.api.patch(changed, replacing(f"/{field}", value))
        assert answer.status == 200, answer.raw

    async def open(self) -> None:
        """Make all that the document shows."""
        key = {"name": "A", "userDefinedId": "A1"}
        lists = [
            await self.make("price-lists", name=name, type="retail", currencyCode=code)
            for name, code in (("Euro", "EUR"), ("Dollar", "USD"), ("None", "SEK"))
        ]
        channel = {"requirements": ["brand"], "languageIds": [2], "priceListIds": lists}
        await self.make("channels", name="Shop", userDefinedId="SHOP-DE", **channel)
        for path in ("seasons", "style-categories", "groups"):
            await self.make(path, **key)
        for path in ("brands", "suppliers"):
            await self.make(path, name="A", customId="A1")
        await self.make("size-ranges", name="Sizes")
        sizes = await self.put(f"size-ranges/{self.ids['size-ranges']}/sizes", [{"name": "M"}])
        style = await self.make(
            "styles",
            number="PR-1",
            name="Jacket",
            status="published",
            netWeight="412.50",
            description="Warm",
            brandId=self.ids["brands"],
            seasonId=self.ids["seasons"],
            styleCategoryId=self.ids["style-categories"],
            supplierId=self.ids["suppliers"],
            groupIds=[self.ids["groups"]],
            sizeRangeId=self.ids["size-ranges"],
        )
        color = await self.make("colors", name="Navy", userDefinedId="NVY")
        await self.put(f"colors/{color}/swatch", {"hex": "#1B2A41"})
        names = [{"languageId": 2, "colorName": "Marine"}, {"languageId": 3, "colorName": "Bleu"}]
        await self.put(f"colors/{color}/translations", names)
        texts = [{"languageId": 2, "name": "Jacke"}, {"languageId": 3, "name": "Veste"}]
        await self.put(f"styles/{style}/translations", texts)
        made = await self.make("style-colors", styleId=style, colorId=color)
        sku = await self.make(
            "style-skus", sku="PR-1-M", styleColorId=made, sizeRangeSizeId=sizes[0]["id"]
        )
        self.ids["size"] = sizes[0]["id"]
        await self.make("barcodes", barcode="4006381333931", styleSkuId=sku)
        file = {"styleId": style, "category": "image", "url": "https://example.com/a.jpg"}
        await self.make("style-files", fileName="c.jpg", styleColorId=made, **file)
        self.ids["file of color"] = self.ids["style-files"]
        await self.make("style-files", fileName="a.jpg", isMain=True, **file)
        await self.make("style-custom-fields", name="Fit", userDefinedId="FIT", type="text")
        german = {"languages": [{"languageId": 2, "text": "Deutsch"}]}
        for path in CARE:
            await self.make(path, text="English", **german)
        await self.patch("care-instruction-icons", "symbol", "wash30")
        icons = [self.ids["care-instruction-icons"]]
        await self.make("care-instruction-icons", text="Second", symbol="doNotBleach")
        await self.make("care-instruction-icons", text="Third")
        icons = [self.ids["care-instruction-icons"], self.ids["care-instruction-icons"] - 1, *icons]
        material = {
            "careInstructionMaterialId": self.ids["care-instruction-materials"],
            "percentage": "95.50",
            "recycledPercentage": 30,
        }
        layer = {
            "careInstructionLayerId": self.ids["care-instruction-layers"],
            "materials": [material],
        }
        label = {
            "careInstructionIconIds": icons,
            "careInstructionIds": [self.ids["care-instructions"]],
            "layers": [layer],
        }
        await self.put(f"styles/{style}/care-instructions", [label])
        euro, dollar, _ = lists
        self.ids["euro"], self.ids["dollar"] = euro, dollar
        prices = [
            {"amount": "79.90", "compareAtAmount": "99.90", "validFrom": "2026-01-05"},
            {"amount": "89.90", "validTo": "2026-01-04"},
            {"amount": "70", "minimumQuantity": 10},
        ]
        await self.put(f"styles/{style}/prices/{euro}", {"prices": prices})
        ended = {"amount": "80", "validTo": "2020-01-01"}
        begun = {"amount": "85", "styleColorId": made, "validTo": "2199-12-31"}
        await self.put(f"styles/{style}/prices/{dollar}", {"prices": [ended, begun]})
        value = {"customFieldId": self.ids["style-custom-fields"], "text": "Slim"}
        await self.put(f"styles/{style}/custom-field-values", [value])

    @property
    def query(self) -> list[tuple[str, str]]:
        return [("channelId", str(self.ids["channels"])), ("style.number", "PR-1")]

    async def list(self, *query: tuple[str, str]) -> Any:
        return await walk(self.api, PRODUCTS, [*self.query, *query])


@pytest.fixture
async def sold(api: Api) -> Sold:
    """The style."""
    style = Sold(api)
    await style.open()
    return style


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


async def languages(api: Api) -> dict[int, str]:
    rows = await walk(api, "/api/languages")
    return {row["id"]: row["code"] for row in rows}


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


@pytest.mark.parametrize(
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
