"""What the schemas say of the fields of a record: which are ids, of what, and what they hold."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from service.schemas import ResolvedSchema


@dataclass(frozen=True, eq=False)
class Field:
    """A value that callers send: the tree of a record's fields, or a part of it."""

    types: frozenset[str] = frozenset()
    refers_to: str | None = None
    """Whose ids it holds: a collection, or objects in one's records, ``size-ranges/sizes``."""
    shown_as: tuple[str, str] | None = None
    """The list that documents have instead, and the member of its objects that is sent."""
    owner: str | None = None
    """What the object's own id names: an object in a record, ``size-ranges/sizes``."""
    own_id: str = ""
    """The member that is the object's own id."""
    members: "dict[str, Field]" = field(default_factory=dict)
    """Of an object, without those that the service sets."""
    set_by_service: frozenset[str] = frozenset()
    items: "Field | None" = None
    required: frozenset[str] = frozenset()
    """Members that an object must have."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """The value's JSON Schema, for its allowed values and lengths."""

    @cached_property
    def has_ids(self) -> bool:
        """Whether there is any id in it to be mapped."""
        return bool(self.refers_to or self.owner) or any(one.has_ids for one in self._parts())

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is sent as it stands in the file."""
        if self.has_ids or self.set_by_service:
            return False
        return all(one.is_plain for one in self._parts())

    def referred(self) -> set[str]:
        """The collections that it refers to; ids of its own objects are no references."""
        found = {self.refers_to.partition("/")[0]} if self.refers_to else set[str]()
        for part in self._parts():
            found |= part.referred()
        return found

    def _parts(self) -> "Iterator[Field]":
        yield from (part for name, part in self.members.items() if name != self.own_id)
        if self.items:
            yield self.items


def record_fields(schema: ResolvedSchema, collection: str, parts: Iterable[str]) -> Field:
    """The fields of a collection's records; neither their own id nor their parts are among them."""
    named = {name: part for name, part in schema.properties.items() if name != "id"}
    found = _object(schema, named, collection)
    return replace(found, set_by_service=found.set_by_service | {*parts})


def part_fields(schema: ResolvedSchema, place: str) -> Field:
    """The fields of a part: a list, or an object."""
    if "array" in schema.types:
        item = _item(schema.items, place, None)
        return Field(schema.types, items=item, limits=schema.schema)
    return _object(schema, schema.properties, place)


def line_fields(record: Field, parts: Mapping[str, Field]) -> Field:
    """Return the fields that the line of a record has: its id, its own and its parts."""
    named = {"id": Field(frozenset({"string"})), **record.members, **parts}
    return replace(record, members=named, set_by_service=record.set_by_service - parts.keys())


def with_shown_lists(line: Field, document: ResolvedSchema) -> Field:
    """Return the fields with the lists that documents show in place of those that are sent."""
    shown = dict(_shown_lists(line, document))
    fixed = line.set_by_service - shown.keys()
    return replace(line, members=line.members | shown, set_by_service=fixed)


def _shown_lists(line: Field, document: ResolvedSchema) -> Iterator[tuple[str, Field]]:
    for part in line.members.values():
        if part.shown_as and part.items:
            name, member = part.shown_as
            beside = document.properties[name].items.properties.keys() - {member}
            item = Field(
                frozenset({"object"}),
                members={member: part.items},
                set_by_service=frozenset(beside),
            )
            yield name, Field(frozenset({"array"}), items=item)


def _object(schema: ResolvedSchema, named: dict[str, ResolvedSchema], place: str) -> Field:
    fixed = frozenset(name for name, part in named.items() if part.schema.get("readOnly"))
    members = {
        name: _field(part, place if "/" in place else f"{place}/{name}")
        for name, part in named.items()
        if name not in fixed
    }
    return Field(
        frozenset({"object"}),
        members=members,
        set_by_service=fixed,
        required=frozenset(schema.schema.get("required", ())),
    )


def _field(schema: ResolvedSchema, place: str) -> Field:
    said, refers_to = schema.schema, schema.schema.get("x-refers-to")
    shown_as = _shown_as(said)
    if "array" in schema.types:
        item = _item(schema.items, place, refers_to)
        return Field(schema.types, shown_as=shown_as, items=item, limits=said)
    return Field(schema.types, refers_to, shown_as, limits=said)


def _item(schema: ResolvedSchema, place: str, refers_to: str | None) -> Field:
    """What a list holds: scalars, or objects with an id that is their own or names a record."""
    if "object" not in schema.types:
        return Field(schema.types, refers_to, limits=schema.schema)
    found = _object(schema, schema.properties, place)
    if refers_to:
        one = Field(found.members["id"].types, refers_to)
        return replace(found, members=found.members | {"id": one})
    named = [name for name, one in found.members.items() if one.refers_to == place]
    for own_id in ("id", *named):
        if own_id in found.members:
            return replace(found, owner=place, own_id=own_id)
    return found


def _shown_as(said: dict[str, Any]) -> tuple[str, str] | None:
    """From ``colorGroups[].id`` the list and the member."""
    if "x-shown-as" not in said:
        return None
    name, _, member = str(said["x-shown-as"]).partition("[].")
    return name, member
