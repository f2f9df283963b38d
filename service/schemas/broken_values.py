"""Broken values: placeholders for values that broke their schema, which no other check reads."""

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

from service.errors import ErrorDetail, Path


class Broken:
    """Value that broke its schema, or a required one that is missing; it equals itself alone."""

    __slots__ = ()


def without_broken(value: Any, details: Iterable[ErrorDetail]) -> Any:
    """Return a copy of a body or item with a ``Broken`` at the path of each error detail.

    Values beside these are shared. Without details it is the value itself.
    """
    copies: dict[Path, Any] = {}
    for detail in details:
        if not detail.path:
            return Broken()
        *parents, last = detail.path
        copies.setdefault((), copy(value))
        holder = _holder(copies, parents)
        if not isinstance(holder, Broken):
            holder[last] = Broken()
    return copies.get((), value)


def _holder(copies: dict[Path, Any], path: Sequence[str | int]) -> Any:
    """Return the copy of the object or list at a path, made once; ``Broken`` within one."""
    holder = copies[()]
    for length, part in enumerate(path, start=1):
        inner = holder[part]
        if isinstance(inner, Broken):
            return inner
        if (prefix := (*path[:length],)) not in copies:
            copies[prefix] = holder[part] = copy(inner)
        holder = copies[prefix]
    return holder
