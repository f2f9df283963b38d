"""Findings: faults of a request, of which the response reports some (contract, Errors)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.routes import Route
from tests.fuzz.cases import Bulk, Case, Request, RowKey
from tests.support.fault_kinds import Check


@dataclass(frozen=True, slots=True)
class Finding:
    """Fault, the error that would name it, and the check that finds it.

    ``order`` is its position in the request, or in the item of a bulk request.
    """

    kind: str
    check: Check
    type: str
    field: str | None
    order: tuple[int, ...] = ()
    item: int = 0

    @property
    def row(self) -> RowKey:
        """Return the error that the response must report."""
        return self.type, self.field


#: Positions of the parts of a request.
PATH, QUERY, HEADERS, BODY = range(4)


def reported(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that the response reports, in order."""
    every = [*findings]
    if whole := [finding for finding in every if finding.check is Check.REQUEST]:
        return sorted(whole, key=lambda finding: finding.order)
    failed: dict[int, Check] = {}
    for finding in every:
        failed[finding.item] = min(failed.get(finding.item, finding.check), finding.check)
    first = [finding for finding in every if finding.check is failed[finding.item]]
    return sorted(first, key=lambda finding: (finding.item, finding.order))


def case(
    route: Route,
    organization: int,
    request: Request,
    findings: Sequence[Finding],
    bulk: Bulk | None = None,
) -> Case:
    """Return the case of a request with these faults."""
    rows = reported(findings)
    places = Counter((finding.item, finding.order) for finding in rows)
    return Case(
        route,
        organization,
        request,
        tuple(finding.kind for finding in findings),
        tuple(finding.row for finding in rows),
        bulk,
        frozenset(finding.row for finding in rows if places[finding.item, finding.order] > 1),
    )
