"""Error responses: the error types that operations can return (contract, OpenAPI document).

Reads, writes of one record and bulk writes have one response each, ``default``. It lists the error
types that not every request, body or write has: these are in the document's description.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from service.error_types import STATUSES, ErrorType
from service.http.media_types import JSON, PROBLEM
from service.openapi.components import named, reference
from service.openapi.response_object import ResponseObject
from service.routes import Route

_PREFIX: Final = ErrorType.INVALID_VALUE.partition(".")[0] + "."
"""Prefix of most error types of 400."""
OF_ANY: Final = (
    ErrorType.UNKNOWN_PARAMETER,
    ErrorType.INVALID_VALUE,
    ErrorType.TOO_MANY_PARAMETERS,
    ErrorType.MALFORMED_REQUEST,
    ErrorType.UNAUTHORIZED,
    ErrorType.URI_TOO_LONG,
    ErrorType.EXPECTATION_FAILED,
    ErrorType.TOO_MANY_REQUESTS,
    ErrorType.HEADERS_TOO_LARGE,
    ErrorType.SERVER_ERROR,
    ErrorType.NOT_IMPLEMENTED,
    ErrorType.SERVER_ERROR_UNAVAILABLE,
)
"""Error types of any request."""
OF_WRITES: Final = (
    ErrorType.MALFORMED_JSON,
    ErrorType.REQUIRED_FIELD,
    ErrorType.UNKNOWN_FIELD,
    ErrorType.READ_ONLY_FIELD,
    ErrorType.INVALID_TYPE,
    ErrorType.TOO_SHORT,
    ErrorType.TOO_LONG,
    ErrorType.OUT_OF_RANGE,
    ErrorType.TOO_MANY_ITEMS,
    ErrorType.DUPLICATE,
    ErrorType.FORBIDDEN_SCOPE,
    ErrorType.REQUEST_TIMEOUT,
    ErrorType.PAYLOAD_TOO_LARGE,
    ErrorType.UNSUPPORTED_MEDIA_TYPE,
    ErrorType.CONFLICT_IN_PROGRESS,
    ErrorType.UNPROCESSABLE_IDEMPOTENCY_KEY,
    ErrorType.SERVER_ERROR_OUTCOME_UNKNOWN,
)
"""Error types of any write, those of bodies included."""
_OF_RECORDS: Final = (
    ErrorType.UNKNOWN_REFERENCE,
    ErrorType.STATE_NOT_ALLOWED,
    ErrorType.FEATURE_DISABLED,
    ErrorType.EXCLUSIVE_PARAMETERS,
    ErrorType.FORBIDDEN_ORGANIZATION,
    ErrorType.NOT_FOUND,
    ErrorType.CONFLICT_IN_USE,
    ErrorType.CONFLICT_DUPLICATE,
    ErrorType.CONFLICT_AMBIGUOUS_KEY,
    ErrorType.PRECONDITION_FAILED,
)
_OWN: Final = {
    "Read": (
        ErrorType.REQUIRED_FIELD,
        ErrorType.TOO_SHORT,
        ErrorType.TOO_LONG,
        ErrorType.OUT_OF_RANGE,
        ErrorType.TOO_MANY_ITEMS,
        ErrorType.DUPLICATE,
        ErrorType.EXCLUSIVE_PARAMETERS,
        ErrorType.INVALID_CURSOR,
        ErrorType.FORBIDDEN_ORGANIZATION,
        ErrorType.NOT_FOUND,
        ErrorType.CONFLICT_AMBIGUOUS_KEY,
        ErrorType.GONE_CHANGES_EXPIRED,
    ),
    "Write": (
        *_OF_RECORDS,
        ErrorType.CONFLICT_TEST_FAILED,
        ErrorType.GONE_CHANGES_EXPIRED,
        ErrorType.UNPROCESSABLE_PATCH,
    ),
    "Bulk": (*_OF_RECORDS, ErrorType.TOO_FEW_ITEMS),
}
"""Error types of ``default`` by group of operations."""


def failed(route: Route) -> Iterator[ResponseObject]:
    """Yield the error responses of an operation: those of its route's statuses, and ``default``.

    A status in ``route.problem_statuses`` has problem details alone; the service may not send one
    in ``route.listed`` yet.
    """
    operation = route.operation
    group = "Bulk" if operation.is_bulk else "Read" if operation.method == "GET" else "Write"
    failure = {JSON: {"schema": named("BulkFailure" if operation.is_bulk else "Failure")}}
    problem = {PROBLEM: {"schema": reference("common/envelope", "problem")}}
    for status in sorted(route.problem_statuses):
        yield _response(str(status), f"Status{status}", STATUSES[status], problem)
    for status in sorted(route.listed):
        types = by_status(name for name in _OWN[group] if name.status == status)
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
