"""What can go wrong where: the failures that an operation can answer (contract, Errors)."""

from collections.abc import Iterator
from http import HTTPStatus
from itertools import groupby
from typing import Any

from service import schemas
from service.errors import ErrorDetail
from service.handlers.operations import Operation
from service.http.media_types import JSON, MAX_BODY_MIB, PROBLEM
from service.openapi import examples
from service.openapi.components import name_of, reference
from service.openapi.envelopes import failure
from service.openapi.examples import EXAMPLES
from service.openapi.shared_responses import ResponseObject
from service.openapi.success_responses import headers
from service.queries.resource import Resource
from service.routes import Route

_REASONS = {
    400: ("BadRequest", "The request itself is wrong."),
    401: ("Unauthorized", "The request carries no valid API key."),
    403: ("Forbidden", "The API key or the record's organization forbids it."),
    404: ("NotFound", "There is no such record."),
    408: ("RequestTimeout", "The body did not arrive in time."),
    409: ("Conflict", "It conflicts with what is stored."),
    410: ("Gone", "What the cursor goes on from is kept no longer."),
    412: ("PreconditionFailed", "The record is not as If-Match or If-None-Match says."),
    413: ("ContentTooLarge", f"The body is over {MAX_BODY_MIB} MiB."),
    414: ("UriTooLong", "The request's target is too long."),
    415: ("UnsupportedMediaType", "The Content-Type is another one."),
    417: ("ExpectationFailed", "More is expected than `100-continue`."),
    422: ("UnprocessableContent", "The request is well formed but cannot be done."),
    429: (
        "TooManyRequests",
        "The organization's share of the service is used up; nothing was done.",
    ),
    431: ("HeadersTooLarge", "The headers are too long, or too many."),
    500: ("InternalServerError", "The service failed; nothing was changed."),
    501: ("NotImplemented", "The method or the transfer coding is not known."),
    503: (
        "ServiceUnavailable",
        "The service cannot answer now. With `Retry-After` nothing was done; without it the "
        "connection was lost while committing, and the change may have been made.",
    ),
}
"""By status the name of the component, and what it tells."""
_HEADERS = {
    401: ("WWW-Authenticate",),
    412: ("ETag",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}
_EVERYWHERE = (
    "validation_error.unknown_parameter", "validation_error.invalid_value",
    "validation_error.too_many_parameters", "malformed_request", "unauthorized", "uri_too_long",
    "expectation_failed", "too_many_requests", "headers_too_large", "server_error",
    "not_implemented", "server_error.unavailable",
)  # fmt: skip
_OF_BODIES = (
    "validation_error.malformed_json", "validation_error.required_field",
    "validation_error.unknown_field", "validation_error.read_only_field",
    "validation_error.invalid_type", "validation_error.too_short", "validation_error.too_long",
    "validation_error.out_of_range", "validation_error.too_many_items",
    "validation_error.duplicate", "request_timeout", "payload_too_large", "unsupported_media_type",
)  # fmt: skip
_BEFORE_ITEMS = {
    "unauthorized", "forbidden.scope", "request_timeout", "payload_too_large",
    "unsupported_media_type", "server_error",
}  # fmt: skip
"""Types that a bulk operation answers before it knows of items."""
_OF_WRITES = (
    "forbidden.scope", "validation_error.duplicate", "conflict.in_progress",
    "unprocessable.idempotency_key", "server_error.outcome_unknown",
)  # fmt: skip
_OF_BULK = ("validation_error.required_field", "validation_error.too_many_items")


def failed(route: Route, resource: Resource) -> Iterator[ResponseObject]:
    """Every failure of an operation by status code, with an example of each error type."""
    found = sorted(error_types(route.kind, resource), key=_status)
    for status, types in groupby(found, key=_status):
        yield _answer(route, status, [*types])
    for status in sorted(route.reserved):
        yield _answer(route, status, [])


def _answer(route: Route, status: int, types: list[str]) -> ResponseObject:
    phrase, text = _REASONS[status]
    if types:
        text = f"{text} Types: {', '.join(f'`{name}`' for name in types)}."
    else:
        text = f"{text} No key is limited so today."
    if status in route.problems:
        phrase += "Problem"
        content = _problem(types[0])
    else:
        content = _failure(route.kind, types)
    described = {
        "description": text,
        "headers": headers(*_named(route, status)),
        "content": content,
    }
    return ResponseObject(status, (*_names(route, phrase),), described)


def _named(route: Route, status: int) -> tuple[str, ...]:
    """The headers of a failure."""
    if status == HTTPStatus.UNSUPPORTED_MEDIA_TYPE and route.kind.method == "PATCH":
        return ("Accept-Patch",)
    return _HEADERS.get(status, ())


def _names(route: Route, phrase: str) -> Iterator[str]:
    """The component's name, if all operations answer alike; else those of fewer and fewer."""
    kind = "".join(word.title() for word in route.kind.name.split("_"))
    yield phrase
    yield f"{'Write' if route.kind.writes else 'Lookup'}{phrase}"
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
    return {JSON: media}


def _examples(types: list[str], kind: Operation) -> dict[str, Any]:
    home = "#/components/examples/"
    return {name: {"$ref": home + examples.name_of(name, kind)} for name in types}


def _status(error_type: str) -> int:
    return ErrorDetail(error_type).status


def error_types(kind: Operation, resource: Resource) -> Iterator[str]:
    """The error types that an operation can answer, in the order of EXAMPLES."""
    found = {*_EVERYWHERE, *_of_kind(kind), *_of_resource(kind, resource)}
    if not schemas.key_fields(resource.name):
        found.discard("conflict.ambiguous_key")
    return (name for name in EXAMPLES if name in found)


def _of_kind(kind: Operation) -> Iterator[str]:
    yield from kind.failures
    yield from _OF_BODIES if kind.body else ()
    yield from _OF_WRITES if kind.writes else ()
    yield from _OF_BULK if kind.is_bulk else ()
    yield from ("validation_error.too_few_items",) if kind.is_bulk and kind.body else ()
    yield from ("precondition_failed",) if kind.takes_precondition else ()


def _of_resource(kind: Operation, resource: Resource) -> Iterator[str]:
    # Of several items some may be deleted; elsewhere that is another operation's.
    if kind.body and not kind.deletes and "create" in schemas.load()[resource.name]["$defs"]:
        yield "validation_error.state_not_allowed"
    if kind.needs_records or resource.parents:
        yield "not_found"
    if kind.needs_records and resource.foreign_is_forbidden:
        yield "forbidden.organization"
    if kind.deletes and resource.can_be_in_use:
        yield "conflict.in_use"
    for name in resource.own_failures if kind.body else ():
        # Nothing uses a record that is only being created.
        if name != "conflict.in_use" or kind.needs_records:
            yield name
