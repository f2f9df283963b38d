"""Cases: requests, and the failure that each must get."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, TypeAlias

from service.routes import Route
from tests.support.api import Answer
from tests.support.openapi_validation import assert_documented

RowKey: TypeAlias = tuple[str, str | None]
"""Type and field of an error."""

#: Statuses by kind of error, in their order of precedence (contract, Errors).
_STATUSES: Final = {
    "forbidden": 403,
    "not_found": 404,
    "precondition_failed": 412,
    "conflict": 409,
    "unprocessable": 422,
    "validation_error": 400,
    "unsupported_media_type": 415,
}
_MOST_LISTED: Final = 1000


@dataclass(frozen=True, slots=True)
class Request:
    """Request without the caller's key."""

    method: str
    path: str
    body: bytes | None = None
    params: Sequence[tuple[str, str]] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers; a multidict if a header has several lines."""
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class Bulk:
    """Operation and number of items that a bulk failure reports."""

    operation: str
    total: int


@dataclass(frozen=True, slots=True)
class Case:
    """Request of an organization with faults of these kinds, and the errors that name them.

    Without ``rows`` the request is valid, and changes nothing because it is a read. ``rows`` are
    all errors that could be reported; the ``loose`` ones of one object come in any order. ``bulk``
    is None unless the failure is a bulk one.
    """

    route: Route
    organization: int
    request: Request
    kinds: tuple[str, ...]
    rows: tuple[RowKey, ...]
    bulk: Bulk | None = None
    loose: frozenset[RowKey] = frozenset()
    skips: bool = False
    """Whether failed items are skipped: the response is then a success that reports them."""
    scope: str = ""
    """The only scope of the key that sends it; "" for the key with all of them."""

    @property
    def listed(self) -> Sequence[RowKey]:
        """Return the errors that fit into the response: the first of each item, then the others."""
        firsts = {_item(row): row for row in reversed(self.rows)}
        spare, chosen = _MOST_LISTED - len(firsts), []
        for row in self.rows:
            is_first = firsts[_item(row)] == row
            if is_first or spare > 0:
                chosen.append(row)
                spare -= not is_first
        return chosen

    @property
    def status(self) -> int:
        """Return the status that the errors call for, the first in the contract's order."""
        heads = {kind.partition(".")[0] for kind, _ in self.rows}
        return next((code for head, code in _STATUSES.items() if head in heads), 200)

    @property
    def code(self) -> str:
        """Return the type of the errors that call for the status, or the part that they share."""
        kinds = {kind for kind, _ in self.rows if _STATUSES[kind.partition(".")[0]] == self.status}
        return kinds.pop() if len(kinds) == 1 else kinds.pop().partition(".")[0]


def judge(case: Case, answer: Answer) -> None:
    """Raise AssertionError unless the response names the injected faults, and nothing else."""
    if case.skips:
        _judge_skipped(case, answer)
        return
    rows = answer.details if answer.status >= 400 else []
    same = _settled(rows, case.loose) == _settled(case.listed, case.loose)
    assert (answer.status, same) == (case.status, True), describe(case, answer)
    assert_documented(case.route, answer)
    if case.rows:
        assert answer.json["code"] == case.code, describe(case, answer)
        assert _bulk(answer.json["error"]) == _expected_bulk(case), describe(case, answer)


def _judge_skipped(case: Case, answer: Answer) -> None:
    """Raise AssertionError unless exactly the faulty items failed, each as it should."""
    assert answer.status == 200, describe(case, answer)
    failed = [row for row in answer.data if row["outcome"] == "failed"]
    rows = [(detail["type"], detail["field"]) for row in failed for detail in row["details"]]
    assert _settled(rows, case.loose) == _settled(case.listed, case.loose), describe(case, answer)
    assert len(failed) == len({_item(row) for row in case.rows}), describe(case, answer)
    assert answer.json["code"] == "partial", describe(case, answer)
    assert_documented(case.route, answer)


def _settled(rows: Iterable[RowKey], loose: frozenset[RowKey]) -> list[RowKey]:
    """Return the rows, adjacent ones whose order is open sorted."""
    groups = groupby(rows, lambda row: str(row[1]).rpartition(".")[0] if row in loose else row)
    return [row for _, group in groups for row in sorted(group, key=repr)]


def _item(row: RowKey) -> str:
    """Return the prefix of the fields of one item."""
    return str(row[1]).partition("]")[0]


def _bulk(error: dict[str, Any]) -> tuple[Any, ...] | None:
    if "operation" not in error:
        return None
    return error["operation"], error["total_items"], error["failed_items"]


def _expected_bulk(case: Case) -> tuple[Any, ...] | None:
    if case.bulk is None:
        return None
    heads = {_item(row) for row in case.rows}
    # The items of a malformed body are not counted; a scope that lacks refuses all of them.
    lacks = any(kind == "forbidden.scope" for kind, _ in case.rows)
    whole = not case.bulk.total or lacks or any("[" not in head for head in heads)
    return case.bulk.operation, case.bulk.total, case.bulk.total if whole else len(heads)


def describe(case: Case, answer: Answer) -> str:
    """Return a text about the case and its response."""
    request, body = case.request, (case.request.body or b"")
    return "\n".join(
        (
            f"{', '.join(case.kinds)} in organization {case.organization} {case.scope}:",
            f"{request.method} {request.path} {[*(request.params or ())]} {request.headers}",
            f"{body[:3000]!r}",
            f"expected {case.status} {case.rows} {case.bulk}",
            f"answered {answer.status} {answer.raw[:1500]!r}",
        )
    )
