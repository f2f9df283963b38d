"""Records with own keys, and bodies that refer to them by id or by key."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from tests.support.api import Api, replacing

NUMBERS = count(1)
DRY: Final = {"dryRun": "true"}

Reference = Callable[[str], Any]
Body = Callable[[Reference], Any]


async def made(api: Api, collection: str, **fields: Any) -> Any:
    """Return the document of a new record."""
    answer = await api.post(f"/api/{collection}", fields)
    assert answer.status == 201, answer.raw
    return answer.data


@dataclass
class World:
    """Records that others refer to, by id and by own key."""

    ids: dict[str, Any] = field(default_factory=dict)
    keys: dict[str, Any] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    mark: str = ""

    async def add(self, api: Api, name: str, collection: str, key: str, **fields: Any) -> None:
        own = {key: f"{name}-{self.mark}"}
        record = await made(api, collection, **({"name": name} | fields | own))
        self.ids[name], self.keys[name] = record["id"], own

    async def fill(self, api: Api) -> None:
        await self.add(api, "brand", "brands", "customId")
        await self.add(api, "category", "style-categories", "userDefinedId")
        await self.add(api, "group", "groups", "userDefinedId")
        await self.add(api, "color group", "color-groups", "userDefinedId")
        await self.add(api, "color", "colors", "userDefinedId")
        await self.add(api, "season", "seasons", "userDefinedId")
        await self.add(api, "supplier", "suppliers", "customId")
        await self.add(api, "sample type", "sample-types", "userDefinedId")
        priced = {"type": "cost", "currencyCode": "EUR"}
        await self.add(api, "price list", "price-lists", "userDefinedId", **priced)
        await self.add(api, "item category", "item-categories", "name")
        await self.add(api, "sub-supplier", "sub-suppliers", "customId")
        mill = self.ids["sub-supplier"]
        await self.add(api, "item", "items", "number")
        for name, of in (("care", "s"), *((of, f"-{of}s") for of in ("icon", "layer", "material"))):
            self.keys[name] = {"userDefinedId": f"{name}-{self.mark}"}
            record = await made(api, f"care-instruction{of}", text=name, **self.keys[name])
            self.ids[name] = record["id"]
        await self.add(api, "facility", "facilities", "name", subSupplierId=mill)
        self.keys["facility"] |= {"subSupplierId": self.keys["sub-supplier"]}
        await self.add(api, "style", "styles", "number")
        await self.add(api, "related", "styles", "number")
        values = [{"value": "Denim", "userDefinedId": "D"}, {"value": "Twill"}]
        parent = {"type": "allowedValue", "allowedValues": values}
        await self.add(api, "compliance", "compliance-custom-fields", "userDefinedId", **parent)
        await self.add(api, "field", "style-custom-fields", "userDefinedId", **parent)
        await self._add_parts(api)
        stored = (await api.get(f"/api/style-custom-fields/{self.ids['field']}")).data
        denim, twill = stored["allowedValues"]
        self.ids |= {"denim": denim["id"], "twill": twill["id"], "english": 1, "german": 8}
        self.keys |= {"denim": {"userDefinedId": "D"}, "twill": {"value": "Twill"}}
        self.keys |= {"english": {"code": "EN"}, "german": {"code": "de"}}

    async def _add_parts(self, api: Api) -> None:
        await self.add(api, "range", "size-ranges", "userDefinedId")
        sizes = f"/api/size-ranges/{self.ids['range']}/sizes"
        medium, large = (await api.put(sizes, [{"name": "M"}, {"name": "L", "sizeId": "3"}])).data
        style = f"/api/styles/{self.ids['style']}"
        await api.patch(style, replacing("/sizeRangeId", self.ids["range"]))
        await self.add(api, "shade", "colors", "userDefinedId")
        pair = {"styleId": self.ids["style"], "colorId": self.ids["shade"]}
        self.ids["style color"] = (await made(api, "style-colors", **pair))["id"]
        self.keys["style color"] = {"styleId": self.keys["style"], "colorId": self.keys["shade"]}
        sold = {"styleColorId": self.ids["style color"], "sizeRangeSizeId": large["id"]}
        self.keys["sku"] = {"sku": f"sku-{self.mark}"}
        self.ids["sku"] = (await made(api, "style-skus", **sold, **self.keys["sku"]))["id"]
        await self.add(api, "own range", "size-ranges", "userDefinedId")
        differs = {"type": "text", "diffPerColor": True, "diffPerSize": True}
        await self.add(api, "per size", "style-custom-fields", "userDefinedId", **differs)
        chart = f"{style}/measurement-chart"
        requested = [{"sizeRangeSizeId": medium["id"], "value": "52.50"}]
        lines = [{"name": "Chest", "requested": requested}, {"name": "Hem"}]
        chest, hem = (await api.put(chart, {"lines": lines})).data["lines"]
        self.ids |= {
            "M": medium["id"],
            "L": large["id"],
            "chest": chest["lineId"],
            "hem": hem["lineId"],
        }
        in_range = {"sizeRangeId": self.keys["range"]}
        by_id = {"sizeRangeId": self.ids["range"], "sizeId": "3"}
        self.keys |= {"M": in_range | {"name": "M"}, "L": by_id}
        self.keys |= {"chest": {"name": "Chest"}, "hem": {"name": "Hem"}}
        color = await made(api, "colors", name="Sage")
        request = await made(
            api,
            "sample-requests",
            styleId=self.ids["style"],
            name="Proto",
            sizeRangeSizeIds=[medium["id"]],
        )
        measured = f"/api/styles/{self.ids['style']}/sample-requests/{request['id']}/measurements"
        self.paths = {
            "size-range-sizes": f"/api/size-ranges/{self.ids['own range']}/sizes",
            "measurement-charts": chart,
            "color-translations": f"/api/colors/{color['id']}/translations",
            "style-supplier-facilities": f"/api/styles/{self.ids['related']}/supplier-facilities",
            "color-swatches": f"/api/colors/{color['id']}/swatch",
            "style-translations": f"/api/styles/{self.ids['style']}/translations",
            "custom-field-values": f"/api/styles/{self.ids['style']}/custom-field-values",
            "style-prices": f"/api/styles/{self.ids['style']}/prices/{self.ids['price list']}",
            "style-items": f"/api/styles/{self.ids['style']}/items",
            "style-care-instructions": f"/api/styles/{self.ids['style']}/care-instructions",
            "measurements": f"{measured}/{medium['id']}",
        }


def _line_color(of: Reference) -> Any:
    return {"styleColorId": of("style color"), "colorId": of("shade"), "itemId": of("item")}


def _material(of: Reference) -> Any:
    return {"careInstructionMaterialId": of("material"), "percentage": "100"}


def text() -> str:
    return f"T-{next(NUMBERS)}"


BODIES: dict[str, Body] = {
    "styles": lambda of: {
        "number": text(),
        "name": "Jacket",
        "brandId": of("brand"),
        "styleCategoryId": of("category"),
        "groupIds": [of("group")],
        "seasonId": of("season"),
        "supplierId": of("supplier"),
        "sizeRangeId": of("range"),
    },
    "items": lambda of: {
        "number": text(),
        "name": "Zip",
        "itemCategoryId": of("item category"),
        "supplierId": of("supplier"),
        "brandId": of("brand"),
    },
    "style-files": lambda of: {
        "styleId": of("style"),
        "styleColorId": of("style color"),
        "fileName": text(),
        "category": "image",
        "url": "https://example.com/a.jpg",
    },
    "price-lists": lambda of: {
        "name": text(),
        "type": "cost",
        "currencyCode": "EUR",
        "supplierId": of("supplier"),
    },
    "channels": lambda of: {
        "name": text(),
        "languageIds": [of("english"), of("german")],
        "priceListIds": [of("price list")],
    },
    "suppliers": lambda of: {"name": text(), "subSupplierIds": [of("sub-supplier")]},
    "facilities": lambda of: {"name": text(), "subSupplierId": of("sub-supplier")},
    "colors": lambda of: {
        "name": "Navy",
        "colorGroupIds": [of("color group")],
        "languageIds": [of("english"), of("german")],
    },
    "care-instructions": lambda of: {
        "text": "Wash",
        "languages": [{"languageId": of("german"), "text": "Waschen"}],
    },
    "care-instruction-materials": lambda of: {
        "text": "Linen",
        "languages": [{"languageId": of("german"), "text": "Leinen"}],
    },
    "care-instruction-icons": lambda of: {
        "text": "Wash",
        "languages": [{"languageId": of("german"), "text": "Waschen"}],
    },
    "care-instruction-layers": lambda of: {
        "text": "Lining",
        "languages": [{"languageId": of("german"), "text": "Futter"}],
    },
    "compliance-custom-fields": lambda of: {
        "name": "Fiber",
        "type": "nestedAllowedValue",
        "parentCustomFieldId": of("compliance"),
    },
    "style-custom-fields": lambda of: {
        "name": "Wash",
        "type": "nestedAllowedValue",
        "parentCustomFieldId": of("field"),
        "allowedValues": [
            {"value": "Stone", "parentAllowedValueId": of("denim")},
            {"value": "Enzyme", "parentAllowedValueId": of("twill")},
        ],
    },
    "style-colors": lambda of: {
        "styleId": of("style"),
        "colorId": of("color"),
        "seasonIds": [of("season")],
    },
    "style-skus": lambda of: {
        "sku": text(),
        "styleColorId": of("style color"),
        "sizeRangeSizeId": of("M"),
    },
    "barcode-ranges": lambda of: {
        "name": text(),
        "type": "gtin13",
        "companyPrefix": f"8{next(NUMBERS):09}",
        "brandId": of("brand"),
    },
    "barcodes": lambda of: {"barcode": text(), "type": "internal", "styleSkuId": of("sku")},
    "style-relations": lambda of: {"styleId": of("style"), "relatedStyleId": of("related")},
    "sample-requests": lambda of: {
        "styleId": of("style"),
        "name": text(),
        "sampleTypeId": of("sample type"),
        "sizeRangeSizeIds": [of("M"), of("L")],
        "requested": [
            {"lineId": of("chest"), "sizeRangeSizeId": of("M"), "value": "52.50"},
            {"lineId": of("hem"), "sizeRangeSizeId": of("L"), "value": "48"},
        ],
    },
}
PARTS_BODIES: dict[str, Body] = {
    "size-range-sizes": lambda of: [
        {"name": "S", "relatedSizeRangeSizeId": of("M")},
        {"name": "XS", "relatedSizeRangeSizeId": of("L")},
    ],
    "measurement-charts": lambda of: {
        "lines": [
            {
                "lineId": of("chest"),
                "name": "Bust",
                "requested": [
                    {"sizeRangeSizeId": of("M"), "value": "52.50"},
                    {"sizeRangeSizeId": of("L"), "value": "54.50"},
                ],
            },
            {"lineId": of("hem"), "name": "Sweep"},
        ]
    },
    "color-translations": lambda of: [
        {"languageId": of("english"), "colorName": "Sage"},
        {"languageId": of("german"), "colorName": "Salbei"},
    ],
    "style-supplier-facilities": lambda of: [
        {"process": "assembly", "supplierId": of("supplier"), "subSupplierId": of("sub-supplier")},
        {"process": "dyeing", "facilityId": of("facility")},
    ],
    "custom-field-values": lambda of: [
        {"customFieldId": of("field"), "allowedValueId": of("denim")},
        {
            "customFieldId": of("per size"),
            "styleColorId": of("style color"),
            "sizeRangeSizeId": of("M"),
            "text": "Soft",
        },
    ],
    "style-prices": lambda of: {
        "prices": [
            {"styleColorId": of("style color"), "amount": "12.50"},
            {"sizeRangeSizeId": of("M"), "amount": "13"},
        ]
    },
    "style-items": lambda of: [
        {
            "itemId": of("item"),
            "careInstructionLayerId": of("layer"),
            "supplierId": of("supplier"),
            "colors": [_line_color(of)],
            "sizes": [{"sizeRangeSizeId": of("M"), "quantity": 1}],
        }
    ],
    "style-care-instructions": lambda of: [
        {
            "styleColorId": of("style color"),
            "careInstructionIconIds": [of("icon")],
            "careInstructionIds": [of("care")],
            "layers": [{"careInstructionLayerId": of("layer"), "materials": [_material(of)]}],
        }
    ],
    "style-translations": lambda of: [{"languageId": of("german"), "name": "Jacke"}],
    "measurements": lambda of: {"lines": [{"lineId": of("chest"), "companyMeasurement": "52.75"}]},
}
