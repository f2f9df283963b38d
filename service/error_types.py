"""Error types: status, meaning, remedy and message of every type in one table.

The tables of docs/contract.md and docs/guides/errors.md, the examples of the OpenAPI document and
the exceptions of the client are made from it (contract, Error types).
"""

from enum import StrEnum
from typing import Final, Self

from service.limits import MAX_BODY_BYTES, MAX_PARAMETERS, MAX_TARGET_BYTES, byte_size


class ErrorType(StrEnum):
    """Type of an error detail, by which callers branch.

    The value is the published type and ``status`` its HTTP status code. ``meaning`` is its text in
    the contract's table, ``remedy`` its text in the guide on errors. ``message`` is the message of
    details that have none of their own; "" if every detail has its own.
    """

    status: int
    meaning: str
    remedy: str
    message: str

    def __new__(cls, value: str, status: int, meaning: str, remedy: str, message: str = "") -> Self:
        """Create the member of a row of the table."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.status, member.meaning, member.remedy = status, meaning, remedy
        member.message = message
        return member

    # fmt: off
    REQUIRED_FIELD = (
        "validation_error.required_field", 400,
        "missing, or null where there must be a value",
        "send the field; null is the same as leaving it out",
        "This field is required.")
    UNKNOWN_FIELD = (
        "validation_error.unknown_field", 400,
        "no such field",
        "look for a misspelling; take it out",
        "There is no such field.")
    READ_ONLY_FIELD = (
        "validation_error.read_only_field", 400,
        "the service sets it, or it is set at creation for good",
        "take it out: the service sets it",
        "This field is set by the service.")
    INVALID_TYPE = (
        "validation_error.invalid_type", 400,
        "a value of another JSON type",
        "send the JSON type that the schema has")
    INVALID_VALUE = (
        "validation_error.invalid_value", 400,
        "none of the allowed values, or of a wrong form",
        "use one of the values, or the form, that the row names")
    TOO_SHORT = (
        "validation_error.too_short", 400,
        "a text",
        "send more text")
    TOO_LONG = (
        "validation_error.too_long", 400,
        "a text, or a query too long to continue",
        "send less")
    OUT_OF_RANGE = (
        "validation_error.out_of_range", 400,
        "a number",
        "keep to the bounds that the row names")
    TOO_MANY_ITEMS = (
        "validation_error.too_many_items", 400,
        "a list, the items of a request, the conditions of a query",
        "split the request")
    TOO_FEW_ITEMS = (
        "validation_error.too_few_items", 400,
        "a list, the items of a request",
        "send at least what the row names")
    DUPLICATE = (
        "validation_error.duplicate", 400,
        "given twice where once is allowed",
        "name each id or value once")
    UNKNOWN_REFERENCE = (
        "validation_error.unknown_reference", 400,
        "names a record that is not there",
        "read the list of what is referred to; the id is not there")
    STATE_NOT_ALLOWED = (
        "validation_error.state_not_allowed", 400,
        "`deleted` where DELETE is the way",
        "delete with `DELETE`, or in a bulk `PUT`",
        "Use DELETE to delete a record.")
    FEATURE_DISABLED = (
        "validation_error.feature_disabled", 400,
        "the organization does not have the feature",
        "leave the field empty, or have the operator switch the feature on")
    UNKNOWN_PARAMETER = (
        "validation_error.unknown_parameter", 400,
        "no such query parameter",
        "look for a misspelling in the query",
        "There is no such parameter.")
    TOO_MANY_PARAMETERS = (
        "validation_error.too_many_parameters", 400,
        f"a query of more than {MAX_PARAMETERS:,} parameters; it comes alone",
        f"send at most {MAX_PARAMETERS:,} parameters in one query",
        f"Use at most {MAX_PARAMETERS:,} parameters.")
    EXCLUSIVE_PARAMETERS = (
        "validation_error.exclusive_parameters", 400,
        "parameters that cannot stand together",
        "send the cursor alone, or one of the two that the row names")
    INVALID_CURSOR = (
        "validation_error.invalid_cursor", 400,
        "not a cursor of this list",
        "begin at the first page; cursors are used as they came, in their list",
        "Send pagination.cursor of an earlier page of this list.")
    MALFORMED_JSON = (
        "validation_error.malformed_json", 400,
        "no JSON, nested too deeply, or with a member that stands twice",
        "mend the JSON where the row says; each member stands once")
    MALFORMED_REQUEST = (
        "malformed_request", 400,
        "what is no HTTP request; see Bad input",
        "send HTTP/1.1 as it is defined: a library does",
        "Send a valid HTTP/1.1 request.")
    UNAUTHORIZED = (
        "unauthorized", 401,
        "no valid key",
        "present a key that is known, not expired and not revoked",
        "Present a valid API key as a bearer token.")
    FORBIDDEN_SCOPE = (
        "forbidden.scope", 403,
        "the key may only read",
        "this key may only read: use one that may write",
        "This key may only read.")
    FORBIDDEN_ORGANIZATION = (
        "forbidden.organization", 403,
        "a size range of another organization",
        "use the organization's own size ranges",
        "Another organization's record.")
    NOT_FOUND = (
        "not_found", 404,
        "no such record",
        "there is no such record for this key",
        "There is no such record.")
    NOT_FOUND_ROUTE = (
        "not_found.route", 404,
        "no such path",
        "look for a misspelling in the path",
        "There is nothing at this path.")
    METHOD_NOT_ALLOWED = (
        "method_not_allowed", 405,
        "the path takes other methods, which `Allow` names",
        "use a method that `Allow` names")
    REQUEST_TIMEOUT = (
        "request_timeout", 408,
        "a body did not arrive in time",
        "send the body more quickly, or less of it",
        "The body did not arrive in time.")
    CONFLICT_IN_USE = (
        "conflict.in_use", 409,
        "what others need is not deleted",
        "first change what the row names: the first ten records, with their own keys")
    CONFLICT_TEST_FAILED = (
        "conflict.test_failed", 409,
        "a `test` operation of a patch",
        "read the record again: see [Conflicts](conflicts.md)",
        "The stored value differs.")
    CONFLICT_DUPLICATE = (
        "conflict.duplicate", 409,
        "another live record holds this value",
        "choose another value, or change the record that holds it")
    CONFLICT_IN_PROGRESS = (
        "conflict.in_progress", 409,
        "the first request with this `Idempotency-Key` still runs",
        "wait: see [Retries](retries.md)",
        "The first request with this Idempotency-Key still runs.")
    CONFLICT_AMBIGUOUS_KEY = (
        "conflict.ambiguous_key", 409,
        "several live records have the own key of an item or of a reference",
        "send the id of the record that you mean; the row names them")
    GONE_CHANGES_EXPIRED = (
        "gone.changes_expired", 410,
        "a cursor of changes that are kept no longer",
        "begin again: see [Changes](changes.md)",
        "Start again: take the cursor of now, then read the lists.")
    PRECONDITION_FAILED = (
        "precondition_failed", 412,
        "the record is not as `If-Match`, `If-None-Match` or an item's `ifMatch` says",
        "read the record again: see [Conflicts](conflicts.md)",
        "The record has changed since it was read.")
    PAYLOAD_TOO_LARGE = (
        "payload_too_large", 413,
        f"a body, or a patched document, beyond {byte_size(MAX_BODY_BYTES)}",
        "split the request",
        f"Use at most {byte_size(MAX_BODY_BYTES)}.")
    URI_TOO_LONG = (
        "uri_too_long", 414,
        f"a request's target beyond {byte_size(MAX_TARGET_BYTES)}",
        "name fewer ids or filters at once",
        f"Use at most {byte_size(MAX_TARGET_BYTES)} for the path and query.")
    UNSUPPORTED_MEDIA_TYPE = (
        "unsupported_media_type", 415,
        "another `Content-Type`, charset or coding",
        "send what the row names as `Content-Type`")
    EXPECTATION_FAILED = (
        "expectation_failed", 417,
        "`Expect` asks for more than `100-continue`",
        "expect nothing but `100-continue`",
        "Use 100-continue, or leave the header out.")
    UNPROCESSABLE_PATCH = (
        "unprocessable.patch", 422,
        "a patch operation that cannot be applied",
        "read the writable form, and mend the operation that `field` names")
    UNPROCESSABLE_IDEMPOTENCY_KEY = (
        "unprocessable.idempotency_key", 422,
        "the key stood for another request",
        "make up a new key for a new request",
        "This Idempotency-Key stood for another request.")
    TOO_MANY_REQUESTS = (
        "too_many_requests", 429,
        "the organization's share is used up; with `Retry-After`",
        "wait as `Retry-After` says, and send less at once",
        "Too many requests of this organization at once; try again soon.")
    HEADERS_TOO_LARGE = (
        "headers_too_large", 431,
        "a header, or all of them, beyond the Limits",
        "send less in headers",
        "Send fewer or shorter headers.")
    SERVER_ERROR = (
        "server_error", 500,
        "a defect; nothing was changed",
        "a defect of ours: report it with the request's id",
        "Something went wrong here.")
    NOT_IMPLEMENTED = (
        "not_implemented", 501,
        "a method or a transfer coding that is not known",
        "use another method, and no transfer coding but `chunked`",
        "Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.")
    SERVER_ERROR_UNAVAILABLE = (
        "server_error.unavailable", 503,
        "see Outages",
        "wait as `Retry-After` says: see [Retries](retries.md)",
        "The service is unavailable; try again soon.")
    SERVER_ERROR_OUTCOME_UNKNOWN = (
        "server_error.outcome_unknown", 503,
        "see Outages",
        "find out whether it was done: see [Retries](retries.md)",
        "The connection was lost while committing; read the records before retrying.")
    # fmt: on


STATUSES: Final[dict[int, str]] = {
    400: "The request is invalid.",
    401: "The request has no valid API key.",
    403: "The API key or the record's organization forbids it.",
    404: "There is no such record.",
    408: "The body did not arrive in time.",
    409: "The request conflicts with stored records.",
    410: "The changes after the cursor have expired.",
    412: "The record does not meet `If-Match`, `If-None-Match` or `ifMatch`.",
    413: f"The body exceeds {byte_size(MAX_BODY_BYTES)}.",
    414: "The request's target is too long.",
    415: "The Content-Type is not supported.",
    417: "The `Expect` header is not `100-continue`.",
    422: "The request is well-formed but cannot be processed.",
    429: "The organization exceeds one of its limits. They bound its concurrent requests, waits "
    "for its own connections and locks, memory, long polls, exports and stored responses. Nothing "
    "was changed.",
    431: "The headers are too long or too many.",
    500: "Internal error. Nothing was changed.",
    501: "The method or the transfer coding is not supported.",
    503: "The service is temporarily unavailable. With `Retry-After`, nothing was changed. Without "
    "it, the database connection was lost during the commit, and the change may be stored.",
}
"""Meaning by status code: its text in the OpenAPI document and in the client's exception, if any.

It has no 405, which no operation returns: a path returns it for a method without an operation.
"""
