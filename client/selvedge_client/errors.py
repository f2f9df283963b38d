"""Client exceptions: classes for common error statuses, and for calls without response.

A status without a class of its own is a ``FailureError`` itself, unless it is 200, 201 or 304: 405,
413, 500, a redirect.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class SelvedgeError(Exception):
    """Failed call, or response that is not JSON; base class of the errors below and of ``verify``.

    Misuse of the client raises TypeError, ValueError, KeyError or RuntimeError instead.
    """


@dataclass
class UnreachableError(SelvedgeError):
    """No connection, or no complete response.

    With ``may_have_executed`` a write may have been executed nevertheless. It is False for reads
    and dry runs, and if opening a connection failed.
    """

    reason: str
    may_have_executed: bool = False

    def __str__(self) -> str:
        return (
            f"{self.reason} (the write may have been executed)"
            if self.may_have_executed
            else self.reason
        )


@dataclass(frozen=True, slots=True)
class Detail:
    """Row of ``error.details``: error type, path of the input, and message as ``value``.

    The path is None if no input is to blame. The message may be None.
    """

    type: str
    field: str | None
    value: str | None


@dataclass
class FailureError(SelvedgeError):
    """Error response. One of the service means that nothing was written, but see UnavailableError.

    After a response of a proxy (``http.408``, ``http.502``, ``http.504``) a write may have been
    executed. With the type ``conflict.in_progress`` an earlier attempt of the write still runs.
    """

    status: int
    type: str
    """Type of the details that have this status: ``validation_error.too_long``.

    If their types differ, it is the prefix that they share, such as ``conflict``, or "". It is
    ``http.502`` and so on for a response without the service's envelope.
    """
    details: tuple[Detail, ...]
    request_id: str | None = None
    failed_items: int | None = None
    """Number of failed items of a bulk write, also of those that ``details`` does not list.

    This and ``total_items`` are None for other calls.
    """
    total_items: int | None = None
    retry_after: float | None = None
    """Seconds of the ``Retry-After`` header; None without one, and if it is a date."""

    def __str__(self) -> str:
        rows = [f"{row.field or 'request'}: {row.value or row.type}" for row in self.details[:3]]
        more = f", and {len(self.details) - 3} more" if len(self.details) > 3 else ""
        return f"{self.status} {self.type}: {'; '.join(rows)}{more}"


# <!-- written by `make docs` -->


class InvalidError(FailureError):
    """400: The request is invalid."""


class UnauthorizedError(FailureError):
    """401: The request has no valid API key."""


class ForbiddenError(FailureError):
    """403: The API key or the record's organization forbids it."""


class NotFoundError(FailureError):
    """404: There is no such record."""


class ConflictError(FailureError):
    """409: The request conflicts with stored records."""


class GoneError(FailureError):
    """410: The changes after the cursor have expired."""


class PreconditionFailedError(FailureError):
    """412: The record does not meet ``If-Match``, ``If-None-Match`` or ``ifMatch``."""


class UnprocessableError(FailureError):
    """422: The request is well-formed but cannot be processed."""


class TooManyRequestsError(FailureError):
    """429: The organization exceeds one of its limits.

    They bound its concurrent requests, waits for its own connections and locks, memory, long polls,
    exports and stored responses. Nothing was changed.
    """


class UnavailableError(FailureError):
    """503: The service is temporarily unavailable.

    With ``Retry-After``, nothing was changed. Without it, the database connection was lost during
    the commit, and the change may be stored.
    """


_BY_STATUS: dict[int, type[FailureError]] = {
    400: InvalidError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    412: PreconditionFailedError,
    422: UnprocessableError,
    429: TooManyRequestsError,
    503: UnavailableError,
}


# <!-- end of `make docs` -->
def is_too_large(error: FailureError) -> bool:
    """Return whether fewer items in a request may succeed: 413 of the service or of a proxy."""
    return error.status == 413 or error.type == "validation_error.too_many_items"


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> FailureError:
    """Return the error of a response, of the service or of a proxy before it.

    Its class follows from the status: ``FailureError`` for a status without a class. A body of any
    other shape than the service's envelope gives the type ``http.502`` and so on.
    """
    document = _object(body)
    details = _details(document)
    if details is None:  # problem details (RFC 9457), JSON of a proxy, or no JSON
        type_, error, text = f"http.{status}", {}, document.get("detail")
        details = (Detail(type_, None, text if isinstance(text, str) else None),)
    else:
        type_, error = document["code"], document["error"]
    return _BY_STATUS.get(status, FailureError)(
        status,
        type_,
        details,
        headers.get("X-Request-Id"),
        error.get("failed_items"),
        error.get("total_items"),
        _seconds(headers.get("Retry-After")),
    )


def _details(document: dict[str, Any]) -> tuple[Detail, ...] | None:
    """Return the details in the service's envelope; None for a document of another shape."""
    try:
        rows = document["error"]["details"]
        details = tuple(Detail(row["type"], row["field"], row["value"]) for row in rows)
    except (LookupError, TypeError):
        return None
    return details if isinstance(document.get("code"), str) else None


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _seconds(text: str | None) -> float | None:
    """Parse the seconds of a ``Retry-After``. Ignore dates, which the service never sends."""
    return float(text) if text and text.isascii() and text.isdigit() else None
