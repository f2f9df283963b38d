"""Error responses: the error types that operations can return (tools, OpenAPI document).

Reads, writes of one record and bulk writes have one response each, ``default``. It lists the error
types that not every request, body or write has: these are in the document's description.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from service.error_types import ErrorType
from service.http.headers import JSON, PROBLEM
from service.openapi.components import STATIC, named, reference
from service.openapi.envelopes import ResponseObject
from service.routes import Route

_PREFIX: Final = ErrorType.INVALID_VALUE.partition(".")[0] + "."
"""Prefix of most error types of 400."""
STATUSES: Final = {int(status): text for status, text in STATIC["statuses"].items()}
"""Meaning by status code: its text here and in the client's exception, if any.

It has no 405, which no operation returns: a path returns it for a method without an operation.
"""
_TYPES: Final[dict[str, list[ErrorType]]] = {
    group: [ErrorType(name) for name in names]  # type: ignore[call-arg]  # mypy sees __new__ only
    for group, names in STATIC["errors"].items()
}
OF_ANY: Final = _TYPES["any"]
"""Error types of any request."""
OF_WRITES: Final = _TYPES["writes"]
"""Error types of any write, those of bodies included."""
_OWN: Final = {
    "Read": _TYPES["read"],
    "Write": _TYPES["records"] + _TYPES["write"],
    "Bulk": _TYPES["records"] + _TYPES["bulk"],
}
"""Error types of ``default`` by group of operations."""


def failed(route: Route) -> Iterator[ResponseObject]:
    """Yield the error responses of an operation: those of its route's statuses, and ``default``.

    A status in ``route.problem_statuses`` has problem details alone. One in ``route.listed`` has
    all its error types, also those of any request.
    """
    operation = route.operation
    group = "Bulk" if operation.is_bulk else "Read" if operation.method == "GET" else "Write"
    failure = {JSON: {"schema": named("BulkFailure" if operation.is_bulk else "Failure")}}
    problem = {PROBLEM: {"schema": reference("common/envelope", "problem")}}
    for status in sorted(route.problem_statuses):
        yield _response(str(status), f"Status{status}", STATUSES[status], problem)
    for status in sorted(route.listed):
        types = by_status(name for name in {*_OWN[group], *OF_ANY} if name.status == status)
        yield _response(str(status), f"Status{status}", types, failure)
    yield _response("default", f"{group}Error", by_status(_OWN[group]), failure)


def _response(code: str, name: str, description: str, content: dict[str, Any]) -> ResponseObject:
    return ResponseObject(code, name, {"description": description, "content": content})


def by_status(types: Iterable[ErrorType]) -> str:
    """Return the error types by status, as text; those of 400 without their common prefix."""
    ordered = sorted(types, key=lambda error_type: (error_type.status, error_type))
    return "; ".join(
        f"{status} " + ", ".join(f"`{error_type.removeprefix(_PREFIX)}`" for error_type in group)
        for status, group in groupby(ordered, key=lambda error_type: error_type.status)
    )
