"""Members of lists that are sent without an id, recognized by what they hold; ids for new ones."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from service.database.connections import Connection
from service.database.statements import load

Row: TypeAlias = tuple[Any, ...]
MatchKey: TypeAlias = Callable[[Row], Hashable]
"""What two rows have alike that are of the same member; None tells nothing."""


async def next_ids(connection: Connection, table: str, count: int) -> list[int]:
    """As many ids that no row of the table has had."""
    rows = await connection.fetch(load("shared")["next_ids"].text, table, count) if count else ()
    return [row["id"] for row in rows]


def match_existing(
    sent: Mapping[int, Row], stored: Mapping[int, Row], ways: Sequence[MatchKey]
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
