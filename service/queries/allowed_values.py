"""The allowed values of custom fields: complete sets, of which only what differs is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from service.database import Connection
from service.queries.batch import Batch
from service.statements import Statement


class Sent(NamedTuple):
    """An allowed value of a request; it stands at ``place`` in the item of that number."""

    number: int
    place: int
    field_id: int
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Changes:
    """What leads from the stored allowed values to the sent ones; nothing of what stays."""

    sent: list[Sent]
    """All that were sent."""
    unknown: list[Sent]
    """Those whose id is none of the field's."""
    changed: list[Sent]
    new: list[Sent]
    removed: list[int]
    """Ids of those that were not sent."""


class AllowedValues:
    """Those of one kind of custom fields. Values sent with an id keep their identity.

    ``columns`` are the members that are stored. The statements ``compare_values``,
    ``update_values`` and ``insert_values`` take values as JSON, each an array of its field's id,
    its own and these members, which both sides make and read faster than anything else;
    ``removals`` are the statements that take away what was not sent.
    """

    def __init__(
        self, statements: Mapping[str, Statement], columns: Sequence[str], removals: Sequence[str]
    ) -> None:
        self._statements = statements
        self._columns = columns
        self._removals = removals

    async def compare(self, connection: Connection, batch: Batch) -> Changes:
        """How the sent values differ from the stored ones."""
        named, new = list[Sent](), list[Sent]()
        for number, item in enumerate(batch.items):
            for place, value in enumerate(item.get("allowedValues") or ()):
                kind = new if value.get("id") is None else named
                kind.append(Sent(number, place, item["id"], value))
        found: dict[str, list[Any]] = {"unknown": [], "changed": [], "removed": []}
        text = self._statements["compare_values"].text
        for change, ordinal, value_id in await connection.fetch(
            text, batch.caller.organization_id, self._json(named), batch.ids
        ):
            found[change].append(value_id if change == "removed" else named[ordinal - 1])
        return Changes(**found, sent=[*named, *new], new=new)

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
        members = ("id", *self._columns)
        rows = [[one.field_id, *[one.value.get(name) for name in members]] for one in values]
        return orjson.dumps(rows).decode()
