"""Keyed values: the objects with own keys in the items of a write (contract, References)."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from service import schemas
from service.batches.entry import Item
from service.errors import Path
from service.records.reference_targets import ALTERNATIVES, TARGETS, ReferenceTarget
from service.schemas import ResolvedSchema
from service.schemas.key_forms import REFERS_TO

Key: TypeAlias = str | tuple[str | int, int]
"""Own key, in lower case if the target ignores case; with the id of its parent if it has one."""


class KeyedField(NamedTuple):
    """Field of a write form whose values are ids or key objects."""

    names: tuple[str, ...]
    """Names of the members that lead to it, through lists and objects."""
    target: ReferenceTarget
    is_list: bool
    """Whether its value is a list of ids and key objects."""


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
        KeyedField(names, target, is_list)
        for names, refers_to, is_list in _references(form, above)
        for target in (TARGETS.get(refers_to), ALTERNATIVES.get(refers_to))
        if target is not None
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
        values = [value.get(name) for value in values if isinstance(value, dict)]
        if list in {*map(type, values)}:
            values = [*chain.from_iterable(v if type(v) is list else (v,) for v in values)]
    return values


def key_objects(containers: Iterable[Any], names: Iterable[str], key: str) -> list[Item]:
    """Return the key objects with ``key`` at the end of the nested member names, in order."""
    return [value for value in values_at(containers, names) if has_key(value, key)]


def has_key(value: Any, key: str) -> bool:
    """Return whether the value is a key object with this own key."""
    return type(value) is dict and key in value


class FieldKeys(NamedTuple):
    """Key objects of a field, or those in a member of them, and their keys in the same order."""

    field: KeyedField
    target: ReferenceTarget
    """Target of the field, or that of the member."""
    objects: Sequence[Item]
    """Key objects as they were sent; those that stay have the id of their parent."""
    keys: Sequence[Key | None]
    """Keys to look up; None for key objects that stay."""
    member: str = ""
    """Member of the field's key objects that has ``objects``; "" for themselves."""


def direct_keys(field: KeyedField, objects: Sequence[Item]) -> list[FieldKeys]:
    """Return the keys of a field that are not within a parent.

    Else return those of its parents, and those of its own keys that are references. Only the ones
    that are key objects have keys.
    """
    target = field.target
    if not target.within:
        texts = [object_[target.key] for object_ in objects]
        texts = [text.lower() for text in texts] if target.ignores_case else texts
        return [FieldKeys(field, target, objects, texts)]
    members = {target.within: target.parent, target.key: target.key_of}
    inner_keys = list[FieldKeys]()
    for member, name in members.items():
        sent = [key for each in objects if type(key := each.get(member)) is dict]
        inner = TARGETS[name] if sent else target
        keys = [each[inner.key] for each in sent]
        inner_keys.append(FieldKeys(field, inner, sent, keys, member))
    return inner_keys


class CopiedItems:
    """Items whose members become copies where a field has key objects.

    The request's own values stay, because a transaction that is repeated starts from them.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        self._copies: dict[tuple[str, ...], Sequence[Item]] = {(): items}

    def key_objects(self, keyed: KeyedField) -> list[Item]:
        """Return the key objects of a field, in request order."""
        names = keyed.names
        return key_objects(self._containers(names[:-1]), names[-1:], keyed.target.key)

    def replace(self, keyed: KeyedField, values: Iterable[Any]) -> None:
        """Replace the key objects that ``key_objects`` returns, in their order."""
        name, key, remaining = keyed.names[-1], keyed.target.key, iter(values)
        for container in self._containers(keyed.names[:-1]):
            value = container.get(name)
            if has_key(value, key):
                container[name] = next(remaining)
            elif type(value) is list:
                container[name] = [
                    next(remaining) if has_key(member, key) else member for member in value
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


def places(value: Any, names: Sequence[str], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield each value at the end of the nested member names with its path, also those in lists.

    ``path`` is that of the outermost value. Null is no value.
    """
    if type(value) is list:
        for index, element in enumerate(value):
            yield from places(element, names, (*path, index))
    elif isinstance(value, dict) and names:
        yield from places(value.get(names[0]), names[1:], (*path, names[0]))
    elif value is not None and not names:
        yield path, value


def sent_places(
    items: Iterable[Item], keyed: KeyedField, member: str = ""
) -> list[tuple[int, Path]]:
    """Return the item's index and the path of each key object of a field.

    With ``member`` only of those in which it is a key object.
    """
    return [
        (index, path)
        for index, item in enumerate(items)
        for path, object_ in places(item, keyed.names)
        if has_key(object_, keyed.target.key)
        if not member or type(object_.get(member)) is dict
    ]
