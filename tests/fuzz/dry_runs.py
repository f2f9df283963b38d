"""Dry runs of cases, some of which skip failed items: they must report the same faults."""

from dataclasses import replace
from random import Random
from typing import Final

from tests.fuzz.cases import Case

_DRY_RUNS: Final = 0.3
"""Share of the writes that are dry runs; half of the bulk ones skip failed items."""
_NOT_OF_ONE: Final = ("validation_error.duplicate", "validation_error.malformed_json")
"""Errors that change if failed items are skipped, or that belong to no item."""


def maybe(case: Case, random: Random) -> Case:
    """Return the case, or sometimes a dry run of it."""
    request = case.request
    is_keyed = "Idempotency-Key" in request.headers
    if not case.route.operation.writes or is_keyed or random.random() > _DRY_RUNS:
        return case
    params = [*(request.params or ()), ("dryRun", "true")]
    skips = _is_of_items(case) and random.random() < 0.5
    if skips:
        params.append(("onError", "skip"))
    kinds = (*case.kinds, "failing items skipped" if skips else "dry run")
    return replace(case, request=replace(request, params=params), kinds=kinds, skips=skips)


def _is_of_items(case: Case) -> bool:
    """Return whether all errors are errors of single items."""
    rows = case.rows if case.bulk else ()
    return bool(rows) and all("[" in str(field) and kind not in _NOT_OF_ONE for kind, field in rows)
