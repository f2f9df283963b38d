"""What can go wrong where: the error types of an operation and an example of each.

Source: contract, section 4.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from service.failures import ApiError, Bulk, Failure, Path
from service.handlers.kinds import Kind
from service.http import envelope
from service.queries.resource import Resource

EXAMPLES: dict[str, tuple[Path, str]] = {
    "validation_error.required_field": (("name",), "This field is required."),
    "validation_error.unknown_field": (("colour",), "There is no such field."),
    "validation_error.read_only_field": (("position",), "This field is set by the service."),
    "validation_error.invalid_type": (("name",), "Use a text."),
    "validation_error.invalid_value": (("state",), "Use one of active, inactive, deleted."),
    "validation_error.too_short": (("name",), "Use at least 1 character."),
    "validation_error.too_long": (("name",), "Use at most 1000 characters."),
    "validation_error.out_of_range": (("pageSize",), "Use a number from 1 to 100."),
    "validation_error.too_many_items": ((), "Use at most 200 items."),
    "validation_error.too_few_items": ((), "Use at least 1 item."),
    "validation_error.duplicate": (("id",), "This id stands in the request twice."),
    "validation_error.unknown_reference": (
        ("languages", 0, "languageId"),
        "There is no such record.",
    ),
    "validation_error.state_not_allowed": (("state",), "Use DELETE to delete a record."),
    "validation_error.feature_disabled": (("languageIds",), "The organization lacks this feature."),
    "validation_error.unknown_parameter": (("stat",), "There is no such parameter or field."),
    "validation_error.exclusive_parameters": (("pageSize",), "A cursor is sent alone."),
    "validation_error.invalid_cursor": (("cursor",), "This is no cursor of this list."),
    "validation_error.malformed_json": ((), "Not valid JSON."),
    "unauthorized": ((), "The request carries no valid API key."),
    "forbidden.scope": ((), "The API key may only read."),
    "forbidden.organization": (("id",), "The record belongs to another organization."),
    "not_found": (("id",), "There is no such record."),
    "not_found.route": ((), "There is nothing at this path."),
    "method_not_allowed": ((), "Use one of the methods that Allow names."),
    "conflict.in_use": (("id",), "18 items use this record."),
    "conflict.test_failed": ((0, "path"), "The stored value is another one."),
    "conflict.duplicate": (("userDefinedId",), "Another live record has this reference."),
    "conflict.in_progress": ((), "The first request with this key still runs."),
    "precondition_failed": ((), "The record has changed since it was read."),
    "payload_too_large": ((), "Use at most 8 MiB."),
    "unsupported_media_type": (("Content-Type",), "Send application/json in UTF-8."),
    "unprocessable.patch": ((2, "path"), "The operation cannot be applied."),
    "unprocessable.idempotency_key": ((), "The key came with another request before."),
    "server_error": ((), "The service failed."),
    "server_error.unavailable": ((), "Nothing was done; try again."),
    "server_error.outcome_unknown": ((), "The connection was lost while committing."),
}
"""The path and the message of an example, by error type."""

_EVERYWHERE = (
    "validation_error.unknown_parameter", "validation_error.invalid_value", "unauthorized",
    "server_error", "server_error.unavailable",
)  # fmt: skip
_OF_BODIES = (
    "validation_error.malformed_json", "validation_error.required_field",
    "validation_error.unknown_field", "validation_error.read_only_field",
    "validation_error.invalid_type", "validation_error.too_short", "validation_error.too_long",
    "validation_error.out_of_range", "validation_error.too_many_items",
    "validation_error.duplicate", "validation_error.state_not_allowed", "payload_too_large",
    "unsupported_media_type",
)  # fmt: skip
_OF_WRITES = ("forbidden.scope", "server_error.outcome_unknown")
_OF_BULK = (
    "validation_error.required_field", "validation_error.duplicate",
    "validation_error.too_many_items", "validation_error.too_few_items", "conflict.in_progress",
    "unprocessable.idempotency_key",
)  # fmt: skip
_IN_ITEMS = frozenset({"validation_error", "forbidden", "not_found", "conflict"})
_BEFORE_ITEMS = frozenset(
    {
        "validation_error.malformed_json",
        "validation_error.unknown_parameter",
        "forbidden.scope",
        "conflict.in_progress",
    }
)


def in_items(error_type: str) -> bool:
    """Whether a bulk request can fail this way in its items, so that its failure counts them."""
    return error_type.partition(".")[0] in _IN_ITEMS and error_type not in _BEFORE_ITEMS


def error_types(kind: Kind, resource: Resource) -> Iterator[str]:
    """The error types that an operation can answer, in the order of EXAMPLES."""
    found = {*_EVERYWHERE, *_of_kind(kind), *_of_resource(kind, resource)}
    return (name for name in EXAMPLES if name in found)


def _of_kind(kind: Kind) -> Iterator[str]:
    yield from kind.failures
    yield from _OF_BODIES if kind.body else ()
    yield from _OF_WRITES if kind.writes else ()
    yield from _OF_BULK if kind.is_bulk else ()
    yield from ("precondition_failed",) if kind.is_guarded else ()


def _of_resource(kind: Kind, resource: Resource) -> Iterator[str]:
    if kind.finds_records or resource.parents:
        yield "not_found"
    if kind.finds_records and resource.foreign_is_forbidden:
        yield "forbidden.organization"
    if kind.deletes and "in_use" in resource.statements:
        yield "conflict.in_use"
    for name in resource.own_failures if kind.body else ():
        # Nothing uses a record that is only being created.
        if name != "conflict.in_use" or kind.finds_records:
            yield name


def example(error_type: str, kind: Kind | None = None) -> Any:
    """The body of a failure of this type; in an item of a bulk operation if one is named."""
    path, message = EXAMPLES[error_type]
    if kind is None:
        return ApiError([Failure(error_type, path, message)]).body()
    item: Path = (3, *path) if kind.body else ("ids", 3)
    failure = Failure(error_type, item if path else (), message)
    return ApiError([failure], bulk=Bulk(kind.name, 12), failed_items=1).body()


def problem(error_type: str) -> Any:
    """The same failure as problem details (RFC 9457)."""
    path, message = EXAMPLES[error_type]
    return orjson.loads(envelope.problem(ApiError([Failure(error_type, path, message)])).body)
