"""Random sets of writes over all collections of transactions, with few own keys."""

from random import Random
from typing import Any, Final

import orjson

from selvedge_client.documents import OWN_KEYS
from service import schemas
from service.resources.registry import PART_COLLECTIONS, TRANSACTION
from tests.support.keyed_references import BODIES, PARTS_BODIES
from tests.support.transactions import entry

LETTERS: Final = "ABC"
"""Letters of the own keys."""
_NAMED: Final = {
    "brand": "brands",
    "category": "style-categories",
    "group": "groups",
    "color group": "color-groups",
    "color": "colors",
    "season": "seasons",
    "supplier": "suppliers",
    "sample type": "sample-types",
    "price list": "price-lists",
    "item category": "item-categories",
    "sub-supplier": "sub-suppliers",
    "facility": "facilities",
    "style": "styles",
    "related": "styles",
    "range": "size-ranges",
    "style color": "style-colors",
    "sku": "style-skus",
}
"""Collections of the references that bodies have, by their names there."""
_ENTRIES: Final[dict[str, Any]] = {"english": {"code": "en"}, "german": {"code": "de"}}
_COUPLED: Final = {"sizeRangeId", "styleColorId", "styleSkuId", "sizeRangeSizeId"}
"""References to records of the letter of the record itself: others would be invalid."""
_PARTS: Final = {part.collection: part for part in PART_COLLECTIONS}


def key(collection: str, letter: str) -> dict[str, Any]:
    """Return the own key of a letter; its parents have the same letter."""
    return {
        name: key(target, "A" if name == "relatedStyleId" else letter) if target else f"R-{letter}"
        for name, target in OWN_KEYS[collection].items()
        if name in schemas.key_fields(collection)
    }


def _size(letter: str, name: str = "M") -> dict[str, Any]:
    return {"sizeRangeId": key("size-ranges", letter), "name": name}


def _own(collection: str, letter: str, random: Random) -> dict[str, Any] | None:
    """Return the members of a collection whose common body is about stored records."""

    def of_any(name: str) -> dict[str, Any]:
        return key(name, random.choice(LETTERS))

    text, number = f"T{random.randrange(3)}", random.randrange(3)
    field = {"customFieldId": key("style-custom-fields", letter), "text": text}
    cell = {"sizeRangeSizeId": _size(random.choice(LETTERS)), "value": str(number)}
    lines = [{"name": "Chest", "requested": [cell]}, {"name": "Hem", "tolerance": f"0.{number}"}]
    step = {"process": "dyeing", "facilityId": key("facilities", random.choice(LETTERS))}
    price = {"styleColorId": key("style-colors", letter), "amount": f"{number}.50"}
    material = {
        "careInstructionMaterialId": of_any("care-instruction-materials"),
        "percentage": f"{number + 1}",
    }
    measured = [{"lineId": {"name": "Chest"}, "companyMeasurement": f"5{number}"}]
    own: dict[str, dict[str, Any]] = {
        "compliance-custom-fields": {"name": text, "type": "text"},
        "style-custom-fields": {"name": text, "type": "text"},
        "barcode-ranges": {
            "name": text,
            "type": "gtin13",
            "companyPrefix": f"{8_000_000_000 + int(letter, 36)}",
            "brandId": key("brands", random.choice(LETTERS)),
        },
        "sample-requests": {"sizeRangeSizeIds": [_size(letter)], "comment": text},
        "measurement-charts": {"unit": "CM", "lines": lines[: random.randint(1, 2)]},
        "size-range-sizes": {"sizes": [{"name": "M", "sizeId": text}, {"name": "L"}]},
        "style-contacts": {"contacts": [{"role": text, "type": "brand", "name": "Ada"}]},
        "color-swatches": {"hex": f"#00000{number}"},
        "custom-field-values": {"values": [field]},
        "style-supplier-facilities": {"steps": [step]},
        "style-prices": {"priceLists": [{"priceListId": of_any("price-lists"), "prices": [price]}]},
        "style-items": {"lines": [{"itemId": of_any("items"), "quantity": f"{number}.5"}]},
        "style-care-instructions": {
            "sets": [
                {
                    "careInstructionIconIds": [of_any("care-instruction-icons")],
                    "layers": [
                        {
                            "careInstructionLayerId": of_any("care-instruction-layers"),
                            "materials": [material],
                        }
                    ],
                }
            ]
        },
        "measurements": {"sizes": [{"sizeRangeSizeId": _size(letter), "lines": measured}]},
    }
    return own.get(collection)


def write(collection: str, letter: str, random: Random) -> dict[str, Any]:
    """Return an entry of the record or part with the key of a letter."""

    def of(name: str) -> dict[str, Any]:
        if name in _ENTRIES:
            return dict(_ENTRIES[name])
        if name in "ML":
            return _size(letter, name)
        letter_of = letter if name in ("range", "sku", "style color") else random.choice(LETTERS)
        return key(_NAMED[name], letter_of)

    item = _own(collection, letter, random)
    if part := _PARTS.get(collection):
        if item is None:
            [example] = schemas.definition(collection, "replace").schema["examples"]
            body = PARTS_BODIES[collection](of) if collection in PARTS_BODIES else example
            item = {part.part.list_name: body} if isinstance(body, list) else body
        owner: dict[str, Any] = {part.key: key(part.part.owner.name, letter)}
        return entry(collection, **item, **owner)
    if item is None:
        item = BODIES[collection](of) if collection in BODIES else {}
        item = {name: value for name, value in item.items() if name not in _COUPLED}
        if "name" in schemas.definition(collection, "create").properties:
            item["name"] = f"N{random.randrange(3)}"
    coupled: dict[str, dict[str, Any]] = {
        "styles": {"sizeRangeId": key("size-ranges", letter)},
        "style-files": {"styleColorId": key("style-colors", letter)},
        "style-skus": {
            "styleColorId": key("style-colors", letter), "sizeRangeSizeId": _size(letter)
        },
        "barcodes": {"styleSkuId": key("style-skus", letter)},
    }  # fmt: skip
    return entry(collection, **(item | coupled.get(collection, {}) | key(collection, letter)))


def every(random: Random) -> list[dict[str, Any]]:
    """Return a write of every record and part, in an order in which each can be sent alone."""
    return [
        write(name, letter, random)
        for name in TRANSACTION.collections
        for letter in (LETTERS[1:] if name == "style-relations" else LETTERS)
    ]


def writes(random: Random) -> list[dict[str, Any]]:
    """Return some of these writes; few of them are invalid."""
    share = random.choice((0.05, 0.1, 0.2, 0.4))
    chosen = [each for each in every(random) if random.random() < share]
    for each in chosen:
        if random.random() < 0.02:
            each["item"]["unknown"] = True
        if random.random() < 0.3:
            _name_line(each, random)
    return chosen


def _name_line(written: dict[str, Any], random: Random) -> None:
    """Let a chart rename a line, or a sample request name the line of a requested value."""
    item, line = written["item"], {"lineId": {"name": random.choice(("Chest", "Bust"))}}
    if written["collection"] == "measurement-charts":
        item["lines"][0] |= line | {"name": random.choice(("Chest", "Bust"))}
    if written["collection"] == "sample-requests":
        [size] = item["sizeRangeSizeIds"]
        item["requested"] = [line | {"sizeRangeSizeId": size, "value": "9.5"}]


def deletes(random: Random, chosen: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return deletes of records that no write names, those that refer to others first."""
    named = orjson.dumps([each["item"] for each in chosen], option=orjson.OPT_SORT_KEYS)
    items = [(each["collection"], each["item"]) for each in chosen]
    return [
        entry(name, "delete", **own)
        for name in reversed(TRANSACTION.collections)
        if name in OWN_KEYS
        for letter in LETTERS
        if random.random() < 0.05
        for own in [key(name, letter)]
        if orjson.dumps(own, option=orjson.OPT_SORT_KEYS) not in named
        and not any(of == name and own.items() <= item.items() for of, item in items)
    ]
