"""An example of each failure: where it can be in a request, and the message that is answered.

Tests provoke every one of them and compare.
"""

from typing import Any

import orjson

from service import schemas
from service.database.errors import TOO_MANY_REQUESTS
from service.errors import ApiError, BulkCounts, ErrorDetail, Path
from service.handlers.operations import (
    BULK_DELETE,
    BULK_REPLACE,
    CHANGES,
    DELETE,
    LIST,
    READ,
    Operation,
)
from service.http import envelope
from service.http.expectations import NOT_MET
from service.http.media_types import JSON, TOO_LONG
from service.http.parser_errors import LONG_HEADERS, LONG_LINE, MALFORMED, UNKNOWN_METHOD
from service.http.query_string import TOO_MANY_PARAMETERS
from service.http.request_body import TOO_LATE
from service.listing.changes import MAX_LIMIT
from service.listing.cursor import MAX_LENGTH
from service.listing.list_request import MAX_CONDITIONS, MAX_PAGE_SIZE
from service.resources.colors import MULTIPLE_LANGUAGE_IS_OFF
from service.schemas.messages import of_kind, of_limit


def _limit(file: str, definition: str, keyword: str) -> str:
    """The message where a value exceeds that limit."""
    return of_limit(keyword, schemas.definition(file, definition).schema[keyword])[1]


EXAMPLES: dict[str, tuple[Path, str]] = {
    "validation_error.required_field": (("name",), "This field is required."),
    "validation_error.unknown_field": (("colour",), "There is no such field."),
    "validation_error.read_only_field": (("position",), "This field is set by the service."),
    "validation_error.invalid_type": (("name",), of_kind(["string"])),
    "validation_error.invalid_value": (("state",), "Use one of active, inactive."),
    "validation_error.too_short": (("name",), _limit("common/scalars", "name", "minLength")),
    "validation_error.too_long": (("name",), _limit("common/scalars", "name", "maxLength")),
    "validation_error.out_of_range": (
        ("languages", 0, "languageId"),
        _limit("common/scalars", "id", "minimum"),
    ),
    "validation_error.too_many_items": ((), _limit("groups", "bulkReplace", "maxItems")),
    "validation_error.too_few_items": ((), _limit("groups", "bulkReplace", "minItems")),
    "validation_error.duplicate": (
        ("languages", 1, "languageId"),
        "Another one of this request has this value.",
    ),
    "validation_error.unknown_reference": (
        ("languages", 0, "languageId"),
        "There is no such language.",
    ),
    "validation_error.state_not_allowed": (("state",), "Use DELETE to delete a record."),
    "validation_error.feature_disabled": (
        ("languageIds",),
        MULTIPLE_LANGUAGE_IS_OFF,
    ),
    "validation_error.unknown_parameter": (("colour",), "There is no such parameter."),
    "validation_error.too_many_parameters": ((), TOO_MANY_PARAMETERS),
    "validation_error.exclusive_parameters": (("pageSize",), "A cursor carries the whole query."),
    "validation_error.invalid_cursor": (("cursor",), "This is not a cursor of this list."),
    "validation_error.malformed_json": (
        (),
        "Send valid JSON; it cannot be read at line 1, column 2.",
    ),
    "malformed_request": ((), MALFORMED),
    "unauthorized": ((), "Present a valid API key as a bearer token."),
    "forbidden.scope": ((), "This key may only read."),
    "forbidden.organization": (("id",), "Another organization's record."),
    "not_found": (("id",), "There is no such record."),
    "not_found.route": ((), "There is nothing at this path."),
    "method_not_allowed": ((), "Use DELETE, GET, HEAD, PATCH, PUT."),
    "request_timeout": ((), TOO_LATE),
    "conflict.in_use": (("id",), "Used by styles: 18."),
    "conflict.test_failed": ((0, "path"), "The stored value is another one."),
    "conflict.duplicate": (("userDefinedId",), "Another material holds MAT-0042."),
    "conflict.in_progress": ((), "The first request with this Idempotency-Key still runs."),
    "conflict.ambiguous_key": (
        (3, "userDefinedId"),
        "Records 5201, 5377 have this key.",
    ),
    "gone.changes_expired": (
        ("cursor",),
        "Start again: take the cursor of now, then read the lists.",
    ),
    "precondition_failed": ((), "The record has changed since it was read."),
    "payload_too_large": ((), TOO_LONG),
    "uri_too_long": ((), LONG_LINE),
    "unsupported_media_type": (("Content-Type",), f"Send {JSON} in UTF-8."),
    "expectation_failed": (("Expect",), NOT_MET),
    "unprocessable.patch": (
        (2, "path"),
        "There is nothing to remove at /colorGroupIds/99.",
    ),
    "unprocessable.idempotency_key": ((), "This Idempotency-Key stood for another request."),
    "too_many_requests": ((), TOO_MANY_REQUESTS),
    "headers_too_large": ((), LONG_HEADERS),
    "server_error": ((), "Something went wrong here."),
    "not_implemented": ((), UNKNOWN_METHOD),
    "server_error.unavailable": ((), "The service is unavailable; try again soon."),
    "server_error.outcome_unknown": (
        (),
        "The connection was lost while committing; read the records before retrying.",
    ),
}
"""The path and the message of an example, by error type."""

_NO_ID = "Use a positive whole number of at most 64 bits."
_MOST_IDS = schemas.definition("common/scalars", "ids").schema["maxItems"]
_OF_ITEMS = ("validation_error", "forbidden.organization", "not_found", "conflict")
_BESIDE_ITEMS = (
    "validation_error.malformed_json", "validation_error.unknown_parameter",
    "validation_error.too_many_parameters", "validation_error.exclusive_parameters",
    "validation_error.invalid_cursor", "validation_error.state_not_allowed", "not_found.route",
    "conflict.test_failed", "conflict.in_progress", "conflict.ambiguous_key",
)  # fmt: skip
OF_KIND: dict[Operation, dict[str, tuple[Path, str]]] = {
    LIST: {
        "validation_error.required_field": (("filter", 0, "value"), "This parameter is required."),
        "validation_error.invalid_value": (("sort", 0, "property"), "There is no such field."),
        "validation_error.out_of_range": (
            ("pageSize",),
            f"Use a number from 1 to {MAX_PAGE_SIZE}.",
        ),
        "validation_error.too_many_items": (
            ("filter",),
            f"Use at most {MAX_CONDITIONS} conditions.",
        ),
        "validation_error.too_long": (
            ("filter",),
            f"The cursor would exceed {MAX_LENGTH} bytes.",
        ),
        "validation_error.duplicate": (("pageSize",), "Give this parameter once."),
    },
    CHANGES: {
        "validation_error.required_field": (
            ("collection",),
            "Name one collection beside recordId.",
        ),
        "validation_error.invalid_value": (("from",), "Use oldest or now."),
        "validation_error.out_of_range": (("limit",), f"Use a number from 1 to {MAX_LIMIT}."),
        "validation_error.duplicate": (("limit",), "Give this parameter once."),
        "validation_error.exclusive_parameters": (("limit",), "A cursor carries the whole query."),
    },
    READ: {"validation_error.invalid_value": (("id",), _NO_ID)},
    DELETE: {"validation_error.invalid_value": (("id",), _NO_ID)},
    BULK_DELETE: {
        "validation_error.required_field": (("ids",), "Give at least one id."),
        "validation_error.invalid_value": (("ids", 3), _NO_ID),
        "validation_error.too_many_items": (("ids",), f"Give at most {_MOST_IDS} ids."),
        "validation_error.duplicate": (("ids", 3), "Given twice."),
        "forbidden.organization": (("ids", 3), EXAMPLES["forbidden.organization"][1]),
        "not_found": (("ids", 3), EXAMPLES["not_found"][1]),
        "conflict.in_use": (("ids", 3), EXAMPLES["conflict.in_use"][1]),
    },
    BULK_REPLACE: {
        name: ((3, *path) if path else (), message)
        for name, (path, message) in EXAMPLES.items()
        if name.startswith(_OF_ITEMS) and name not in _BESIDE_ITEMS
    }
    | {"validation_error.invalid_value": ((3, "state"), "Use one of active, inactive, deleted.")},
}
"""The same where operations of one kind answer otherwise; of several items the fourth is wrong."""


def name_of(error_type: str, kind: Operation) -> str:
    """The name of the component that is the example for operations of the kind."""
    return f"{kind.name}.{error_type}" if error_type in OF_KIND.get(kind, ()) else error_type


def components() -> dict[str, Any]:
    """The example components by name."""
    common = {name: {"value": example(name)} for name in EXAMPLES}
    return common | {
        name_of(name, kind): {"value": example(name, kind)}
        for kind, own in OF_KIND.items()
        for name in own
    }


def example(error_type: str, kind: Operation | None = None) -> Any:
    """The body of a failure of this type; of bulk operations with what they tell of their items."""
    own = OF_KIND.get(kind, {}) if kind else {}
    path, message = own.get(error_type) or EXAMPLES[error_type]
    error = ApiError([ErrorDetail(error_type, path, message)])
    if kind and kind.is_bulk and error_type in own:
        total = 12 if 3 in path else 201 if error_type.endswith("too_many_items") else 0
        error.bulk, error.failed_items = BulkCounts(kind.name, total), 1 if 3 in path else None
    return error.body()


def problem(error_type: str) -> Any:
    """The same failure as problem details (RFC 9457)."""
    path, message = EXAMPLES[error_type]
    return orjson.loads(envelope.problem(ApiError([ErrorDetail(error_type, path, message)])).body)
