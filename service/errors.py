"""API errors: error details, their status codes and the error envelope (contract, Errors).

A check returns or raises details with type, path and message. Only this module formats paths.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import takewhile
from typing import Any, ParamSpec, Self, TypeAlias, TypeVar, cast

from service.error_types import ErrorType
from service.limits import MAX_DETAIL_LENGTH, MAX_LISTED, MAX_USAGE_LENGTH

Path: TypeAlias = tuple[str | int, ...]
"""Path in a request: names of members and indexes in lists from 0, outermost first; () for none.

A query parameter, a header or a parameter of the path is given by its name. The index of a
repeated ``ids`` or ``keys`` follows the name.
"""

_P = ParamSpec("_P")
_T = TypeVar("_T")

_TYPES = {str(error_type): error_type for error_type in ErrorType}

PRECEDENCE = (403, 404, 412, 409, 422, 400)
"""Status codes in order of precedence: of several, a response has the first (contract, Errors).

The other status codes are those of errors that are reported alone.
"""
MAX_COLLECTED = 2 * MAX_LISTED
"""Number of details of a request after which checks collect only what its response still needs.

In a bulk write that is the first detail of each further item by each check, and the first one of a
type by checks in the database. The number is more than MAX_LISTED, as several details of one field
become one.
"""
MAX_SUGGESTIONS = 3
"""Number of unknown names of a request, or of an item, that are compared with those that exist."""
_CLOSENESS = 0.75
_MISSING_LAST = 1 << 30
_WHOLE_VALUE = (ErrorType.REQUIRED_FIELD, ErrorType.INVALID_TYPE)
"""Types that concern the whole value of a field, and win over others of the same field."""


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """Error detail: type, path in the request, and message.

    Without a message of its own it has the message of its type.
    """

    type: str
    """Value of an ErrorType, or the member itself."""
    path: Path = ()
    message: str | None = None

    @property
    def field(self) -> str | None:
        """Path as text, such as ``[3].allowedValues[0].value``; None for the path ()."""
        text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        return text.removeprefix(".") if self.path else None

    @property
    def status(self) -> int:
        """Status code of the type."""
        return _TYPES[self.type].status

    @property
    def value(self) -> str | None:
        """Message for people: the detail's own, or the one of its type; None without either."""
        return self.message or _TYPES[self.type].message or None

    def row(self) -> dict[str, str | None]:
        """Return the row of ``error.details`` as a JSON-ready object.

        Field and message are cut to MAX_DETAIL_LENGTH characters, the message of
        ``conflict.in_use`` to MAX_USAGE_LENGTH.
        """
        names_records = self.type == ErrorType.CONFLICT_IN_USE
        length = MAX_USAGE_LENGTH if names_records else MAX_DETAIL_LENGTH
        value = _truncate(self.value, length)
        return {"type": self.type, "field": _truncate(self.field), "value": value}


@dataclass(frozen=True, slots=True)
class BulkCounts:
    """Operation and number of items of a bulk request, for its error body."""

    operation: str
    """Name in the response, such as ``bulk_replace``."""
    total_items: int


@dataclass
class ApiError(Exception):
    """Error response, with the error details that the checks have found.

    ``details`` is never empty; the response lists the first MAX_LISTED, in their order. ``headers``
    are sent with the response, such as ``Allow``, ``Retry-After`` or the ``ETag`` of a 412.
    ``bulk`` is set for bulk operations; ``failed_items`` is then the number of failed items, None
    for all.
    """

    details: Sequence[ErrorDetail]
    headers: dict[str, str] = field(default_factory=dict)
    bulk: BulkCounts | None = None
    failed_items: int | None = None

    @property
    def status(self) -> int:
        """Status code of the response: the first of PRECEDENCE that occurs, else the highest."""
        statuses = {detail.status for detail in self.details}
        return next((status for status in PRECEDENCE if status in statuses), max(statuses))

    @property
    def code(self) -> str:
        """Type of the details with that status code, or the prefix that several types share."""
        status = self.status
        return shared_type({detail.type for detail in self.details if detail.status == status})

    def body(self) -> dict[str, Any]:
        """Return the error envelope as a JSON-ready object."""
        rows = [detail.row() for detail in self.details[:MAX_LISTED]]
        error: dict[str, object] = {"details": rows}
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
    """Return an error with a single detail; without a message it has the one of its type."""
    return ApiError([ErrorDetail(type_, path, message)], headers or {})


def unavailable(reason: str | None = None, retry_seconds: int = 1) -> ApiError:
    """Return 503 with ``Retry-After``: database unreachable or overloaded, nothing changed.

    ``reason`` replaces the message of the error type.
    """
    headers = {"Retry-After": str(retry_seconds)}
    return api_error(ErrorType.SERVER_ERROR_UNAVAILABLE, message=reason, headers=headers)


def too_many_requests(retry_seconds: int = 1) -> ApiError:
    """Return 429 with ``Retry-After``: the organization's share is used up, nothing changed."""
    headers = {"Retry-After": str(retry_seconds)}
    return api_error(ErrorType.TOO_MANY_REQUESTS, headers=headers)


def with_nearest(message: str | None, name: str, choices: Iterable[str]) -> str:
    """Return the message, with the name among ``choices`` that an unknown name is close to.

    Letter case does not count. A long name is not compared, as that takes quadratic time.
    """
    by_lower = {choice.lower(): choice for choice in choices}
    near = get_close_matches(name.lower(), by_lower, 1, _CLOSENESS) if len(name) <= 40 else ()
    return " ".join([message or "", *(f"Did you mean {by_lower[match]}?" for match in near)])


class CollectedErrors:
    """Checks whose errors are raised as one ApiError at the end of its ``with`` block.

    This is the first round of checks (contract, Errors): callers see the errors of path, query,
    headers and body at once. Call the checks in the order of the request. Of each ApiError only the
    details are kept, not its headers. Any other exception is raised at once.
    """

    def __init__(self) -> None:
        self._details: list[ErrorDetail] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and self._details:
            raise ApiError(self._details)

    def of(self, check: Callable[_P, _T], *arguments: _P.args, **options: _P.kwargs) -> _T:
        """Return the result of a check. After an error there is none, and the block ends by it."""
        try:
            return check(*arguments, **options)
        except ApiError as error:
            self._details += error.details
            return cast("_T", None)


def shared_type(types: Iterable[str]) -> str:
    """Return the longest prefix of whole dotted parts that all types share; "" if there is none."""
    columns = zip(*(type_.split(".") for type_ in types), strict=False)
    return ".".join(parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, columns))


def one_per_field(root: Any, details: list[ErrorDetail]) -> list[ErrorDetail]:
    """Return one detail of each path, as ``in_request_order`` sorts them.

    Of several details of a path, the first of a type in _WHOLE_VALUE is returned, else the first.
    ``root`` is the parsed body.
    """
    if len(details) < 2:
        return details
    by_path: dict[Path, ErrorDetail] = {}
    for detail in sorted(details, key=lambda detail: detail.type not in _WHOLE_VALUE):
        by_path.setdefault(detail.path, detail)
    return in_request_order(root, by_path.values())


def in_request_order(root: Any, details: Iterable[ErrorDetail]) -> list[ErrorDetail]:
    """Return the details in the order of their paths in a body.

    A value comes before what is in it. Members that an object lacks come after its others, in the
    given order. ``root`` is the parsed body; indexes of paths exist in it.
    """
    sort_key = _RequestOrder(root)
    return sorted(details, key=lambda detail: sort_key(detail.path))


class _RequestOrder:
    """Sort key of paths: their order in a body."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._member_indexes: dict[int, dict[str, int]] = {}

    def __call__(self, path: Path) -> list[int]:
        """Return the path's sort key."""
        key, value = [], self._root
        for part in path:
            if isinstance(part, int):
                key.append(part)
            elif isinstance(value, dict) and part in value:
                key.append(self._indexes(value)[part])
            else:
                return [*key, _MISSING_LAST]
            value = value[part]
        return key

    def _indexes(self, value: dict[str, Any]) -> dict[str, int]:
        if id(value) not in self._member_indexes:
            self._member_indexes[id(value)] = {name: index for index, name in enumerate(value)}
        return self._member_indexes[id(value)]


def _truncate(text: str | None, length: int = MAX_DETAIL_LENGTH) -> str | None:
    """Return the text; a longer one is cut to ``length`` characters, the last an ellipsis."""
    if text is None or len(text) <= length:
        return text
    return f"{text[: length - 1]}…"
