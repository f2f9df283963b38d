"""Usage check: counts and names the live records that refer to records to delete.

Writers lock the records that they refer to (``service/records/references.py``). A delete locks its
record ``for update`` before it looks for references, so that no new ones come after the check.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter
from typing import Any, TypeAlias

import orjson

from service.batches.batch import Batch
from service.database.statements import id_array
from service.organizations.scopes import READ, Scopes
from service.records.relation_statements import NAMED, Use


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


async def in_use(batch: Batch, uses: tuple[Use, ...], ids: list[int]) -> Usages:
    """Return the usages of each id that live or deleted records refer to, by one statement.

    ``uses`` is not empty. The caller has locked the records of the ids ``for update``.
    """
    return usages(await batch.fetch(uses_text(uses), id_array(ids)))


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
def uses_text(uses: tuple[Use, ...]) -> str:
    """Return one statement that counts all uses of the ids ``$2``, to save round trips."""
    return "\nunion all\n".join(use.text for use in uses)
