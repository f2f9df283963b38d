"""What can go wrong where: the failures that an operation can answer (contract, Errors)."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from service.failures import Failure
from service.handlers.kinds import Kind
from service.http.media import JSON, MAX_BODY_MIB, PROBLEM
from service.openapi import examples
from service.openapi.answers import headers, one_of
from service.openapi.components import reference
from service.openapi.examples import EXAMPLES
from service.queries.resource import Resource

_REASONS = {
    400: "The request itself is wrong.",
    401: "The request carries no valid API key.",
    403: "The API key or the record's organization forbids it.",
    404: "There is no such record.",
    408: "The body did not arrive in time.",
    409: "It conflicts with what is stored.",
    410: "What the cursor goes on from is kept no longer.",
    412: "The record is no longer as If-Match says.",
    413: f"The body is over {MAX_BODY_MIB} MiB.",
    415: "The Content-Type is another one.",
    422: "The request is well formed but cannot be done.",
    429: "The organization's share of the service is used up; nothing was done.",
    500: "The service failed; nothing was changed.",
    503: "The service cannot answer now. With `Retry-After` nothing was done; without it the "
    "connection was lost while committing, and the change may have been made.",
}
_HEADERS = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}
_EVERYWHERE = (
    "validation_error.unknown_parameter", "validation_error.invalid_value", "unauthorized",
    "too_many_requests", "server_error", "server_error.unavailable",
)  # fmt: skip
_OF_BODIES = (
    "validation_error.malformed_json", "validation_error.required_field",
    "validation_error.unknown_field", "validation_error.read_only_field",
    "validation_error.invalid_type", "validation_error.too_short", "validation_error.too_long",
    "validation_error.out_of_range", "validation_error.too_many_items",
    "validation_error.duplicate", "request_timeout", "payload_too_large", "unsupported_media_type",
)  # fmt: skip
_OF_WRITES = ("forbidden.scope", "server_error.outcome_unknown")
_OF_BULK = (
    "validation_error.required_field", "validation_error.duplicate",
    "validation_error.too_many_items", "conflict.in_progress", "unprocessable.idempotency_key",
)  # fmt: skip


def failed(kind: Kind, resource: Resource, problems: Iterable[int]) -> dict[str, Any]:
    """Every failure of an operation by status code, with an example of each error type.

    Those of the statuses in ``problems`` are problem details (RFC 9457).
    """
    found = sorted(error_types(kind, resource), key=_status)
    return {
        str(status): _failure(kind, status, list(types), is_problem=status in problems)
        for status, types in groupby(found, key=_status)
    }


def _failure(kind: Kind, status: int, types: list[str], *, is_problem: bool) -> dict[str, Any]:
    named = _HEADERS.get(status, ())
    if is_problem:
        schema, example = reference("common/envelope", "problem"), examples.problem(types[0])
        content: dict[str, Any] = {PROBLEM: {"schema": schema, "example": example}}
    else:
        forms = ["bulkFailure", "failure"] if kind.is_bulk else ["failure"]
        schema = one_of([reference("common/envelope", form) for form in forms])
        content = {JSON: {"schema": schema, "examples": _examples(types, kind)}}
    text = f"{_REASONS[status]} Types: {', '.join(f'`{name}`' for name in types)}."
    return {"description": text, "headers": headers(*named), "content": content}


def _examples(types: list[str], kind: Kind) -> dict[str, Any]:
    home = "#/components/examples/"
    return {name: {"$ref": home + examples.name_of(name, kind)} for name in types}


def _status(error_type: str) -> int:
    return Failure(error_type).status


def error_types(kind: Kind, resource: Resource) -> Iterator[str]:
    """The error types that an operation can answer, in the order of EXAMPLES."""
    found = {*_EVERYWHERE, *_of_kind(kind), *_of_resource(kind, resource)}
    return (name for name in EXAMPLES if name in found)


def _of_kind(kind: Kind) -> Iterator[str]:
    yield from kind.failures
    yield from _OF_BODIES if kind.body else ()
    yield from _OF_WRITES if kind.writes else ()
    yield from _OF_BULK if kind.is_bulk else ()
    yield from ("validation_error.too_few_items",) if kind.is_bulk and kind.body else ()
    # Of several items some may be deleted; elsewhere that is another operation's.
    yield from ("validation_error.state_not_allowed",) if kind.body and not kind.deletes else ()
    yield from ("precondition_failed",) if kind.is_guarded else ()


def _of_resource(kind: Kind, resource: Resource) -> Iterator[str]:
    if kind.finds_records or resource.parents:
        yield "not_found"
    if kind.finds_records and resource.foreign_is_forbidden:
        yield "forbidden.organization"
    if kind.deletes and resource.can_be_in_use:
        yield "conflict.in_use"
    for name in resource.own_failures if kind.body else ():
        # Nothing uses a record that is only being created.
        if name != "conflict.in_use" or kind.finds_records:
            yield name
