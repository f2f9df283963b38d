"""A small shop: styles with all that products show, random writes to it, and copies of it."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Any, Final

from tests.support.api import Answer, Api, replacing
from tests.support.listing import walk

_STATES: Final = ("active", "active", "inactive", "deleted")
_NAMES: Final = tuple(f"Name {number}" for number in range(4))
_OTHERS: Final = ("brands", "seasons", "style-categories", "suppliers", "groups")
_CARE: Final = {
    "text": _NAMES,
    "userDefinedId": _NAMES,
    "languages": ([{"languageId": 2, "text": "A"}], []),
}
FIELDS: Final[dict[str, dict[str, tuple[Any, ...]]]] = {
    "brands": {"name": _NAMES, "customId": _NAMES},
    "seasons": {"name": _NAMES, "userDefinedId": _NAMES},
    "style-categories": {"name": _NAMES, "userDefinedId": _NAMES},
    "suppliers": {"name": _NAMES, "customId": _NAMES, "countryCode": ("PT", "TR")},
    "groups": {"name": _NAMES, "userDefinedId": _NAMES},
    "colors": {"name": _NAMES, "userDefinedId": _NAMES},
    "styles": {
        "name": _NAMES,
        "state": _STATES,
        "status": ("published", "published", "delivered", "cancelled"),
        "description": (None, "Warm"),
        "netWeight": (None, 1.5, "2.50"),
        "hsCode": (None, "610130"),
    },
    "style-colors": {"name": (None, *_NAMES), "sortOrder": (None, 1, 2), "state": _STATES},
    "style-skus": {"netWeight": (None, 3), "state": _STATES},
    "barcodes": {"isPrimary": (True, False), "state": _STATES},
    "style-files": {
        "altText": (None, "Front"),
        "isMain": (True, False),
        "sortOrder": (1, 2),
        "state": _STATES,
    },
    "style-custom-fields": {"name": _NAMES, "isMandatory": (True, False), "state": _STATES[:3]},
    "care-instructions": _CARE,
    "care-instruction-icons": _CARE,
    "care-instruction-layers": _CARE,
    "care-instruction-materials": {"text": _NAMES},
    "price-lists": {
        "name": _NAMES,
        "state": _STATES[:3],
        "validFrom": (None, "DAY"),
        "validTo": (None, "DAY"),
    },
    "channels": {
        "languageIds": ([], [2], [2, 3]),
        "requirements": (
            *(["image"], ["customFields"], ["skus", "barcodes", "translations"]),
            *(["care", "composition"], ["prices"]),
        ),
    },
}
"""Values that random patches set, by collection and field."""


@dataclass
class Shop:
    """Ids of the shop's records by collection, and its random numbers."""

    api: Api
    random: Random
    ids: dict[str, list[int]] = field(default_factory=dict)
    day: date = field(default_factory=date.today)
    """Today, in the eyes of the service."""
    styled: list[tuple[int, int]] = field(default_factory=list)
    """Styles with their style colors."""
    done: set[str] = field(default_factory=set)
    """Names of the writes that have changed something."""

    async def made(self, collection: str, **fields: Any) -> int:
        """Return the id of a new record."""
        answer = await self.api.post(f"/api/{collection}", fields)
        assert answer.status == 201, answer.raw
        self.ids.setdefault(collection, []).append(answer.data["id"])
        return int(answer.data["id"])

    def any(self, collection: str) -> int:
        return self.random.choice(self.ids[collection])

    async def open(self, styles: int) -> None:
        """Make the shop, with its channels."""
        for name in _NAMES[:3]:
            await self.made("colors", name=name, userDefinedId=name)
            for collection in _OTHERS:
                await self.made(collection, name=name)
        sizes = await self.made("size-ranges", name="Sizes")
        await self.api.put(f"/api/size-ranges/{sizes}/sizes", [{"name": name} for name in "SML"])
        await self.made("style-custom-fields", name="Fit", type="text", isMandatory=True)
        for collection in list(FIELDS):
            if collection.startswith("care-"):
                await self.made(collection, text="Text", userDefinedId=f"SHOP {collection}")
        values = [{"value": "Garment"}, {"value": "Yarn"}]
        await self.made("style-custom-fields", name="D", type="allowedValue", allowedValues=values)
        for _ in range(2):
            await self.made("price-lists", name="P", type="retail", currencyCode="EUR")
        channel = {"languageIds": [2, 3], "priceListIds": self.ids["price-lists"]}
        for requirements in (["brand", "skus", "prices"], ["image", "translations"]):
            await self.made("channels", name="C", requirements=requirements, **channel)
        for number in range(styles):
            await self._style(f"SHOP-{number}", sizes)
        for barcode in ("4006381333931", "4012345678901", "8712345678906"):
            await self.made("barcodes", barcode=barcode, styleSkuId=self.any("style-skus"))

    async def _style(self, number: str, sizes: int) -> None:
        style = await self.made(
            "styles",
            number=number,
            name="Jacket",
            status="published",
            sizeRangeId=sizes,
            brandId=self.any("brands"),
            seasonId=self.any("seasons"),
            styleCategoryId=self.any("style-categories"),
            supplierId=self.any("suppliers"),
            groupIds=[self.any("groups")],
        )
        file: Any = {"category": "image", "url": "https://example.com/1.jpg", "styleId": style}
        for color in self.random.sample(self.ids["colors"], 2):
            made = await self.made("style-colors", styleId=style, colorId=color)
            self.styled.append((style, made))
            await self.made("style-files", fileName=f"{made}.jpg", styleColorId=made, **file)
        await self.made("style-files", fileName="own.jpg", **file)
        answer = await self.api.post(
            "/api/style-skus/generate", [{"styleId": style, "skuFormat": _FORMAT}]
        )
        self.ids.setdefault("style-skus", []).extend(row["id"] for row in answer.data)

    async def write(self) -> None:
        """Change something at random; refusals count as changes of nothing."""
        writes = [self._patch] * 4 + [self._part, self._move, self._refer, self._price]
        name, answer = await self.random.choice(writes)()
        assert answer.status in (200, 201, 400, 409), (name, answer.raw)
        if answer.status < 300:
            self.done.add(name)

    async def _patch(self) -> tuple[str, Answer]:
        collection = self.random.choice(list(FIELDS))
        name = self.random.choice(list(FIELDS[collection]))
        value = self.random.choice(FIELDS[collection][name])
        value = self._near() if value == "DAY" else value
        path = f"/api/{collection}/{self.any(collection)}"
        return f"{collection}.{name}", await self.api.patch(path, replacing(f"/{name}", value))

    def _near(self) -> str:
        """Return a day within two days of today."""
        return (self.day + timedelta(days=self.random.randint(-2, 2))).isoformat()

    async def _price(self) -> tuple[str, Answer]:
        """Replace the prices of a style in a price list: of all colors, of a color, and of two."""
        style, color = self.random.choice(self.styled)
        first, last = sorted((self._near(), self._near()))
        prices: list[dict[str, Any]] = [
            {"amount": self.random.randint(10, 20), "validFrom": first, "validTo": last},
            {"styleColorId": color, "amount": self.random.randint(10, 20), "validTo": last},
            {"minimumQuantity": 2, "amount": 9, "validFrom": last},
        ]
        path = f"/api/styles/{style}/prices/{self.any('price-lists')}"
        body = {"prices": self.random.sample(prices, self.random.randrange(4))}
        return "styles/prices", await self.api.put(path, body)

    async def _refer(self) -> tuple[str, Answer]:
        collection = self.random.choice(_OTHERS[:-1])
        name = {"style-categories": "styleCategoryId"}.get(collection, f"{collection[:-1]}Id")
        change = replacing(f"/{name}", self.random.choice([None, self.any(collection)]))
        return f"styles.{name}", await self.api.patch(f"/api/styles/{self.any('styles')}", change)

    async def _move(self) -> tuple[str, Answer]:
        change = replacing("/styleSkuId", self.random.choice([None, self.any("style-skus")]))
        path = f"/api/barcodes/{self.any('barcodes')}"
        return "barcodes.styleSkuId", await self.api.patch(path, change)

    async def _part(self) -> tuple[str, Answer]:
        of = self.random.choice(["colors", "styles", "size-ranges"])
        segment, body = self.random.choice(self._parts(of))
        path = f"/api/{of}/{self.any(of)}/{segment}"
        if segment == "sizes":
            body = (await self.api.get(path, {"form": "writable"})).data
            body = self.random.sample(body, len(body))
            body[0]["name"] = self.random.choice("SMLX")
        return f"{of}/{segment}", await self.api.put(path, body)

    def _parts(self, of: str) -> list[tuple[str, Any]]:
        """Return the parts of a collection, each with a random body."""
        name, languages = self.random.choice(_NAMES), self.random.sample([2, 3], 1)
        texts = [{"languageId": language, "name": name} for language in languages]
        names = [{"languageId": language, "colorName": name} for language in languages]
        fields = self.ids["style-custom-fields"]
        values = [{"customFieldId": fields[0], "text": name}]
        values += [{"customFieldId": fields[1], "allowedValueId": {"value": "Yarn"}}]
        chosen = self.random.sample(values, self.random.randrange(3))
        material = {
            "careInstructionMaterialId": self.any("care-instruction-materials"),
            "percentage": self.random.choice([50, 100]),
        }
        layer = {
            "careInstructionLayerId": self.any("care-instruction-layers"),
            "materials": [material],
        }
        label = {
            "careInstructionIconIds": [self.any("care-instruction-icons")],
            "careInstructionIds": [self.any("care-instructions")],
            "layers": [layer],
        }
        parts: dict[str, list[tuple[str, Any]]] = {
            "colors": [("swatch", {"hex": "#1B2A41"}), ("swatch", {}), ("translations", names)],
            "styles": [
                ("translations", texts),
                ("custom-field-values", chosen),
                ("care-instructions", self.random.sample([label], self.random.randrange(2))),
            ],
            "size-ranges": [("sizes", [])],
        }
        return parts[of]


_FORMAT: Final = "{styleNumber}-{colorUserDefinedId}-{sizeName}"


class Copy:
    """A reader's copy of the products of a channel, by the id of the style."""

    def __init__(self, api: Api, *query: tuple[str, str]) -> None:
        self.api, self.query = api, query
        self.products: dict[int, Any] = {}
        self.listed = 0
        """Number of documents that the last read has brought."""

    async def read(self, since: str | None = None) -> None:
        """Apply what has changed since a time; read everything without one."""
        changed = [] if since is None else [("changedSince", since)]
        documents = await walk(self.api, "/api/products", [*self.query, *changed])
        self.listed = len(documents)
        for document in documents:
            style = document["style"]["id"]
            if document.get("isRemoved"):
                self.products.pop(style, None)
            else:
                self.products[style] = document

    async def differences(self) -> list[Any]:
        """Return what differs from a full read."""
        fresh = Copy(self.api, *self.query)
        await fresh.read()
        return [
            (self.products.get(style), fresh.products.get(style))
            for style in sorted(self.products.keys() | fresh.products.keys())
            if self.products.get(style) != fresh.products.get(style)
        ]
