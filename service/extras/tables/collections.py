"""Transferable collections: those with writable records and parts, sorted by their references.

They are made from the registry and the schemas, so a new resource is exported and imported, too.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from service import schemas
from service.extras.tables.fields import Field, line_fields, record_fields
from service.extras.tables.headings import Headings
from service.resources.registry import MASTER_RECORDS, PART_COLLECTIONS, TRANSACTION
from service.writing.part_collections import PartCollection


@dataclass(frozen=True, eq=False)
class TransferCollection:
    """Collection of an export or import, of records or of parts: its own key and field trees.

    A part collection has a line for each owner, whose id it has. Without a file of its own, its
    lines are a member of the owner's lines.
    """

    name: str
    path: str
    """``name``; for parts the name of their entries as references have it: ``size-ranges/sizes``.
    """
    id_field: str = "id"
    """Field with a record's id: for parts, with the owner's id."""
    owner: str = ""
    """Collection of the owners; empty for a collection of records."""
    parts: "tuple[TransferCollection, ...]" = ()
    """Part collections of the records."""

    @cached_property
    def fields(self) -> Field:
        """Fields of an item, without the id of a record and without parts."""
        file, form = (f"{self.name}-by-owner", "item") if self.owner else (self.name, "create")
        parts = [part.member for part in self.parts]
        return record_fields(schemas.definition(file, form), self.path, parts)

    @property
    def exported_fields(self) -> Field:
        """Fields of an exported line: id and own fields. Parts have lines of their own."""
        return self.fields if self.owner else line_fields(self.fields, {})

    @cached_property
    def all_fields(self) -> Field:
        """Fields of a line of a file: id, own fields, and parts that have no file of their own."""
        if self.owner:
            return self.fields
        return line_fields(self.fields, {part.member: part.member_fields for part in self.parts})

    @cached_property
    def headings(self) -> Headings:
        """Headings that columns of a table of these lines may have."""
        return Headings(self.name, self.all_fields)

    @cached_property
    def key_fields(self) -> tuple[str, ...]:
        """Own key field and the field of the parent that scopes it, if any; of parts the owner."""
        return (self.id_field,) if self.owner else tuple(schemas.key_fields(self.name))

    @cached_property
    def has_writable_only_fields(self) -> bool:
        """Whether entries of some list have a writable field that the document does not have."""
        document = schemas.definition(self.name, "document").properties
        return not self.owner and any(
            each.items.members.keys() - document[name].items.properties.keys()
            for name, each in self.fields.members.items()
            if each.items and each.items.owner
        )

    @cached_property
    def member(self) -> str:
        """Member of an owner's line with the part, in camel case: ``measurementChart``."""
        return re.sub("-(.)", lambda match: match[1].upper(), self.path.rpartition("/")[2])

    @cached_property
    def list_field(self) -> str | None:
        """Field that is the whole part; None if it has several, as a chart has."""
        names = self.fields.members.keys() - {self.id_field}
        return next(iter(names)) if len(names) == 1 else None

    @cached_property
    def member_fields(self) -> Field:
        """Fields of the member in a line of the owner: a list, or an object without owner's id."""
        rest = {**self.fields.members}
        del rest[self.id_field]
        return rest[self.list_field] if self.list_field else replace(self.fields, members=rest)

    def of_owner(self, content: Any) -> dict[str, Any]:
        """Return the part's document without owner's id, given the member of an owner's line.

        Unless the part is a list, content that is no object is dropped.
        """
        if self.list_field:
            return {self.list_field: content}
        return dict(content) if isinstance(content, dict) else {}

    def field_of_owner(self, field: str | None) -> str:
        """Return the field path in the owner's line for one in the part's document."""
        if not field or field.partition(".")[0] == self.id_field:
            return "id"
        if self.list_field:
            return self.member + field.removeprefix(self.list_field)
        return f"{self.member}.{field}"


def transfer_collections() -> dict[str, TransferCollection]:
    """Return the transferable collections by name, each after those that it refers to.

    The order is the same in every process. The objects are new at each call.
    """
    parts = [*map(_part, PART_COLLECTIONS)]
    records = [
        TransferCollection(name, name, parts=tuple(part for part in parts if part.owner == name))
        for name in (resource.name for resource in MASTER_RECORDS)
    ]
    collections = {collection.name: collection for collection in [*records, *parts]}
    return {name: collections[name] for name in TRANSACTION.collections}


def _part(resource: PartCollection) -> TransferCollection:
    part, name = resource.part, resource.collection
    below = f"/{part.segment or name}" if part.parents else part.below
    return TransferCollection(name, f"{part.owner.name}{below}", resource.key, part.owner.name)
