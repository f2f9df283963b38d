"""Usage check: counts and names the live records that refer to records to delete.

Writers lock the records that they refer to (``service/records/references.py``). A delete locks its
record ``for update`` before it looks for references, so that no new ones come after the check.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter
from typing import Any, Final, TypeAlias

import orjson

from service import schemas
from service.batches.batch import Batch
from service.database.statements import SHARED, id_array
from service.listing.page_sql import column_of
from service.organizations.scopes import READ, Scopes
from service.records.reference_targets import own_references

NAMED: Final = 10
"""Number of referring records that a message names, for each of their collections."""


@dataclass(frozen=True, slots=True)
class ReferencedBy:
    """Reference from records of a collection, by a column of their table or of a link table."""

    collection: str
    column: str
    link: str = ""
    """Table of ``column``, if it is not the referring records' own table."""
    through: tuple[str, ...] = ()
    """Tables of entries that lead from ``link`` to the records.

    Each, and ``link``, has a column with the ids of the next one, or of the records.
    """
    users: str = ""
    """Name of the referring records in messages; by default that of the collection."""
    shown: tuple[str, str] = ("", "")
    """Table among ``link`` and ``through`` of which only some entries count, and their condition.

    The condition names columns of the table without it.
    """
    cleared_by: str = ""
    """Name of the resource's statement that clears remaining references before a hard delete."""

    @property
    def noun(self) -> str:
        """Name of the referring records in messages."""
        return self.users or self.collection.replace("-", " ")

    @property
    def table(self) -> str:
        """Table of the referring records."""
        return schemas.table(self.collection)

    @property
    def text(self) -> str:
        """Statement that counts the live referring records, and names the first ones."""
        has_state = "state" in schemas.definition(self.collection, "document").properties
        key = schemas.key_fields(self.collection)[0]
        target, key_text = own_references(self.collection).get(key), f"record.{column_of(key)}"
        if target:
            columns = {"target": target.table, "key": column_of(target.key)}
            key_text = SHARED["key_of_reference"].fill(**columns, reference=key_text)
        is_live = "record.state <> 'deleted'" if has_state else "true"
        return SHARED["uses"].fill(
            users=self.noun,
            table=self.table,
            column=self.column,
            link=self.link or self.table,
            owner=self._owner("link"),
            other_owner=self._owner("other"),
            is_live=f"{is_live}{self._and_shown(self.link)}",
            key=key_text,
            named=str(NAMED),
        )

    def _owner(self, row: str) -> str:
        """Return the SQL of the referring record's id in a row of the link table."""
        if not self.link:
            return f"{row}.id"
        first, *others = (*self.through, self.table)
        owner = f"{row}.{first}_id"
        for table, following in zip(self.through, others, strict=True):
            owner = SHARED["owner_of_entry"].fill(
                table=table,
                column=f"{following}_id",
                entry=owner,
                is_shown=self._and_shown(table),
            )
        return owner

    def _and_shown(self, table: str) -> str:
        """Return ``and`` and the SQL condition of entries of a table that count; "" without one."""
        shown_table, is_shown = self.shown
        return f"\n    and {is_shown}" if table and table == shown_table else ""


@dataclass(slots=True)
class Usage:
    """Live records of one collection that refer to a record."""

    count: int = 0
    """Number of records; one counts once for each of the references that it may have."""
    first: list[Sequence[Any]] = field(default_factory=list)
    """Id and own key of each of the first ``NAMED`` ones, by id."""

    def add(self, count: int, first: Iterable[str]) -> None:
        """Add records of another reference; ``first`` has JSON arrays of an id and an own key."""
        self.count += count
        records = [*self.first, *map(orjson.loads, first)]
        self.first = sorted(records, key=itemgetter(0))[:NAMED]

    def __str__(self) -> str:
        """Return the count, and in parentheses the first ids and own keys, if there are any."""
        return f"{self.count} ({named_records(self.first)})" if self.first else str(self.count)


Usages: TypeAlias = Mapping[int, Mapping[str, Usage]]
"""Usages of records, by their id and the noun of the referring records.

The count is 0 where only deleted records refer to a record.
"""


def named_record(record_id: int, key: str | None) -> str:
    """Return an id, a space and the own key as a JSON text; the id alone without a key."""
    return f"{record_id}" if key is None else f"{record_id} {orjson.dumps(key).decode()}"


def named_records(records: Iterable[Sequence[Any]]) -> str:
    """Return the ids and own keys of records, given as pairs, joined by commas."""
    return ", ".join(named_record(*record) for record in records)


async def in_use(batch: Batch, referenced_by: tuple[ReferencedBy, ...], ids: list[int]) -> Usages:
    """Return the usages of each id that live or deleted records refer to, by one statement.

    ``referenced_by`` is not empty. The caller has locked the records of the ids ``for update``.
    """
    return usages(await batch.fetch(uses_text(referenced_by), id_array(ids)))


def usages(rows: Iterable[Mapping[str, Any]]) -> Usages:
    """Return the usages that a statement found: rows of id, users, uses and first.

    ``users`` is the noun of the referring records, ``uses`` their number, and ``first`` has a JSON
    array of id and own key for each of the first ones. Rows of the same id and noun are added up.
    """
    collected: dict[int, dict[str, Usage]] = defaultdict(lambda: defaultdict(Usage))
    for row in rows:
        collected[row["id"]][row["users"]].add(row["uses"], row["first"])
    return collected


def usage_messages(usages_by_id: Usages, scopes: Scopes) -> dict[int, str]:
    """Return a message for each id that live records refer to (contract, States).

    Records that the key may not read are counted, but not named.
    """
    live = {
        record_id: [
            f"{noun}: {usage if may_name(scopes, noun) else usage.count}"
            for noun, usage in by_noun.items()
            if usage.count
        ]
        for record_id, by_noun in usages_by_id.items()
    }
    return {record_id: f"Used by {', '.join(used)}." for record_id, used in live.items() if used}


def may_name(scopes: Scopes, noun: str) -> bool:
    """Return whether a key may read the records with a noun, such as ``style colors``.

    Custom fields are used by others of their collection.
    """
    return noun == "custom fields" or scopes.allows(f"{noun.replace(' ', '-')}:{READ}")


@cache
def uses_text(uses: tuple[ReferencedBy, ...]) -> str:
    """Return one statement that counts all uses of the ids ``$2``, to save round trips."""
    return "\nunion all\n".join(use.text for use in uses)
