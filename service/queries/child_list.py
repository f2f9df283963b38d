"""Child lists: sizes of ranges and lines of charts, matched to stored ones by id or content.

The caller has locked the owners, and writes what the functions here return (contract, Parts).
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import orjson

from service.database.connections import Connection
from service.error_types import ErrorType
from service.limits import MAX_CHILDREN
from service.queries.batch import Batch, Item
from service.queries.matching import MatchKey, Row, match_existing
from service.queries.new_ids import next_ids


@dataclass(slots=True)
class StoredChildren:
    """Stored children of a record, by id.

    A row begins with the values of ``ChildList.members``; more columns may follow.
    """

    active: dict[int, Row] = field(default_factory=dict)
    deactivated: dict[int, Row] = field(default_factory=dict)

    @property
    def all(self) -> Mapping[int, Row]:
        """All stored children, deactivated ones included, by id."""
        return self.active | self.deactivated

    @classmethod
    def by_owner(cls, rows: Iterable[Sequence[Any]]) -> "Mapping[int, StoredChildren]":
        """Group rows of owner id, child id, whether it is deactivated, and the child's row.

        A null child id stands for no child: an owner without children is not in the result.
        """
        stored = defaultdict[int, StoredChildren](cls)
        for owner_id, child_id, is_deactivated, *row in rows:
            if child_id is not None:
                children = stored[owner_id]
                (children.deactivated if is_deactivated else children.active)[child_id] = tuple(row)
        return stored


@dataclass(slots=True)
class MatchedChildren:
    """Entries of an item, matched to the stored children of its owner or given new ids.

    Entries with ``isDeactivated`` or with an unknown id are neither ``existing`` nor ``new``.
    """

    index: int
    """Index of the item in the batch."""
    owner_id: int
    stored: StoredChildren
    existing: dict[int, Item] = field(default_factory=dict)
    """Entries without ``isDeactivated`` that match a stored child, by its id.

    A deactivated child becomes active again.
    """
    new: dict[int, Item] = field(default_factory=dict)
    """Entries that match none, by their new ids, which are given in request order."""
    request_indexes: dict[int, int] = field(default_factory=dict)
    """Index in the item's list of each entry in ``existing`` and ``new``, by id."""
    deactivated: set[int] = field(default_factory=set)
    """Ids of missing children that the write deactivates; ``ChildList.remove`` sets them."""

    @property
    def all(self) -> Mapping[int, Item]:
        """Children that are active after the write, by id."""
        return self.existing | self.new

    @property
    def missing(self) -> set[int]:
        """Ids of active children that the item omits, or has with ``isDeactivated`` true."""
        return {*self.stored.active}.difference(self.existing)

    @property
    def staying(self) -> set[int]:
        """Ids of deactivated children that the item does not reactivate."""
        return {*self.stored.deactivated}.difference(self.existing)

    @property
    def total(self) -> int:
        """Number of children after the write, deactivated ones included; valid after ``remove``."""
        return len(self.all) + len(self.staying) + len(self.deactivated)


def missing_ids(lists: Iterable[MatchedChildren]) -> list[int]:
    """Return the ids of active children that their items omit, sorted."""
    return sorted(chain.from_iterable(children.missing for children in lists))


def rows_json(rows: Iterable[tuple[MatchedChildren, Mapping[int, Item]]]) -> str:
    """Return entries as a JSON array, each with its ``id`` and the ``ownerId``."""
    return orjson.dumps(
        [
            entry | {"id": child_id, "ownerId": children.owner_id}
            for children, entries in rows
            for child_id, entry in entries.items()
        ]
    ).decode()


@dataclass(frozen=True, slots=True)
class ChildList:
    """Child list at the member ``name`` of an item, with rows in ``table``.

    ``noun`` names an entry in messages; ``key`` is the member with its id. An entry without an id
    matches a stored child that no other entry claims and that is equal in one of the
    ``match_keys``, which are computed from the values of ``members``. Active children take
    precedence over deactivated ones, and then earlier match keys over later ones.
    """

    name: str
    key: str
    table: str
    noun: str
    members: Sequence[str]
    match_keys: Sequence[MatchKey]
    """Functions from a row to its natural key; None matches nothing (``match_existing``)."""

    async def match(
        self, connection: Connection, batch: Batch, stored: Mapping[int, StoredChildren]
    ) -> list[MatchedChildren]:
        """Match the entries of each item to the stored children of its owner.

        Return one result for each item, in batch order. The caller has checked that the ids in a
        list differ. Add ``unknown_reference`` to the batch for ids that the owner does not have,
        also of entries with ``isDeactivated`` true, which count as omitted otherwise. New entries
        take ids from the table's sequence; nothing else is written.
        """
        lists, new_indexes = list[MatchedChildren](), list[tuple[MatchedChildren, int]]()
        for index, item in enumerate(batch.items):
            children = MatchedChildren(index, item["id"], stored.get(item["id"], StoredChildren()))
            new_indexes += ((children, entry) for entry in self._match_item(batch, children))
            lists.append(children)
        new_ids = await next_ids(connection, self.table, len(new_indexes))
        for (children, index), child_id in zip(new_indexes, new_ids, strict=True):
            children.new[child_id] = batch.items[children.index][self.name][index]
            children.request_indexes[child_id] = index
        return lists

    def remove(
        self, batch: Batch, lists: Iterable[MatchedChildren], referenced: Container[int]
    ) -> tuple[list[int], list[int]]:
        """Return the ids of the children to deactivate and of those to delete, each list sorted.

        These are the active children that their items omit: ``referenced`` ones are deactivated
        instead of deleted. Children that are deactivated already stay. Add ``too_many_items`` to
        the items whose list would exceed ``MAX_CHILDREN``, deactivated children included.
        """
        deactivated, removed = list[int](), list[int]()
        for children in lists:
            missing = children.missing
            children.deactivated = {child_id for child_id in missing if child_id in referenced}
            deactivated += children.deactivated
            removed += missing - children.deactivated
            if children.total > MAX_CHILDREN:
                message = f"Use at most {MAX_CHILDREN:,} {self.noun}s, deactivated ones included."
                batch.fail(children.index, ErrorType.TOO_MANY_ITEMS, self.name, message=message)
        return sorted(deactivated), sorted(removed)

    def _match_item(self, batch: Batch, children: MatchedChildren) -> Iterator[int]:
        """Match the entries of one item; yield the indexes of new entries."""
        entries = batch.items[children.index][self.name]
        matched_ids, stored = self._match_ids(entries, children.stored), children.stored.all
        for index, entry in enumerate(entries):
            child_id = matched_ids.get(index)
            if child_id is not None and child_id not in stored:
                self._fail_unknown_id(batch, children.index, index)
            elif entry.get("isDeactivated"):
                continue
            elif child_id is None:
                yield index
            else:
                children.existing[child_id] = entry
                children.request_indexes[child_id] = index

    def _match_ids(self, entries: Sequence[Item], stored: StoredChildren) -> dict[int, int]:
        """Return the id of each entry that has one or matches a stored child, by index.

        Ids that entries have may be unknown; ``_match_item`` reports these. Entries with
        ``isDeactivated`` and without an id match none.
        """
        ids = {index: entry[self.key] for index, entry in enumerate(entries) if entry.get(self.key)}
        rows = {
            index: self._row(entry)
            for index, entry in enumerate(entries)
            if index not in ids and not entry.get("isDeactivated")
        }
        for children in (stored.active, stored.deactivated):
            claimed = {*ids.values()}
            unclaimed = {key: row for key, row in children.items() if key not in claimed}
            matches = match_existing(rows, unclaimed, self.match_keys)
            ids |= matches
            rows = {index: row for index, row in rows.items() if index not in matches}
        return ids

    def _row(self, entry: Item) -> Row:
        """Return the row of an entry; a key object, whose id is not known yet, counts as null."""
        values = (entry.get(name) for name in self.members)
        return tuple(None if isinstance(value, dict) else value for value in values)

    def _fail_unknown_id(self, batch: Batch, item_index: int, index: int) -> None:
        message = f"There is no such {self.noun} here."
        type_ = ErrorType.UNKNOWN_REFERENCE
        batch.fail(item_index, type_, self.name, index, self.key, message=message)
