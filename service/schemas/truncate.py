"""Truncation of invalid bodies, so that collecting the errors of huge ones takes bounded time."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any

from service.schemas.definitions import load

_MAX_MEMBERS = 5001
"""One more than any list or object may have, so that truncated ones are still too long."""
_MAX_DEPTH = 16
"""Deeper than any field: values below are invalid whatever they are."""


def truncate(value: Any, levels: int = _MAX_DEPTH) -> Any:
    """Return a copy of the value with lists and objects cut to their first 5,001 members.

    Longer objects also keep all members whose name is a field of any schema. Lists and objects more
    than ``levels`` levels deep become null.
    """
    if type(value) not in (dict, list):
        return value
    if not levels:
        return None
    below = levels - 1
    if isinstance(value, list):
        return [
            truncate(member, below) if type(member) in (dict, list) else member
            for member in value[:_MAX_MEMBERS]
        ]
    members: Iterable[tuple[str, Any]] = value.items()
    if len(value) > _MAX_MEMBERS:
        names = {*islice(value, _MAX_MEMBERS), *_field_names()}
        members = [(name, member) for name, member in members if name in names]
    return {
        name: truncate(member, below) if type(member) in (dict, list) else member
        for name, member in members
    }


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
