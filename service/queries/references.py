"""References: fields that refer to records, and the usage checks before a delete.

A writer locks the records that it refers to (``for key share``). A delete locks its record ``for
update`` before it looks for references. Of two concurrent writers, one therefore sees the other's
work.
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
    """Field with the id of a live record, or a list of such ids."""

    field: str
    """Dotted path of the field through lists and objects: ``lines.requested.sizeRangeSizeId``."""
    table: str
    noun: str
    """Name of the record in messages."""
    is_live: str = _LIVE
    """SQL condition of the records that can be referred to."""
    lock: str = "for key share"
    """Lock strength; ``for no key update`` serializes the writers that refer to a record."""
    within: str = ""
    """Table of the referenced records' owners, if any, which are locked too."""

    @property
    def text(self) -> str:
        """Statement that locks the referenced records."""
        return _referred(self.table, self.is_live, self.lock, self.within)

    async def find(
        self, connection: Connection, caller: Caller, ids: list[int]
    ) -> dict[int, asyncpg.Record]:
        """Lock the records of these ids; return the rows of those that exist, by id."""
        rows = await connection.fetch(self.text, caller.organization_id, ids)
        return {row["id"]: row for row in rows}

    async def check(self, connection: Connection, batch: Batch) -> None:
        """Add ``unknown_reference`` wherever an item refers to a missing or deleted record.

        Records that stay deleted may keep their references to deleted records.
        """
        referenced_ids = {
            record_id for item in batch.items for _, record_id in self._references_of(item)
        }
        if not referenced_ids:
            return
        rows = await self.find(connection, batch.caller, sorted(referenced_ids))
        is_live_by_id = {record_id: row["is_live"] for record_id, row in rows.items()}
        if len(is_live_by_id) < len(referenced_ids) or not all(is_live_by_id.values()):
            self._report(batch, is_live_by_id)

    def _report(self, batch: Batch, is_live_by_id: dict[int, bool]) -> None:
        type_, message = ErrorType.UNKNOWN_REFERENCE, f"There is no such {self.noun}."
        for index, item in enumerate(batch.items):
            stays_deleted = item.get("state") == "deleted"
            for path, record_id in self._references_of(item):
                if not is_live_by_id.get(record_id, False) and not (
                    stays_deleted and record_id in is_live_by_id
                ):
                    batch.fail(index, type_, *path, message=message)

    def _references_of(self, item: Item) -> Iterator[tuple[Path, int]]:
        """Yield the path and id of each reference of an item."""
        yield from _ids(item, self.field.split("."), ())


def _ids(value: Any, names: list[str], path: Path) -> Iterator[tuple[Path, int]]:
    """Yield the path and id of each reference below the nested member names."""
    if isinstance(value, list):
        for index, element in enumerate(value):
            yield from _ids(element, names, (*path, index))
    elif names and value is not None:
        name, *rest = names
        yield from _ids(value.get(name), rest, (*path, name))
    elif value is not None:
        yield path, stored_id(value)


def stored_id(value: Any) -> int:
    """Return the stored id of a JSON value; 0, which no record has, for a text that is no id."""
    if isinstance(value, int):
        return value
    try:
        return parse_id(value)
    except ValueError:
        return 0


@dataclass(frozen=True, slots=True)
class ReferencedBy:
    """Reference from other records, by a column of their table or of a link table."""

    noun: str
    """Name of the referring records in messages."""
    table: str
    column: str
    link: str = ""
    """Table of ``column``, if it is not the referring records' own table."""
    owner: str = "id"
    """Column of that table with the ids of the referring records."""
    is_live: str = f"record.{_LIVE}"
    """SQL condition of the referring records that prevent a delete."""
    cleared_by: str = ""
    """Statement that clears the remaining references before a hard delete."""

    @property
    def text(self) -> str:
        """Statement that counts the referring records."""
        return SHARED["uses"].fill(
            users=self.noun,
            table=self.table,
            column=self.column,
            link=self.link or self.table,
            owner=self.owner,
            is_live=self.is_live,
        )


async def in_use(
    connection: Connection, caller: Caller, referenced_by: tuple[ReferencedBy, ...], ids: list[int]
) -> dict[int, dict[str, int]]:
    """Return how many live records refer to each id, by id and noun.

    The count is 0 where only deleted records refer to an id.
    """
    text = uses_text(referenced_by)
    counts: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in await connection.fetch(text, caller.organization_id, id_array(ids)):
        counts[row["id"]][row["users"]] += row["uses"]
    return counts


def usage_messages(counts: Mapping[int, Mapping[str, int]]) -> dict[int, str]:
    """Return a message for each id that live records refer to."""
    live = {
        record_id: [f"{noun}: {count}" for noun, count in counts_by_noun.items() if count]
        for record_id, counts_by_noun in counts.items()
    }
    return {
        record_id: f"Used by {', '.join(usages)}." for record_id, usages in live.items() if usages
    }


@cache
def _referred(table: str, is_live: str, lock: str, within: str) -> str:
    if within:
        return SHARED["referred_within"].fill(
            table=table, is_live=is_live, lock=lock, within=within
        )
    return SHARED["referred"].fill(table=table, is_live=is_live, lock=lock)


@cache
def uses_text(uses: tuple[ReferencedBy, ...]) -> str:
    """Return one statement that counts all uses, to save round trips."""
    return "\nunion all\n".join(use.text for use in uses)
