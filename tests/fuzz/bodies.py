"""Bodies that are almost right: of records as they are stored, or made up, with planted faults."""

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from dataclasses import replace as replace_in
from random import Random
from typing import Any, Final

import orjson

from service.queries.master_record import MasterRecord
from service.routes import Route
from service.schemas.definitions import Located
from tests.fuzz import plants, relations
from tests.fuzz.cases import Bulk, Case, Request
from tests.fuzz.plants import Kind, Plant
from tests.fuzz.relations import Beyond, Known
from tests.fuzz.sites import MISSING, Path, Site, form, sites
from tests.support import generate

_KEPT: Final = ("allowedValues", "contacts", "parentCustomFieldId")
"""Lists whose members others may point to, and what they hang on: left as they are stored."""
_MISSING_LAST: Final = 1 << 30
_SEVERAL: Final = 3
_TWO: Final = 0.25
"""Which part of the bodies is to have a second fault, where two can be told written_separately."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A body that is right, and where it goes."""

    route: Route
    form: Located
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
    number = random.randint(1, _SEVERAL)
    body = [_made(resource, "create", known, random) for _ in range(number)]
    return Subject(route, _of_types(form(resource, "bulkCreate")), body, route.path, "bulk_create")


def _of_types(located: Located, *names: str) -> Located:
    return Located(located.schema | {"type": names}, located.home)


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
        for id_ in _stored(resource, known, random, random.randint(1, _SEVERAL))
    ]
    return Subject(route, form(resource, "bulkReplace"), body, route.path, "bulk_replace")


def patch(resource: MasterRecord, route: Route, known: Known, random: Random) -> Subject:
    """Some members of one stored record."""
    [id_] = _stored(resource, known, random, 1)
    stored = known.writables[resource.name][id_]
    changed = replacement(resource, stored, known, random)
    body = {name: changed[name] for name in stored if name in changed}
    path = route.path.format(id=id_)
    return Subject(route, form(resource, "replace"), body, path, root=stored)


def kinds(
    subject: Subject, resource: MasterRecord, known: Known
) -> tuple[Sequence[Kind], Sequence[Kind]]:
    """What can be wrong with the body: what it shows by itself, and what the database shows."""
    stored = subject.route.operation in ("replace", "bulk_replace", "patch")
    shown = [*plants.KINDS, *relations.between_fields(resource)]
    beyond = Beyond(resource, known, stored)
    items = beyond.of_items() if subject.bulk == "bulk_replace" else ()
    return shown, [*beyond.kinds(), *items]


def faulty(
    subject: Subject, resource: MasterRecord, known: Known, random: Random, organization: int
) -> Case:
    """The subject's case with one fault, or with two that are reported together."""
    shown, beyond = kinds(subject, resource, known)
    among = random.choice([shown, beyond])
    fitting = [*_fitting(among, subject)] or [*_fitting(shown, subject)]
    name, plant = _one(fitting, random)
    names, planted = [name], [plant]
    if plant.row is not None and random.random() < _TWO:
        name, plant = _one(fitting, random)
        if name not in names and plant.row is not None and _independent(planted[0], plant):
            names.append(name)
            planted.append(plant)
    case = _case(subject, names, planted, organization)
    if among is shown and not subject.patches and random.random() < _TWO / 2:
        return _with_parameter(case)
    return case


def _with_parameter(case: Case) -> Case:
    """The case with a fault in its query, too, which comes before the body."""
    row = ("validation_error.unknown_parameter", "dryRun")
    request = replace_in(case.request, params=[("dryRun", "true")])
    kinds = (*case.kinds, "unknown parameter")
    return replace_in(case, request=request, kinds=kinds, rows=(row, *case.rows))


def _fitting(among: Iterable[Kind], subject: Subject) -> Iterator[tuple[Kind, list[Site]]]:
    everywhere = [site for site in sites(subject.form, subject.body) if _possible(site, subject)]
    for kind in among:
        if places := [site for site in everywhere if kind.fits(site)]:
            yield kind, places


def _possible(site: Site, subject: Subject) -> bool:
    """Whether the fault at that place reaches the check that is meant to find it."""
    if subject.patches:
        # A patch says nothing of a field, or goes to a place that is none, which is another fault.
        return bool(site.path) and (len(site.path) > 1 or site.name in subject.root)
    return True


def _one(fitting: list[tuple[Kind, list[Site]]], random: Random) -> tuple[str, Plant]:
    kind, places = random.choice(fitting)
    return kind.name, kind.plant(random.choice(places), random)


def _independent(one: Plant, other: Plant) -> bool:
    return not any(
        _overlap(this, that)
        for this in (one.at, one.row or (), *one.needs)
        for that in (other.at, other.row or (), *other.needs)
    )


def _overlap(one: Path, other: Path) -> bool:
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def planted(body: Any, faults: Sequence[Plant]) -> Any:
    """A copy of the body with the faults in it."""
    made = deepcopy(body)
    for fault in faults:
        if not fault.at:
            return fault.value
        *parents, last = fault.at
        holder = made
        for part in parents:
            holder = holder[part]
        if fault.value is MISSING:
            del holder[last]
        elif isinstance(holder, list) and last == len(holder):
            holder.append(fault.value)
        else:
            holder[last] = fault.value
    return made


def _case(
    subject: Subject, names: Sequence[str], faults: Sequence[Plant], organization: int
) -> Case:
    body = planted(subject.body, faults)
    document = {n: body[n] for n in subject.root if n in body} if subject.patches else body
    ordered = sorted(faults, key=lambda fault: _order(document, fault.row or ()))
    ties = len({repr(_order(document, fault.row or ())) for fault in faults}) < len(faults)
    content = _operations(subject.root, body) if subject.patches else body
    total = len(body) if isinstance(body, list) else 0
    if any(fault.type.endswith("malformed_json") for fault in faults):
        total = 0
    return Case(
        subject.route,
        organization,
        Request(subject.route.method, subject.path, orjson.dumps(content)),
        tuple(names),
        tuple((fault.type, field(fault.row)) for fault in ordered),
        Bulk(subject.bulk, total) if subject.bulk else None,
        loose=ties,
    )


def field(path: Path | None) -> str | None:
    """A path as the contract writes it (section 4)."""
    text = ""
    for part in path or ():
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text if path else None


def _operations(stored: dict[str, Any], wanted: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"op": "replace", "path": f"/{name}", "value": wanted[name]}
        if name in wanted
        else {"op": "remove", "path": f"/{name}"}
        for name in stored
    ]


def _order(body: Any, path: Path) -> list[int]:
    """Where a path stands in a body; what is missing follows what is there."""
    order = []
    for part in path:
        if isinstance(part, int):
            order.append(part)
        elif isinstance(body, dict) and part in body:
            order.append([*body].index(part))
        else:
            return [*order, _MISSING_LAST]
        body = body[part]
    return order
