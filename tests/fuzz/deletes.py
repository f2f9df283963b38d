"""Deletions that fail: of one record, or of several with faults in some of them."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final, NamedTuple
from urllib.parse import unquote

from service import schemas
from service.records.master_record import MasterRecord
from service.routes import Route
from tests.fuzz import findings
from tests.fuzz.cases import Bulk, Case
from tests.fuzz.findings import BODY, PATH, Finding
from tests.fuzz.inventory import Inventory
from tests.fuzz.requests import NO_IDS, Aside, asides, changed
from tests.support.fault_kinds import FAR, Check

MAX_IDS: Final[int] = schemas.definition("common/scalars", "ids").schema["maxItems"]
_FAULTS: Final = (0, 1, 1, 2, 3, 5, 8, 100)
"""Numbers of wrong ids in a bulk deletion."""
_BESIDE: Final = 0.15
_ENDS: Final = 0.08
"""Share of the bulk deletions that have no ids, or too many."""


class Named(NamedTuple):
    """Id in a path or a query, and its fault, if it has one."""

    text: str
    kind: str = ""
    check: Check = Check.ITEM
    type: str = ""

    def finding(self, field: str, order: int, item: int = 0) -> Iterator[Finding]:
        """Yield the finding of the fault."""
        if self.kind:
            yield Finding(self.kind, self.check, self.type, field, (order,), item)


def single(
    resource: MasterRecord, route: Route, inventory: Inventory, random: Random, organization: int
) -> Case:
    """Return a deletion of one record, with a fault in its id or beside it, or in both."""
    named, chosen = _wrong(resource, inventory, random), []
    if random.random() < 2 * _BESIDE:
        chosen = asides(route, resource, random, is_bulk=False)
        named = random.choice([named, *_right(resource, inventory)])
    reported = [each for aside in chosen for each in aside.findings]
    request = {"method": "DELETE", "path": route.path.format(id=named.text)}
    if not any("path" in aside.change for aside in chosen):
        reported += named.finding("id", PATH)
    return findings.case(route, organization, changed(request, chosen), reported)


def several(
    resource: MasterRecord, route: Route, inventory: Inventory, random: Random, organization: int
) -> Case:
    """Return a deletion of several records, with faults of some ids, or beside them."""
    ids = _list(resource, inventory, random)
    if random.random() < _ENDS:
        more = [Named(random.choice([str(FAR), "x"])) for _ in range(MAX_IDS + 1)]
        ids = random.choice([[], ids + more])
    reported, chosen = [*_findings(ids)], list[Aside]()
    if not reported or random.random() < _BESIDE:
        chosen = asides(route, resource, random, is_bulk=True)
    params = [("ids", named.text) for named in ids]
    for aside in chosen:
        reported += aside.findings
        index = random.randint(0, len(params))
        params[index:index] = aside.change.pop("params", [])
    request = changed({"method": "DELETE", "path": route.path, "params": params}, chosen)
    bulk = Bulk("bulk_delete", len(ids))
    return findings.case(route, organization, request, reported, bulk)


def _findings(ids: Sequence[Named]) -> Iterator[Finding]:
    """Yield the findings of the number of ids, of each id, and of repeated ids."""
    if not 0 < len(ids) <= MAX_IDS:
        kind = f"validation_error.{'too_many_items' if ids else 'required_field'}"
        yield Finding("number of ids", Check.REQUEST, kind, "ids", (BODY,))
    seen = set()
    for index, named in enumerate(ids):
        field = f"ids[{index}]"
        yield from named.finding(field, 0, index)
        if named.text in seen:
            twice = "validation_error.duplicate"
            yield Finding("id twice", Check.ITEM, twice, field, (1,), index)
        seen.add(named.text)


def _list(resource: MasterRecord, inventory: Inventory, random: Random) -> list[Named]:
    right = _right(resource, inventory)
    ids = random.sample(right, random.randint(0, min(3, len(right))))
    for _ in range(random.choice(_FAULTS)):
        named = _wrong(resource, inventory, random)
        if ids and random.random() < 0.2:
            named = random.choice(ids)
        if _stay_in_use(resource, inventory, [*ids, named]):
            # A query takes characters that a path cannot.
            ids.append(named._replace(text=unquote(named.text)))
    return random.sample(ids, len(ids))


def _stay_in_use(resource: MasterRecord, inventory: Inventory, ids: Sequence[Named]) -> bool:
    """Return whether records in use stay so if the other records of the list are deleted."""
    own = {str(id_): id_ for id_ in inventory.writables[resource.name]}
    going = [own[named.text] for named in ids if named.text in own]
    used = {own[named.text] for named in ids if named.kind == _IN_USE}
    return used <= {*inventory.in_use(resource.name, going)}


_IN_USE: Final = "record in use"


def _right(resource: MasterRecord, inventory: Inventory) -> list[Named]:
    """Return the ids that could be deleted."""
    used = {*inventory.used[resource.name], *inventory.used_by_peers.get(resource.name, ())}
    return [Named(str(id_)) for id_ in inventory.writables[resource.name] if id_ not in used]


def _wrong(resource: MasterRecord, inventory: Inventory, random: Random) -> Named:
    assert inventory.foreign is not None
    foreign = random.choice([*inventory.foreign.writables[resource.name]])
    other = "forbidden.organization" if resource.foreign_is_forbidden else "not_found"
    malformed = Named(random.choice(NO_IDS), "malformed id", Check.ITEM, _NO_ID)
    if resource.string_ids:
        malformed = malformed._replace(check=Check.RECORD, type="not_found")
    unknown = str(FAR + random.randrange(1000))
    choices = [
        Named(unknown, "unknown record", Check.RECORD, "not_found"),
        Named(str(foreign), "another organization's record", Check.RECORD, other),
        malformed,
    ]
    if used := inventory.used[resource.name]:
        choices.append(Named(str(random.choice(used)), _IN_USE, Check.DATA, "conflict.in_use"))
    return random.choice(choices)


_NO_ID: Final = "validation_error.invalid_value"
