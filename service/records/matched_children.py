"""Matched children: entries of a request beside the stored children that they mean.

Entries match by id or natural key (contract, Parts).
"""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress, repeat
from math import inf
from operator import itemgetter, ne
from typing import Any, Final, NamedTuple, TypeAlias

from service.batches.batch import Batch
from service.batches.entry import Item
from service.errors import Path

DEACTIVATED: Final = "isDeactivated"
"""Member of entries that can be deactivated."""

Row: TypeAlias = tuple[Any, ...]
MatchKey: TypeAlias = Callable[[Row], Hashable]
"""Returns the natural key of a row: rows with equal keys match; None matches nothing."""


def _match_existing(
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


def match_key_of(members: tuple[str, ...], names: Sequence[str]) -> MatchKey:
    """Return the function from a row to the natural key of these members."""
    if [*names] == ["*"]:
        return lambda row: row
    indexes = [members.index(name) for name in names]
    if len(indexes) == 1:
        [only] = indexes
        return lambda row: row[only] or None
    values = itemgetter(*indexes)
    return lambda row: values(row) if row[indexes[0]] else None


@dataclass(slots=True)
class StoredChildren:
    """Stored children of an owner: rows of the values of ``ChildList.members``, by id."""

    active: dict[int, Row] = field(default_factory=dict)
    deactivated: dict[int, Row] = field(default_factory=dict)
    positions: dict[int, int] = field(default_factory=dict)
    """Positions by id, of lists that keep the order in which they are sent."""

    @property
    def all(self) -> Mapping[int, Row]:
        """All stored children, deactivated ones included, by id."""
        return self.active | self.deactivated if self.deactivated else self.active


class EntryList(NamedTuple):
    """List of entries in a request."""

    item_index: int
    path: Path
    """Path of the list in the item."""
    owner_id: int
    entries: Sequence[Item]


def by_owner(
    rows: Iterable[Row], deactivates: bool = False, is_ordered: bool = False
) -> Mapping[int, StoredChildren]:
    """Return stored children by the owner's id, given rows of this, their ids and their values.

    Whether a child is deactivated, and its position, are before the values, if lists have these.
    """
    stored, start = defaultdict[int, StoredChildren](StoredChildren), 2 + deactivates + is_ordered
    for row in rows:
        children = stored[row[0]]
        active = children.deactivated if deactivates and row[2] else children.active
        active[row[1]] = row[start:]
        if is_ordered:
            children.positions[row[1]] = row[start - 1]
    return stored


def changed(
    lists: Sequence[EntryList],
    stored: Sequence[Row],
    key: str,
    columns_of: Callable[[Sequence[Item]], Iterable[Iterable[Any]]],
) -> tuple[list[EntryList], list[Row]]:
    """Return the lists that seem to differ from the stored rows, and the rows of their owners.

    ``key`` identifies an entry among those of all owners. ``columns_of`` returns the values of
    entries as they were sent. Raise TypeError for a key object in ``key``.
    """
    entries = [*chain.from_iterable([each.entries for each in lists])]
    lengths = [len(each.entries) for each in lists]
    owners = chain.from_iterable(map(repeat, [each.owner_id for each in lists], lengths))
    ids = [*map(dict.get, entries, repeat(key))]
    sent = [*zip(owners, ids, *columns_of(entries), strict=True)]
    by_id: dict[Any, Row] = dict(zip(map(itemgetter(1), stored), stored, strict=True))
    differing = {
        each[0]
        for row in compress(sent, map(ne, sent, map(by_id.get, ids)))
        for each in (row, by_id.get(row[1], row))  # another owner, which may have lost the child
    }
    differing |= {by_id[child_id][0] for child_id in by_id.keys() - ids}
    return (
        [each for each in lists if each.owner_id in differing],
        [row for row in stored if row[0] in differing],
    )


def match_ids(
    entries: Sequence[Item],
    stored: StoredChildren,
    key: str,
    row_of: Callable[[Item], Row],
    match_keys: Sequence[MatchKey],
) -> dict[int, int]:
    """Return the id of each entry that has one or matches a stored child, by index.

    Ids that entries have may be unknown. Entries with ``isDeactivated`` and without an id match
    none.
    """
    ids = {index: entry[key] for index, entry in enumerate(entries) if entry.get(key)}
    rows = {
        index: row_of(entry)
        for index, entry in enumerate(entries)
        if index not in ids and not entry.get(DEACTIVATED)
    }
    for children in (stored.active, stored.deactivated) if rows else ():
        claimed = {*ids.values()}
        unclaimed = {key: row for key, row in children.items() if key not in claimed}
        matches = _match_existing(rows, unclaimed, match_keys)
        ids |= matches
        rows = {index: row for index, row in rows.items() if index not in matches}
    return ids


@dataclass
class MatchedChildren:
    """Entries of a list, matched to the stored children of its owner or given new ids.

    Entries with ``isDeactivated`` or with an unknown id are neither ``existing`` nor ``new``.
    """

    sent: EntryList
    stored: StoredChildren
    existing: dict[int, Item] = field(default_factory=dict)
    """Entries without ``isDeactivated`` that match a stored child, by its id.

    A deactivated child becomes active again.
    """
    new: dict[int, Item] = field(default_factory=dict)
    """Entries that match none, by their new ids, which are given in request order."""
    deactivated: set[int] = field(default_factory=set)
    """Ids of missing children that the write deactivates; ``ChildList.deactivate`` sets them."""

    @cached_property
    def request_indexes(self) -> dict[int, int]:
        """Index in the list of each entry in ``existing`` and ``new``, by id.

        Unless they are set, all entries are ``existing``.
        """
        return {child_id: index for index, child_id in enumerate(self.existing)}

    @property
    def index(self) -> int:
        """Index of the item in the batch."""
        return self.sent.item_index

    @property
    def owner_id(self) -> int:
        """Id of the record that has the children."""
        return self.sent.owner_id

    @property
    def all(self) -> Mapping[int, Item]:
        """Children that are active after the write, by id."""
        return self.existing | self.new if self.new else self.existing

    @property
    def missing(self) -> set[int]:
        """Ids of active children that the item omits, or has with ``isDeactivated`` true."""
        return self.stored.active.keys() - self.existing.keys()

    @property
    def staying(self) -> set[int]:
        """Ids of deactivated children that the item does not reactivate."""
        return self.stored.deactivated.keys() - self.existing.keys()

    @property
    def total(self) -> int:
        """Number of children after the write, deactivated ones included."""
        return len(self.existing) + len(self.new) + len(self.staying) + len(self.deactivated)

    def match_by_id(self, key: str, deactivated: str) -> bool:
        """Match the entries if each has the id of a stored child in ``key``, as in most lists.

        Return whether they are such, without a true value of the member ``deactivated``.
        """
        entries = self.sent.entries
        ids = map(dict.get, entries, repeat(key))
        existing: dict[Any, Item] = dict(zip(ids, entries, strict=True))
        if not existing.keys() <= self.stored.all.keys() or (
            deactivated and any(map(dict.get, entries, repeat(deactivated)))
        ):
            return False
        self.existing = existing
        return True

    def positions(self) -> dict[int, int]:
        """Return positions by which the entries are in the order sent; they stay where they can."""
        positions, last = dict[int, int](), (-1, inf)
        for child_id in sorted(self.all, key=self.request_indexes.__getitem__):
            rank = (self.stored.positions.get(child_id, -1), child_id)
            last = rank if rank > last else (last[0] + 1, child_id)
            positions[child_id] = last[0]
        return positions

    def fail(self, batch: Batch, type_: str, *path: str | int, message: str) -> None:
        """Add an error to the item, at ``path`` within the list."""
        batch.fail(self.index, type_, *self.sent.path, *path, message=message)


def missing_ids(lists: Iterable[MatchedChildren]) -> list[int]:
    """Return the ids of active children that their items omit, sorted."""
    return sorted(chain.from_iterable(children.missing for children in lists))
