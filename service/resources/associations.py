"""Associations: links that restrict a style custom field to brands, groups or style categories."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

from service.database.connections import Connection
from service.database.statements import Statement, load_bound
from service.error_types import ErrorType
from service.listing.page_sql import column_of
from service.listing.related import Related
from service.queries.batch import Batch, Item
from service.queries.links import Links, LinkSets
from service.queries.master_record import MasterRecord

Reference: TypeAlias = tuple[str, Any]
"""Key from _KEYS and its value."""
_KEYS = ("id", "customId")


class Association:
    """Association with one kind of records; requests have complete sets.

    Entries name a record by ``id`` or by ``customId``, the customer's own reference.
    """

    def __init__(self, field: str, target: str, *, noun: str, key: str) -> None:
        """Bind the statements; ``key`` is the field of the own key in the target's collection."""
        self.field = field
        self.noun = noun
        table, column = _link(noun)
        reference = column_of(key)
        keys = dict.fromkeys((_KEYS[1], key), reference)
        self.related = Related(field, table, "custom_field_id", {"id": column}, keys, target)
        self.links = Links(table, owner="custom_field_id", linked=column)
        self.statements = load_bound(
            "associations", link=table, column=column, target=target, reference=reference
        )

    @property
    def documents(self) -> str:
        """Return the SQL of this association in the documents and writables of custom fields."""
        return self.statements["documents"].text

    async def resolve(self, connection: Connection, batch: Batch) -> LinkSets:
        """Lock the records that the items' entries name; return their ids by custom field.

        Reports entries that match no record, several records, or the record of another entry.
        """
        entries = [
            (item_index, entry_index, _reference(entry))
            for item_index, item in enumerate(batch.items)
            for entry_index, entry in enumerate(item.get(self.field) or ())
        ]
        matches = await self._find(connection, batch, {reference for *_, reference in entries})
        linked: list[dict[int, None]] = [{} for _ in batch.items]
        for item_index, entry_index, reference in entries:
            ids = matches[reference]
            if len(ids) != 1:
                kind, text = ErrorType.UNKNOWN_REFERENCE, f"There is {_count(ids)} {self.noun}."
            elif ids[0] in linked[item_index]:
                kind, text = ErrorType.DUPLICATE, f"Another entry names the same {self.noun}."
            else:
                linked[item_index][ids[0]] = None
                continue
            path = (self.field, entry_index, reference[0])
            batch.fail(item_index, kind, *path, message=text)
        return {item["id"]: [*ids] for item, ids in zip(batch.items, linked, strict=True)}

    async def _find(
        self, connection: Connection, batch: Batch, references: set[Reference]
    ) -> dict[Reference, list[int]]:
        """Return the ids of the matching records by reference."""
        matches: dict[Reference, list[int]] = defaultdict(list)
        if references:
            values = [[value for kind, value in references if kind == key] for key in _KEYS]
            text, organization_id = self.statements["find"].text, batch.caller.organization_id
            for row in await connection.fetch(text, organization_id, *values):
                matches["id", row["id"]].append(row["id"])
                matches["customId", row["reference"]].append(row["id"])
        return matches


class Restriction(MasterRecord):
    """Master record that custom fields can be restricted to; a deletion removes the links to it."""

    noun: ClassVar[str]
    """Noun of the association."""
    deletes = ("delete", "delete_restrictions")

    def load_statements(self) -> Mapping[str, Statement]:
        """Return the record's statements, and those on its links to custom fields."""
        table, column = _link(self.noun)
        bound = load_bound("associations", link=table, column=column)
        names = ("delete_restrictions", "shown_in_style_custom_fields")
        return {**super().load_statements(), **{name: bound[name] for name in names}}


def _link(noun: str) -> tuple[str, str]:
    """Return the link table of custom fields and a noun, and its column for the linked id."""
    word = noun.replace(" ", "_")
    return f"custom_field_{word}", f"{word}_id"


def _reference(entry: Item) -> Reference:
    """Return the key and value by which an entry names its record."""
    record_id = entry.get("id")
    return ("customId", entry["customId"]) if record_id is None else ("id", record_id)


def _count(ids: list[int]) -> str:
    return "more than one such" if ids else "no such"
