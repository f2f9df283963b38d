"""What a call can end in when it does not succeed (contract, Errors)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson


class SelvedgeError(Exception):
    """A call that did not succeed."""


@dataclass
class UnreachableError(SelvedgeError):
    """There was no answer. A write with ``may_be_done`` may have been carried out all the same."""

    reason: str
    may_be_done: bool = False

    def __str__(self) -> str:
        return f"{self.reason} (it may have been done)" if self.may_be_done else self.reason


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing that is wrong: its type, the field at fault if any, and what to do about it."""

    type: str
    field: str | None
    value: str | None


@dataclass
class FailureError(SelvedgeError):
    """A failure that the service told of; nothing was changed, but see ``UnavailableError``."""

    status: int
    type: str
    """What the details behind the status share: ``validation_error.too_long``, ``conflict``."""
    details: tuple[Detail, ...]
    request_id: str | None = None
    failed_items: int | None = None
    """Of a bulk write that was looked at: how many items failed, also beyond those listed."""
    total_items: int | None = None
    retry_after: float | None = None
    """Seconds to wait, where the service named them."""

    def __str__(self) -> str:
        rows = [f"{row.field or 'request'}: {row.value or row.type}" for row in self.details[:3]]
        more = f", and {len(self.details) - 3} more" if len(self.details) > 3 else ""
        return f"{self.status} {self.type}: {'; '.join(rows)}{more}"


class InvalidError(FailureError):
    """400: the request itself is wrong."""


class UnauthorizedError(FailureError):
    """401: the key is none that the service knows."""


class ForbiddenError(FailureError):
    """403: the key may only read, or the record is another organization's."""


class NotFoundError(FailureError):
    """404: there is no such record, or no such path."""


class ConflictError(FailureError):
    """409: it conflicts with what is stored."""


class GoneError(FailureError):
    """410: the cursor's changes are kept no longer; start again from the lists."""


class PreconditionFailedError(FailureError):
    """412: the record is no longer as it was read."""


class UnprocessableError(FailureError):
    """422: a patch that cannot be applied, or an idempotency key that stood for something else."""


class TooManyRequestsError(FailureError):
    """429: the organization's share of the service is used up."""


class UnavailableError(FailureError):
    """503: nothing was done, unless the type is ``server_error.outcome_unknown``."""


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


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> FailureError:
    """The error that an answer tells of, also where something between has answered."""
    told = _object(body)
    error = told.get("error")
    if isinstance(error, dict):
        details = tuple(Detail(row["type"], row["field"], row["value"]) for row in error["details"])
        type_ = str(told["code"])
    else:  # problem details (RFC 9457), or no JSON at all
        error, type_ = {}, f"http.{status}"
        details = (Detail(type_, None, told.get("detail")),)
    return _BY_STATUS.get(status, FailureError)(
        status,
        type_,
        details,
        headers.get("X-Request-Id"),
        error.get("failed_items"),
        error.get("total_items"),
        _seconds(headers.get("Retry-After")),
    )


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _seconds(text: str | None) -> float | None:
    """The seconds of a ``Retry-After``; dates, which the service never sends, are not read."""
    return float(text) if text and text.isascii() and text.isdigit() else None
