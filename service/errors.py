"""What is wrong with a request: one type from the first check to the answer.

A check tells where, of which type, and what to do about it; the path becomes text here alone, and
the one table from types to status codes stands here (contract, Errors).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, TypeAlias

from service.error_types import ErrorType

Path: TypeAlias = tuple[str | int, ...]
"""Where in a request: names of members and places in lists, outermost first; () for none."""

#: Status of a type, by its longest listed prefix.
STATUS = {
    "validation_error": 400,
    ErrorType.MALFORMED_REQUEST: 400,
    ErrorType.UNAUTHORIZED: 401,
    "forbidden": 403,
    ErrorType.NOT_FOUND: 404,
    ErrorType.METHOD_NOT_ALLOWED: 405,
    ErrorType.REQUEST_TIMEOUT: 408,
    "conflict": 409,
    "gone": 410,
    ErrorType.PRECONDITION_FAILED: 412,
    ErrorType.PAYLOAD_TOO_LARGE: 413,
    ErrorType.URI_TOO_LONG: 414,
    ErrorType.UNSUPPORTED_MEDIA_TYPE: 415,
    ErrorType.EXPECTATION_FAILED: 417,
    "unprocessable": 422,
    ErrorType.TOO_MANY_REQUESTS: 429,
    ErrorType.HEADERS_TOO_LARGE: 431,
    ErrorType.SERVER_ERROR: 500,
    ErrorType.NOT_IMPLEMENTED: 501,
    ErrorType.SERVER_ERROR_UNAVAILABLE: 503,
    ErrorType.SERVER_ERROR_OUTCOME_UNKNOWN: 503,
}

#: Which status an answer takes when its failures call for several: the first of these.
PRECEDENCE = (403, 404, 412, 409, 422, 400)

MAX_LISTED = 1000
#: After how many failures only the first one of each item that follows is made: several at one
#: field become one, so more of them than are listed.
MAX_COLLECTED = 2 * MAX_LISTED
MAX_LENGTH = 200
"""Characters of a field or a message that are shown."""
_MISSING_LAST = 1 << 30
#: Of several failures at one field these speak of its value as a whole.
_SPEAK_OF_ALL = (ErrorType.REQUIRED_FIELD, ErrorType.INVALID_TYPE)


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """One thing that is wrong: its type, where it is, and what to do about it."""

    type: str
    path: Path = ()
    message: str | None = None

    @property
    def field(self) -> str | None:
        """The path as callers read it, ``[3].allowedValues[0].value``; None where there is none."""
        text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        return text.removeprefix(".") if self.path else None

    @property
    def status(self) -> int:
        """The status code that this failure calls for."""
        return STATUS.get(self.type) or STATUS[self.type.partition(".")[0]]

    def row(self) -> dict[str, str | None]:
        """The row of ``error.details`` as a JSON-ready object."""
        return {"type": self.type, "field": _truncate(self.field), "value": _truncate(self.message)}


@dataclass(frozen=True, slots=True)
class BulkCounts:
    """What a failed bulk request adds to its error body."""

    operation: str
    total_items: int


@dataclass
class ApiError(Exception):
    """A request that failed, with everything that is known to be wrong with it.

    ``failures`` are never empty; the first MAX_LISTED of them are listed. ``bulk`` is set on bulk
    operations, of which ``failed_items`` failed, all where it is None. ``headers`` go out with the
    answer (``Allow``, ``WWW-Authenticate``).
    """

    details: Sequence[ErrorDetail]
    headers: dict[str, str] = field(default_factory=dict)
    bulk: BulkCounts | None = None
    failed_items: int | None = None

    @property
    def status(self) -> int:
        """The status code of the answer."""
        statuses = {failure.status for failure in self.details}
        return next((status for status in PRECEDENCE if status in statuses), max(statuses))

    @property
    def code(self) -> str:
        """The type shared by the failures that call for the status, else their longest prefix."""
        status = self.status
        return shared_type({one.type for one in self.details if one.status == status})

    def body(self) -> dict[str, object]:
        """The error envelope as a JSON-ready object."""
        error: dict[str, object] = {"details": [one.row() for one in self.details[:MAX_LISTED]]}
        if self.bulk:
            total = self.bulk.total_items
            failed = total if self.failed_items is None else self.failed_items
            error |= {
                "operation": self.bulk.operation,
                "total_items": total,
                "failed_items": failed,
                "summary": f"{failed} of {total} items failed; nothing was changed.",
            }
        return {"status": "error", "code": self.code, "error": error}


def api_error(
    type_: str, *path: str | int, message: str | None = None, headers: dict[str, str] | None = None
) -> ApiError:
    """An error of a single failure."""
    return ApiError([ErrorDetail(type_, path, message)], headers or {})


def shared_type(types: Iterable[str]) -> str:
    """The longest dotted prefix that all types share."""
    columns = zip(*(code.split(".") for code in types), strict=False)
    return ".".join(parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, columns))


def one_per_field(root: Any, found: list[ErrorDetail]) -> list[ErrorDetail]:
    """The failures in request order; of several at one field the one that speaks of all of it.

    Fields that are missing stay in the order in which they were found.
    """
    if len(found) < 2:
        return found
    by_path: dict[Path, ErrorDetail] = {}
    for failure in sorted(found, key=lambda one: one.type not in _SPEAK_OF_ALL):
        by_path.setdefault(failure.path, failure)
    return in_request_order(root, by_path.values())


def in_request_order(root: Any, failures: Iterable[ErrorDetail]) -> list[ErrorDetail]:
    """The failures by where they stand in a body; what is missing comes after what is there."""
    order = _RequestOrder(root)
    return sorted(failures, key=lambda one: order(one.path))


def in_query_order(
    pairs: Sequence[tuple[str, str]], failures: Iterable[ErrorDetail]
) -> list[ErrorDetail]:
    """The failures by where their parameters stand in a query; those of missing ones come last."""
    places = dict[str, int]()
    for place, (name, _) in enumerate(pairs):
        places.setdefault(_companions(name), place)
    last = len(pairs)
    return sorted(failures, key=lambda one: places.get(_companions(one.field), last))


def _companions(name: str | None) -> str:
    """What a parameter stands with: a missing member of a filter has no place of its own."""
    return str(name).partition(".")[0].lower()


class _RequestOrder:
    """Where paths stand in a body."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._places: dict[int, dict[str, int]] = {}

    def __call__(self, path: Path) -> list[int]:
        """The path's sort key."""
        order, value = [], self._root
        for part in path:
            if isinstance(part, int):
                order.append(part)
            elif isinstance(value, dict) and part in value:
                order.append(self._members(value)[part])
            else:
                return [*order, _MISSING_LAST]
            value = value[part]
        return order

    def _members(self, value: dict[str, Any]) -> dict[str, int]:
        if id(value) not in self._places:
            self._places[id(value)] = {name: place for place, name in enumerate(value)}
        return self._places[id(value)]


def _truncate(text: str | None) -> str | None:
    """The text, or its beginning with an ellipsis where it is longer than is shown."""
    if text is None or len(text) <= MAX_LENGTH:
        return text
    return f"{text[: MAX_LENGTH - 1]}…"
