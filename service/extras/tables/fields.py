"""Field tree of a record, derived from its schemas: types, references, own ids and limits.

Exports and imports read values by it: CSV columns, and ids that become key objects.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from service.schemas import ResolvedSchema
from service.schemas.derived_forms import IF_MATCH


@dataclass(frozen=True, eq=False)
class Field:
    """Node of a field tree: a value in a request, with its members or list items.

    A field without arguments stands for a value that the service sets or that no schema has.
    """

    types: frozenset[str] = frozenset()
    """JSON types that the schema allows: ``integer``, ``null``."""
    refers_to: str | None = None
    """Collection, or nested list such as ``size-ranges/sizes``, one of whose ids the value is.

    A list of ids has it at its ``items``; a list of objects, at their member ``id``.
    """
    shown_as: tuple[str, str] | None = None
    """List of objects that documents have in place of this list of ids, and their id member.

    None for any other field.
    """
    owner: str = ""
    """Nested list of which this is an entry with an id of its own: ``size-ranges/sizes``."""
    own_id: str = ""
    """Name of the member with the object's own id; empty without an ``owner``."""
    members: "dict[str, Field]" = field(default_factory=dict)
    """Members of an object by name in the schema's order, without those that the service sets."""
    set_by_service: frozenset[str] = frozenset()
    """Members that files may have and requests leave out: read-only ones, and parts."""
    items: "Field | None" = None
    """Field of a list's entries; None if the value is no list."""
    required: frozenset[str] = frozenset()
    """Required members of an object."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """JSON Schema of a scalar or list, for its allowed values and lengths; empty for an object."""

    @property
    def is_written(self) -> bool:
        """Whether requests have the value; not if the service sets it, or no schema has it."""
        return bool(self.types or self.members)


def record_fields(schema: ResolvedSchema, path: str, parts: Iterable[str]) -> Field:
    """Return the field tree of a request for a record, without its id, precondition and parts.

    ``parts`` are the members of a line that have requests of their own: a request leaves them out.
    ``path`` is the collection; for a request for a part it is that of the part's entries:
    ``size-ranges/sizes``.
    """
    own = {n: each for n, each in schema.properties.items() if n not in ("id", IF_MATCH)}
    record = _object(schema, own, path)
    return replace(record, set_by_service=record.set_by_service | {*parts})


def line_fields(record: Field, parts: Mapping[str, Field]) -> Field:
    """Return the field tree of a record's line: its id, own fields, and the parts by member."""
    members = {"id": Field(frozenset({"string"})), **record.members, **parts}
    return replace(record, members=members, set_by_service=record.set_by_service - parts.keys())


def shown_lists(fields: Field, document: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the lists of ids that the document lacks and has as lists of objects, by name."""
    shown = {name: each.shown_as for name, each in fields.members.items() if each.shown_as}
    return {
        name: [each[member] for each in document[objects] if type(each) is dict and member in each]
        for name, (objects, member) in shown.items()
        if name not in document and isinstance(document.get(objects), list)
    }


def _object(schema: ResolvedSchema, properties: dict[str, ResolvedSchema], path: str) -> Field:
    set_by_service = {name for name, each in properties.items() if each.schema.get("readOnly")}
    members = {
        name: _field(member, path if "/" in path else f"{path}/{name}")
        for name, member in properties.items()
        if name not in set_by_service
    }
    required = frozenset(schema.schema.get("required", ()))
    return Field(members=members, set_by_service=frozenset(set_by_service), required=required)


def _field(schema: ResolvedSchema, path: str) -> Field:
    limits, refers_to = schema.schema, schema.schema.get("x-refers-to")
    name, _, member = str(limits.get("x-shown-as", "")).partition("[].")
    if "array" in schema.types:
        item = _item(schema.items, path, refers_to)
        shown_as = (name, member) if name else None
        return Field(schema.types, shown_as=shown_as, items=item, limits=limits)
    return Field(schema.types, refers_to, limits=limits)


def _item(schema: ResolvedSchema, path: str, refers_to: str | None) -> Field:
    """Return the field of a list's items: scalars, objects with an own id, or references."""
    if "object" not in schema.types:
        return Field(schema.types, refers_to, limits=schema.schema)
    item = _object(schema, schema.properties, path)
    if refers_to:
        reference = Field(item.members["id"].types, refers_to)
        return replace(item, members=item.members | {"id": reference})
    own_ids = [name for name, member in item.members.items() if member.refers_to == path]
    for own_id in ("id", *own_ids):
        if own_id in item.members:
            return replace(item, owner=path, own_id=own_id)
    return item
