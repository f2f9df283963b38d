"""What the schemas say of the fields of a record: which are ids, of what, and what they hold."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from service.schemas import Located


@dataclass(frozen=True, eq=False)
class Field:
    """A value that callers send: the tree of a record's fields, or a part of it."""

    types: frozenset[str] = frozenset()
    refers_to: str | None = None
    """Whose ids it holds: a collection, or objects in one's records, ``size-ranges/sizes``."""
    shown_as: tuple[str, str] | None = None
    """The list that documents have instead, and the member of its objects that is sent."""
    owner: str | None = None
    """What the ids of its objects name, where they are the record's own."""
    members: "dict[str, Field]" = field(default_factory=dict)
    """Of an object, without those that the service sets."""
    set_by_service: frozenset[str] = frozenset()
    items: "Field | None" = None

    @cached_property
    def has_ids(self) -> bool:
        """Whether there is any id in it to be mapped."""
        return bool(self.refers_to or self.owner) or any(
            part.has_ids for part in (*self.members.values(), *filter(None, [self.items]))
        )

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is sent as it stands in the file."""
        if self.has_ids or self.set_by_service:
            return False
        return all(part.is_plain for part in (*self.members.values(), *filter(None, [self.items])))

    def referred(self) -> set[str]:
        """The collections that it refers to."""
        found = {self.refers_to.partition("/")[0]} if self.refers_to else set[str]()
        for part in (*self.members.values(), *filter(None, [self.items])):
            found |= part.referred()
        return found


def record_fields(schema: Located, collection: str) -> Field:
    """The fields of a collection's records; the record's own id is none of them."""
    named = {name: part for name, part in schema.properties.items() if name != "id"}
    return _object(named, collection)


def _object(named: dict[str, Located], collection: str) -> Field:
    fixed = frozenset(name for name, part in named.items() if part.schema.get("readOnly"))
    members = {
        name: _field(part, f"{collection}/{name}")
        for name, part in named.items()
        if name not in fixed
    }
    return Field(frozenset({"object"}), members=members, set_by_service=fixed)


def _field(schema: Located, place: str) -> Field:
    said, refers_to = schema.schema, schema.schema.get("x-refers-to")
    shown_as = _shown_as(said)
    if "array" in schema.types:
        return Field(schema.types, shown_as=shown_as, items=_item(schema.items, place, refers_to))
    return Field(schema.types, refers_to, shown_as)


def _item(schema: Located, place: str, refers_to: str | None) -> Field:
    """What a list holds: scalars, or objects with an id that is their own or names a record."""
    if "object" not in schema.types:
        return Field(schema.types, refers_to)
    found = _object(schema.properties, place)
    if "id" not in found.members:
        return found
    members = found.members | {"id": Field(found.members["id"].types, refers_to)}
    owner = None if refers_to else place
    return Field(found.types, None, None, owner, members, found.set_by_service)


def _shown_as(said: dict[str, Any]) -> tuple[str, str] | None:
    """From ``colorGroups[].id`` the list and the member."""
    if "x-shown-as" not in said:
        return None
    name, _, member = str(said["x-shown-as"]).partition("[].")
    return name, member
