"""Which of a request's faults its answer tells of (contract, Errors)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from service.routes import Route
from tests.fuzz.cases import Bulk, Case, Request, RowKey


class Check(IntEnum):
    """The checks in their order: an item goes no further than the first one that it fails."""

    REQUEST = 0
    """Of a bulk request as a whole: what it finds is told alone."""
    ITEM = 1
    """Of what the request says; of a single write this is the path, the query and headers too."""
    RECORD = 2
    """Whether the record is there, and the caller's."""
    STATE = 3
    """Whether the record is as the caller knows it."""
    DATA = 4
    """Of the item against what is stored."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault, the row that would name it, and what finds it.

    ``order`` says where in the request, or in the item of several, it stands.
    """

    kind: str
    check: Check
    type: str
    field: str | None
    order: tuple[int, ...] = ()
    item: int = 0

    @property
    def row(self) -> RowKey:
        """What the answer has to tell of it."""
        return self.type, self.field


#: Where the parts of a request stand in it.
PATH, QUERY, HEADERS, BODY = range(4)


def told(findings: Iterable[Finding]) -> list[Finding]:
    """Those that the answer tells of, in order."""
    found = [*findings]
    if whole := [one for one in found if one.check is Check.REQUEST]:
        return sorted(whole, key=lambda one: one.order)
    failed: dict[int, Check] = {}
    for one in found:
        failed[one.item] = min(failed.get(one.item, one.check), one.check)
    first = [one for one in found if one.check is failed[one.item]]
    return sorted(first, key=lambda one: (one.item, one.order))


def case(
    route: Route,
    organization: int,
    request: Request,
    findings: Sequence[Finding],
    bulk: Bulk | None = None,
) -> Case:
    """The case of a request with those faults."""
    found = told(findings)
    places = Counter((one.item, one.order) for one in found)
    return Case(
        route,
        organization,
        request,
        tuple(one.kind for one in findings),
        tuple(one.row for one in found),
        bulk,
        frozenset(one.row for one in found if places[one.item, one.order] > 1),
    )
