"""What a write can be told beside its items: in part, as a rehearsal, in short (contract, Bulk)."""

from dataclasses import dataclass, replace
from typing import Final

from aiohttp import web

from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail
from service.handlers.parameters import collect_errors, only_parameters
from service.http.prefer import preferences
from service.queries.master_record import MasterRecord
from service.queries.outcomes import WriteOptions

MATCH: Final = "match"
ON_ERROR: Final = "onError"
DRY_RUN: Final = "dryRun"
MINIMAL: Final = "return=minimal"


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """The switches of one write; without any it is all or nothing and answers documents."""

    write_options: WriteOptions
    """What the engine has to know of them."""
    dry_run: bool = False
    """Everything is done, and taken back."""
    return_minimal: bool = False
    """The caller prefers a short answer."""


def of_bulk(
    request: web.Request,
    resource: MasterRecord,
    manner: WriteOptions,
    *parameters: str,
    by_key: bool = False,
) -> RequestOptions:
    """The switches of a bulk write, which may go ``by_key``, beside its own parameters.

    Raises ApiError for parameters that are unknown or have no such value.
    """
    matching = (MATCH,) if by_key and resource.own_key else ()
    choices: dict[str, tuple[str, ...]] = dict.fromkeys(matching, (str(resource.own_key),))
    choices |= {ON_ERROR: ("abort", "skip"), DRY_RUN: ("false", "true")}
    _, chosen = collect_errors(
        lambda: only_parameters(request, *parameters, *choices),
        lambda: _chosen(request, choices),
    )
    rehearses = _rehearses(request, chosen)
    minimal = preferences(request).get("return") == "minimal"
    brief = manner.skip_failed or manner.match_by_key or rehearses or minimal
    return RequestOptions(replace(manner, outcomes_only=brief), rehearses, minimal)


def of_one(request: web.Request) -> RequestOptions:
    """The switches of a write of one record; raises ApiError as above."""
    _, chosen = collect_errors(
        lambda: only_parameters(request, DRY_RUN),
        lambda: _chosen(request, {DRY_RUN: ("false", "true")}),
    )
    rehearses = _rehearses(request, chosen)
    return RequestOptions(WriteOptions(outcomes_only=rehearses), rehearses)


def manner_of(
    request: web.Request, resource: MasterRecord, *, by_key: bool = False
) -> WriteOptions:
    """How the items of a bulk write are looked at, whatever else is wrong with the request."""
    return WriteOptions(
        skip_failed=request.query.get(ON_ERROR) == "skip",
        match_by_key=by_key and MATCH in request.query and resource.own_key is not None,
    )


def _rehearses(request: web.Request, chosen: dict[str, str]) -> bool:
    rehearses = chosen.get(DRY_RUN) == "true"
    if rehearses and "Idempotency-Key" in request.headers:
        message = "A rehearsal uses up no Idempotency-Key: leave one of them out."
        raise ApiError([ErrorDetail(ErrorType.EXCLUSIVE_PARAMETERS, (DRY_RUN,), message)])
    return rehearses


def _chosen(request: web.Request, choices: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """The values of those parameters that are sent; raises 400 with every one that is wrong."""
    chosen, failures = dict[str, str](), list[ErrorDetail]()
    for name, values in choices.items():
        sent = request.query.getall(name, [])
        if len(sent) > 1:
            message = "Give this parameter once."
            failures.append(ErrorDetail(ErrorType.DUPLICATE, (name,), message))
        elif sent and sent[0] not in values:
            message = f"Use {' or '.join(values)}."
            failures.append(ErrorDetail(ErrorType.INVALID_VALUE, (name,), message))
        elif sent:
            chosen[name] = sent[0]
    if failures:
        raise ApiError(failures)
    return chosen
