"""What a style custom field is restricted to: brands, groups or style categories."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

from service.database.connections import Connection
from service.database.statements import Statement, load_bound
from service.queries.batch import Batch, Item
from service.queries.links import Links, LinkSets
from service.queries.master_record import MasterRecord

Reference: TypeAlias = tuple[str, Any]
"""One of _KEYS and its value."""
_KEYS = ("id", "customId")


class Association:
    """One kind of records that custom fields are restricted to; callers send complete sets.

    Entries name a record by ``id``, or else by ``customId``, the record's own reference.
    """

    def __init__(self, field: str, target: str, *, noun: str, reference: str) -> None:
        self.field = field
        self.noun = noun
        table, column = _link(noun)
        self.links = Links(table, owner="custom_field_id", linked=column)
        self._statements = load_bound(
            "associations", link=table, column=column, target=target, reference=reference
        )

    @property
    def documents(self) -> str:
        """A part of the documents and writables of custom fields."""
        return self._statements["documents"].text

    async def resolve(self, connection: Connection, batch: Batch) -> LinkSets:
        """The records that the entries of the items name, which are locked.

        Reports entries that name no record, or several, or one that another entry names.
        """
        entries = [
            (number, place, _reference(entry))
            for number, item in enumerate(batch.items)
            for place, entry in enumerate(item.get(self.field) or ())
        ]
        named = await self._find(connection, batch, {reference for *_, reference in entries})
        chosen: dict[int, dict[int, None]] = {number: {} for number in range(len(batch.items))}
        for number, place, reference in entries:
            found = named[reference]
            if len(found) != 1:
                problem, text = "unknown_reference", f"There is {_count(found)} {self.noun}."
            elif found[0] in chosen[number]:
                problem, text = "duplicate", f"Another entry names the same {self.noun}."
            else:
                chosen[number][found[0]] = None
                continue
            path = (self.field, place, reference[0])
            batch.fail(number, f"validation_error.{problem}", *path, message=text)
        return {batch.items[number]["id"]: [*ids] for number, ids in chosen.items()}

    async def _find(
        self, connection: Connection, batch: Batch, references: set[Reference]
    ) -> dict[Reference, list[int]]:
        """The ids of the records by each way to name them."""
        named: dict[Reference, list[int]] = defaultdict(list)
        if references:
            values = [[value for kind, value in references if kind == key] for key in _KEYS]
            text, organization_id = self._statements["find"].text, batch.caller.organization_id
            for row in await connection.fetch(text, organization_id, *values):
                named["id", row["id"]].append(row["id"])
                named["customId", row["reference"]].append(row["id"])
        return named


class Restriction(MasterRecord):
    """What custom fields can be restricted to: what is deleted leaves the restrictions for good."""

    noun: ClassVar[str]
    """As the association has it."""
    deletes = ("delete", "delete_restrictions")

    def load_statements(self) -> Mapping[str, Statement]:
        """The record's own, and those on its links to custom fields."""
        table, column = _link(self.noun)
        bound = load_bound("associations", link=table, column=column)
        names = ("delete_restrictions", "shown_in_style_custom_fields")
        return {**super().load_statements(), **{name: bound[name] for name in names}}


def _link(noun: str) -> tuple[str, str]:
    """The table that links custom fields with records of that noun, and its column for these."""
    word = noun.replace(" ", "_")
    return f"custom_field_{word}", f"{word}_id"


def _reference(entry: Item) -> Reference:
    """The member of an entry that names the record."""
    named = entry.get("id")
    return ("customId", entry["customId"]) if named is None else ("id", named)


def _count(found: list[int]) -> str:
    return "more than one such" if found else "no such"
