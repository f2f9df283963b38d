"""Parts of records as they are stored, and what can be wrong with them beyond their schemas."""

from collections.abc import Iterator
from random import Random
from typing import Final

from service.queries.parts import RecordPart
from service.routes import Route
from tests.fuzz.findings import Check
from tests.fuzz.known import Known
from tests.fuzz.plants import FAR, Kind, Plant
from tests.fuzz.sites import Site, filler, form
from tests.fuzz.subjects import Subject
from tests.support.parts import CHARTS, SIZES, TRANSLATIONS

#: By what lists are called, what tells their members; a part that is a list has no name.
_KEYS: Final = {"lines": "lineId", "requested": "sizeRangeSizeId"}
_NAMELESS: Final = {SIZES.name: "id", TRANSLATIONS.name: "languageId"}


def path_to(route: Route, ids: tuple[int, ...]) -> str:
    """The route's path with the ids that lead to a part."""
    assert isinstance(route.resource, RecordPart)
    names = (*route.resource.parents, route.resource.key)
    return route.path.format(**dict(zip(names, ids, strict=True)))


def subject(part: RecordPart, route: Route, known: Known, random: Random) -> Subject:
    """A stored part as it is: replacing it by itself changes nothing.

    Without the lines that are deactivated, of which nothing would be read.
    """
    ids = random.choice([*known.writables[part.name]])
    stored = known.writables[part.name][ids]
    if part is CHARTS:
        lines = [line for line in stored["lines"] if not line["isDeactivated"]]
        stored = stored | {"lines": lines}
    root = stored if route.operation_name == "patch" else None
    return Subject(route, form(part, "replace"), stored, path_to(route, ids), root=root)


def between_fields(part: RecordPart) -> Iterator[Kind]:
    """What a request alone shows to be there twice."""

    def plant(site: Site, random: Random) -> Plant:
        key, row = str(_key(part, site)), (*site.path, len(site.value))
        id_ = random.choice(site.value)[key]
        value = filler(site.located.items, len(row)) | {key: id_}
        return Plant(row, value, "validation_error.duplicate", (*row, key), (site.path,))

    yield Kind("one key twice", lambda site: bool(_key(part, site) and site.value), plant)


def beyond(part: RecordPart, known: Known) -> Iterator[Kind]:
    """What only the database shows."""
    if part is TRANSLATIONS and not known.multiple_language:
        return

    def unknown_member(site: Site, random: Random) -> Plant:
        key, row = str(_key(part, site)), (*site.path, len(site.value))
        value = filler(site.located.items, len(row)) | {key: FAR + random.randrange(1000)}
        return Plant(row, value, "validation_error.unknown_reference", (*row, key), (site.path,))

    def unknown(site: Site, random: Random) -> Plant:
        kind = "validation_error.unknown_reference"
        return Plant(site.path, known.unknown("sizes", random), kind, site.path)

    yield Kind("unknown entry", lambda site: bool(_key(part, site)), unknown_member, Check.DATA)
    related = "relatedSizeRangeSizeId"
    yield Kind("unknown reference", lambda site: site.name == related, unknown, Check.DATA)


def _key(part: RecordPart, site: Site) -> str | None:
    """What tells the members of the list that the site is; None where it is none."""
    if not isinstance(site.value, list):
        return None
    return _NAMELESS.get(part.name) if not site.path else _KEYS.get(str(site.name))
