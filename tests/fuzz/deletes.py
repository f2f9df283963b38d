"""Deletions that fail: of one record, or of several with a fault in some of them."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final, NamedTuple
from urllib.parse import unquote

from service import schemas
from service.queries.master_record import MasterRecord
from service.routes import Route
from tests.fuzz import findings
from tests.fuzz.cases import Bulk, Case
from tests.fuzz.findings import BODY, PATH, Check, Finding
from tests.fuzz.known import Known
from tests.fuzz.plants import FAR
from tests.fuzz.requests import NO_IDS, Aside, asides, changed

MAX_IDS: Final[int] = schemas.definition("common/scalars", "ids").schema["maxItems"]
_FAULTS: Final = (0, 1, 1, 2, 3, 5, 8, 100)
"""Ids of several that are to be wrong."""
_BESIDE: Final = 0.15
_ENDS: Final = 0.08
"""Which part of the bulk deletions has no ids, or too many."""


class Named(NamedTuple):
    """An id in a path, or the last of several; what is wrong with it, if anything is."""

    text: str
    kind: str = ""
    check: Check = Check.ITEM
    type: str = ""

    def finding(self, field: str, order: int, item: int = 0) -> Iterator[Finding]:
        """What is found of it there."""
        if self.kind:
            yield Finding(self.kind, self.check, self.type, field, (order,), item)


def one(
    resource: MasterRecord, route: Route, known: Known, random: Random, organization: int
) -> Case:
    """A deletion of one record, with a fault in its id or beside it, or in both."""
    named, chosen = _wrong(resource, known, random), []
    if random.random() < 2 * _BESIDE:
        chosen = asides(route, resource, random, is_bulk=False)
        named = random.choice([named, *_right(resource, known)])
    found = [each for aside in chosen for each in aside.findings]
    request = {"method": "DELETE", "path": route.path.format(id=named.text)}
    if not any("path" in aside.change for aside in chosen):
        found += named.finding("id", PATH)
    return findings.case(route, organization, changed(request, chosen), found)


def several(
    resource: MasterRecord, route: Route, known: Known, random: Random, organization: int
) -> Case:
    """A deletion of several records, with faults of some ids, or beside them."""
    ids = _list(resource, known, random)
    if random.random() < _ENDS:
        ids = random.choice([[], ids + _many(random)])
    found, chosen = [*_found(ids)], list[Aside]()
    if not found or random.random() < _BESIDE:
        chosen = asides(route, resource, random, is_bulk=True)
    params = [("ids", named.text) for named in ids]
    for aside in chosen:
        found += aside.findings
        place = random.randint(0, len(params))
        params[place:place] = aside.change.pop("params", [])
    request = changed({"method": "DELETE", "path": route.path, "params": params}, chosen)
    bulk = Bulk("bulk_delete", len(ids))
    return findings.case(route, organization, request, found, bulk)


def _many(random: Random) -> list[Named]:
    """More ids than may be sent at once, right in form or not."""
    return [Named(random.choice([str(FAR), "x"])) for _ in range(MAX_IDS + 1)]


def _found(ids: Sequence[Named]) -> Iterator[Finding]:
    """What is wrong with their number, with each, and with those that stand there again."""
    if not 0 < len(ids) <= MAX_IDS:
        kind = f"validation_error.{'too_many_items' if ids else 'required_field'}"
        yield Finding("number of ids", Check.REQUEST, kind, "ids", (BODY,))
    seen = set()
    for place, named in enumerate(ids):
        field = f"ids[{place}]"
        yield from named.finding(field, 0, place)
        if named.text in seen:
            twice = "validation_error.duplicate"
            yield Finding("id twice", Check.ITEM, twice, field, (1,), place)
        seen.add(named.text)


def _list(resource: MasterRecord, known: Known, random: Random) -> list[Named]:
    right = _right(resource, known)
    ids = random.sample(right, random.randint(0, min(3, len(right))))
    for _ in range(random.choice(_FAULTS)):
        named = _wrong(resource, known, random)
        if ids and random.random() < 0.2:
            named = random.choice(ids)
        if _stay_in_use(resource, known, [*ids, named]):
            # A query takes what a path cannot.
            ids.append(named._replace(text=unquote(named.text)))
    return random.sample(ids, len(ids))


def _stay_in_use(resource: MasterRecord, known: Known, ids: Sequence[Named]) -> bool:
    """Whether what is in use is not so by others of the list, with which it could go."""
    own = {str(id_): id_ for id_ in known.writables[resource.name]}
    going = [own[named.text] for named in ids if named.text in own]
    used = {own[named.text] for named in ids if named.kind == _IN_USE}
    return used <= {*known.in_use(resource.name, going)}


_IN_USE: Final = "record in use"


def _right(resource: MasterRecord, known: Known) -> list[Named]:
    """Those that could be deleted."""
    used = {*known.used[resource.name], *known.used_by_peers.get(resource.name, ())}
    return [Named(str(id_)) for id_ in known.writables[resource.name] if id_ not in used]


def _wrong(resource: MasterRecord, known: Known, random: Random) -> Named:
    assert known.foreign is not None
    foreign = random.choice([*known.foreign.writables[resource.name]])
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
    if used := known.used[resource.name]:
        choices.append(Named(str(random.choice(used)), _IN_USE, Check.DATA, "conflict.in_use"))
    return random.choice(choices)


_NO_ID: Final = "validation_error.invalid_value"
