"""Write options: query parameters, Prefer, preconditions and key of the path (contract, Bulk).

``read`` returns them without an error, and ``check`` reports the errors of the query, so that one
response can report those of path, headers and body as well.
"""

from collections.abc import Mapping
from typing import Final, TypeAlias

from aiohttp import web

from service.error_types import ErrorType
from service.handlers.parameters import path_key, precondition_of
from service.http.envelope import item_precondition
from service.http.negotiation import preferences
from service.listing.query_reader import QueryReader
from service.records.resource import Resource
from service.records.writable_resource import WritableResource
from service.writing.outcomes import WriteOptions

MATCH: Final = "match"
IDS: Final = "ids"
KEYS: Final = "keys"
ON_ERROR: Final = "onError"
DRY_RUN: Final = "dryRun"
PREVIEW: Final = "preview"
MINIMAL: Final = "return=minimal"

WriteParameters: TypeAlias = Mapping[str, tuple[str, ...]]
"""Query parameters of a write, with their allowed values.

() allows any value, and the parameter several times.
"""

SINGLE: Final[WriteParameters] = {DRY_RUN: ("false", "true"), PREVIEW: ("false", "true")}
"""Query parameters of a single write."""
BULK: Final[WriteParameters] = {ON_ERROR: ("abort", "skip"), **SINGLE}
"""Query parameters of a bulk write with a body; its items are new or name records by id."""

_ONLY_IDS: Final[WriteParameters] = {IDS: (), **BULK}
"""Those of a bulk delete whose query has nothing but ids, and is not read again."""


def bulk_by_key(resource: WritableResource) -> WriteParameters:
    """Return the query parameters of a bulk replace or patch; ``match`` takes the own key's name.

    Without an own key there is no ``match``.
    """
    return {MATCH: (resource.own_key,), **BULK} if resource.own_key else BULK


def bulk_delete(resource: WritableResource) -> WriteParameters:
    """Return the query parameters of a bulk delete.

    They include ``match`` and ``keys`` if an own key alone names a record, without a parent.
    """
    if not resource.own_key or resource.own_key_within:
        return {IDS: (), **BULK}
    return {IDS: (), MATCH: (resource.own_key,), KEYS: (), **BULK}


def named_records(
    request: web.Request, resource: WritableResource
) -> tuple[WriteParameters, list[str], list[str]]:
    """Return the query parameters of a bulk delete, and the texts of its ids and keys.

    Ids alone are read from the query as it was sent, which takes a tenth of the time.
    """
    raw = request.rel_url.raw_query_string
    ids = raw.removeprefix("ids=").split("&ids=")
    if raw.startswith("ids=") and raw.isascii() and "".join(ids).isdigit():
        return _ONLY_IDS, ids, []
    query = request.query
    return bulk_delete(resource), query.getall(IDS, []), query.getall(KEYS, [])


def read(request: web.Request, resource: Resource, allowed: WriteParameters) -> WriteOptions:
    """Return the options of a write; raise nothing.

    Wrong values count as absent, but ``match`` and ``keys`` match by key whatever their values:
    the caller must run ``check`` before it uses the options. Of a repeated parameter the first
    value counts. ``Prefer`` counts for bulk writes only.
    """
    is_bulk, query = ON_ERROR in allowed, {} if allowed is _ONLY_IDS else request.query
    return WriteOptions(
        item_precondition=item_precondition,
        skip_failed=is_bulk and query.get(ON_ERROR) == "skip",
        match_by_key=any(name in allowed and name in query for name in (MATCH, KEYS)),
        dry_run=query.get(DRY_RUN) == "true",
        preview=query.get(PREVIEW) == "true",
        return_minimal=is_bulk and preferences(request).get("return") == "minimal",
        path_key=path_key(request, resource),
        precondition=precondition_of(request, resource),
    )


def check(request: web.Request, allowed: WriteParameters) -> None:
    """Raise ApiError with all errors of the query: unknown, repeated, wrong and exclusive ones.

    A dry run excludes an Idempotency-Key, and a preview requires a dry run. ``ids`` exclude
    ``match`` and ``keys``, and ``keys`` require ``match``.
    """
    if allowed is _ONLY_IDS or not request.query:
        return
    reader = QueryReader(request.query.items())
    reader.only(*allowed)
    choices = {name: reader.choice(name, *values) for name, values in allowed.items() if values}
    if choices.get(DRY_RUN) == "true":
        _check_dry_run(reader, request)
    elif choices.get(PREVIEW) == "true":
        message = "Only a dry run has a preview: send dryRun=true, or leave this out."
        reader.fail(ErrorType.EXCLUSIVE_PARAMETERS, PREVIEW, message=message)
    if KEYS in allowed:
        _check_keys(reader)
    reader.raise_errors()


def _check_dry_run(reader: QueryReader, request: web.Request) -> None:
    """Report a dry run beside an Idempotency-Key."""
    if "Idempotency-Key" in request.headers:
        message = "A dry run stores no response: leave out dryRun or the Idempotency-Key."
        reader.fail(ErrorType.EXCLUSIVE_PARAMETERS, DRY_RUN, message=message)


def _check_keys(reader: QueryReader) -> None:
    """Report ``keys`` without ``match``, and ``ids`` beside either."""
    names = reader.texts.keys()
    if KEYS in names and MATCH not in names:
        reader.fail_required(MATCH)
    if IDS in names and {KEYS, MATCH} & names:
        message = "Name the records by ids or by match and keys, not both."
        reader.fail(ErrorType.EXCLUSIVE_PARAMETERS, IDS, message=message)
