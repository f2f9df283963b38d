"""Associations: links that restrict a style custom field to brands, groups or style categories."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, ClassVar, Final, TypeAlias

import orjson

from service.database.connections import Connection
from service.database.statements import Statement, load_bound
from service.error_types import ErrorType
from service.listing.page_sql import column_of
from service.listing.related import Related
from service.queries.batch import Batch, Item
from service.queries.keyed_references import KeyMatches, fail_key
from service.queries.links import Links, LinkSets
from service.queries.master_record import MasterRecord

Identifier: TypeAlias = tuple[bool, Any]
"""Whether the value is an own key (true) or an id (false), and the value."""
_KEYS: Final = ("id", "customId", "userDefinedId")
"""Members by which an entry names its record; the first one that has a value counts."""


class Association:
    """Association with one kind of records; an item has all of its entries in ``field``.

    Entries name a record by ``id``, or by its own key as ``customId`` or ``userDefinedId``.
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

        Add errors to the batch for entries that match no record, several records, or the record of
        an earlier entry.
        """
        entries = [
            (item_index, (self.field, entry_index, name), (name != "id", entry[name]))
            for item_index, item in enumerate(batch.items)
            for entry_index, entry in enumerate(item.get(self.field) or ())
            for name in [_member(entry)]
        ]
        matches = await self._find(connection, batch, {identifier for *_, identifier in entries})
        linked: list[dict[int, None]] = [{} for _ in batch.items]
        for item_index, path, identifier in entries:
            ids = matches[identifier]
            if len(ids) != 1:
                sent = orjson.dumps({path[-1]: identifier[1]}).decode()
                fail_key(batch, item_index, path, KeyMatches(self.noun, sent, ids))
            elif ids[0] in linked[item_index]:
                message = f"Another entry names the same {self.noun}."
                batch.fail(item_index, ErrorType.DUPLICATE, *path, message=message)
            else:
                linked[item_index][ids[0]] = None
        return {item["id"]: [*ids] for item, ids in zip(batch.items, linked, strict=True)}

    async def _find(
        self, connection: Connection, batch: Batch, identifiers: set[Identifier]
    ) -> dict[Identifier, list[int]]:
        """Lock the records that have the ids and own keys; return their ids by identifier."""
        matches: dict[Identifier, list[int]] = defaultdict(list)
        if identifiers:
            values = [
                [value for is_key, value in identifiers if is_key is kind] for kind in (False, True)
            ]
            text, organization_id = self.statements["find"].text, batch.caller.organization_id
            for row in await connection.fetch(text, organization_id, *values):
                matches[False, row["id"]].append(row["id"])
                matches[True, row["reference"]].append(row["id"])
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


def _member(entry: Item) -> str:
    """Return the member by which an entry names its record."""
    return next(name for name in _KEYS if entry.get(name) is not None)
