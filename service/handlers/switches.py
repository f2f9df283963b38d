"""What a write can be told beside its items: in part, as a rehearsal, in short (contract, Bulk)."""

from dataclasses import dataclass, replace
from typing import Final

from aiohttp import web

from service.failures import ApiError, Failure
from service.handlers.parameters import only_parameters, together
from service.http.prefer import preferences
from service.queries.master_record import MasterRecord
from service.queries.outcomes import Manner

MATCH: Final = "match"
ON_ERROR: Final = "onError"
DRY_RUN: Final = "dryRun"
MINIMAL: Final = "return=minimal"


@dataclass(frozen=True, slots=True)
class Switches:
    """The switches of one write; without any it is all or nothing and answers documents."""

    skips: bool = False
    """Items that fail are left out, and the others written."""
    rehearses: bool = False
    """Everything is done, and taken back."""
    by_key: bool = False
    """Items name records by their own key."""
    minimal: bool = False
    """The caller prefers a short answer."""

    @property
    def tells_outcomes(self) -> bool:
        """Whether the answer has an outcome for each item instead of documents."""
        return self.skips or self.rehearses or self.by_key or self.minimal

    @property
    def manner(self) -> Manner:
        """What the engine has to know of it."""
        return Manner(self.skips, self.by_key, brief=self.tells_outcomes)


def of_bulk(
    request: web.Request, resource: MasterRecord, *parameters: str, by_key: bool = False
) -> Switches:
    """The switches of a bulk write, which may go ``by_key``, beside its own parameters.

    Raises ApiError for parameters that are unknown or have no such value.
    """
    matching = (MATCH,) if by_key and resource.own_key else ()
    choices: dict[str, tuple[str, ...]] = dict.fromkeys(matching, (str(resource.own_key),))
    choices |= {ON_ERROR: ("abort", "skip"), DRY_RUN: ("false", "true")}
    _, chosen = together(
        lambda: only_parameters(request, *parameters, *choices),
        lambda: _chosen(request, choices),
    )
    return replace(
        _rehearsal(request, chosen),
        skips=chosen.get(ON_ERROR) == "skip",
        by_key=MATCH in chosen,
        minimal=preferences(request).get("return") == "minimal",
    )


def of_one(request: web.Request) -> Switches:
    """The switches of a write of one record; raises ApiError as above."""
    _, chosen = together(
        lambda: only_parameters(request, DRY_RUN),
        lambda: _chosen(request, {DRY_RUN: ("false", "true")}),
    )
    return _rehearsal(request, chosen)


def is_by_key(request: web.Request, resource: MasterRecord) -> bool:
    """Whether items are to name records by their own key, whatever else is wrong."""
    return MATCH in request.query and resource.own_key is not None


def is_skipping(request: web.Request) -> bool:
    """Whether items that fail are to be left out, whatever else is wrong."""
    return request.query.get(ON_ERROR) == "skip"


def _rehearsal(request: web.Request, chosen: dict[str, str]) -> Switches:
    rehearses = chosen.get(DRY_RUN) == "true"
    if rehearses and "Idempotency-Key" in request.headers:
        message = "A rehearsal uses up no Idempotency-Key: leave one of them out."
        raise ApiError([Failure("validation_error.exclusive_parameters", (DRY_RUN,), message)])
    return Switches(rehearses=rehearses)


def _chosen(request: web.Request, choices: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """The values of those parameters that are sent; raises 400 with every one that is wrong."""
    chosen, failures = dict[str, str](), list[Failure]()
    for name, values in choices.items():
        sent = request.query.getall(name, [])
        if len(sent) > 1:
            message = "Give this parameter once."
            failures.append(Failure("validation_error.duplicate", (name,), message))
        elif sent and sent[0] not in values:
            message = f"Use {' or '.join(values)}."
            failures.append(Failure("validation_error.invalid_value", (name,), message))
        elif sent:
            chosen[name] = sent[0]
    if failures:
        raise ApiError(failures)
    return chosen
