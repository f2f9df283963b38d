"""Keyed values: the objects with own keys in the items of a write (contract, References)."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from service import schemas
from service.errors import Path
from service.queries.batch import Item
from service.queries.reference_targets import TARGETS, ReferenceTarget
from service.schemas import ResolvedSchema
from service.schemas.key_forms import REFERS_TO

Key: TypeAlias = str | tuple[str, int]
"""Own key, in lower case if the target ignores case; with the id of its parent if it has one."""


class KeyedField(NamedTuple):
    """Field of a write form whose values are ids or key objects."""

    names: tuple[str, ...]
    """Names of the members that lead to it, through lists and objects."""
    target: ReferenceTarget
    is_list: bool
    """Whether its value is a list of ids and key objects; it is a member of the items then."""


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
        KeyedField(names, TARGETS[target], is_list)
        for names, target, is_list in _references(form, above)
        if target in TARGETS
    )


def _references(
    schema: ResolvedSchema, above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Yield the names and the target of each reference that accepts key objects.

    The third value is whether it is a list.
    """
    for name, member in schema.properties.items():
        names, is_list = (*above, name), "array" in member.types
        value = member.items if is_list else member
        if "anyOf" in value.schema:
            yield names, member.schema[REFERS_TO], is_list
        elif value.properties:
            yield from _references(value, names)


def values_at(containers: Iterable[Any], names: Iterable[str]) -> list[Any]:
    """Return the values at the end of the nested member names; those in lists one by one.

    A member that is missing counts as None. Containers that are not objects have no values.
    """
    values = [*containers]
    for name in names:
        values = [value.get(name) for value in values if type(value) is dict]
        if list in {*map(type, values)}:
            values = [*chain.from_iterable(v if type(v) is list else (v,) for v in values)]
    return values


def key_objects(containers: Iterable[Any], names: Iterable[str]) -> list[Item]:
    """Return the key objects at the end of the nested member names, in request order."""
    return [value for value in values_at(containers, names) if type(value) is dict]


class FieldKeys(NamedTuple):
    """Key objects of a field, or those of their parents, and their keys in the same order."""

    field: KeyedField
    target: ReferenceTarget
    """Target of the field, or that of its parents."""
    objects: Sequence[Item]
    """Key objects as they were sent; those that stay have the id of their parent."""
    keys: Sequence[Key | None]
    """Keys to look up; None for key objects that stay."""


def direct_keys(field: KeyedField, objects: Sequence[Item]) -> FieldKeys:
    """Return the keys of a field that are not within a parent, else those of its parents.

    Only parents that are key objects have keys.
    """
    target = field.target
    if target.within:
        objects = [parent for each in objects if type(parent := each.get(target.within)) is dict]
        target = TARGETS[target.parent] if objects else target
    texts = [object_[target.key] for object_ in objects]
    if target.ignores_case:
        texts = [text.lower() for text in texts]
    return FieldKeys(field, target, objects, texts)


class CopiedItems:
    """Items whose members become copies where a field has key objects.

    The request's own values stay, because a transaction that is repeated starts from them.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        self._copies: dict[tuple[str, ...], Sequence[Item]] = {(): items}

    def key_objects(self, names: tuple[str, ...]) -> list[Item]:
        """Return the key objects at the end of the nested member names, in request order."""
        return key_objects(self._containers(names[:-1]), names[-1:])

    def replace(self, names: tuple[str, ...], values: Iterable[Any]) -> None:
        """Replace the key objects that ``key_objects`` returns, in their order."""
        name, remaining = names[-1], iter(values)
        for container in self._containers(names[:-1]):
            value = container.get(name)
            if type(value) is dict:
                container[name] = next(remaining)
            elif type(value) is list:
                container[name] = [
                    next(remaining) if type(member) is dict else member for member in value
                ]

    def _containers(self, names: tuple[str, ...]) -> Sequence[Item]:
        """Return the objects at the end of the nested member names, copied by the first call."""
        if names not in self._copies:
            above, name = self._containers(names[:-1]), names[-1]
            self._copies[names] = copies = list[Item]()
            for container in above:
                value = container.get(name)
                if type(value) is list:
                    container[name] = elements = [{**element} for element in value]
                    copies += elements
                elif type(value) is dict:
                    container[name] = element = {**value}
                    copies.append(element)
        return self._copies[names]


def places(value: Any, names: Sequence[str], path: Path = ()) -> Iterator[tuple[Path, Item]]:
    """Yield each key object below the nested member names with its path.

    ``path`` is that of the value.
    """
    if type(value) is list:
        for index, element in enumerate(value):
            yield from places(element, names, (*path, index))
    elif type(value) is dict and names:
        yield from places(value.get(names[0]), names[1:], (*path, names[0]))
    elif type(value) is dict:
        yield path, value
