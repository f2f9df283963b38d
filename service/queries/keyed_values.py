"""Keyed values: the objects with own keys in the items of a write (contract, References)."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from types import NoneType
from typing import Any, NamedTuple

import orjson

from service import schemas
from service.errors import Path
from service.queries.batch import Item
from service.queries.reference_targets import TARGETS, ReferenceTarget
from service.schemas import ResolvedSchema
from service.schemas.key_forms import REFERS_TO


class KeyedField(NamedTuple):
    """Field of a write form whose values are ids or key objects."""

    names: tuple[str, ...]
    """Names of the members that lead to it, through lists and objects."""
    target: ReferenceTarget


class KeyedValue(NamedTuple):
    """Key object in an item, and the place of the id that replaces it."""

    item: Item
    path: Path
    """Path of the reference within the item; for the key object of a parent, the outer one's."""
    container: Any
    """Object or list that has the key object."""
    member: str | int
    """Name or index of the key object in the container."""
    target: ReferenceTarget
    key: dict[str, Any]
    """Key object, in which the id of the parent replaces a key object of the parent."""
    sent: dict[str, Any]
    """Key object as it was sent."""


@cache
def keyed_fields(name: str, list_name: str = "") -> tuple[KeyedField, ...]:
    """Return the fields of a resource that accept key objects; () if it is never written.

    They are those of its form ``create``, else ``replace``, else ``item``. Fields whose targets are
    not in ``TARGETS``, such as values of parent fields, are left out: their resources resolve
    these. Fields of a body that is a list are below ``list_name``.
    """
    definitions = schemas.load()[name]["$defs"].keys()
    forms = definitions & {"create", "replace"} or definitions & {"item"}
    if not forms:
        return ()
    form = schemas.definition(name, min(forms))
    above = (list_name,) if list_name else ()
    form = form.items if "array" in form.types else form
    return tuple(
        KeyedField(names, TARGETS[target])
        for names, target in _references(form, above)
        if target in TARGETS
    )


def _references(
    schema: ResolvedSchema, above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the names and the target of each reference that accepts key objects."""
    for name, member in schema.properties.items():
        names, is_list = (*above, name), "array" in member.types
        value = member.items if is_list else member
        if "anyOf" in value.schema:
            yield names, member.schema[REFERS_TO]
        elif value.properties:
            yield from _references(value, names)


class KeyedValues(NamedTuple):
    """Key objects of a batch's items."""

    direct: list[KeyedValue]
    """Those whose keys are not within a parent, key objects of parents included."""
    scoped: list[KeyedValue]
    """Those whose keys are within a parent, which is looked up first."""
    keyed_only: frozenset[str]
    """Dotted paths of the fields that have key objects, and no ids, in all items together."""


def keyed_values(items: list[Item], fields: Sequence[KeyedField]) -> KeyedValues:
    """Return the key objects in the fields of items.

    Items are copies of the request's items (``Batch.of``). Their members that contain key objects
    become copies, too: the request's own values stay, because a transaction that is repeated
    starts from them.
    """
    values, copied = list[KeyedValue](), set[tuple[int, str]]()
    kinds = {keyed: _kinds(items, keyed.names) for keyed in fields}
    for keyed in fields:
        if dict not in kinds[keyed]:
            continue
        if len(keyed.names) == 1:
            values += _of_members(items, keyed)
        else:
            values += _of_nested_members(items, keyed, copied)
    keyed_only = (".".join(keyed.names) for keyed in fields if kinds[keyed] == {dict})
    return KeyedValues(*_split(values), frozenset(keyed_only))


def _kinds(containers: list[dict[str, Any]], names: Sequence[str]) -> set[type]:
    """Return the types of the values at the end of the nested member names."""
    name, *rest = names
    values = [container.get(name) for container in containers]
    kinds = {*map(type, values)}
    elements = []
    if list in kinds:
        elements = [*chain.from_iterable(value for value in values if type(value) is list)]
    if not rest:
        return (kinds | {*map(type, elements)}) - {list, NoneType}
    below = [value for value in values if type(value) is dict] + elements
    return _kinds(below, rest) if below else set()


def _of_members(items: list[Item], keyed: KeyedField) -> Iterator[KeyedValue]:
    """Yield the key objects in a member of the items: one, or those of a list."""
    [name], target = keyed
    for item in items:
        value = item.get(name)
        if type(value) is dict:
            yield KeyedValue(item, (name,), item, name, target, value, value)
        elif type(value) is list and dict in {*map(type, value)}:
            item[name] = members = [*value]
            for index, member in enumerate(value):
                if type(member) is dict:
                    yield KeyedValue(item, (name, index), members, index, target, member, member)


def _of_nested_members(
    items: list[Item], keyed: KeyedField, copied: set[tuple[int, str]]
) -> Iterator[KeyedValue]:
    """Yield the key objects below a member of the items; copy each item's member once."""
    name = keyed.names[0]
    for item in items:
        if dict not in _kinds([item], keyed.names):
            continue
        if (id(item), name) not in copied:
            copied.add((id(item), name))
            item[name] = orjson.loads(orjson.dumps(item[name]))
        for path, container, member in _places(item, keyed.names, ()):
            key = container[member]
            yield KeyedValue(item, path, container, member, keyed.target, key, key)


def _places(
    container: Any, names: Sequence[str], path: Path
) -> Iterator[tuple[Path, Any, str | int]]:
    """Yield path, container and member of each key object below the nested member names."""
    name, *rest = names
    value, path = container.get(name), (*path, name)
    if isinstance(value, list):
        for index, element in enumerate(value):
            if rest:
                yield from _places(element, rest, (*path, index))
            elif isinstance(element, dict):
                yield (*path, index), value, index
    elif isinstance(value, dict):
        if rest:
            yield from _places(value, rest, path)
        else:
            yield path, container, name


def _split(values: list[KeyedValue]) -> tuple[list[KeyedValue], list[KeyedValue]]:
    """Split key objects into those whose keys are not within a parent, and the others.

    Key objects of parents are among the former. Their errors are reported at the outer ones.
    """
    direct, scoped = list[KeyedValue](), list[KeyedValue]()
    for value in values:
        within = value.target.within
        if not within:
            direct.append(value)
            continue
        parent = value.key.get(within)
        if isinstance(parent, dict):
            value = value._replace(key={**value.key})
            value.container[value.member] = value.key
            target = TARGETS[value.target.parent]
            own = value._replace(container=value.key, member=within, target=target)
            direct.append(own._replace(key=parent, sent=parent))
        scoped.append(value)
    return direct, scoped
