"""Truncation of invalid bodies, so that collecting the errors of huge ones takes bounded time."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any

from service.schemas.definitions import load

_NESTED = frozenset({dict, list})
_MAX_MEMBERS = 5001
"""One more than any list or object may have, so that truncated ones are still too long."""
_MAX_DEPTH = 16
"""Deeper than any field: values below are invalid whatever they are."""


def truncate(value: Any, levels: int = _MAX_DEPTH) -> Any:
    """Return a copy of the value with lists and objects cut to their first 5,001 members.

    Longer objects also keep all members whose name is a field of any schema. Lists and objects more
    than ``levels`` levels deep become null.
    """
    kind = type(value)
    if kind not in _NESTED:
        return value
    if not levels:
        return None
    if kind is list:
        return [_below(member, levels) for member in value[:_MAX_MEMBERS]]
    return {name: _below(member, levels) for name, member in _members(value)}


def _below(member: Any, levels: int) -> Any:
    return truncate(member, levels - 1) if type(member) in _NESTED else member


def _members(value: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """Return the first members of an object, and those that are fields of a schema."""
    if len(value) <= _MAX_MEMBERS:
        return value.items()
    names = {*islice(value, _MAX_MEMBERS), *_field_names()}
    return [(name, member) for name, member in value.items() if name in names]


@cache
def _field_names() -> frozenset[str]:
    """Return the names of the fields of all schemas, nested ones included."""
    return frozenset(name for schema in load().values() for name in _names_in(schema))


def _names_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield from schema["properties"]
        for part in schema.values():
            yield from _names_in(part)
