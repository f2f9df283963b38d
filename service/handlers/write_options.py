"""Write options of a request: match, onError, dryRun and Prefer (contract, Bulk)."""

from dataclasses import dataclass, replace
from typing import Final

from aiohttp import web

from service.error_types import ErrorType
from service.http.prefer import preferences
from service.listing.query_reader import QueryReader
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
    own_key = resource.own_key if by_key else None
    reader = QueryReader(request.query.items())
    reader.only(*parameters, *((MATCH,) if own_key else ()), ON_ERROR, DRY_RUN)
    if own_key:
        reader.choice(MATCH, own_key)
    reader.choice(ON_ERROR, "abort", "skip")
    dry_run = _is_dry_run(request, reader)
    return_minimal = preferences(request).get("return") == "minimal"
    outcomes_only = options.skip_failed or options.match_by_key or dry_run or return_minimal
    return RequestOptions(replace(options, outcomes_only=outcomes_only), dry_run, return_minimal)


def of_one(request: web.Request) -> RequestOptions:
    """Return the options of a single write; raise ApiError as ``of_bulk``."""
    reader = QueryReader(request.query.items())
    reader.only(DRY_RUN)
    dry_run = _is_dry_run(request, reader)
    return RequestOptions(WriteOptions(outcomes_only=dry_run), dry_run)


def write_options_of(
    request: web.Request, resource: MasterRecord, *, by_key: bool = False
) -> WriteOptions:
    """Return how to check the items of a bulk write, even if the request has errors."""
    return WriteOptions(
        skip_failed=request.query.get(ON_ERROR) == "skip",
        match_by_key=by_key and MATCH in request.query and resource.own_key is not None,
    )


def _is_dry_run(request: web.Request, reader: QueryReader) -> bool:
    """Return whether dryRun is true; raise the errors of all parameters.

    It is ``exclusive_parameters`` beside an Idempotency-Key.
    """
    dry_run = reader.boolean(DRY_RUN)
    if dry_run and "Idempotency-Key" in request.headers:
        message = "A dry run stores no response: leave out dryRun or the Idempotency-Key."
        reader.fail(ErrorType.EXCLUSIVE_PARAMETERS, DRY_RUN, message=message)
    reader.raise_errors()
    return dry_run
