"""What records refer to, and what refers to them: both in one form for every resource.

A writer that refers to a record holds it as it is (``for key share``), and who deletes one locks it
``for update`` before looking for what uses it: of two at once, one sees the other's work.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import asyncpg

from service.database.connections import Connection
from service.database.id_arrays import id_array
from service.error_types import ErrorType
from service.errors import Path
from service.listing.properties import parse_id
from service.organizations.caller import Caller
from service.queries.batch import Batch, Item
from service.queries.resource import SHARED

_LIVE = "state <> 'deleted'"


@dataclass(frozen=True, slots=True)
class Reference:
    """A field that holds the id of a live record, or a list of such ids."""

    field: str
    """Its name, after those of the lists that it is in: ``lines.requested.sizeRangeSizeId``."""
    table: str
    noun: str
    """What the record is called in messages."""
    is_live: str = _LIVE
    """Which records of the table can be referred to."""
    lock: str = "for key share"
    """How they are held; with ``for no key update`` those who refer to one go one at a time."""
    within: str = ""
    """The table of the records that they are parts of, which are held too."""

    @property
    def _text(self) -> str:
        return _referred(self.table, self.is_live, self.lock, self.within)

    async def find(
        self, connection: Connection, caller: Caller, ids: list[int]
    ) -> dict[int, asyncpg.Record]:
        """Lock the records of these ids; return the row of each that is there, by id."""
        rows = await connection.fetch(self._text, caller.organization_id, ids)
        return {row["id"]: row for row in rows}

    async def check(self, connection: Connection, batch: Batch) -> None:
        """Report every place where the items name a record that is not there, or is deleted.

        Records that stay deleted may go on referring to deleted ones.
        """
        wanted = {one for item in batch.items for _, one in self._named(item)}
        if not wanted:
            return
        rows = await self.find(connection, batch.caller, sorted(wanted))
        found = {record_id: row["is_live"] for record_id, row in rows.items()}
        if len(found) < len(wanted) or not all(found.values()):
            self._report(batch, found)

    def _report(self, batch: Batch, found: dict[int, bool]) -> None:
        kind, message = ErrorType.UNKNOWN_REFERENCE, f"There is no such {self.noun}."
        for number, item in enumerate(batch.items):
            stays_deleted = item.get("state") == "deleted"
            for path, one in self._named(item):
                if not found.get(one, False) and not (stays_deleted and one in found):
                    batch.fail(number, kind, *path, message=message)

    def _named(self, item: Item) -> Iterator[tuple[Path, int]]:
        """The ids that an item names, and where."""
        yield from _ids(item, self.field.split("."), ())


def _ids(value: Any, names: list[str], path: Path) -> Iterator[tuple[Path, int]]:
    """The ids that a value holds under these names, one within the other, and where."""
    if isinstance(value, list):
        for place, one in enumerate(value):
            yield from _ids(one, names, (*path, place))
    elif names and value is not None:
        first, *rest = names
        yield from _ids(value.get(first), rest, (*path, first))
    elif value is not None:
        yield path, stored_id(value)


def stored_id(value: Any) -> int:
    """The stored id; one that no record can have for a text of another form."""
    if isinstance(value, int):
        return value
    try:
        return parse_id(value)
    except ValueError:
        return 0


@dataclass(frozen=True, slots=True)
class ReferencedBy:
    """How records of a table refer to others: by a column of their own, or of a table of links."""

    noun: str
    """What they are called in messages."""
    table: str
    column: str
    link: str = ""
    """The table of the column, if it is not that of the records."""
    owner: str = "id"
    """The column there that holds the records' own ids."""
    is_live: str = f"record.{_LIVE}"
    """Which records keep others from going."""
    cleared_by: str = ""
    """The statement after which the others refer to nothing, where what goes is gone for good."""

    @property
    def text(self) -> str:
        """The statement that counts them."""
        return SHARED["uses"].fill(
            users=self.noun,
            table=self.table,
            column=self.column,
            link=self.link or self.table,
            owner=self.owner,
            is_live=self.is_live,
        )


async def in_use(
    connection: Connection, caller: Caller, uses: tuple[ReferencedBy, ...], ids: list[int]
) -> dict[int, dict[str, int]]:
    """What refers to which of the ids, and how many of them are live."""
    text = _uses(uses)
    counts: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in await connection.fetch(text, caller.organization_id, id_array(ids)):
        counts[row["id"]][row["users"]] += row["uses"]
    return counts


def usage_messages(counts: Mapping[int, Mapping[str, int]]) -> dict[int, str]:
    """Of those of the ids that live records use: by what, and how often."""
    live = {
        one: [f"{users}: {uses}" for users, uses in found.items() if uses]
        for one, found in counts.items()
    }
    return {one: f"Used by {', '.join(found)}." for one, found in live.items() if found}


@cache
def _referred(table: str, is_live: str, lock: str, within: str) -> str:
    if within:
        return SHARED["referred_within"].fill(
            table=table, is_live=is_live, lock=lock, within=within
        )
    return SHARED["referred"].fill(table=table, is_live=is_live, lock=lock)


@cache
def _uses(uses: tuple[ReferencedBy, ...]) -> str:
    return "\nunion all\n".join(use.text for use in uses)
