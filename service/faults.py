"""What is wrong with a body, told by where in the body it is, before it is told to the caller."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

Path: TypeAlias = Sequence[str | int]
Fault: TypeAlias = tuple[Path, str, str]
"""Where in a body, the last part of the row's type, and the message."""

_MISSING_LAST = 1 << 30


def field(path: Path) -> str | None:
    """A path in the contract's notation, ``[3].allowedValues[0].value``; None for the root."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".") or None


def repeated(members: list[tuple[int, Any]], name: str) -> Iterator[Fault]:
    """A fault for each member, by its place in a list, whose value another had before it.

    A false is no value: of switches only the one that is on must be alone.
    """
    seen = set()
    for place, member in members:
        value = member.get(name) if isinstance(member, dict) else None
        if isinstance(value, int | str) and value is not False:
            key = (type(value), value)
            if key in seen:
                yield [place, name], "duplicate", "Another one of this request has this value."
            seen.add(key)


class RequestOrder:
    """Where paths stand in a request; what is missing comes after what is there."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._places: dict[int, dict[str, int]] = {}

    def __call__(self, path: Path) -> list[int]:
        """The path's sort key."""
        order, value = [], self._root
        for part in path:
            if isinstance(part, int):
                order.append(part)
            elif isinstance(value, dict) and part in value:
                order.append(self._members(value)[part])
            else:
                return [*order, _MISSING_LAST]
            value = value[part]
        return order

    def _members(self, value: dict[str, Any]) -> dict[str, int]:
        if id(value) not in self._places:
            self._places[id(value)] = {name: place for place, name in enumerate(value)}
        return self._places[id(value)]
