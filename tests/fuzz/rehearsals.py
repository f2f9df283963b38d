"""The same requests as rehearsals, and in part: they have to tell of the same faults."""

from dataclasses import replace
from random import Random
from typing import Final

from tests.fuzz.cases import Case

_REHEARSED: Final = 0.3
"""Which part of the writes is; of those in bulk half is in part, too."""
_NOT_OF_ONE: Final = ("validation_error.duplicate", "validation_error.malformed_json")
"""In part all items fail that share a value, not only the later ones; no JSON is nobody's."""


def maybe(case: Case, random: Random) -> Case:
    """The case, or sometimes a rehearsal of it."""
    request = case.request
    is_keyed = "Idempotency-Key" in request.headers
    if not case.route.operation.writes or is_keyed or random.random() > _REHEARSED:
        return case
    params = [*(request.params or ()), ("dryRun", "true")]
    in_part = _is_of_items(case) and random.random() < 0.5
    if in_part:
        params.append(("onError", "skip"))
    kinds = (*case.kinds, "in part" if in_part else "rehearsed")
    return replace(case, request=replace(request, params=params), kinds=kinds, in_part=in_part)


def _is_of_items(case: Case) -> bool:
    """Whether all that is wrong is wrong with items, each by itself."""
    rows = case.rows if case.bulk else ()
    return bool(rows) and all("[" in str(field) and kind not in _NOT_OF_ONE for kind, field in rows)
