"""Bodies that are too long anywhere, made no longer than it takes to be wrong."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any

from service.schemas.definitions import load

#: More than any list or object may have: those beyond cannot make it more wrong.
_MOST_MEMBERS = 1001
#: Deeper than any field stands: what is below is in the wrong place whatever it is.
_DEEPEST = 16


def truncate(value: Any, levels: int = _DEEPEST) -> Any:
    """The value with lists and objects of _MOST_MEMBERS, and the fields of records besides."""
    if type(value) not in (dict, list):
        return value
    if not levels:
        return None
    below = levels - 1
    if isinstance(value, list):
        return [
            truncate(one, below) if type(one) in (dict, list) else one
            for one in value[:_MOST_MEMBERS]
        ]
    members: Iterable[tuple[str, Any]] = value.items()
    if len(value) > _MOST_MEMBERS:
        kept = {*islice(value, _MOST_MEMBERS), *_field_names()}
        members = [(name, one) for name, one in members if name in kept]
    return {
        name: truncate(one, below) if type(one) in (dict, list) else one for name, one in members
    }


@cache
def _field_names() -> frozenset[str]:
    """The names of the fields of all records."""
    return frozenset(name for schema in load().values() for name in _names_in(schema))


def _names_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield from schema["properties"]
        for part in schema.values():
            yield from _names_in(part)
