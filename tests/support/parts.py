"""Parts of stored records, and bodies that replace them."""

from random import Random
from typing import Any, Final

from service.handlers.operations import READ
from service.records.parts import RecordPart
from service.resources.registry import MEASUREMENTS, PARTS
from service.routes import Route, collection_path
from tests.support import generate
from tests.support.api import Api

BY_NAME: Final = {part.name: part for part in PARTS}
CHARTS: Final = BY_NAME["measurement-charts"]
SIZES: Final = BY_NAME["size-range-sizes"]
TRANSLATIONS: Final = BY_NAME["color-translations"]
PRICES: Final = BY_NAME["style-prices"]
OF_STYLES: Final = BY_NAME["style-translations"]
SWATCHES: Final = BY_NAME["color-swatches"]
#: Parts that are replaced by any body, whatever is stored.
FREE: Final = (TRANSLATIONS, OF_STYLES, SWATCHES)
_ONE_SET: Final[dict[str, Any]] = {"styleColorId": None, "careInstructionIconIds": [], "layers": []}
_VALUES: Final = ("52.50", "-0.1000000000", "0", "123456789012345.5", 7, -12.25, 1e-07)


def path(part: RecordPart, record_id: int) -> str:
    """Return the path of the part of a record that has no parents."""
    return Route(READ, part).path.format(id=record_id)


async def paths(api: Api, part: RecordPart, most: int = 5) -> list[str]:
    """Return the paths of the part of some of the caller's records."""
    if part is MEASUREMENTS:
        return (await _measured(api))[:most]
    if part is PRICES:
        priced = (await api.get("/api/style-prices", {"pageSize": str(most)})).data
        return [
            f"/api/styles/{each['styleId']}/prices/{each['priceLists'][-1]['priceListId']}"
            for each in priced
        ]
    records = (await api.get(collection_path(part), {"pageSize": str(most)})).data
    return [path(part, record["id"]) for record in records]


async def _measured(api: Api) -> list[str]:
    params = {"pageSize": "100"}
    return [
        f"/api/styles/{request['styleId']}/sample-requests/{request['id']}/measurements/"
        f"{size['sizeRangeSizeId']}"
        for request in (await api.get("/api/sample-requests", params)).data
        for size in request["sizes"]
    ]


def least(part: RecordPart) -> Any:
    """Return a body that removes everything from the part, for any record."""
    if part.list_name:
        return []
    if part is PRICES:
        return {"prices": []}
    return {"lines": []} if part.children else {}


async def generated_body(
    api: Api, part: RecordPart, path: str, references: generate.References, random: Random
) -> Any:
    """Return a generated body for the part at a path."""
    return body(part, (await api.get(path, {"form": "writable"})).data, references, random)


def body(part: RecordPart, stored: Any, references: generate.References, random: Random) -> Any:
    """Return a generated body for a part: some stored entries stay, some are new."""
    if part.name == "custom-field-values":
        # New entries would depend on definitions: stored ones stay, change or go.
        text, staying = f"T{random.randrange(99)}", random.sample(stored, len(stored) * 2 // 3)
        return [entry | {"text": entry["text"] and text} for entry in staying]
    if part is PRICES:
        # New prices would depend on what is stored: these stay, change or go.
        staying = random.sample(stored["prices"], len(stored["prices"]) * 2 // 3)
        amounts = {"amount": random.choice((random.randrange(99), "0", "12"))}
        return {"prices": [each | {"compareAtAmount": None} | amounts for each in staying]}
    made = generate.replacement(part, references, random)
    if part is MEASUREMENTS:
        names = ("companyMeasurement", "supplierMeasurement", "newMeasurement")
        lines = random.sample(stored["lines"], random.randint(0, len(stored["lines"])))
        values = [None, *_VALUES]
        return made | {
            "lines": [
                {"lineId": line["lineId"]} | {name: random.choice(values) for name in names}
                for line in lines
            ]
        }
    if part in FREE:
        return made
    if part.name == "style-items":
        # Colors and sizes are those of the style: none are new.
        made = [entry | {"colors": [], "sizes": [], "isPrimary": None} for entry in made]
    if part.name == "style-care-instructions":
        # Icons are of one process each, and a style has one set for all colors.
        made = [entry | _ONE_SET for entry in made[:1] if not stored]
    if part.name == "style-supplier-facilities":
        fixed = {"process": "other", "processName": "Lamination", "countryCode": "PT"}
        made = [entry | fixed | {"facilityId": None} for entry in made]
    entries, stored_entries = (made["lines"], stored["lines"]) if part is CHARTS else (made, stored)
    staying = random.sample(stored_entries, random.randint(0, len(stored_entries)))
    if any(entry.get("isDefaultGrading") for entry in staying):
        entries = [entry | {"isDefaultGrading": None} for entry in entries]
    entries += staying
    if part is not CHARTS:
        return entries
    for line in made["lines"]:
        sizes = random.sample(references["sizes"], random.randrange(4))
        requested = [
            {"sizeRangeSizeId": size_id, "value": random.choice(_VALUES)} for size_id in sizes
        ]
        line["requested"] = line.get("requested") or requested
    return made | {"lines": entries}
