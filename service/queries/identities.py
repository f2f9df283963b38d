"""Members of lists that are sent without an id, recognized by what they hold."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

Row: TypeAlias = tuple[Any, ...]
Way: TypeAlias = Callable[[Row], Hashable]
"""What two rows have alike that are of the same member; None tells nothing."""


def recognized(
    sent: Mapping[int, Row], stored: Mapping[int, Row], ways: Sequence[Way]
) -> dict[int, int]:
    """The ids of stored members that sent ones are, by the places of these.

    Each of ``stored`` is taken once, first by whom the first way leads to it. Of several that are
    alike the lowest ids go to those that were sent first.
    """
    found, free = dict[int, int](), dict(stored)
    for way in ways:
        if not free or len(found) == len(sent):
            break
        alike = defaultdict[Hashable, deque[int]](deque)
        for one in sorted(free):
            alike[way(free[one])].append(one)
        for place, row in sent.items():
            told = way(row)
            if place not in found and told is not None and alike.get(told):
                found[place] = alike[told].popleft()
                del free[found[place]]
    return found
