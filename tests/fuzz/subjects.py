"""Bodies that are right, of records as they are stored or made up: what faults are planted in."""

from dataclasses import dataclass
from random import Random
from typing import Any, Final

from service.queries.master_record import MasterRecord
from service.routes import Route
from service.schemas.definitions import ResolvedSchema
from tests.fuzz.known import Known
from tests.fuzz.sites import form
from tests.support import generate

_KEPT: Final = ("allowedValues", "contacts", "parentCustomFieldId", "sizeRangeSizeIds")
"""Lists whose members others may point to, and what they hang on: left as they are stored."""
_PAIR: Final = ("styleId", "relatedStyleId")
"""What changes together: one of them alone could be the stored other one."""
_NUMBERS: Final = (1, 2, 2, 3, 3, 5, 8)
"""Of items in a bulk request."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A body that is right, and where it goes."""

    route: Route
    form: ResolvedSchema
    body: Any
    path: str
    bulk: str | None = None
    root: Any = None
    """What a patch makes of the body: what its failures' order goes by."""

    @property
    def patches(self) -> bool:
        """Whether the body's members are sent as operations of a patch."""
        return self.root is not None


def replacement(
    resource: MasterRecord, stored: dict[str, Any], known: Known, random: Random
) -> dict[str, Any]:
    """A replacement of a record that the service would take."""
    made = _made(resource, "replace", known, random)
    own = {name: member for name, member in made.items() if name not in _KEPT}
    body = {**stored, **own}
    names = sorted(body, key=lambda _: random.random())
    return {name: body[name] for name in names}


def _made(resource: MasterRecord, name: str, known: Known, random: Random) -> dict[str, Any]:
    made = generate.body(resource, name, known.references, random)
    if not known.multiple_language and "languageIds" in made:
        made["languageIds"] = random.choice([None, []])
    return made


def _stored(resource: MasterRecord, known: Known, random: Random, number: int) -> list[Any]:
    """Ids of that many records, without the bystanders."""
    all_ids = [*known.writables[resource.name]]
    return random.sample(all_ids[: -len(known.bystanders(resource.name))], number)


def create(resource: MasterRecord, route: Route, known: Known, random: Random) -> Subject:
    """One new record."""
    body = _made(resource, "create", known, random)
    # An array is right, too: of several.
    return Subject(route, _of_types(form(resource, "create"), "object", "array"), body, route.path)


def create_many(resource: MasterRecord, route: Route, known: Known, random: Random) -> Subject:
    """Some new records."""
    number = random.choice(_NUMBERS)
    body = [_made(resource, "create", known, random) for _ in range(number)]
    return Subject(route, _of_types(form(resource, "bulkCreate")), body, route.path, "bulk_create")


def _of_types(located: ResolvedSchema, *names: str) -> ResolvedSchema:
    return ResolvedSchema(located.schema | {"type": names}, located.home)


def replace(resource: MasterRecord, route: Route, known: Known, random: Random) -> Subject:
    """One stored record; what the body says of its id is ignored."""
    [id_] = _stored(resource, known, random, 1)
    body = replacement(resource, known.writables[resource.name][id_], known, random)
    if random.random() < 0.3:
        body["id"] = random.choice([id_, 7, "x", None])
    path = route.path.format(id=id_)
    return Subject(route, form(resource, "replace"), body, path)


def replace_many(resource: MasterRecord, route: Route, known: Known, random: Random) -> Subject:
    """Some stored records."""
    stored = known.writables[resource.name]
    body = [
        {"id": id_} | replacement(resource, stored[id_], known, random)
        for id_ in _stored(resource, known, random, random.choice(_NUMBERS))
    ]
    return Subject(route, form(resource, "bulkReplace"), body, route.path, "bulk_replace")


def merge_many(resource: MasterRecord, route: Route, known: Known, random: Random) -> Subject:
    """Some members of some stored records."""
    stored, body = known.writables[resource.name], []
    for id_ in _stored(resource, known, random, random.choice(_NUMBERS)):
        changed = replacement(resource, stored[id_], known, random)
        # What is taken away may be what the record has to have.
        kept = [name for name, value in changed.items() if value is not None]
        chosen = random.sample(kept, random.randint(min(1, len(kept)), len(kept)))
        body.append({"id": id_} | {n: changed[n] for n in kept if n in {*chosen, *_KEPT, *_PAIR}})
    return Subject(route, form(resource, "bulkMerge"), body, route.path, "bulk_patch")


def patch(resource: MasterRecord, route: Route, known: Known, random: Random) -> Subject:
    """Some members of one stored record."""
    [id_] = _stored(resource, known, random, 1)
    stored = known.writables[resource.name][id_]
    changed = replacement(resource, stored, known, random)
    body = {name: changed[name] for name in stored if name in changed}
    path = route.path.format(id=id_)
    return Subject(route, form(resource, "replace"), body, path, root=stored)
