"""Matching of list entries without ids to stored rows by natural key."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

Row: TypeAlias = tuple[Any, ...]
MatchKey: TypeAlias = Callable[[Row], Hashable]
"""Returns the natural key of a row: rows with equal keys match; None matches nothing."""


def match_existing(
    entries: Mapping[int, Row], stored: Mapping[int, Row], match_keys: Sequence[MatchKey]
) -> dict[int, int]:
    """Match request entries to stored rows. Return request index -> stored id of matched entries.

    ``entries`` have no ids, and no other entry claims the ``stored`` rows. Each stored row matches
    one entry at most; matches by earlier match keys take precedence. Of several rows with equal
    keys, the lowest ids go to the first entries, in the order of ``entries``.
    """
    matches, unclaimed = dict[int, int](), dict(stored)
    for match_key in match_keys:
        if not unclaimed or len(matches) == len(entries):
            break
        candidates = defaultdict[Hashable, deque[int]](deque)
        for stored_id in sorted(unclaimed):
            candidates[match_key(unclaimed[stored_id])].append(stored_id)
        for index, row in entries.items():
            key = match_key(row)
            if index not in matches and key is not None and candidates.get(key):
                matches[index] = candidates[key].popleft()
                del unclaimed[matches[index]]
    return matches
