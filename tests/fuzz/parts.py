"""Parts of records: their valid bodies, and the kinds of faults beyond their schemas."""

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any, Final

from service.records.parts import RecordPart
from service.resources.registry import MEASUREMENTS
from service.routes import Route
from service.writing.part_collections import PartCollection
from tests.fuzz.inventory import Inventory
from tests.fuzz.subjects import Subject
from tests.support.fault_kinds import FAR, Check, Fault, FaultKind
from tests.support.fault_sites import Site, filler, form
from tests.support.parts import CHARTS, OF_STYLES, PRICES, TRANSLATIONS

#: Keys of members by the name of their list; a part that is a list has no name.
_KEYS: Final = {"lines": "lineId", "requested": "sizeRangeSizeId"}
_LANGUAGES: Final = (TRANSLATIONS, OF_STYLES)


def path_to(route: Route, ids: tuple[int, ...]) -> str:
    """Return the route's path with the ids that lead to a part."""
    assert isinstance(route.resource, RecordPart)
    names = (*route.resource.parents, route.resource.key)
    return route.path.format(**dict(zip(names, ids, strict=True)))


def subject(part: RecordPart, route: Route, inventory: Inventory, random: Random) -> Subject:
    """Return a stored part as it is: replacing it by itself changes nothing.

    Deactivated lines are left out, because the service would not read them.
    """
    ids = random.choice([*inventory.writables[part.name]])
    stored = inventory.writables[part.name][ids]
    if part is CHARTS:
        lines = [line for line in stored["lines"] if not line["isDeactivated"]]
        stored = stored | {"lines": lines}
    root = stored if route.operation.name == "patch" else None
    return Subject(route, form(part, "replace"), stored, path_to(route, ids), root=root)


def collected(
    collection: PartCollection, route: Route, inventory: Inventory, random: Random
) -> Subject:
    """Return items of a part collection with some stored parts as they are."""
    part, items = collection.part, dict[int, dict[str, Any]]()
    stored = inventory.writables[part.name]
    for ids in random.sample([*stored], min(len(stored), random.choice((1, 2, 3)))):
        content = stored[ids]
        if part is MEASUREMENTS:
            owner, content = ids[1], {"sizes": [{"sizeRangeSizeId": ids[2]} | content]}
        elif part is PRICES:
            owner, content = ids[0], {"priceLists": [{"priceListId": ids[1]} | content]}
        elif part is CHARTS:
            lines = [line for line in content["lines"] if not line["isDeactivated"]]
            owner, content = ids[0], content | {"lines": lines}
        else:
            owner, content = ids[0], {part.list_name: content} if part.list_name else content
        items[owner] = {collection.key: owner} | content
    merges = route.operation.name == "bulk_patch"
    name = "bulkMerge" if merges else "bulkReplace"
    located = form(collection, name)
    return Subject(route, located, [*items.values()], route.path, route.operation.name)


def between_fields(part: RecordPart) -> Iterator[FaultKind]:
    """Yield the kinds of repeated values that a request alone shows."""

    def make(site: Site, random: Random) -> Fault:
        key, row = str(_key(part, site)), (*site.path, len(site.value))
        id_ = random.choice(site.value)[key]
        value = filler(site.located.items, len(row)) | {key: id_}
        return Fault(row, value, "validation_error.duplicate", (*row, key), (site.path,))

    def fits(site: Site) -> bool:
        return bool(site.value) and _takes_more(part, site)

    yield FaultKind("one key twice", fits, make)


def beyond(part: RecordPart, inventory: Inventory) -> Iterator[FaultKind]:
    """Yield the kinds of faults that only stored data show."""
    if part in _LANGUAGES and not inventory.multiple_language:
        return

    def unknown_member(site: Site, random: Random) -> Fault:
        key, row = str(_key(part, site)), (*site.path, len(site.value))
        value = filler(site.located.items, len(row)) | {key: FAR + random.randrange(1000)}
        return Fault(row, value, "validation_error.unknown_reference", (*row, key), (site.path,))

    def unknown(site: Site, random: Random) -> Fault:
        kind = "validation_error.unknown_reference"
        return Fault(site.path, inventory.unknown("sizes", random), kind, site.path)

    yield FaultKind("unknown entry", partial(_takes_more, part), unknown_member, Check.DATA)
    related = "relatedSizeRangeSizeId"
    yield FaultKind("unknown reference", lambda site: site.name == related, unknown, Check.DATA)


def _takes_more(part: RecordPart, site: Site) -> bool:
    # An entry without a style color is a second one for all of them.
    of_all = {"styleColorId": None}.items()
    if not _key(part, site):
        return False
    return not any(of_all <= each.items() for each in site.value if isinstance(each, dict))


def _key(part: RecordPart, site: Site) -> str | None:
    """Return the key of the members of the list at the site; None if it is no list."""
    if not isinstance(site.value, list):
        return None
    if site.path:
        return _KEYS.get(str(site.name))
    key = part.children.key if part.list_name and part.children else None
    return key if key in site.located.items.properties else None
