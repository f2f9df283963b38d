"""Keyed values: the objects with own keys in the items of a write (contract, References)."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
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
    """Path of the reference within the item."""
    container: Any
    """Object or list that has the key object."""
    member: str | int
    target: ReferenceTarget
    key: dict[str, Any]
    sent: str
    """Key object as JSON."""


@cache
def keyed_fields(name: str, list_name: str = "") -> tuple[KeyedField, ...]:
    """Return the fields of a resource that accept key objects; none of one that is not written.

    Entries of a body that is a list are below ``list_name``.
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


def keyed_values(items: list[Item], fields: Sequence[KeyedField]) -> list[KeyedValue]:
    """Return the key objects in the fields of items, those of parents first.

    The members of the items on the way to them become copies: the request's own values stay,
    because a transaction that is repeated starts from them.
    """
    present = [keyed for keyed in fields if _has_objects(items, keyed.names)]
    if not present:
        return []
    values = [value for item in items for value in _of_item(item, present)]
    return [*_of_parents(values), *values]


def _has_objects(containers: list[dict[str, Any]], names: Sequence[str]) -> bool:
    """Return whether there is an object at the end of the nested member names."""
    name, *rest = names
    values = [container.get(name) for container in containers]
    elements = [*chain.from_iterable(value for value in values if type(value) is list)]
    objects = [value for value in values if type(value) is dict]
    if not rest:
        return bool(objects) or dict in {*map(type, elements)}
    below = objects + elements
    return bool(below) and _has_objects(below, rest)


def _of_item(item: Item, fields: Sequence[KeyedField]) -> Iterator[KeyedValue]:
    """Yield the key objects in the fields of an item."""
    present = [keyed for keyed in fields if _has_objects([item], keyed.names)]
    for name in {keyed.names[0] for keyed in present}:
        item[name] = orjson.loads(orjson.dumps(item[name]))
    for keyed in present:
        for path, container, member in _places(item, keyed.names, ()):
            key = container[member]
            sent = orjson.dumps(key).decode()
            yield KeyedValue(item, path, container, member, keyed.target, key, sent)


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


def _of_parents(values: list[KeyedValue]) -> Iterator[KeyedValue]:
    """Yield the key objects within key objects; they are reported at the outer ones."""
    for value in values:
        within = value.target.within
        parent = value.key.get(within)
        if isinstance(parent, dict):
            target, sent = TARGETS[value.target.parent], orjson.dumps(parent).decode()
            yield KeyedValue(value.item, value.path, value.key, within, target, parent, sent)
