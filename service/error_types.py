"""Error types: status and message of every type (contract, Error types).

The examples of the OpenAPI document are made from it. The contract has the meaning of each type,
and the guide on errors its remedy.
"""

from enum import StrEnum
from typing import Self

from service.limits import MAX_BODY_BYTES, MAX_PARAMETERS, MAX_TARGET_BYTES, byte_size


class ErrorType(StrEnum):
    """Type of an error detail, by which callers branch.

    The value is the published type and ``status`` its HTTP status code. ``message`` is the message
    of details that have none of their own; "" if every detail has its own.
    """

    status: int
    message: str

    def __new__(cls, value: str, status: int, message: str = "") -> Self:
        """Create the member of a row of the table."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.status, member.message = status, message
        return member

    REQUIRED_FIELD = "validation_error.required_field", 400, "This field is required."
    UNKNOWN_FIELD = "validation_error.unknown_field", 400, "There is no such field."
    READ_ONLY_FIELD = (
        "validation_error.read_only_field",
        400,
        "Leave this out: the service sets it. A read with form=writable has what can be sent back.",
    )
    INVALID_TYPE = "validation_error.invalid_type", 400
    INVALID_VALUE = "validation_error.invalid_value", 400
    TOO_SHORT = "validation_error.too_short", 400
    TOO_LONG = "validation_error.too_long", 400
    OUT_OF_RANGE = "validation_error.out_of_range", 400
    TOO_MANY_ITEMS = "validation_error.too_many_items", 400
    TOO_FEW_ITEMS = "validation_error.too_few_items", 400
    DUPLICATE = "validation_error.duplicate", 400
    UNKNOWN_REFERENCE = "validation_error.unknown_reference", 400
    STATE_NOT_ALLOWED = "validation_error.state_not_allowed", 400, "Use DELETE to delete a record."
    FEATURE_DISABLED = "validation_error.feature_disabled", 400
    UNKNOWN_PARAMETER = "validation_error.unknown_parameter", 400, "There is no such parameter."
    TOO_MANY_PARAMETERS = (
        "validation_error.too_many_parameters",
        400,
        f"Use at most {MAX_PARAMETERS:,} parameters.",
    )
    EXCLUSIVE_PARAMETERS = "validation_error.exclusive_parameters", 400
    INVALID_CURSOR = (
        "validation_error.invalid_cursor",
        400,
        "Send pagination.cursor of an earlier page of this list.",
    )
    MALFORMED_JSON = "validation_error.malformed_json", 400
    MALFORMED_REQUEST = "malformed_request", 400, "Send a valid HTTP/1.1 request."
    UNAUTHORIZED = "unauthorized", 401, "Present a valid API key as a bearer token."
    FORBIDDEN_SCOPE = "forbidden.scope", 403, "This key lacks a scope."
    FORBIDDEN_ORGANIZATION = "forbidden.organization", 403, "Another organization's record."
    NOT_FOUND = "not_found", 404, "There is no such record."
    NOT_FOUND_ROUTE = "not_found.route", 404, "There is nothing at this path."
    METHOD_NOT_ALLOWED = "method_not_allowed", 405
    REQUEST_TIMEOUT = "request_timeout", 408, "The body did not arrive in time."
    CONFLICT_IN_USE = "conflict.in_use", 409
    CONFLICT_TEST_FAILED = "conflict.test_failed", 409, "The stored value differs."
    CONFLICT_INCOMPLETE = "conflict.incomplete", 409
    CONFLICT_DUPLICATE = "conflict.duplicate", 409
    CONFLICT_OVERLAP = "conflict.overlap", 409
    CONFLICT_EXHAUSTED = "conflict.exhausted", 409
    CONFLICT_IN_PROGRESS = (
        "conflict.in_progress",
        409,
        "The first request with this Idempotency-Key still runs.",
    )
    CONFLICT_AMBIGUOUS_KEY = "conflict.ambiguous_key", 409
    GONE_CHANGES_EXPIRED = (
        "gone.changes_expired",
        410,
        "Start again: take the cursor of now, then read the lists.",
    )
    PRECONDITION_FAILED = "precondition_failed", 412, "The record has changed since it was read."
    PAYLOAD_TOO_LARGE = "payload_too_large", 413, f"Use at most {byte_size(MAX_BODY_BYTES)}."
    URI_TOO_LONG = (
        "uri_too_long",
        414,
        f"Use at most {byte_size(MAX_TARGET_BYTES)} for the path and query.",
    )
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type", 415
    EXPECTATION_FAILED = "expectation_failed", 417, "Use 100-continue, or leave the header out."
    UNPROCESSABLE_PATCH = "unprocessable.patch", 422
    UNPROCESSABLE_IDEMPOTENCY_KEY = (
        "unprocessable.idempotency_key",
        422,
        "This Idempotency-Key stood for another request.",
    )
    TOO_MANY_REQUESTS = (
        "too_many_requests",
        429,
        "Too many requests of this organization at once; try again soon.",
    )
    HEADERS_TOO_LARGE = "headers_too_large", 431, "Send fewer or shorter headers."
    SERVER_ERROR = "server_error", 500, "Something went wrong here."
    NOT_IMPLEMENTED = "not_implemented", 501, "Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS."
    SERVER_ERROR_UNAVAILABLE = (
        "server_error.unavailable",
        503,
        "The service is unavailable; try again soon.",
    )
    SERVER_ERROR_OUTCOME_UNKNOWN = (
        "server_error.outcome_unknown",
        503,
        "The connection was lost while committing; read the records before retrying.",
    )
