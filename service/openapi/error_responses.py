"""Error responses: the errors that each operation can return (contract, Errors)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import Any

from service import schemas
from service.error_types import STATUSES, ErrorType
from service.errors import ErrorDetail
from service.handlers.operations import BULK_DELETE, BULK_PATCH, BULK_REPLACE, Operation
from service.http.media_types import JSON, PROBLEM
from service.openapi.components import reference
from service.openapi.envelopes import failure
from service.openapi.examples import EXAMPLES
from service.openapi.response_object import ResponseObject
from service.openapi.success_responses import headers
from service.queries.keyed_values import keyed_fields
from service.queries.resource import Resource
from service.queries.unique_keys import have_text_keys
from service.routes import Route, routes
from service.schemas.derived_forms import IF_MATCH

_DEFAULT = "default"
"""Code of the response with the statuses that have none of their own."""
_NAMES = {
    "400": "Invalid",
    "401": "Unauthorized",
    "403": "Forbidden",
    "404": "NotFound",
    "409": "Conflict",
    "410": "Gone",
    "500": "InternalServerError",
    _DEFAULT: "Error",
}
"""Component name by status code."""
_OWN_CODES = {400, 409, 410}
"""Statuses with responses of their own, and of a route also its ``problem_statuses``, ``listed``.

The others have the same types in all operations.
"""
_HEADERS = {
    "401": ("WWW-Authenticate",),
    "403": ("WWW-Authenticate",),
    _DEFAULT: (
        *("X-Request-Id", "Cache-Control", "Vary", "RateLimit", "RateLimit-Policy"),
        *("Retry-After", "WWW-Authenticate", "Accept-Encoding", "Accept-Patch", "ETag"),
    ),
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
_OF_SOME = (
    ErrorType.FORBIDDEN_ORGANIZATION,
    ErrorType.NOT_FOUND,
    ErrorType.PRECONDITION_FAILED,
    ErrorType.UNPROCESSABLE_PATCH,
)
_INVALID = ErrorType.INVALID_VALUE.partition(".")[0] + "."
OF_ANY = {
    ErrorType.UNKNOWN_PARAMETER,
    ErrorType.TOO_MANY_PARAMETERS,
    ErrorType.MALFORMED_REQUEST,
}
"""Error types of 400 that any request can have; the document's description lists them."""
_OF_DEFAULT = (*_EVERYWHERE, *_OF_BODIES, *_OF_WRITES, *_OF_SOME)
"""Error types of ``default``, besides those whose status has a response of its own."""


def failed(route: Route, resource: Resource) -> Iterator[ResponseObject]:
    """Yield the error responses of an operation by status code, with their error types.

    Statuses with the same types in all operations share the last one, ``default``. A status in
    ``route.problem_statuses`` has problem details alone, one in ``route.listed`` may have no types:
    the service does not send it yet. Writes whose path fixes the answer's form have ``default``
    alone.
    """
    if _shares_errors(route.operation):
        yield _of_fixed(route)
        return
    own, by_code = (
        _OWN_CODES | route.problem_statuses | route.listed,
        defaultdict[int, list[str]](list),
    )
    for error_type in sorted(error_types(route.operation, resource), key=_status):
        by_code[_status(error_type)].append(error_type)
    for status in sorted(own):
        if status in by_code or status in route.listed:
            yield _response(route, str(status), by_code.get(status, []))
    typed = _OWN_CODES | (own & by_code.keys())
    others = {name for name in _OF_DEFAULT if _status(name) not in typed}
    yield _response(route, _DEFAULT, sorted(others, key=lambda name: (_status(name), name)))


def _of_fixed(route: Route) -> ResponseObject:
    """Return the only error response of a path that fixes the form of the answer.

    It is the same for all of them: the errors of each are those of its general operation.
    """
    response = _response(route, _DEFAULT, _types_of_fixed())
    text = "Errors of the operation at the path without the last segment, among these: "
    return replace(
        response,
        response=response.response | {"description": text + response.response["description"]},
    )


@cache
def _types_of_fixed() -> list[str]:
    """Return the error types of all writes at such paths, by status."""
    types = {*_OF_DEFAULT} | {
        name
        for route in routes()
        if route.resource and _shares_errors(route.operation)
        for name in error_types(route.operation, route.resource)
    }
    return sorted(types - OF_ANY, key=lambda name: (_status(name), name))


def _shares_errors(operation: Operation) -> bool:
    return bool(operation.answer_form) and operation.writes


def shared_statuses() -> str:
    """Return the meaning of each status without a response of its own, as a list in Markdown."""
    shared = (status for status in STATUSES if status not in _OWN_CODES)
    return "\n".join(f"- {status}: {STATUSES[status]}" for status in shared)


def _response(route: Route, code: str, types: list[str]) -> ResponseObject:
    is_problem = code in map(str, route.problem_statuses)
    response = {
        "description": _text(code, types),
        **headers(*_HEADERS.get(code, ())),
        "content": _problem() if is_problem else _failure(route.operation, types),
    }
    return ResponseObject(code, _NAMES[code], response)


def _text(code: str, types: list[str]) -> str:
    """Return the meaning of a status and its error types; of ``default``, the types by status."""
    if code == _DEFAULT:
        by_status = groupby(types, key=_status)
        return "; ".join(f"{status} {_listed(group)}" for status, group in by_status) + "."
    if not types:
        return f"{STATUSES[int(code)]} Reserved: no API key is restricted this way today."
    own = [name for name in types if name not in OF_ANY]
    if all(name.startswith(_INVALID) for name in own):
        listed = _listed(name.removeprefix(_INVALID) for name in own)
        return f"Types, each after `{_INVALID}`: {listed}."
    return f"{STATUSES[int(code)]} Types: {_listed(own)}."


def _listed(types: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in types)


def _problem() -> dict[str, Any]:
    return {PROBLEM: {"schema": reference("common/envelope", "problem")}}


def _failure(kind: Operation, types: list[str]) -> dict[str, Any]:
    is_bulk = kind.is_bulk and not {*types} <= _BEFORE_ITEMS
    problem = {"schema": reference("common/envelope", "problemWithRows")}
    return {JSON: {"schema": failure(is_bulk=is_bulk)}, PROBLEM: problem}


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
