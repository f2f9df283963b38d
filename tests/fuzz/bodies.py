"""Bodies with injected faults: one fault, or several that meet in one request."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, Final, TypeAlias

import orjson

from service import schemas
from service.records.master_record import MasterRecord
from service.records.parts import RecordPart
from service.records.writable_resource import WritableResource
from service.writing.part_collections import PartCollection
from tests.fuzz import findings, parts, relations, requests
from tests.fuzz.cases import Bulk, Case
from tests.fuzz.findings import BODY, Finding
from tests.fuzz.inventory import Inventory
from tests.fuzz.relations import Beyond
from tests.fuzz.subjects import Subject
from tests.support import fault_kinds
from tests.support.fault_kinds import Check, Fault, FaultKind, field_name, inject
from tests.support.fault_sites import MISSING, Path, Site, sites

_MISSING_LAST: Final = 1 << 30
_NUMBERS: Final = {False: (1, 1, 1, 2, 3), True: (1, 1, 2, 2, 3, 5, 8)}
"""Numbers of faults to try in a request of one record, and of several; not all fit together."""
_BESIDE: Final = 0.15
"""Share of the bodies whose requests have faults beside the body, too."""

Injection: TypeAlias = tuple[FaultKind, Fault]


def kinds(
    subject: Subject, resource: WritableResource, inventory: Inventory
) -> tuple[Sequence[FaultKind], Sequence[FaultKind]]:
    """Return the kinds of faults that the body shows by itself, and those that stored data show."""
    if isinstance(resource, RecordPart):
        of_schema = [kind for kind in fault_kinds.KINDS if kind is not fault_kinds.NESTED]
        return [*of_schema, *parts.between_fields(resource)], [*parts.beyond(resource, inventory)]
    if isinstance(resource, PartCollection):
        return [kind for kind in fault_kinds.KINDS if kind is not fault_kinds.NESTED], []
    assert isinstance(resource, MasterRecord)
    stored = subject.route.operation.name in ("replace", "bulk_replace", "bulk_patch", "patch")
    shown = [*fault_kinds.KINDS, *relations.between_fields(resource)]
    if subject.patches:
        # In a patch it is the value of an operation, and reported as that.
        shown.remove(fault_kinds.NESTED)
    beyond = Beyond(resource, inventory, stored)
    return shown, [*beyond.kinds(), *beyond.of_items(subject.bulk)]


def faulty(
    subject: Subject,
    resource: WritableResource,
    inventory: Inventory,
    random: Random,
    organization: int,
) -> Case:
    """Return the subject's case with a fault, or with several of which some may hide others."""
    chosen = []
    if not subject.patches and random.random() < _BESIDE:
        is_bulk = subject.bulk is not None
        chosen = requests.asides(subject.route, resource, random, is_bulk=is_bulk)
    choices = kinds(subject, resource, inventory)
    body, injections = subject.body, list[Injection]()
    for _ in range(random.choice(_NUMBERS[subject.bulk is not None])):
        injection = _next(subject, resource, body, injections, random.choice(choices), random)
        if injection is None and not injections:
            injection = _next(subject, resource, body, injections, choices[0], random)
        if injection is not None:
            injections.append(injection)
            body = inject(body, injection[1])
            if injection[1].row is None:
                break
    raw = orjson.dumps(operations(subject.root, body) if subject.patches else body)
    request = requests.changed(
        {"method": subject.route.method, "path": subject.path, "body": raw}, chosen
    )
    reported = [finding for aside in chosen for finding in aside.findings]
    reported += _findings(subject, body, injections)
    bulk = Bulk(subject.bulk, _total(raw)) if subject.bulk else None
    return findings.case(subject.route, organization, request, reported, bulk)


def _next(
    subject: Subject,
    resource: WritableResource,
    body: Any,
    injections: Sequence[Injection],
    among: Iterable[FaultKind],
    random: Random,
) -> Injection | None:
    """Return one more fault of one of the kinds, if it leaves the others as they are."""
    taken = [path for _, fault in injections for path in fault.paths]
    everywhere = [site for site in sites(subject.form, body) if _is_open(site, taken)]
    possible = [site for site in everywhere if _possible(site, subject)]
    fitting = [
        (kind, places) for kind in among if (places := [*_places(kind, possible, body, resource)])
    ]
    if not fitting:
        return None
    kind, places = random.choice(fitting)
    fault = kind.make(random.choice(places), random)
    is_free = not any(_overlap(path, other) for path in fault.paths for other in taken)
    repeats = any(_repeats(fault, other) for _, other in injections)
    return (kind, fault) if is_free and not repeats else None


def _is_open(site: Site, taken: Sequence[Path]) -> bool:
    """Return whether there is no fault at the site or around it, nor inside if it is a list."""
    if not site.path:
        return True
    inner = isinstance(site.value, list)
    return not any(
        path == site.path[: len(path)] or (inner and site.path == path[: len(site.path)])
        for path in taken
    )


def _places(
    kind: FaultKind, possible: Iterable[Site], body: Any, resource: WritableResource
) -> Iterator[Site]:
    """Yield the sites for a fault of the kind."""
    for site in possible:
        if kind.fits(site) and _is_read(site, kind, body, resource):
            yield site


def _possible(site: Site, subject: Subject) -> bool:
    """Return whether a fault at the site reaches its check."""
    if subject.patches:
        # A patch says nothing of a field, or goes to a place that is none, which is another fault.
        return bool(site.path) and (len(site.path) > 1 or site.name in subject.root)
    return True


def _is_read(site: Site, kind: FaultKind, body: Any, resource: WritableResource) -> bool:
    """Return whether a fault at the site is checked: items that delete are not read whole."""
    entry = body
    for part in site.path[:-1]:
        entry = entry[part]
    # What a line of a bill of materials omits has no color and item: either is a second fault.
    if site.name in ("colorId", "itemId") and isinstance(entry, dict) and entry.get("isOmitted"):
        return False
    # Processes have no name but the other ones.
    if (
        site.name in ("process", "processName")
        and isinstance(entry, dict)
        and ((entry.get("processName") is None) is (site.name == "processName"))
    ):
        return False
    item = body[site.path[0]] if site.path and isinstance(site.path[0], int) else None
    if not isinstance(item, dict) or item.get("state") != "deleted":
        return True
    needed = schemas.definition(resource.name, "item").schema.get("else", {})
    return kind in fault_kinds.KINDS and site.name not in needed.get("required", ())


def _findings(subject: Subject, body: Any, injections: Sequence[Injection]) -> Iterator[Finding]:
    """Yield the findings of the faults; a fault of the whole body hides all others."""
    document = {n: body[n] for n in subject.root if n in body} if subject.patches else body
    whole = [(kind, fault) for kind, fault in injections if fault.row is None]
    for kind, fault in whole or injections:
        is_bulk, check, order = subject.bulk is not None, kind.check, _order(document, fault.row)
        if is_bulk and fault.row is None:
            check = Check.REQUEST
        item = order[0] if is_bulk and order else 0
        yield Finding(kind.name, check, fault.type, field_name(fault.row), (BODY, *order), item)


def _total(raw: bytes) -> int:
    """Return the number of items that a bulk failure reports; 0 if they cannot be counted."""
    try:
        items = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return 0
    return len(items) if isinstance(items, list) else 0


def _repeats(fault: Fault, other: Fault) -> bool:
    """Return whether members of one list get one value, which may be a fault by itself."""
    values = (fault.value, other.value)
    if fault.at[:-2] != other.at[:-2] or MISSING in values or None in values:
        return False
    return orjson.dumps(fault.value) == orjson.dumps(other.value)


def _overlap(path: Path, other: Path) -> bool:
    shared = min(len(path), len(other))
    return path[:shared] == other[:shared]


def operations(stored: dict[str, Any], changed: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the patch that makes the changed form of the stored one."""
    return [
        {"op": "replace", "path": f"/{name}", "value": changed[name]}
        if name in changed
        else {"op": "remove", "path": f"/{name}"}
        for name in stored
    ]


def _order(body: Any, path: Path | None) -> tuple[int, ...]:
    """Return the position of a path in a body; missing members come last."""
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
