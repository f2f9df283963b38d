"""A style that is sold: with all that products and passports show."""

from typing import Any, Final

import pytest

from tests.support.api import Api, replacing
from tests.support.listing import walk

PRODUCTS: Final = "/api/products"
CARE: Final = (
    *("care-instructions", "care-instruction-icons", "care-instruction-layers"),
    "care-instruction-materials",
)


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
    """A style with one SKU, and all that is shown of it."""
    style = Sold(api)
    await style.open()
    return style


async def languages(api: Api) -> dict[int, str]:
    rows = await walk(api, "/api/languages")
    return {row["id"]: row["code"] for row in rows}
