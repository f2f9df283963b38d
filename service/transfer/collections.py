"""Transferable collections: those with writable records, sorted by their references."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter

from service import schemas
from service.resources.registry import MASTER_RECORDS
from service.schemas.key_forms import OWN_KEY, WITHIN
from service.transfer.errors import TransferError
from service.transfer.fields import Field, line_fields, record_fields, with_shown_lists
from service.transfer.parts import TransferPart, parts_of


@dataclass(frozen=True, eq=False)
class TransferCollection:
    """Collection in an export or import: its field trees, parts and limits."""

    name: str
    parts: tuple[TransferPart, ...] = ()

    @cached_property
    def fields(self) -> Field:
        """Fields of a create request."""
        return self._fields("create")

    @cached_property
    def replace_fields(self) -> Field:
        """Fields of a replace request."""
        return self._fields("replace")

    @cached_property
    def all_fields(self) -> Field:
        """Fields of an exported line, which an import reads: id, own fields and parts."""
        return line_fields(self.fields, {part.member: part.fields for part in self.parts})

    @cached_property
    def columns(self) -> Field:
        """Fields that a CSV file can have columns for.

        Lists of ids are included in both forms: as requests and as documents have them.
        """
        return with_shown_lists(self.all_fields, schemas.definition(self.name, "document"))

    def _fields(self, form: str) -> Field:
        parts = (part.member for part in self.parts)
        return record_fields(schemas.definition(self.name, form), self.name, parts)

    @property
    def references(self) -> set[str]:
        """Names of the collections that the records or their parts refer to."""
        return self.fields.references().union(*(part.fields.references() for part in self.parts))

    @cached_property
    def key_fields(self) -> tuple[str, ...]:
        """Own key field and the field that scopes it, if any; empty without an own key."""
        schema = schemas.load()[self.name]
        return tuple(schema[keyword] for keyword in (OWN_KEY, WITHIN) if keyword in schema)

    @cached_property
    def max_items(self) -> int:
        """Maximum number of items in one bulk request."""
        return int(schemas.definition(self.name, "bulkCreate").schema["maxItems"])

    @cached_property
    def has_position(self) -> bool:
        """Whether records are numbered by ``position`` in the order of their creation."""
        return "position" in schemas.definition(self.name, "document").properties

    @cached_property
    def has_state(self) -> bool:
        """Whether ``state`` is required in a replace request."""
        return "state" in schemas.definition(self.name, "item").schema.get(
            "required", ()
        ) or "state" in schemas.definition(self.name, "item").otherwise.schema.get("required", ())

    @cached_property
    def is_ordered(self) -> bool:
        """Whether requests must be sent one at a time, in the order of the file."""
        return self.has_position or self.name in self.fields.references()

    @cached_property
    def has_writable_only_fields(self) -> bool:
        """Whether some writable field, at any depth, is missing in the record's document."""
        document = schemas.definition(self.name, "document")
        return _has_writable_only_fields(
            document.properties, self.fields, schemas.definition(self.name, "writable")
        )


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
    """Return the transferable collections by name, each after those that it refers to."""
    collections = {
        resource.name: TransferCollection(resource.name, (*parts_of(resource.name),))
        for resource in MASTER_RECORDS
    }
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


def select_collections(names: Iterable[str]) -> list[TransferCollection]:
    """Return the named collections, or all without names. Raise TransferError for unknown names."""
    collections = transfer_collections()
    for name in names:
        require_collection(name, collections)
    selected = set(names) or collections.keys()
    return [collection for name, collection in collections.items() if name in selected]


def require_collection(name: str, allowed: Iterable[str]) -> None:
    """Raise TransferError if the name is not among the allowed collections."""
    if name not in allowed:
        raise TransferError(f"{name} is no collection; use {', '.join(sorted(allowed))}")
