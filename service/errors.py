"""The one error type callers see, and the one table from codes to status codes.

Source: specification, Errors; contract, section 4.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

#: Status of a code, by its longest listed prefix.
STATUS = {
    "validation_error": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "conflict": 409,
    "precondition_failed": 412,
    "payload_too_large": 413,
    "unsupported_media_type": 415,
    "unprocessable": 422,
    "server_error": 500,
    "server_error.unavailable": 503,
    "server_error.outcome_unknown": 503,
}

#: Which status an answer takes when its rows call for several: the first of these.
PRECEDENCE = (403, 404, 412, 409, 422, 400)

#: The place of an item at the head of a row's field.
_PLACE = re.compile(r"(?:ids)?\[(\d+)\]")

MAX_ROWS = 1000
MAX_VALUE = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One row of ``error.details``: what failed, at which field, and a message or limit."""

    type: str
    field: str | None
    value: str | None

    @property
    def status(self) -> int:
        """The status code that this row calls for."""
        return STATUS.get(self.type) or STATUS[self.type.partition(".")[0]]


@dataclass(frozen=True, slots=True)
class Bulk:
    """What a failed bulk request adds to its error body."""

    operation: str
    total_items: int


@dataclass
class ApiError(Exception):
    """A request that failed, with every row that says why.

    ``rows`` are in request order and never empty. ``bulk`` is set on bulk operations, together
    with ``failed_items``. ``headers`` go out with the answer (``Allow``, ``WWW-Authenticate``).
    """

    rows: Sequence[Row]
    bulk: Bulk | None = None
    failed_items: int = 0
    headers: dict[str, str] = field(default_factory=dict)

    def of_bulk(self, operation: str, total_items: int) -> "ApiError":
        """This error as that of a bulk operation, its failed items counted by their places."""
        places = {
            place[1] if (place := _PLACE.match(row.field or "")) else None for row in self.rows
        }
        self.bulk = Bulk(operation, total_items)
        self.failed_items = total_items if None in places else len(places)
        return self

    @property
    def status(self) -> int:
        """The status code of the answer."""
        statuses = {row.status for row in self.rows}
        return next((status for status in PRECEDENCE if status in statuses), max(statuses))

    @property
    def code(self) -> str:
        """The type shared by the rows that call for the status, else their longest prefix."""
        status = self.status
        return shared_type({row.type for row in self.rows if row.status == status})

    def body(self) -> dict[str, object]:
        """The error envelope as a JSON-ready object."""
        error: dict[str, object] = {"details": [_detail(row) for row in self.rows[:MAX_ROWS]]}
        if self.bulk:
            error |= {
                "operation": self.bulk.operation,
                "total_items": self.bulk.total_items,
                "failed_items": self.failed_items,
                "summary": (
                    f"{self.failed_items} of {self.bulk.total_items} items failed; "
                    "nothing was changed."
                ),
            }
        return {"status": "error", "code": self.code, "error": error}


def failure(code: str, field: str | None = None, value: str | None = None) -> ApiError:
    """An error of a single row."""
    return ApiError([Row(code, field, value)])


def shared_type(types: Iterable[str]) -> str:
    """The longest dotted prefix that all types share."""
    columns = zip(*(code.split(".") for code in types), strict=False)
    return ".".join(parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, columns))


def _detail(row: Row) -> dict[str, str | None]:
    value = row.value
    if value is not None and len(value) > MAX_VALUE:
        value = value[: MAX_VALUE - 1] + "…"
    return {"type": row.type, "field": row.field, "value": value}
