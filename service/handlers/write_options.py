"""Write options of a request: match, onError, dryRun and Prefer (contract, Bulk)."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from aiohttp import web

from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, api_error, collect_errors
from service.handlers.parameters import only_parameters, precondition_of
from service.http.prefer import preferences
from service.queries.master_record import MasterRecord
from service.queries.outcomes import WriteOptions
from service.queries.writable_resource import WritableResource

MATCH: Final = "match"
ON_ERROR: Final = "onError"
DRY_RUN: Final = "dryRun"
MINIMAL: Final = "return=minimal"

AllowedValues: TypeAlias = Mapping[str, tuple[str, ...]]
"""Query parameters of a write, with their values; () allows any value, also several times."""

SINGLE: Final[AllowedValues] = {DRY_RUN: ("false", "true")}
"""Query parameters of a single write."""
BULK: Final[AllowedValues] = {ON_ERROR: ("abort", "skip"), **SINGLE}
"""Query parameters of a bulk write whose items name records by id."""

BULK_DELETE: Final[AllowedValues] = {"ids": (), **BULK}
"""Query parameters of a bulk delete."""


def bulk_by_key(resource: MasterRecord) -> AllowedValues:
    """Return the query parameters of a bulk write whose items can name records by own key."""
    return {MATCH: (resource.own_key,), **BULK} if resource.own_key else BULK


def read(request: web.Request, resource: WritableResource, allowed: AllowedValues) -> WriteOptions:
    """Return the options of a write, even if the request has errors: its items are checked, too."""
    query, is_bulk = request.query, ON_ERROR in allowed
    return WriteOptions(
        skip_failed=is_bulk and query.get(ON_ERROR) == "skip",
        match_by_key=MATCH in allowed and MATCH in query,
        dry_run=query.get(DRY_RUN) == "true",
        return_minimal=is_bulk and preferences(request).get("return") == "minimal",
        precondition=precondition_of(request, resource),
    )


def check(request: web.Request, allowed: AllowedValues) -> None:
    """Raise ApiError for unknown query parameters and values.

    Raise ``exclusive_parameters`` for a dry run with an Idempotency-Key.
    """
    if not request.query:
        return
    collect_errors(
        lambda: only_parameters(request, *allowed),
        lambda: _check_values(request, allowed),
    )
    if request.query.get(DRY_RUN) == "true" and "Idempotency-Key" in request.headers:
        message = "A dry run stores no response: leave out dryRun or the Idempotency-Key."
        raise api_error(ErrorType.EXCLUSIVE_PARAMETERS, DRY_RUN, message=message)


def _check_values(request: web.Request, allowed: AllowedValues) -> None:
    """Raise ApiError for repeated parameters and unknown values."""
    details = list[ErrorDetail]()
    for name, values in allowed.items():
        texts = request.query.getall(name, []) if values else []
        if len(texts) > 1:
            message = "Give this parameter once."
            details.append(ErrorDetail(ErrorType.DUPLICATE, (name,), message))
        elif texts and texts[0] not in values:
            message = f"Use {' or '.join(values)}."
            details.append(ErrorDetail(ErrorType.INVALID_VALUE, (name,), message))
    if details:
        raise ApiError(details)
