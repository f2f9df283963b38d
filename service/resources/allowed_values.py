"""The allowed values of custom fields: complete sets, of which only what differs is written."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import orjson

from service.database.connections import Connection
from service.database.statements import Statement
from service.error_types import ErrorType
from service.queries.batch import Batch
from service.queries.bound_statements import BoundStatement, WritePlan
from service.queries.matching import MatchKey, Row, match_existing

Rows: TypeAlias = dict[int, Row]


class SentValue(NamedTuple):
    """An allowed value of a request; it stands at ``place`` in the item of that number."""

    number: int
    place: int
    field_id: int
    value: dict[str, Any]

    def fail(self, batch: Batch, member: str, message: str) -> None:
        """Report that it names what is not there."""
        path = ("allowedValues", self.place, member)
        batch.fail(self.number, ErrorType.UNKNOWN_REFERENCE, *path, message=message)


def sent_values(batch: Batch, having: str = "value") -> Iterator[SentValue]:
    """The allowed values of the items that have that member; all have a ``value``."""
    for number, item in enumerate(batch.items):
        for place, value in enumerate(item.get("allowedValues") or ()):
            if value.get(having) is not None:
                yield SentValue(number, place, item["id"], value)


@dataclass(slots=True)
class ValueDifferences:
    """What leads from the stored allowed values to the sent ones; nothing of what stays."""

    unknown: list[SentValue] = field(default_factory=list)
    """Those whose id is none of the field's."""
    changed: list[SentValue] = field(default_factory=list)
    new: list[SentValue] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    """Ids of those that were not sent."""


#: How values that are sent without an id are known: whole, by their own reference, by their value.
_WAYS: tuple[MatchKey, ...] = (
    lambda row: row[2:],
    lambda row: (row[3], row[2]) if row[3] else None,
    lambda row: row[3] or None,
    lambda row: row[2],
)


class AllowedValues:
    """Those of one kind of custom fields. Values keep their identity.

    By their id, or where they are sent without by their ``userDefinedId``, else their value.

    A row is the field's id, the value's own, and its members, ``more`` than the common ones: so
    ``stored_values`` has them, column by column, and so ``update_values`` and ``insert_values``
    take them, each an array in JSON. ``removals`` are the statements that take away what was not
    sent.
    """

    def __init__(
        self, statements: Mapping[str, Statement], more: Sequence[str], removals: Sequence[str]
    ) -> None:
        self._statements = statements
        self._more = more
        self._removals = removals

    async def compare(self, connection: Connection, batch: Batch) -> ValueDifferences:
        """How the sent values differ from the stored ones."""
        columns = await connection.fetchrow(
            self._statements["stored_values"].text,
            batch.caller.organization_id,
            batch.id_array,
        )
        stored = {row[1]: row for row in zip(*[column or () for column in columns], strict=True)}
        found, kept = ValueDifferences(), set[int]()
        for one in self._recognized([*sent_values(batch)], stored):
            value_id = one.value.get("id")
            held = stored.get(value_id)
            if held and held[0] == one.field_id:
                kept.add(held[1])
                if held != self._row(one):
                    found.changed.append(one)
            else:
                (found.new if value_id is None else found.unknown).append(one)
        found.removed = sorted(stored.keys() - kept)
        return found

    def _recognized(
        self, sent: list[SentValue], stored: Mapping[int, tuple[Any, ...]]
    ) -> list[SentValue]:
        """The sent values, those without an id with that of the stored one that they are."""
        named = {one.value.get("id") for one in sent}
        if None not in named:
            return sent
        known, unnamed = defaultdict[int, Rows](dict), defaultdict[int, Rows](dict)
        for value_id, row in stored.items():
            if value_id not in named:
                known[row[0]][value_id] = row
        for place, one in enumerate(sent):
            if one.value.get("id") is None:
                unnamed[one.field_id][place] = self._row(one)
        for field_id, rows in unnamed.items():
            for place, value_id in match_existing(rows, known[field_id], _WAYS).items():
                value = sent[place].value | {"id": value_id}
                sent[place] = sent[place]._replace(value=value)
        return sent

    def steps(self, found: ValueDifferences) -> WritePlan:
        """What stores the differences; what points to values moves before these go."""
        plan = []
        if found.changed:
            plan.append(
                BoundStatement(self._statements["update_values"].text, (self._json(found.changed),))
            )
        for name in self._removals if found.removed else ():
            plan.append(BoundStatement(self._statements[name].text, (found.removed,)))
        if found.new:
            plan.append(
                BoundStatement(self._statements["insert_values"].text, (self._json(found.new),))
            )
        return plan

    def _json(self, values: list[SentValue]) -> str:
        return orjson.dumps([self._row(one) for one in values]).decode()

    def _row(self, one: SentValue) -> tuple[Any, ...]:
        value = one.value
        return (
            one.field_id,
            value.get("id"),
            value["value"],
            value.get("userDefinedId"),
            value.get("isDefaultValue") or False,
            *map(value.get, self._more),
        )
