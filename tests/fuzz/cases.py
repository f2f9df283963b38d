"""Requests, and the failure that each one has to get."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, TypeAlias

from service.routes import Route
from tests.support.api import Answer
from tests.support.published import holds

RowKey: TypeAlias = tuple[str, str | None]
"""Type and field."""

#: In their order, and what each kind of row calls for (contract, Errors).
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
    """What is sent, but for the caller's key."""

    method: str
    path: str
    body: bytes | None = None
    params: Sequence[tuple[str, str]] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Of several lines of one header a multidict."""
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class Bulk:
    """What a bulk failure tells of its request."""

    operation: str
    total: int


@dataclass(frozen=True, slots=True)
class Case:
    """A request of an organization with faults of these kinds, and the rows that name them.

    Without rows the request is right, and changes nothing as it is a read. ``rows`` are all that
    could be told. ``loose`` ones of one object may come in any order. ``bulk`` is None where the
    failure is no bulk one.
    """

    route: Route
    organization: int
    request: Request
    kinds: tuple[str, ...]
    rows: tuple[RowKey, ...]
    bulk: Bulk | None = None
    loose: frozenset[RowKey] = frozenset()
    in_part: bool = False
    """Whether what fails is left out: then the answer is a success that tells of it."""

    @property
    def listed(self) -> Sequence[RowKey]:
        """The rows that the answer has room for: of every item the first one, then the others."""
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
        """The status that the rows call for, the first of the contract's order."""
        heads = {kind.partition(".")[0] for kind, _ in self.rows}
        return next((code for head, code in _STATUSES.items() if head in heads), 200)

    @property
    def code(self) -> str:
        """The type of the rows that call for the status, or as much of it as they share."""
        kinds = {kind for kind, _ in self.rows if _STATUSES[kind.partition(".")[0]] == self.status}
        return kinds.pop() if len(kinds) == 1 else kinds.pop().partition(".")[0]


def judge(case: Case, answer: Answer) -> None:
    """Raise AssertionError unless the answer names the planted faults, and nothing else."""
    if case.in_part:
        _judge_in_part(case, answer)
        return
    found = answer.details if answer.status >= 400 else []
    same = _settled(found, case.loose) == _settled(case.listed, case.loose)
    assert (answer.status, same) == (case.status, True), told(case, answer)
    holds(case.route, answer)
    if case.rows:
        assert answer.json["code"] == case.code, told(case, answer)
        assert _bulk(answer.json["error"]) == _expected_bulk(case), told(case, answer)


def _judge_in_part(case: Case, answer: Answer) -> None:
    """Raise AssertionError unless exactly the faulty items failed, each as it should."""
    assert answer.status == 200, told(case, answer)
    failed = [row for row in answer.data if row["outcome"] == "failed"]
    found = [(one["type"], one["field"]) for row in failed for one in row["details"]]
    assert _settled(found, case.loose) == _settled(case.listed, case.loose), told(case, answer)
    assert len(failed) == len({_item(row) for row in case.rows}), told(case, answer)
    assert answer.json["code"] == "partial", told(case, answer)
    holds(case.route, answer)


def _settled(rows: Iterable[RowKey], loose: frozenset[RowKey]) -> list[RowKey]:
    """The rows, those next to each other whose order is open in one order of ours."""
    groups = groupby(rows, lambda row: str(row[1]).rpartition(".")[0] if row in loose else row)
    return [row for _, group in groups for row in sorted(group, key=repr)]


def _item(row: RowKey) -> str:
    """What the rows of one item have in common."""
    return str(row[1]).partition("]")[0]


def _bulk(error: dict[str, Any]) -> tuple[Any, ...] | None:
    if "operation" not in error:
        return None
    return error["operation"], error["total_items"], error["failed_items"]


def _expected_bulk(case: Case) -> tuple[Any, ...] | None:
    if case.bulk is None:
        return None
    heads = {_item(row) for row in case.rows}
    # Of a body that is none the items are not counted.
    whole = not case.bulk.total or any("[" not in head for head in heads)
    return case.bulk.operation, case.bulk.total, case.bulk.total if whole else len(heads)


def told(case: Case, answer: Answer) -> str:
    """The case and its answer, to be read."""
    request, body = case.request, (case.request.body or b"")
    return "\n".join(
        (
            f"{', '.join(case.kinds)} in organization {case.organization}:",
            f"{request.method} {request.path} {[*(request.params or ())]} {request.headers}",
            f"{body[:3000]!r}",
            f"expected {case.status} {case.rows} {case.bulk}",
            f"answered {answer.status} {answer.raw[:1500]!r}",
        )
    )
