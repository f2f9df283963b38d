"""Write options of a request: match, onError, dryRun and Prefer (contract, Bulk)."""

from dataclasses import dataclass, replace
from typing import Final

from aiohttp import web

from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, collect_errors
from service.handlers.parameters import only_parameters
from service.http.prefer import preferences
from service.queries.master_record import MasterRecord
from service.queries.outcomes import WriteOptions

MATCH: Final = "match"
ON_ERROR: Final = "onError"
DRY_RUN: Final = "dryRun"
MINIMAL: Final = "return=minimal"


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """Write options of one request; the default aborts on errors and returns documents."""

    write_options: WriteOptions
    """Options that the engine handles."""
    dry_run: bool = False
    """Execute the write, then roll it back."""
    return_minimal: bool = False
    """The caller prefers a minimal response (RFC 7240)."""


def of_bulk(
    request: web.Request,
    resource: MasterRecord,
    options: WriteOptions,
    *parameters: str,
    by_key: bool = False,
) -> RequestOptions:
    """Return the options of a bulk write.

    ``parameters`` are its other query parameters; ``by_key`` allows ``match``. Raise ApiError for
    unknown parameters and values.
    """
    match_names = (MATCH,) if by_key and resource.own_key else ()
    allowed_values: dict[str, tuple[str, ...]] = dict.fromkeys(
        match_names, (str(resource.own_key),)
    )
    allowed_values |= {ON_ERROR: ("abort", "skip"), DRY_RUN: ("false", "true")}
    _, values = collect_errors(
        lambda: only_parameters(request, *parameters, *allowed_values),
        lambda: _read_values(request, allowed_values),
    )
    dry_run = _is_dry_run(request, values)
    return_minimal = preferences(request).get("return") == "minimal"
    outcomes_only = options.skip_failed or options.match_by_key or dry_run or return_minimal
    return RequestOptions(replace(options, outcomes_only=outcomes_only), dry_run, return_minimal)


def of_one(request: web.Request) -> RequestOptions:
    """Return the options of a single write; raise ApiError as ``of_bulk``."""
    _, values = collect_errors(
        lambda: only_parameters(request, DRY_RUN),
        lambda: _read_values(request, {DRY_RUN: ("false", "true")}),
    )
    dry_run = _is_dry_run(request, values)
    return RequestOptions(WriteOptions(outcomes_only=dry_run), dry_run)


def write_options_of(
    request: web.Request, resource: MasterRecord, *, by_key: bool = False
) -> WriteOptions:
    """Return how to check the items of a bulk write, even if the request has errors."""
    return WriteOptions(
        skip_failed=request.query.get(ON_ERROR) == "skip",
        match_by_key=by_key and MATCH in request.query and resource.own_key is not None,
    )


def _is_dry_run(request: web.Request, values: dict[str, str]) -> bool:
    """Return whether dryRun is true; raise ``exclusive_parameters`` beside an Idempotency-Key."""
    dry_run = values.get(DRY_RUN) == "true"
    if dry_run and "Idempotency-Key" in request.headers:
        message = "A dry run stores no response: leave out dryRun or the Idempotency-Key."
        raise ApiError([ErrorDetail(ErrorType.EXCLUSIVE_PARAMETERS, (DRY_RUN,), message)])
    return dry_run


def _read_values(
    request: web.Request, allowed_values: dict[str, tuple[str, ...]]
) -> dict[str, str]:
    """Return the values of the parameters; raise ApiError for repeated or unknown values."""
    values, details = dict[str, str](), list[ErrorDetail]()
    for name, allowed in allowed_values.items():
        texts = request.query.getall(name, [])
        if len(texts) > 1:
            message = "Give this parameter once."
            details.append(ErrorDetail(ErrorType.DUPLICATE, (name,), message))
        elif texts and texts[0] not in allowed:
            message = f"Use {' or '.join(allowed)}."
            details.append(ErrorDetail(ErrorType.INVALID_VALUE, (name,), message))
        elif texts:
            values[name] = texts[0]
    if details:
        raise ApiError(details)
    return values
