"""Transferable collections: those with writable records and parts, sorted by their references.

They are made from the registry and the schemas, so a new resource is exported and imported, too.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from graphlib import TopologicalSorter
from typing import Any

from service import schemas
from service.queries.part_collections import PartCollection
from service.resources.registry import MASTER_RECORDS, MEASUREMENTS, PART_COLLECTIONS
from service.schemas.key_forms import OWN_KEY, WITHIN
from service.transfer.errors import TransferError
from service.transfer.fields import Field, line_fields, record_fields, with_shown_lists


@dataclass(frozen=True, eq=False)
class TransferCollection:
    """Collection of an export or import: its field trees, parts and limits.

    A part collection is a :class:`TransferPart`.
    """

    name: str
    parts: "tuple[TransferPart, ...]" = ()
    """Parts of the records, which are transferable collections, too."""
    id_field: str = "id"
    """Field with a record's id: for parts, with the owner's id."""

    @cached_property
    def fields(self) -> Field:
        """Fields of a create request, without parts."""
        return self._fields("create")

    @cached_property
    def replace_fields(self) -> Field:
        """Fields of a replace request, without the id and parts."""
        return self._fields("replace")

    @cached_property
    def exported_fields(self) -> Field:
        """Fields of an exported line: id and own fields. Parts have lines of their own."""
        return line_fields(self.fields, {})

    @cached_property
    def all_fields(self) -> Field:
        """Fields that an import reads: id, own fields, and parts that have no file of their own."""
        return line_fields(self.fields, {part.member: part.member_fields for part in self.parts})

    @cached_property
    def columns(self) -> Field:
        """Fields that a CSV file can have columns for.

        Lists of ids are included in both forms: as requests and as documents have them.
        """
        return with_shown_lists(self.all_fields, schemas.definition(self.name, "document"))

    def _fields(self, form: str) -> Field:
        parts = (part.member for part in self.parts)
        return record_fields(schemas.definition(self.name, form), self.name, parts)

    @cached_property
    def references(self) -> set[str]:
        """Names of the collections that the records refer to, by id or by an entry of a part.

        They may include the collection itself and collections that are not transferred: languages.
        """
        paths = {_path(resource): resource.collection for resource in PART_COLLECTIONS}
        targets = self.fields.references()
        return {paths.get(target, target.partition("/")[0]) for target in targets}

    @cached_property
    def key_fields(self) -> tuple[str, ...]:
        """Own key field and the field of the parent that scopes it, if any; () for no own key."""
        schema = schemas.load()[self.name]
        return tuple(schema[keyword] for keyword in (OWN_KEY, WITHIN) if keyword in schema)

    @cached_property
    def max_items(self) -> int:
        """Maximum number of items in one bulk create, by the schema."""
        return int(schemas.definition(self.name, "bulkCreate").schema["maxItems"])

    @cached_property
    def has_position(self) -> bool:
        """Whether records are numbered by ``position`` in the order of their creation."""
        return "position" in schemas.definition(self.name, "document").properties

    @cached_property
    def has_state(self) -> bool:
        """Whether ``state`` is required in an item of a bulk replace."""
        return "state" in schemas.definition(self.name, "item").schema.get(
            "required", ()
        ) or "state" in schemas.definition(self.name, "item").otherwise.schema.get("required", ())

    @cached_property
    def is_ordered(self) -> bool:
        """Whether requests must be sent one at a time, in the order of the file.

        Their records are numbered by creation, or may refer to earlier ones of the collection.
        """
        return self.has_position or self.name in self.references

    @cached_property
    def has_writable_only_fields(self) -> bool:
        """Whether some writable field, also within lists, is missing in the record's document.

        A list of ids does not count if the document has a list of objects for it.
        """
        document = schemas.definition(self.name, "document")
        return _has_writable_only_fields(
            document.properties, self.fields, schemas.definition(self.name, "writable")
        )

    @property
    def map_name(self) -> str:
        """Name of the collection in the id map, which maps the ids of its records."""
        return self.name


@dataclass(frozen=True, eq=False, kw_only=True)
class TransferPart(TransferCollection):
    """Part collection: a line for each owner, whose id it has.

    Without a file of its own, its lines are a member of the owner's lines. Items are sent by bulk
    replace; there are no creates.
    """

    owner: str
    """Collection of the owners."""
    path: str
    """Collection of the ids of its entries in the id map: ``size-ranges/sizes``."""
    fits_any_owner: bool
    """Whether a part of one owner could be that of another one; not so measured values."""

    is_ordered = False
    has_position = False
    has_state = False
    has_writable_only_fields = False

    @cached_property
    def fields(self) -> Field:
        """Fields of an item of a bulk replace, with the owner's id."""
        return record_fields(schemas.definition(f"{self.name}-by-owner", "item"), self.path, ())

    @property
    def replace_fields(self) -> Field:
        """Fields of an item."""
        return self.fields

    @property
    def exported_fields(self) -> Field:
        """Fields of an exported line."""
        return self.fields

    @property
    def all_fields(self) -> Field:
        """Fields that an import reads."""
        return self.fields

    @property
    def columns(self) -> Field:
        """Fields that a CSV file can have columns for."""
        return self.fields

    @property
    def key_fields(self) -> tuple[str, ...]:
        """Field with the owner's id."""
        return (self.id_field,)

    @cached_property
    def max_items(self) -> int:
        """Maximum number of items in one bulk request."""
        schema = schemas.definition(f"{self.name}-by-owner", "bulkReplace").schema
        return int(schema["maxItems"])

    @property
    def map_name(self) -> str:
        """Name under which the id map has which lines were sent; ids of entries are at ``path``."""
        return f"{self.path}/sent"

    @cached_property
    def member(self) -> str:
        """Name of the member in a line of the owner, in camel case: ``measurementChart``."""
        segment = self.path.rpartition("/")[2]
        return re.sub("-(.)", lambda match: match[1].upper(), segment)

    @cached_property
    def list_field(self) -> str | None:
        """Field that is the whole part; None if it has several, as a chart has."""
        names = self.fields.members.keys() - {self.id_field}
        return next(iter(names)) if len(names) == 1 else None

    @cached_property
    def member_fields(self) -> Field:
        """Fields of the member in a line of the owner: a list, or an object without owner's id."""
        members, required = dict(self.fields.members), self.fields.required - {self.id_field}
        del members[self.id_field]
        if self.list_field:
            return members[self.list_field]
        return replace(self.fields, members=members, required=required)

    def of_owner(self, owner_name: str, content: Any) -> dict[str, Any]:
        """Return the part's document, given the member of an owner's line, ``content``.

        ``owner_name`` is the owner's name in the id map. Unless the part is a list, content that is
        no object is dropped.
        """
        if self.list_field:
            return {self.id_field: owner_name, self.list_field: content}
        return (content if isinstance(content, dict) else {}) | {self.id_field: owner_name}

    def field_of_owner(self, field: str | None) -> str:
        """Return the field path in the owner's line for one in the part's document.

        The owner's id and None, which is the whole part, are ``id`` there.
        """
        if field is None or field == self.id_field:
            return "id"
        if self.list_field:
            return self.member + field.removeprefix(self.list_field)
        return f"{self.member}.{field}"


def _has_writable_only_fields(
    document: dict[str, schemas.ResolvedSchema], fields: Field, writable: schemas.ResolvedSchema
) -> bool:
    for name, part in writable.properties.items():
        field = fields.members.get(name, Field())
        if name not in document:
            if not field.shown_as:
                return True
        elif field.items and _has_writable_only_fields(
            document[name].items.properties, field.items, part.items
        ):
            return True
    return False


def transfer_collections() -> dict[str, TransferCollection]:
    """Return the transferable collections by name, each after those that it refers to.

    The order is the same in every process. The objects are new at each call.
    """
    parts = [*map(_transfer_part, PART_COLLECTIONS)]
    collections: dict[str, TransferCollection] = {
        resource.name: TransferCollection(
            resource.name, tuple(part for part in parts if part.owner == resource.name)
        )
        for resource in MASTER_RECORDS
    }
    collections |= {part.name: part for part in parts}
    # Lists, unlike sets, make the order the same in every process.
    order = TopologicalSorter(
        {
            name: [
                other for other in collections if other in collection.references and other != name
            ]
            for name, collection in collections.items()
        }
    )
    return {name: collections[name] for name in order.static_order()}


def _transfer_part(resource: PartCollection) -> TransferPart:
    return TransferPart(
        name=resource.collection,
        owner=resource.part.owner.name,
        path=_path(resource),
        id_field=resource.key,
        fits_any_owner=resource.part is not MEASUREMENTS,
    )


def _path(resource: PartCollection) -> str:
    """Return the path of a part's entries, which references to them name: ``size-ranges/sizes``."""
    below = f"/{resource.collection}" if resource.part is MEASUREMENTS else resource.part.below
    return f"{resource.part.owner.name}{below}"


def select_collections(names: Collection[str]) -> list[TransferCollection]:
    """Return the named collections with their parts, or all without names, sorted by references.

    Raise TransferError for unknown names.
    """
    collections = transfer_collections()
    for name in names:
        require_collection(name, collections)
    parts = {part.name for name in names for part in collections[name].parts}
    selected = parts.union(names) or collections.keys()
    return [collection for name, collection in collections.items() if name in selected]


def require_collection(name: str, allowed: Iterable[str]) -> None:
    """Raise TransferError, which lists the allowed names, if the name is not among them."""
    if name not in allowed:
        raise TransferError(f"{name} is no collection; use {', '.join(sorted(allowed))}")
