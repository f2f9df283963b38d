"""The allowed values of custom fields: complete sets, of which only what differs is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from service.database.arrays import id_array
from service.database.connections import Connection
from service.database.statements import Statement
from service.queries.batch import Batch


class Sent(NamedTuple):
    """An allowed value of a request; it stands at ``place`` in the item of that number."""

    number: int
    place: int
    field_id: int
    value: dict[str, Any]


@dataclass(slots=True)
class Changes:
    """What leads from the stored allowed values to the sent ones; nothing of what stays."""

    unknown: list[Sent] = field(default_factory=list)
    """Those whose id is none of the field's."""
    changed: list[Sent] = field(default_factory=list)
    new: list[Sent] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    """Ids of those that were not sent."""


class AllowedValues:
    """Those of one kind of custom fields. Values sent with an id keep their identity.

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

    async def compare(self, connection: Connection, batch: Batch) -> Changes:
        """How the sent values differ from the stored ones."""
        columns = await connection.fetchrow(
            self._statements["stored_values"].text,
            batch.caller.organization_id,
            id_array(batch.ids),
        )
        stored = {row[1]: row for row in zip(*[column or () for column in columns], strict=True)}
        changes, kept = Changes(), set[int]()
        for number, item in enumerate(batch.items):
            field_id = item["id"]
            for place, value in enumerate(item.get("allowedValues") or ()):
                value_id = value.get("id")
                held = stored.get(value_id)
                if held and held[0] == field_id:
                    kept.add(value_id)
                    if held == self._row(field_id, value):
                        continue
                    kind = changes.changed
                else:
                    kind = changes.new if value_id is None else changes.unknown
                kind.append(Sent(number, place, field_id, value))
        changes.removed = sorted(stored.keys() - kept)
        return changes

    async def write(self, connection: Connection, batch: Batch, changes: Changes) -> None:
        """Store the changes; what points to values moves before these go."""
        organization_id = batch.caller.organization_id
        if changes.changed:
            text = self._statements["update_values"].text
            await connection.execute(text, organization_id, self._json(changes.changed))
        for name in self._removals if changes.removed else ():
            text = self._statements[name].text
            await connection.execute(text, organization_id, changes.removed)
        if changes.new:
            text = self._statements["insert_values"].text
            await connection.execute(text, organization_id, self._json(changes.new))

    def _json(self, values: list[Sent]) -> str:
        return orjson.dumps([self._row(one.field_id, one.value) for one in values]).decode()

    def _row(self, field_id: int, value: dict[str, Any]) -> tuple[Any, ...]:
        return (
            field_id,
            value.get("id"),
            value["value"],
            value.get("userDefinedId"),
            value.get("isDefaultValue") or False,
            *map(value.get, self._more),
        )
