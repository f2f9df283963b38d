"""Parts of stored records, and bodies that replace them."""

from random import Random
from typing import Any, Final

from service.handlers.operations import READ
from service.queries.parts import RecordPart
from service.resources.registry import MEASUREMENTS, PARTS
from service.routes import Route, collection_path
from tests.support import generate
from tests.support.api import Api

BY_NAME: Final = {part.name: part for part in PARTS}
CHARTS: Final = BY_NAME["measurement-charts"]
SIZES: Final = BY_NAME["size-range-sizes"]
TRANSLATIONS: Final = BY_NAME["color-translations"]
_VALUES: Final = ("52.50", "-0.1000000000", "0", "123456789012345.5", 7, -12.25, 1e-07)


def path(part: RecordPart, record_id: int) -> str:
    """The path of the part of a record of one's own."""
    return Route(READ, part).path.format(id=record_id)


async def paths(api: Api, part: RecordPart, most: int = 5) -> list[str]:
    """The paths of the part of some of the caller's records."""
    if part is MEASUREMENTS:
        return (await _measured(api))[:most]
    records = (await api.get(collection_path(part), {"pageSize": str(most)})).data
    return [path(part, record["id"]) for record in records]


async def _measured(api: Api) -> list[str]:
    asked = {"pageSize": "100"}
    return [
        f"/api/styles/{one['styleId']}/sample-requests/{one['id']}/measurements/"
        f"{size['sizeRangeSizeId']}"
        for one in (await api.get("/api/sample-requests", asked)).data
        for size in one["sizes"]
    ]


def least(part: RecordPart) -> Any:
    """A body that takes everything away, whichever record it is for."""
    return [] if part.list_name else {"lines": []}


async def made_up(
    api: Api, part: RecordPart, place: str, known: generate.References, random: Random
) -> Any:
    """A made-up body for the part at a path."""
    return body(part, (await api.get(place, {"form": "writable"})).data, known, random)


def body(part: RecordPart, stored: Any, known: generate.References, random: Random) -> Any:
    """A made-up body for a part with that writable form: some entries stay, some are new."""
    made = generate.replacement(part, known, random)
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
    if part is TRANSLATIONS:
        return made
    entries, held = (made["lines"], stored["lines"]) if part is CHARTS else (made, stored)
    kept = random.sample(held, random.randint(0, len(held)))
    if any(one.get("isDefaultGrading") for one in kept):
        entries = [one | {"isDefaultGrading": None} for one in entries]
    entries += kept
    if part is not CHARTS:
        return entries
    for line in made["lines"]:
        sizes = random.sample(known["sizes"], random.randrange(4))
        requested = [{"sizeRangeSizeId": one, "value": random.choice(_VALUES)} for one in sizes]
        line["requested"] = line.get("requested") or requested
    return made | {"lines": entries}
