"""What can go wrong where: the error types of an operation and an example of each.

Source: contract, section 4.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from service.failures import ApiError, Bulk, Failure, Path

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
    "request_timeout": ((), "The body did not arrive in time."),
    "conflict.in_use": (("id",), "18 items use this record."),
    "conflict.test_failed": ((0, "path"), "The stored value is another one."),
    "conflict.duplicate": (("userDefinedId",), "Another live record has this reference."),
    "conflict.in_progress": ((), "The first request with this key still runs."),
    "precondition_failed": ((), "The record has changed since it was read."),
    "payload_too_large": ((), "Use at most 8 MiB."),
    "unsupported_media_type": (("Content-Type",), "Send application/json in UTF-8."),
    "unprocessable.patch": ((2, "path"), "The operation cannot be applied."),
    "unprocessable.idempotency_key": ((), "The key came with another request before."),
    "too_many_requests": ((), "The organization's share is used up; try again soon."),
    "server_error": ((), "The service failed."),
    "server_error.unavailable": ((), "Nothing was done; try again."),
    "server_error.outcome_unknown": ((), "The connection was lost while committing."),
}
"""The path and the message of an example, by error type."""

_BODY = (
    "malformed_json required_field unknown_field read_only_field invalid_type invalid_value "
    "too_short too_long out_of_range too_many_items duplicate state_not_allowed"
)
_LIST = (
    "required_field invalid_value out_of_range too_many_items too_long duplicate "
    "exclusive_parameters invalid_cursor"
)
_BODIES = ("create", "replace", "bulk_replace", "patch")
_ADDRESSED = ("read", "replace", "patch", "delete", "bulk_replace", "bulk_delete", "measurement")
_WRITES = (*_BODIES, "delete", "bulk_delete")
_IDEMPOTENT = ("create", "bulk_replace", "bulk_delete")
_GUARDED = ("replace", "patch", "delete")
_DELETES = ("delete", "bulk_delete", "bulk_replace")
_WITHOUT_REFERENCES = ("groups", "item-categories", "size-ranges")
_CAN_BE_USED = (
    "compliance-custom-fields", "style-custom-fields", "groups", "size-ranges", "item-categories",
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


def is_bulk(kind: str) -> bool:
    """Whether requests of this kind of operation can have several items."""
    return kind in _IDEMPOTENT


def error_types(kind: str, collection: str) -> Iterator[str]:
    """The error types that an operation can answer, in the order of EXAMPLES."""
    found = {f"validation_error.{name}" for name in _validation(kind, collection)}
    found |= set(_others(kind, collection))
    return (name for name in EXAMPLES if name in found)


def _validation(kind: str, collection: str) -> Iterator[str]:
    yield from ("unknown_parameter", "invalid_value")
    if kind == "list":
        yield from _LIST.split()
    if kind in _BODIES:
        yield from _BODY.split()
        if collection not in _WITHOUT_REFERENCES:
            yield "unknown_reference"
        if collection == "colors":
            yield "feature_disabled"
    if is_bulk(kind):
        yield from ("required_field", "duplicate", "too_many_items", "too_few_items")


def _others(kind: str, collection: str) -> Iterator[str]:
    yield from ("unauthorized", "too_many_requests", "server_error", "server_error.unavailable")
    if kind in _ADDRESSED or collection == "sample-requests":
        yield "not_found"
        if collection == "size-ranges":
            yield "forbidden.organization"
    if kind in _WRITES:
        yield from ("forbidden.scope", "server_error.outcome_unknown")
        if (kind in _DELETES and collection in _CAN_BE_USED) or (
            # Taking away an allowed value that a child's value goes with.
            kind in ("replace", "patch") and collection == "style-custom-fields"
        ):
            yield "conflict.in_use"
        if collection == "care-instruction-materials" and kind in _BODIES:
            yield "conflict.duplicate"
    if kind in _BODIES:
        yield from ("request_timeout", "payload_too_large", "unsupported_media_type")
    if is_bulk(kind):
        yield from ("conflict.in_progress", "unprocessable.idempotency_key")
    if kind in _GUARDED:
        yield "precondition_failed"
    if kind == "patch":
        yield from ("conflict.test_failed", "unprocessable.patch")


def example(error_type: str, operation: str | None = None) -> Any:
    """The body of a failure of this type; in an item of a bulk operation if one is named."""
    path, message = EXAMPLES[error_type]
    if operation is None:
        return ApiError([Failure(error_type, path, message)]).body()
    item: Path = ("ids", 3) if operation == "bulk_delete" else (3, *path)
    failure = Failure(error_type, item if path else (), message)
    return ApiError([failure], bulk=Bulk(operation, 12), failed_items=1).body()


def problem(error_type: str, status: int) -> Any:
    """The same failure as problem details (RFC 9457)."""
    title, (_, detail) = HTTPStatus(status).phrase, EXAMPLES[error_type]
    return {"type": "about:blank", "title": title, "status": status, "detail": detail}
