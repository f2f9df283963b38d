"""Generated bodies: valid ones, from the write schemas and ids of stored records."""

import re
from collections.abc import Mapping, Sequence
from itertools import count, product
from random import Random
from typing import Any, Final
from weakref import WeakKeyDictionary

from service import schemas
from service.records.master_record import MasterRecord
from service.records.resource import Resource
from service.resources.registry import MASTER_RECORDS, REFERENCE_LISTS
from service.schemas.definitions import ResolvedSchema
from service.schemas.formats import check_digit
from service.schemas.key_forms import REFERS_TO
from service.schemas.write_forms import FIXED, PERIOD
from tests.support.api import Api

#: What has rules between fields or records; the resources' own tests see to it.
_LEFT_OUT = frozenset(
    {
        "id",
        "customId",
        "isDefault",
        "isPrimary",
        "styleSkuId",
        "parentCustomFieldId",
        "parentAllowedValueId",
        "relationType",
        "requested",
        "lineId",
        "isDeactivated",
        "isReadyForExport",
        "firstReference",
        "lastReference",
        "nextReference",
        "barcodeRangeId",
    }
)
#: Which collection a field's ids are of.
REFERRED: Final[dict[str, str]] = {
    name: field[REFERS_TO].removeprefix("size-ranges/")
    for file in schemas.load().values()
    for form in file.get("$defs", {}).values()
    for name, field in form.get("properties", {}).items()
    if isinstance(field, dict) and REFERS_TO in field and name not in _LEFT_OUT
}
_ALPHABET = "aZ0 '\"\\/<&%_{}\n\t\x01éÄΣж漢𝄞\u202e"
OF_FORMAT: Final[dict[str, tuple[Any, ...]]] = {
    "amount": (0, 0.5, "12.50", "0", "999999999999999.9999"),
    "country-code": ("DE", "PT", "SE"),
    "currency-code": ("EUR", "JPY", "SEK"),
    "date": ("1900-01-01", "2027-02-01", "2199-12-31"),
    "gln": ("4006381333931", "0000000000000"),
    "gtin": ("96385074", "4006381333931"),
    "media-type": ("image/jpeg", "application/pdf"),
    "sha256": ("0" * 63 + "f",),
    "hex-color": ("#1B3A57", "#000000"),
    "hs-code": ("610910", "6109100010000"),
    "https-url": ("https://example.com/a/b.c",),
    "sku-format": ("{sizeId}.{colorUserDefinedId}",),
    "share": (0, 12.5, "100"),
    "percentage": (0.01, 33.3, 100, "12.50"),
}
"""Texts and numbers of each format."""
PAIRS: Final = frozenset({"relatedStyleId", "colorId", "styleColorId"})
"""References that no two records share together with another one."""
_NUMBERS = count(1)
_PAIR_NUMBERS = count()
_READ = WeakKeyDictionary[Api, dict[str, list[int]]]()
_USED = set[tuple[int, int]]()
"""Pairs of SKUs that were generated."""

References = Mapping[str, Sequence[int]]
_APART = [step for step in range(13, 88) if step % 12 and (100 - step) % 12]
"""How far two styles of the demo data are from each other that have neither garment nor model in
common: those are not related."""


async def references(api: Api) -> dict[str, list[int]]:
    """Return ids of live records of the caller's organization, by collection, read once a test."""
    if api in _READ:
        return _READ[api]
    ids = {}
    for collection in (*MASTER_RECORDS, *REFERENCE_LISTS):
        if collection.name in REFERRED.values():
            # The first style colors have SKUs in the demo data.
            page = {"pageNumber": "2"} if collection.name == "style-colors" else {}
            params = {"pageSize": "100", "fields": "id", **page}
            answer = await api.get(f"/api/{collection.name}", params)
            ids[collection.name] = [record["id"] for record in answer.data]
    ranges = (await api.get("/api/size-ranges", {"pageSize": 100})).data
    ids["sold sizes"] = [size["id"] for r in ranges if r["isDefault"] for size in r["sizes"]]
    # The first of the demo data, unless another test has emptied it: no size is deactivated.
    ids["sizes"] = next([size["id"] for size in r["sizes"]] for r in ranges if r["sizes"])
    _READ[api] = ids
    return ids


def body(collection: Resource, form: str, references: References, random: Random) -> dict[str, Any]:
    """Return a body that the form takes; every optional field may be missing or null.

    What no two live records may share is another one each time.
    """
    made = _object(schemas.definition(collection.name, form), references, random)
    fields = schemas.definition(collection.name, "fields").properties
    for name in {*getattr(collection, "unique_fields", ())} - _LEFT_OUT:
        made[name] = f"{visible(random.choice(_ALPHABET))} {next(_NUMBERS)}"
    for name in getattr(collection, "key_fields", ())[:1]:
        if isinstance(made.get(name), str):
            made[name] = visible(made[name])
    if collection.name == "barcodes":
        made["type"] = random.choice((None, "internal"))
    if form == "replace":
        # Once stored they can only be repeated.
        fixed = {name for name, field in fields.items() if FIXED in field.schema}
        fixed |= {"styleId", "unit"} if collection.name == "sample-requests" else set()
        made = {name: value for name, value in made.items() if name not in fixed}
    if collection.name == "style-files":
        # A color is one of the style, and a main file an image.
        made.pop("styleColorId", None)
        made["isMain"] = None
    if collection.name == "price-lists":
        # Only those of costs have one.
        made.pop("supplierId", None)
    period = schemas.load()[collection.name].get(PERIOD, ())
    made |= zip(period, sorted(filter(None, map(made.get, period))), strict=False)
    if made.keys() & PAIRS and collection.name != "style-files":
        made |= pair(collection.name, references)
    if "sku" in made:
        made["sku"] = f"GENERATED-{next(_NUMBERS)}"
    return made


def visible(key: str) -> str:
    """Return a text as a new own key may be, without what cannot be seen."""
    return re.sub("[\n\t\x01\u202e]", "", key).strip() or "漢"


def replacement(part: Resource, references: References, random: Random) -> Any:
    """Return a body that replaces a part: an object, or a list of entries without ids."""
    located = schemas.definition(part.name, "replace")
    make = _array if "array" in located.types else _object
    return make(located, references, random)


def pair(collection: str, references: References) -> dict[str, int]:
    """Return two references that no style relation, style color or SKU of the demo data has."""
    if collection == "style-skus":
        sizes = references.get("sold sizes", references["sizes"])
        colors = references["style-colors"]
        pairs = [*product(colors[20:] or colors, sizes)]
        if _USED.issuperset(pairs):
            _USED.clear()
        color, size = next(each for each in pairs if each not in _USED)
        _USED.add((color, size))
        return {"styleColorId": color, "sizeRangeSizeId": size}
    number = next(_PAIR_NUMBERS)
    styles = references["styles"]
    if collection == "style-colors":
        # The last two models of each garment have no colors.
        styles = [style for index, style in enumerate(styles) if index % 12 > 9] or styles
        number, index = divmod(number, len(styles))
        colors = references["colors"]
        return {"styleId": styles[index], "colorId": colors[number % len(colors)]}
    step = _APART[number // len(styles) % len(_APART)]
    return {
        "styleId": styles[number % len(styles)],
        "relatedStyleId": styles[(number + step) % len(styles)],
    }


def has_state(collection: Resource) -> bool:
    """Return whether the records of the resource have a state."""
    return "state" in schemas.definition(collection.name, "writable").properties


def with_state(collection: Resource, made: dict[str, Any], state: str) -> dict[str, Any]:
    """Return the body with a state, where records have one."""
    return made | {"state": state} if has_state(collection) else made


def key_of(collection: MasterRecord, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that name the item's record by its own key."""
    return {name: item[name] for name in collection.key_fields}


def deletion(collection: Resource, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the item of a bulk replace that deletes a record, where records have a state."""
    required = schemas.definition(collection.name, "item").schema["required"]
    return {name: record.get(name) for name in required} | {"state": "deleted"}


def change(
    collection: Resource, state: str, references: References, random: Random
) -> list[dict[str, Any]]:
    """Return a patch that sets the state, or another replacement if there is no state."""
    fields = {"state": state}
    if not has_state(collection):
        fields = body(collection, "replace", references, random)
    return [{"op": "replace", "path": f"/{name}", "value": value} for name, value in fields.items()]


def altered(
    collection: MasterRecord, item: Mapping[str, Any], references: References
) -> dict[str, Any]:
    """Return a change to a writable form, a new one each time; the own key stays."""
    name = "text" if "text" in item else "name"
    if name in item and name not in collection.key_fields:
        return {name: f"Altered {next(_NUMBERS)}"}
    if has_state(collection):
        is_active = item.get("state", "active") == "active"
        return {"state": "inactive" if is_active else "active"}
    if collection.name == "sample-requests":
        sizes, before = ([size] for size in references["sizes"]), item.get("sizeRangeSizeIds")
        return {"sizeRangeSizeIds": next(size for size in sizes if size != before)}
    return pair(collection.name, references)


def _object(located: ResolvedSchema, references: References, random: Random) -> dict[str, Any]:
    required = located.schema.get("required", ())
    made: dict[str, Any] = {}
    for name, prop in located.properties.items():
        if name in _LEFT_OUT or not prop.schema or prop.schema.get("readOnly"):
            continue
        if name == "type" and "enum" not in prop.schema:
            # Once stored it can only be repeated.
            continue
        if name in required:
            made[name] = value(name, prop, references, random)
        elif choice := random.randrange(4):
            made[name] = None if choice == 1 else value(name, prop, references, random)
    return made


def gtin(number: int) -> str:
    """Return a GTIN, a different one for each number."""
    digits = f"952{number % 10**9:09}"
    return digits + check_digit(digits)


def value(name: str, located: ResolvedSchema, references: References, random: Random) -> Any:
    """Return a value that the field of that name takes."""
    types = located.types - {"null"}
    if name in REFERRED:
        return _reference(name, located, references, random)
    if "enum" in located.schema:
        return random.choice([member for member in located.schema["enum"] if member is not None])
    if name == "barcode":
        return gtin(next(_NUMBERS))
    if located.schema.get("format") == "company-prefix":
        return f"9{next(_NUMBERS):09}"
    if "format" in located.schema and "double" not in located.schema["format"]:
        return random.choice(OF_FORMAT[located.schema["format"]])
    if name == "countryCode":
        return random.choice(OF_FORMAT["country-code"])
    if "array" in types:
        return _array(located, references, random)
    if "boolean" in types:
        return random.random() < 0.5
    if "integer" in types:
        low, high = located.schema["minimum"], located.schema["maximum"]
        return random.choice([low, high, random.randint(low, min(high, low + 100))])
    if "number" in types:
        return random.choice([0, -0.5, 41.1844, located.schema["maximum"]])
    assert "string" in types, (name, located)
    return _text(located, random)


def _reference(name: str, located: ResolvedSchema, references: References, random: Random) -> Any:
    ids = references[REFERRED[name]]
    if "array" not in located.types:
        return random.choice(ids)
    chosen = random.sample(ids, random.randint(0, min(3, len(ids))))
    return (
        [{"id": record_id} for record_id in chosen] if "object" in located.items.types else chosen
    )


def _array(located: ResolvedSchema, references: References, random: Random) -> list[Any]:
    """Return up to three members: at most one default, and no language twice."""
    if located.schema.get("x-stored") == "values":
        items = located.items.schema
        values = items.get("enum") or OF_FORMAT[items["format"]]
        return random.sample(values, random.randrange(3))
    made = [_object(located.items, references, random) for _ in range(random.randrange(4))]
    for other in made[1:]:
        other.pop("isDefaultValue", None)
        other.pop("isDefaultGrading", None)
    by_language = {entry.get("languageId", number): entry for number, entry in enumerate(made)}
    return list(by_language.values())


def _text(located: ResolvedSchema, random: Random) -> str:
    shortest = max(1, located.schema.get("minLength", 0))
    longest = located.schema.get("maxLength", 12)
    length = random.choice([shortest, min(12, longest), min(12, longest), longest])
    made = "".join(random.choice(_ALPHABET) for _ in range(length))
    may_be_blank = "null" in located.types and "pattern" not in located.schema
    return made if may_be_blank or re.search("[^\\s\x01\u202e]", made) else "漢" * length
