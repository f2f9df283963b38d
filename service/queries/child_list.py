"""The entries of a part that is a set of its own: which of the stored ones were sent."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import orjson

from service.database.connections import Connection
from service.error_types import ErrorType
from service.queries.batch import Batch, Item
from service.queries.matching import MatchKey, Row, match_existing, next_ids

MAX_CHILDREN: Final = 1000
"""Of one set, with those that are deactivated."""


@dataclass(slots=True)
class StoredChildren:
    """The entries that are there, by id."""

    active: dict[int, Row] = field(default_factory=dict)
    deactivated: dict[int, Row] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[tuple[int, bool, Row]]) -> "StoredChildren":
        """The entries, each with its id, whether it is deactivated, and its members."""
        stored = cls()
        for one, is_deactivated, row in entries:
            (stored.deactivated if is_deactivated else stored.active)[one] = row
        return stored


@dataclass(slots=True)
class MatchedChildren:
    """The entries of a request: each has an id by now, and none is to be left out."""

    existing: dict[int, Item] = field(default_factory=dict)
    """Those that are stored, by their ids; what was deactivated is brought back."""
    new: dict[int, Item] = field(default_factory=dict)
    """The others, by the ids that they are given in the order in which they were sent."""
    request_indexes: dict[int, int] = field(default_factory=dict)
    """Where in the request an id's entry stands."""
    missing: set[int] = field(default_factory=set)
    """Active ones that were not sent."""

    @property
    def all(self) -> Mapping[int, Item]:
        """Those that are active from now on, by id."""
        return self.existing | self.new

    @staticmethod
    def json(entries: Mapping[int, Item]) -> str:
        """Entries as statements take them, with their ids."""
        return orjson.dumps([entry | {"id": one} for one, entry in entries.items()]).decode()


@dataclass(frozen=True, slots=True)
class ChildList:
    """The entries under ``name`` in an item: stored in ``table``, called ``noun`` in messages.

    One that is sent without its id takes the identity of a stored one that nothing else claims,
    rather an active one, that is alike in one of the ``ways``; its ``members`` are a row.
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
        """The entries of the batch's one item; reports ids that are none of the stored.

        An entry that says that it is deactivated is as good as left out.
        """
        entries = batch.items[0][self.name]
        named = self._identified(entries, stored)
        known = stored.active.keys() | stored.deactivated.keys()
        sent, coming = MatchedChildren(missing={*stored.active}), list[int]()
        for place, entry in enumerate(entries):
            one = named.get(place)
            if one is not None and one not in known:
                self._fail(batch, place)
            elif entry.get("isDeactivated"):
                continue
            elif one is None:
                coming.append(place)
            else:
                sent.existing[one], sent.request_indexes[one] = entry, place
        sent.missing -= sent.existing.keys()
        ids = await next_ids(connection, self.table, len(coming))
        for place, one in zip(coming, ids, strict=True):
            sent.new[one], sent.request_indexes[one] = entries[place], place
        return sent

    def remove(
        self, batch: Batch, stored: StoredChildren, sent: MatchedChildren, needed: Collection[int]
    ) -> tuple[list[int], list[int]]:
        """Of those that were not sent: the ones to be deactivated, and the ones to be removed.

        Who is ``needed`` is deactivated. Reports where there would be too many of them.
        """
        deactivated = sent.missing & {*needed}
        kept = stored.deactivated.keys() - sent.existing.keys() | deactivated
        if len(kept) + len(sent.all) > MAX_CHILDREN:
            message = f"With those that are deactivated use at most {MAX_CHILDREN:,} {self.noun}s."
            batch.fail(0, ErrorType.TOO_MANY_ITEMS, self.name, message=message)
        return sorted(deactivated), sorted(sent.missing - deactivated)

    def _identified(self, entries: Sequence[Item], stored: StoredChildren) -> dict[int, int]:
        """The id of each entry that has one, or is recognized, by its place."""
        ids = {place: one[self.key] for place, one in enumerate(entries) if one.get(self.key)}
        rows = {place: self._row(one) for place, one in enumerate(entries) if place not in ids}
        for among in (stored.active, stored.deactivated):
            free = {one: row for one, row in among.items() if one not in ids.values()}
            found = match_existing(rows, free, self.match_keys)
            ids |= found
            rows = {place: row for place, row in rows.items() if place not in found}
        return ids

    def _row(self, entry: Item) -> Row:
        return tuple(entry.get(name) for name in self.members)

    def _fail(self, batch: Batch, place: int) -> None:
        message = f"There is no such {self.noun} here."
        kind = ErrorType.UNKNOWN_REFERENCE
        batch.fail(0, kind, self.name, place, self.key, message=message)
