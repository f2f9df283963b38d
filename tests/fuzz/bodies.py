"""Bodies that are almost right: one planted fault, or several that meet in one request."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from random import Random
from typing import Any, Final, TypeAlias

import orjson

from service import schemas
from service.queries.master_record import MasterRecord
from service.queries.parts import RecordPart
from service.queries.writable_resource import WritableResource
from tests.fuzz import findings, parts, plants, relations, requests
from tests.fuzz.cases import Bulk, Case
from tests.fuzz.findings import BODY, Check, Finding
from tests.fuzz.known import Known
from tests.fuzz.plants import Kind, Plant
from tests.fuzz.relations import Beyond
from tests.fuzz.sites import MISSING, Path, Site, sites
from tests.fuzz.subjects import Subject

_MISSING_LAST: Final = 1 << 30
_NUMBERS: Final = {False: (1, 1, 1, 2, 3), True: (1, 1, 2, 2, 3, 5, 8)}
"""Of faults tried in a request of one record, and of several; not all of them fit together."""
_BESIDE: Final = 0.15
"""Which part of the bodies has faults beside it, too."""

Planted: TypeAlias = tuple[Kind, Plant]


def kinds(
    subject: Subject, resource: WritableResource, known: Known
) -> tuple[Sequence[Kind], Sequence[Kind]]:
    """What can be wrong with the body: what it shows by itself, and what the database shows."""
    if isinstance(resource, RecordPart):
        of_schema = [kind for kind in plants.KINDS if kind is not plants.NESTED]
        return [*of_schema, *parts.between_fields(resource)], [*parts.beyond(resource, known)]
    assert isinstance(resource, MasterRecord)
    stored = subject.route.operation_name in ("replace", "bulk_replace", "bulk_patch", "patch")
    shown = [*plants.KINDS, *relations.between_fields(resource)]
    if subject.patches:
        # It is an operation's value there, which is told of as such.
        shown.remove(plants.NESTED)
    beyond = Beyond(resource, known, stored)
    items = beyond.of_items() if subject.bulk == "bulk_replace" else ()
    return shown, [*beyond.kinds(), *items]


def faulty(
    subject: Subject, resource: WritableResource, known: Known, random: Random, organization: int
) -> Case:
    """The subject's case with a fault, or with several of which some may hide others."""
    chosen = []
    if not subject.patches and random.random() < _BESIDE:
        is_bulk = subject.bulk is not None
        chosen = requests.asides(subject.route, resource, random, is_bulk=is_bulk)
    choices = kinds(subject, resource, known)
    body, faults = subject.body, list[Planted]()
    for _ in range(random.choice(_NUMBERS[subject.bulk is not None])):
        fault = _next(subject, resource, body, faults, random.choice(choices), random)
        if fault is None and not faults:
            fault = _next(subject, resource, body, faults, choices[0], random)
        if fault is not None:
            faults.append(fault)
            body = planted(body, fault[1])
            if fault[1].row is None:
                break
    raw = orjson.dumps(operations(subject.root, body) if subject.patches else body)
    request = requests.changed(
        {"method": subject.route.method, "path": subject.path, "body": raw}, chosen
    )
    found = [one for aside in chosen for one in aside.findings]
    found += _findings(subject, body, faults)
    bulk = Bulk(subject.bulk, _total(raw)) if subject.bulk else None
    return findings.case(subject.route, organization, request, found, bulk)


def _next(
    subject: Subject,
    resource: WritableResource,
    body: Any,
    faults: Sequence[Planted],
    among: Iterable[Kind],
    random: Random,
) -> Planted | None:
    """One more fault of one of the kinds, if it leaves the others as they are."""
    taken = [place for _, plant in faults for place in plant.places]
    everywhere = [site for site in sites(subject.form, body) if _is_open(site, taken)]
    possible = [site for site in everywhere if _possible(site, subject)]
    fitting = [
        (kind, places) for kind in among if (places := [*_places(kind, possible, body, resource)])
    ]
    if not fitting:
        return None
    kind, places = random.choice(fitting)
    plant = kind.plant(random.choice(places), random)
    is_free = not any(_overlap(one, other) for one in plant.places for other in taken)
    return (kind, plant) if is_free and not any(_repeats(plant, one) for _, one in faults) else None


def _is_open(site: Site, taken: Sequence[Path]) -> bool:
    """Whether nothing is planted at the place or around it, nor in it where it is a list."""
    if not site.path:
        return True
    inner = isinstance(site.value, list)
    return not any(
        place == site.path[: len(place)] or (inner and site.path == place[: len(site.path)])
        for place in taken
    )


def _places(
    kind: Kind, possible: Iterable[Site], body: Any, resource: WritableResource
) -> Iterator[Site]:
    """Where one of the kind can be planted."""
    for site in possible:
        if kind.fits(site) and _is_read(site, kind, body, resource):
            yield site


def _possible(site: Site, subject: Subject) -> bool:
    """Whether a fault at that place reaches the check that is meant to find it."""
    if subject.patches:
        # A patch says nothing of a field, or goes to a place that is none, which is another fault.
        return bool(site.path) and (len(site.path) > 1 or site.name in subject.root)
    return True


def _is_read(site: Site, kind: Kind, body: Any, resource: WritableResource) -> bool:
    """Whether what is planted at that place is looked at: items that delete are not read whole."""
    item = body[site.path[0]] if site.path and isinstance(site.path[0], int) else None
    if not isinstance(item, dict) or item.get("state") != "deleted":
        return True
    return kind in plants.KINDS and "else" not in schemas.definition(resource.name, "item").schema


def _findings(subject: Subject, body: Any, faults: Sequence[Planted]) -> Iterator[Finding]:
    """What the faults are told as; of a body that is none nothing else is read."""
    document = {n: body[n] for n in subject.root if n in body} if subject.patches else body
    whole = [(kind, plant) for kind, plant in faults if plant.row is None]
    for kind, plant in whole or faults:
        is_bulk, check, order = subject.bulk is not None, kind.check, _order(document, plant.row)
        if is_bulk and plant.row is None:
            check = Check.REQUEST
        item = order[0] if is_bulk and order else 0
        yield Finding(kind.name, check, plant.type, field(plant.row), (BODY, *order), item)


def _total(raw: bytes) -> int:
    """How many items a bulk failure tells of; none where nobody could count them."""
    try:
        items = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return 0
    return len(items) if isinstance(items, list) else 0


def _repeats(one: Plant, other: Plant) -> bool:
    """Whether items or members of one list get one value, which may be a fault by itself."""
    values = (one.value, other.value)
    if one.at[:-2] != other.at[:-2] or MISSING in values or None in values:
        return False
    return orjson.dumps(one.value) == orjson.dumps(other.value)


def _overlap(one: Path, other: Path) -> bool:
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def planted(body: Any, fault: Plant) -> Any:
    """The body with the fault in it, which shares all else with the one without."""
    if not fault.at:
        return fault.value
    *parents, last = fault.at
    made = holder = copy(body)
    for part in parents:
        holder[part] = copy(holder[part])
        holder = holder[part]
    if fault.value is MISSING:
        del holder[last]
    elif isinstance(holder, list) and last == len(holder):
        holder.append(fault.value)
    else:
        holder[last] = fault.value
    return made


def field(path: Path | None) -> str | None:
    """A path as callers read it (contract, Errors)."""
    text = ""
    for part in path or ():
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text if path else None


def operations(stored: dict[str, Any], wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """The patch that makes the wanted form of the stored one."""
    return [
        {"op": "replace", "path": f"/{name}", "value": wanted[name]}
        if name in wanted
        else {"op": "remove", "path": f"/{name}"}
        for name in stored
    ]


def _order(body: Any, path: Path | None) -> tuple[int, ...]:
    """Where a path stands in a body; what is missing follows what is there."""
    order = list[int]()
    for part in path or ():
        if isinstance(part, int):
            order.append(part)
        elif isinstance(body, dict) and part in body:
            order.append([*body].index(part))
        else:
            return (*order, _MISSING_LAST)
        body = body[part]
    return tuple(order)
