"""Child list: entries of a part, matched to the stored children by id or natural key."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from service.database.connections import Connection
from service.error_types import ErrorType
from service.limits import MAX_CHILDREN
from service.queries.batch import Batch, Item
from service.queries.matching import MatchKey, Row, match_existing, next_ids


@dataclass(slots=True)
class StoredChildren:
    """Stored children of a record, by id."""

    active: dict[int, Row] = field(default_factory=dict)
    deactivated: dict[int, Row] = field(default_factory=dict)

    @classmethod
    def of(cls, children: Iterable[tuple[int, bool, Row]]) -> "StoredChildren":
        """Group children, given as id, whether it is deactivated, and members."""
        stored = cls()
        for child_id, is_deactivated, row in children:
            (stored.deactivated if is_deactivated else stored.active)[child_id] = row
        return stored


@dataclass(slots=True)
class MatchedChildren:
    """Entries of a request, matched to stored children or given new ids."""

    existing: dict[int, Item] = field(default_factory=dict)
    """Entries that match a stored child, by id; a deactivated child becomes active again."""
    new: dict[int, Item] = field(default_factory=dict)
    """Other entries, by their new ids, which are given in request order."""
    request_indexes: dict[int, int] = field(default_factory=dict)
    """Index of each id's entry in the request's list."""
    missing: set[int] = field(default_factory=set)
    """Ids of active children that the request omits."""

    @property
    def all(self) -> Mapping[int, Item]:
        """Children that are active after the write, by id."""
        return self.existing | self.new

    @staticmethod
    def json(children: Mapping[int, Item]) -> str:
        """Return entries as a JSON parameter, with their ids."""
        return orjson.dumps(
            [entry | {"id": child_id} for child_id, entry in children.items()]
        ).decode()


@dataclass(frozen=True, slots=True)
class ChildList:
    """Child list at the member ``name`` of an item, with rows in ``table``.

    ``noun`` names an entry in messages; ``key`` is the member with its id. An entry without an id
    matches an unclaimed stored child, active ones first, that is equal in one of the
    ``match_keys``. These are computed from the row of the entry's ``members``.
    """

    name: str
    key: str
    table: str
    noun: str
    members: Sequence[str]
    match_keys: Sequence[MatchKey]

    async def match(
        self, connection: Connection, batch: Batch, stored: StoredChildren
    ) -> MatchedChildren:
        """Match the entries of the batch's only item to the stored children.

        Add ``unknown_reference`` to the batch for ids that are not stored. An entry with
        ``isDeactivated`` true counts as omitted.
        """
        entries = batch.items[0][self.name]
        matched_ids = self._match_ids(entries, stored)
        stored_ids = stored.active.keys() | stored.deactivated.keys()
        matched, new_indexes = MatchedChildren(missing={*stored.active}), list[int]()
        for index, entry in enumerate(entries):
            child_id = matched_ids.get(index)
            if child_id is not None and child_id not in stored_ids:
                self._fail_unknown_id(batch, index)
            elif entry.get("isDeactivated"):
                continue
            elif child_id is None:
                new_indexes.append(index)
            else:
                matched.existing[child_id], matched.request_indexes[child_id] = entry, index
        matched.missing -= matched.existing.keys()
        new_ids = await next_ids(connection, self.table, len(new_indexes))
        for index, child_id in zip(new_indexes, new_ids, strict=True):
            matched.new[child_id], matched.request_indexes[child_id] = entries[index], index
        return matched

    def remove(
        self,
        batch: Batch,
        stored: StoredChildren,
        matched: MatchedChildren,
        referenced: Collection[int],
    ) -> tuple[list[int], list[int]]:
        """Return the omitted children to deactivate, and those to delete.

        A ``referenced`` child is deactivated instead of deleted. Add ``too_many_items`` to the
        batch if the list would exceed ``MAX_CHILDREN``.
        """
        deactivated = matched.missing & {*referenced}
        inactive = stored.deactivated.keys() - matched.existing.keys() | deactivated
        if len(inactive) + len(matched.all) > MAX_CHILDREN:
            message = f"Use at most {MAX_CHILDREN:,} {self.noun}s, deactivated ones included."
            batch.fail(0, ErrorType.TOO_MANY_ITEMS, self.name, message=message)
        return sorted(deactivated), sorted(matched.missing - deactivated)

    def _match_ids(self, entries: Sequence[Item], stored: StoredChildren) -> dict[int, int]:
        """Return the id of each entry that has one or matches a stored child, by index."""
        ids = {index: entry[self.key] for index, entry in enumerate(entries) if entry.get(self.key)}
        rows = {index: self._row(entry) for index, entry in enumerate(entries) if index not in ids}
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

    def _fail_unknown_id(self, batch: Batch, index: int) -> None:
        message = f"There is no such {self.noun} here."
        type_ = ErrorType.UNKNOWN_REFERENCE
        batch.fail(0, type_, self.name, index, self.key, message=message)
