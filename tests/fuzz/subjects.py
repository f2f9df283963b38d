"""Valid bodies, of stored or generated records, into which faults are injected."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from service import schemas
from service.records.master_record import MasterRecord
from service.routes import Route
from service.schemas.definitions import ResolvedSchema
from service.schemas.write_forms import PERIOD
from tests.fuzz.inventory import Inventory
from tests.support import generate
from tests.support.fault_sites import form

_KEPT: Final = (
    *("allowedValues", "contacts", "parentCustomFieldId", "sizeRangeSizeIds"),
    *("diffPerColor", "diffPerSize", "sizeRangeId", "category"),
)
"""Lists whose members may be referenced, and what other records or fields rely on: as stored."""
_PAIR: Final = ("styleId", "relatedStyleId")
"""Fields that change together: one of them alone could equal the stored other one."""
_NUMBERS: Final = (1, 2, 2, 3, 3, 5, 8)
"""Numbers of items in a bulk request."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Valid body, and its route and path."""

    route: Route
    form: ResolvedSchema
    body: Any
    path: str
    bulk: str | None = None
    root: Any = None
    """Stored form that a patch changes, which decides the order of its errors."""

    @property
    def patches(self) -> bool:
        """Return whether the body's members are sent as operations of a patch."""
        return self.root is not None


def replacement(
    resource: MasterRecord, stored: dict[str, Any], inventory: Inventory, random: Random
) -> dict[str, Any]:
    """Return a valid replacement of a record."""
    made = _made(resource, "replace", inventory, random)
    own = {name: member for name, member in made.items() if name not in _KEPT}
    body = {**stored, **own}
    period = _period(resource)
    body |= zip(period, sorted(filter(None, map(body.get, period))), strict=False)
    names = sorted(body, key=lambda _: random.random())
    return {name: body[name] for name in names}


def _made(
    resource: MasterRecord, name: str, inventory: Inventory, random: Random
) -> dict[str, Any]:
    made = generate.body(resource, name, inventory.references, random)
    if not inventory.multiple_language and "languageIds" in made:
        made["languageIds"] = random.choice([None, []])
    return made


def _stored(resource: MasterRecord, inventory: Inventory, random: Random, number: int) -> list[Any]:
    """Return the ids of so many records, without the bystanders if there are others."""
    all_ids = [*inventory.writables[resource.name]]
    others = all_ids[: -len(inventory.bystanders(resource.name))]
    return random.sample(others or all_ids, number)


def create(resource: MasterRecord, route: Route, inventory: Inventory, random: Random) -> Subject:
    """Return the body of one new record."""
    body = _made(resource, "create", inventory, random)
    # An array is valid, too: it creates several records.
    return Subject(route, _of_types(form(resource, "create"), "object", "array"), body, route.path)


def create_many(
    resource: MasterRecord, route: Route, inventory: Inventory, random: Random
) -> Subject:
    """Return the body of some new records."""
    number = random.choice(_NUMBERS)
    body = [_made(resource, "create", inventory, random) for _ in range(number)]
    return Subject(route, _of_types(form(resource, "bulkCreate")), body, route.path, "bulk_create")


def _of_types(located: ResolvedSchema, *names: str) -> ResolvedSchema:
    return ResolvedSchema(located.schema | {"type": names}, located.home)


def replace(resource: MasterRecord, route: Route, inventory: Inventory, random: Random) -> Subject:
    """Return the replacement of one stored record; the service ignores an id in the body."""
    [id_] = _stored(resource, inventory, random, 1)
    body = replacement(resource, inventory.writables[resource.name][id_], inventory, random)
    if random.random() < 0.3:
        body["id"] = random.choice([id_, 7, "x", None])
    path = route.path.format(id=id_)
    return Subject(route, form(resource, "replace"), body, path)


def replace_many(
    resource: MasterRecord, route: Route, inventory: Inventory, random: Random
) -> Subject:
    """Return the replacements of some stored records."""
    stored = inventory.writables[resource.name]
    body = [
        {"id": id_} | replacement(resource, stored[id_], inventory, random)
        for id_ in _stored(resource, inventory, random, random.choice(_NUMBERS))
    ]
    return Subject(route, form(resource, "bulkReplace"), body, route.path, "bulk_replace")


def _period(resource: MasterRecord) -> Sequence[str]:
    period: Sequence[str] = schemas.load()[resource.name].get(PERIOD, ())
    return period


def merge_many(
    resource: MasterRecord, route: Route, inventory: Inventory, random: Random
) -> Subject:
    """Return changes to some members of some stored records."""
    stored, body = inventory.writables[resource.name], []
    for id_ in _stored(resource, inventory, random, random.choice(_NUMBERS)):
        changed = replacement(resource, stored[id_], inventory, random)
        # A null would remove the member, which may be required.
        left = [name for name, value in changed.items() if value is not None]
        chosen = random.sample(left, random.randint(min(1, len(left)), len(left)))
        # A period is one with the stored other end, or without it.
        if chosen and {*chosen} & {*_period(resource)} and not {*_period(resource)} <= {*chosen}:
            chosen = [name for name in chosen if name not in _period(resource)]
        body.append({"id": id_} | {n: changed[n] for n in left if n in {*chosen, *_KEPT, *_PAIR}})
    return Subject(route, form(resource, "bulkMerge"), body, route.path, "bulk_patch")


def patch(resource: MasterRecord, route: Route, inventory: Inventory, random: Random) -> Subject:
    """Return changes to some members of one stored record."""
    [id_] = _stored(resource, inventory, random, 1)
    stored = inventory.writables[resource.name][id_]
    changed = replacement(resource, stored, inventory, random)
    body = {name: changed[name] for name in stored if name in changed}
    path = route.path.format(id=id_)
    return Subject(route, form(resource, "replace"), body, path, root=stored)
