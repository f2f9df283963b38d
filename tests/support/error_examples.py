"""Examples of error responses: a path and a message for each error type.

``tests/contract/test_openapi_examples.py`` provokes every example and compares the response.
"""

from typing import Any

import orjson

from service import schemas
from service.error_types import ErrorType
from service.errors import ApiError, BulkCounts, ErrorDetail, Path
from service.handlers.operations import (
    BULK_DELETE,
    BULK_REPLACE,
    CHANGES,
    DELETE,
    LIST,
    READ,
    REWIND,
    Operation,
)
from service.http import envelope
from service.http.headers import JSON
from service.limits import MAX_CONDITIONS, MAX_CURSOR_BYTES, MAX_LIMIT, MAX_PAGE_SIZE
from service.resources.colors import MULTIPLE_LANGUAGE_IS_OFF
from service.schemas.messages import limit_message, type_message
from service.webhooks.subscriptions import EXPIRED, NOT_ASSIGNED


def _limit(file: str, definition: str, keyword: str) -> str:
    """Return the message of a value that exceeds a limit of a schema."""
    return limit_message(keyword, schemas.definition(file, definition).schema[keyword])[1]


_USED = (
    'Used by styles: 18 (1 "TH26-10011", 2 "TH25-10018", 3 "TH26-10025", 4 "TH25-10032", '
    '5 "TH26-10039", 6 "TH25-10046", 7 "TH26-10053", 8 "TH25-10060", 9 "TH26-10067", '
    '10 "TH25-10074").'
)
_SPECIFIC: dict[ErrorType, tuple[Path, str]] = {
    ErrorType.REQUIRED_FIELD: (("name",), ""),
    ErrorType.UNKNOWN_FIELD: (("colour",), ""),
    ErrorType.READ_ONLY_FIELD: (("position",), ""),
    ErrorType.INVALID_TYPE: (("name",), type_message(["string"])),
    ErrorType.INVALID_VALUE: (("state",), "Use one of active, inactive."),
    ErrorType.TOO_SHORT: (("name",), _limit("common/scalars", "name", "minLength")),
    ErrorType.TOO_LONG: (("name",), _limit("common/scalars", "name", "maxLength")),
    ErrorType.OUT_OF_RANGE: (
        ("languages", 0, "languageId"),
        _limit("common/scalars", "id", "minimum"),
    ),
    ErrorType.TOO_MANY_ITEMS: ((), _limit("groups", "bulkReplace", "maxItems")),
    ErrorType.TOO_FEW_ITEMS: ((), _limit("groups", "bulkReplace", "minItems")),
    ErrorType.DUPLICATE: (
        ("languages", 1, "languageId"),
        "Another item of this request has this value.",
    ),
    ErrorType.UNKNOWN_REFERENCE: (("languages", 0, "languageId"), "There is no such language."),
    ErrorType.STATE_NOT_ALLOWED: (("state",), ""),
    ErrorType.FEATURE_DISABLED: (("languageIds",), MULTIPLE_LANGUAGE_IS_OFF),
    ErrorType.UNKNOWN_PARAMETER: (("colour",), ""),
    ErrorType.EXCLUSIVE_PARAMETERS: (("pageSize",), "Leave this out: the cursor has it."),
    ErrorType.INVALID_CURSOR: (("cursor",), ""),
    ErrorType.MALFORMED_JSON: ((), "Send valid JSON: there is a syntax error at line 1, column 2."),
    ErrorType.FORBIDDEN_ORGANIZATION: (("id",), ""),
    ErrorType.FORBIDDEN_SCOPE: ((), "This key lacks the scope groups:write."),
    ErrorType.NOT_FOUND: (("id",), ""),
    ErrorType.METHOD_NOT_ALLOWED: ((), "Use DELETE, GET, HEAD, PATCH, PUT."),
    ErrorType.CONFLICT_IN_USE: (("id",), _USED),
    ErrorType.CONFLICT_TEST_FAILED: ((0, "path"), ""),
    ErrorType.CONFLICT_DUPLICATE: (("userDefinedId",), "Another material holds MAT-0042."),
    ErrorType.CONFLICT_OVERLAP: (("firstReference",), "Range 1 has some of these numbers."),
    ErrorType.CONFLICT_EXHAUSTED: (
        (0, "barcodeRangeId"),
        "Range 2 has 12 numbers left; 40 are needed.",
    ),
    ErrorType.CONFLICT_INCOMPLETE: ((0, "styleId"), "Give the style a size range first."),
    ErrorType.CONFLICT_AMBIGUOUS_KEY: ((3, "userDefinedId"), "Records 5201, 5377 have this key."),
    ErrorType.GONE_CHANGES_EXPIRED: (("cursor",), ""),
    ErrorType.UNSUPPORTED_MEDIA_TYPE: (("Content-Type",), f"Send {JSON} in UTF-8."),
    ErrorType.EXPECTATION_FAILED: (("Expect",), ""),
    ErrorType.UNPROCESSABLE_PATCH: (
        (2, "path"),
        "There is nothing to remove at /colorGroupIds/99.",
    ),
}
EXAMPLES: dict[str, tuple[Path, str]] = {
    error_type: _SPECIFIC.get(error_type, ((), "")) for error_type in ErrorType
}
"""Path and message of the common example of every error type; "" for the message of the type."""

_NO_ID = "Use a positive whole number of at most 64 bits."
_MOST_IDS = schemas.definition("common/scalars", "ids").schema["maxItems"]
_OF_ITEMS = ("validation_error", ErrorType.FORBIDDEN_ORGANIZATION, ErrorType.NOT_FOUND, "conflict")
_BESIDE_ITEMS = (
    ErrorType.MALFORMED_JSON,
    ErrorType.UNKNOWN_PARAMETER,
    ErrorType.TOO_MANY_PARAMETERS,
    ErrorType.EXCLUSIVE_PARAMETERS,
    ErrorType.INVALID_CURSOR,
    ErrorType.STATE_NOT_ALLOWED,
    ErrorType.NOT_FOUND_ROUTE,
    ErrorType.CONFLICT_TEST_FAILED,
    ErrorType.CONFLICT_OVERLAP,
    ErrorType.CONFLICT_EXHAUSTED,
    ErrorType.CONFLICT_INCOMPLETE,
    ErrorType.CONFLICT_IN_PROGRESS,
    ErrorType.CONFLICT_AMBIGUOUS_KEY,
)
_OF_PATH_KEYS: dict[str, tuple[Path, str]] = {
    ErrorType.TOO_SHORT: (("id",), _limit("common/scalars", "keyOfItem", "minLength")),
    ErrorType.TOO_LONG: (("id",), _limit("common/scalars", "keyOfItem", "maxLength")),
    ErrorType.CONFLICT_AMBIGUOUS_KEY: (("id",), EXAMPLES[ErrorType.CONFLICT_AMBIGUOUS_KEY][1]),
}
OF_KIND: dict[Operation, dict[str, tuple[Path, str]]] = {
    LIST: {
        ErrorType.REQUIRED_FIELD: (("filter", 0, "value"), "This parameter is required."),
        ErrorType.INVALID_VALUE: (("sort", 0, "property"), ErrorType.UNKNOWN_FIELD.message),
        ErrorType.OUT_OF_RANGE: (("pageSize",), f"Use a number from 1 to {MAX_PAGE_SIZE}."),
        ErrorType.TOO_MANY_ITEMS: (("filter",), f"Use at most {MAX_CONDITIONS} conditions."),
        ErrorType.TOO_LONG: (("filter",), f"The cursor would exceed {MAX_CURSOR_BYTES} bytes."),
        ErrorType.DUPLICATE: (("pageSize",), "Give this parameter once."),
    },
    CHANGES: {
        ErrorType.REQUIRED_FIELD: (("collection",), "Name one collection beside recordId."),
        ErrorType.INVALID_VALUE: (("from",), "Use oldest or now."),
        ErrorType.OUT_OF_RANGE: (("limit",), f"Use a number from 1 to {MAX_LIMIT}."),
        ErrorType.DUPLICATE: (("limit",), "Give this parameter once."),
        ErrorType.EXCLUSIVE_PARAMETERS: (("limit",), "Leave this out: the cursor has it."),
    },
    REWIND: {
        ErrorType.OUT_OF_RANGE: (("n",), NOT_ASSIGNED),
        ErrorType.GONE_CHANGES_EXPIRED: (("n",), EXPIRED),
    },
    READ: {ErrorType.INVALID_VALUE: (("id",), _NO_ID), **_OF_PATH_KEYS},
    DELETE: {ErrorType.INVALID_VALUE: (("id",), _NO_ID), **_OF_PATH_KEYS},
    BULK_DELETE: {
        ErrorType.REQUIRED_FIELD: (("ids",), "Give at least one id."),
        ErrorType.INVALID_VALUE: (("ids", 3), _NO_ID),
        ErrorType.TOO_MANY_ITEMS: (("ids",), f"Give at most {_MOST_IDS} ids."),
        ErrorType.DUPLICATE: (("ids", 3), "Given twice."),
        ErrorType.FORBIDDEN_ORGANIZATION: (("ids", 3), ""),
        ErrorType.NOT_FOUND: (("ids", 3), ""),
        ErrorType.CONFLICT_IN_USE: (("ids", 3), EXAMPLES[ErrorType.CONFLICT_IN_USE][1]),
        ErrorType.TOO_SHORT: (("keys", 3), _limit("common/scalars", "keyOfItem", "minLength")),
        ErrorType.TOO_LONG: (("keys", 3), _limit("common/scalars", "keyOfItem", "maxLength")),
        ErrorType.EXCLUSIVE_PARAMETERS: (
            ("ids",),
            "Name the records by ids or by match and keys, not both.",
        ),
        ErrorType.CONFLICT_AMBIGUOUS_KEY: (
            ("keys", 3),
            EXAMPLES[ErrorType.CONFLICT_AMBIGUOUS_KEY][1],
        ),
    },
    BULK_REPLACE: {
        name: ((3, *path) if path else (), message)
        for name, (path, message) in EXAMPLES.items()
        if name.startswith(_OF_ITEMS) and name not in _BESIDE_ITEMS
    }
    | {
        ErrorType.INVALID_VALUE: ((3, "state"), "Use one of active, inactive, deleted."),
        ErrorType.PRECONDITION_FAILED: ((3, "ifMatch"), ""),
    },
}
"""Examples that differ for one operation, in place of those in EXAMPLES.

In bulk operations the fourth item is invalid, unless the error is about the request as a whole.
"""


def example(error_type: str, kind: Operation | None = None) -> Any:
    """Return the body of an error response, as JSON values.

    It is the operation's own example, or the common one. An own example of a bulk operation has
    item counts: 1 of 12 items failed, or all items if the error is about the request as a whole.
    The latter are 201 of 201 for ``too_many_items``, otherwise 0 of 0.
    """
    own = OF_KIND.get(kind, {}) if kind else {}
    path, message = own.get(error_type) or EXAMPLES[error_type]
    error = ApiError([ErrorDetail(error_type, path, message)])
    if kind and kind.is_bulk and error_type in own:
        total = 12 if 3 in path else 201 if error_type.endswith("too_many_items") else 0
        error.bulk, error.failed_items = BulkCounts(kind.name, total), 1 if 3 in path else None
    return error.body()


def problem(error_type: str) -> Any:
    """Return the common example of an error type as problem details (RFC 9457), as JSON values."""
    path, message = EXAMPLES[error_type]
    return orjson.loads(envelope.problem(ApiError([ErrorDetail(error_type, path, message)])).body)
