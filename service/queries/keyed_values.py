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


KeyedValue: TypeAlias = tuple[int, Any, str | int, Item, Item]
"""Key object in an item, and the place of the id that replaces it.

These are: index of the item; object or list that has the key object, a copy; its name or index in
there; key object, in which an id replaces the key object of its parent before the look-up; key
object as it was sent, for that of a parent the outer one. A named tuple takes 4 times the time.
"""


class CopiedItems:
    """Items whose members become copies where a field has key objects.

    The request's own values stay, because a transaction that is repeated starts from them.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._copies: dict[tuple[str, ...], list[tuple[int, Item]]] = {(): [*enumerate(items)]}

    def values(self, names: tuple[str, ...]) -> list[KeyedValue]:
        """Return the key objects at the end of the nested member names."""
        values, name = list[KeyedValue](), names[-1]
        for index, container in self._containers(names[:-1]):
            value = container.get(name)
            if type(value) is dict:
                values.append((index, container, name, value, value))
            elif type(value) is list:
                container[name] = members = [*value]
                values += [
                    (index, members, position, member, member)
                    for position, member in enumerate(members)
                    if type(member) is dict
                ]
        return values

    def _containers(self, names: tuple[str, ...]) -> list[tuple[int, Item]]:
        """Return the objects at the end of the nested member names, with the index of the item.

        They are copies, which the first call makes.
        """
        if names not in self._copies:
            above, name = self._containers(names[:-1]), names[-1]
            self._copies[names] = copies = list[tuple[int, Item]]()
            for index, container in above:
                value = container.get(name)
                if type(value) is list:
                    container[name] = elements = [{**element} for element in value]
                    copies += [(index, element) for element in elements]
                elif type(value) is dict:
                    container[name] = element = {**value}
                    copies.append((index, element))
        return self._copies[names]


def split_parents(
    values: Iterable[KeyedValue], within: str
) -> tuple[list[KeyedValue], list[KeyedValue]]:
    """Return key objects within a parent, and those of the parents, in copies of the former.

    ``within`` is the member with the parent. Errors of parents belong to the outer key objects.
    """
    outer, parents = list[KeyedValue](), list[KeyedValue]()
    for index, container, member, sent, _ in values:
        key, parent = sent, sent.get(within)
        if type(parent) is dict:
            container[member] = key = {**sent}
            parents.append((index, key, within, parent, sent))
        outer.append((index, container, member, key, sent))
    return outer, parents


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
