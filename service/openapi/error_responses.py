"""Error responses: the errors that each operation can return (contract, Errors)."""

from collections.abc import Iterator
from http import HTTPStatus
from itertools import groupby
from typing import Any

from service import schemas
from service.error_types import STATUSES, ErrorType
from service.errors import ErrorDetail
from service.handlers.operations import BULK_DELETE, BULK_PATCH, BULK_REPLACE, Operation
from service.http.media_types import JSON, PROBLEM
from service.openapi import examples
from service.openapi.components import name_of, reference
from service.openapi.envelopes import failure
from service.openapi.examples import EXAMPLES
from service.openapi.shared_responses import ResponseObject
from service.openapi.success_responses import headers
from service.queries.keyed_values import keyed_fields
from service.queries.resource import Resource
from service.queries.unique_keys import have_text_keys
from service.routes import Route
from service.schemas.derived_forms import IF_MATCH

_NAMES = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    408: "RequestTimeout",
    409: "Conflict",
    410: "Gone",
    412: "PreconditionFailed",
    413: "ContentTooLarge",
    414: "UriTooLong",
    415: "UnsupportedMediaType",
    417: "ExpectationFailed",
    422: "UnprocessableContent",
    429: "TooManyRequests",
    431: "HeadersTooLarge",
    500: "InternalServerError",
    501: "NotImplemented",
    503: "ServiceUnavailable",
}
"""Phrase in the names of components, by status code."""
_HEADERS = {
    401: ("WWW-Authenticate",),
    403: ("WWW-Authenticate",),
    412: ("ETag",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}
_EVERYWHERE = (
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
_OF_BODIES = (
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
    ErrorType.REQUEST_TIMEOUT,
    ErrorType.PAYLOAD_TOO_LARGE,
    ErrorType.UNSUPPORTED_MEDIA_TYPE,
)
_BEFORE_ITEMS = {
    ErrorType.UNAUTHORIZED,
    ErrorType.FORBIDDEN_SCOPE,
    ErrorType.REQUEST_TIMEOUT,
    ErrorType.PAYLOAD_TOO_LARGE,
    ErrorType.URI_TOO_LONG,
    ErrorType.UNSUPPORTED_MEDIA_TYPE,
    ErrorType.EXPECTATION_FAILED,
    ErrorType.HEADERS_TOO_LARGE,
    ErrorType.SERVER_ERROR,
    ErrorType.NOT_IMPLEMENTED,
}
"""Error types that a bulk operation always returns without item counts.

429 and 503 are not among them: they come before items are parsed, or during the write with counts.
"""
_OF_WRITES = (
    ErrorType.FORBIDDEN_SCOPE,
    ErrorType.DUPLICATE,
    ErrorType.CONFLICT_IN_PROGRESS,
    ErrorType.UNPROCESSABLE_IDEMPOTENCY_KEY,
    ErrorType.SERVER_ERROR_OUTCOME_UNKNOWN,
)
_OF_KEYS = (
    ErrorType.TOO_SHORT,
    ErrorType.TOO_LONG,
    ErrorType.CONFLICT_AMBIGUOUS_KEY,
)
"""Error types of own keys in the path or the query."""
_OF_BULK = (ErrorType.REQUIRED_FIELD, ErrorType.TOO_MANY_ITEMS)


def failed(route: Route, resource: Resource) -> Iterator[ResponseObject]:
    """Yield the error responses of an operation, one for each status code.

    First come the statuses of its error types, in ascending order. Each response has an example of
    every error type of its status. A status in ``route.problem_statuses`` has problem details alone
    instead, with the example of its first type. The statuses in ``route.reserved`` come last,
    without examples: the service does not send them yet.
    """
    all_types = sorted(error_types(route.operation, resource), key=_status)
    for status, types in groupby(all_types, key=_status):
        yield _response(route, status, [*types])
    for status in sorted(route.reserved):
        yield _response(route, status, [])


def _response(route: Route, status: int, types: list[str]) -> ResponseObject:
    phrase, text = _NAMES[status], STATUSES[status]
    if types:
        text = f"{text} Types: {', '.join(f'`{name}`' for name in types)}."
    else:
        text = f"{text} Reserved: no API key is restricted this way today."
    if status in route.problem_statuses:
        phrase += "Problem"
        content = _problem(types[0])
    else:
        content = _failure(route.operation, types)
    response = {
        "description": text,
        "headers": headers(*_header_names(route, status)),
        "content": content,
    }
    return ResponseObject(status, (*_names(route, phrase),), response)


def _header_names(route: Route, status: int) -> tuple[str, ...]:
    """Return the names of the headers of an error response."""
    if status == HTTPStatus.UNSUPPORTED_MEDIA_TYPE:
        is_patch = route.operation.method == "PATCH"
        return ("Accept-Encoding", "Accept-Patch") if is_patch else ("Accept-Encoding",)
    return _HEADERS.get(status, ())


def _names(route: Route, phrase: str) -> Iterator[str]:
    """Yield candidate names of the component, from the most widely shared to the operation's own.

    Each ends with ``phrase``: the name of the status, such as ``NotFound``, and ``Problem`` if the
    response has problem details alone.
    """
    kind = "".join(word.title() for word in route.operation.name.split("_"))
    yield phrase
    yield f"{'Write' if route.operation.writes else 'Lookup'}{phrase}"
    yield f"{kind}{phrase}"
    if route.resource:
        yield f"{name_of(route.resource.name, 'document')}{kind}{phrase}"


def _problem(error_type: str) -> dict[str, Any]:
    example = examples.problem(error_type)
    return {PROBLEM: {"schema": reference("common/envelope", "problem"), "example": example}}


def _failure(kind: Operation, types: list[str]) -> dict[str, Any]:
    is_bulk = kind.is_bulk and not {*types} <= _BEFORE_ITEMS
    media: dict[str, Any] = {"schema": failure(is_bulk=is_bulk)}
    if types:
        media["examples"] = _examples(types, kind)
    problem = {"schema": reference("common/envelope", "problemWithRows")}
    return {JSON: media, PROBLEM: problem}


def _examples(types: list[str], kind: Operation) -> dict[str, Any]:
    home = "#/components/examples/"
    return {str(name): {"$ref": home + examples.name_of(name, kind)} for name in types}


def _status(error_type: str) -> int:
    return ErrorDetail(error_type).status


def error_types(kind: Operation, resource: Resource) -> Iterator[str]:
    """Yield the error types that an operation on a resource can return, in the order of EXAMPLES.

    Each occurs once.
    """
    types = {*_EVERYWHERE, *_of_kind(kind), *_of_resource(kind, resource)}
    if kind.body and keyed_fields(resource.name):
        types |= {ErrorType.UNKNOWN_REFERENCE, ErrorType.CONFLICT_AMBIGUOUS_KEY}
    return (name for name in EXAMPLES if name in types)


def _of_kind(kind: Operation) -> Iterator[str]:
    yield from kind.error_types
    yield from _OF_BODIES if kind.body else ()
    yield from _OF_WRITES if kind.writes else ()
    yield from _OF_BULK if kind.is_bulk else ()
    yield from (ErrorType.TOO_FEW_ITEMS,) if kind.is_bulk and kind.body else ()
    yield from (ErrorType.PRECONDITION_FAILED,) if kind.takes_precondition else ()


def _of_resource(kind: Operation, resource: Resource) -> Iterator[str]:
    if kind in (BULK_REPLACE, BULK_PATCH):
        item = schemas.definition(resource.name, "item")
        yield from (ErrorType.PRECONDITION_FAILED,) if IF_MATCH in item.properties else ()
    # Replaces in bulk accept the state ``deleted``; merges do only with ``match``.
    takes_deleted = kind.deletes and kind.method == "PUT"
    if kind.body and not takes_deleted and "create" in schemas.load()[resource.name]["$defs"]:
        yield ErrorType.STATE_NOT_ALLOWED
    if kind.needs_records or resource.parents:
        yield ErrorType.NOT_FOUND
    if kind.needs_records and resource.foreign_is_forbidden:
        yield ErrorType.FORBIDDEN_ORGANIZATION
    if kind.deletes and resource.can_be_in_use:
        yield ErrorType.CONFLICT_IN_USE
    names_by_key = kind.names_record or bool(resource.parents)
    if resource.key_lookups and (names_by_key or kind is BULK_DELETE):
        yield from _OF_KEYS
    if resource.key_lookups and kind is BULK_DELETE:
        yield ErrorType.EXCLUSIVE_PARAMETERS
    if kind.body and have_text_keys(resource):
        yield from (ErrorType.CONFLICT_DUPLICATE, ErrorType.DUPLICATE)
    for name in resource.own_error_types if kind.body else ():
        # A new record cannot be in use.
        if name != ErrorType.CONFLICT_IN_USE or kind.needs_records:
            yield name
