"""What no schema can say of values: how they are written, and that they stand in a list once.

``x-decimals`` in a schema is how many digits a number may have after the point.
"""

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any

from service.error_types import ErrorType
from service.errors import ErrorDetail, Path
from service.schemas.definitions import ResolvedSchema

_PLAIN = frozenset({int, bool, type(None)})


def format_errors(located: ResolvedSchema, value: Any, path: Path = ()) -> Iterator[ErrorDetail]:
    """A failure for each NUL in a text, each integer written as ``1.0``, and too many decimals.

    Only values that the schema describes are looked at; nobody reads others.
    """
    types = located.types
    if isinstance(value, dict):
        for name, prop in _read_properties(located, value):
            if name in value and not _is_plain(value[name]):
                yield from format_errors(prop, value[name], (*path, name))
    elif isinstance(value, list) and "array" in types:
        for index, member in enumerate(value):
            if not _is_plain(member):
                yield from format_errors(located.items, member, (*path, index))
    elif isinstance(value, str) and "\0" in value and "string" in types:
        message = "A text cannot hold the character U+0000."
        yield ErrorDetail(ErrorType.INVALID_VALUE, path, message)
    elif isinstance(value, float) and "integer" in types and _is_whole(value):
        message = "Write a whole number without fraction or exponent."
        yield ErrorDetail(ErrorType.INVALID_TYPE, path, message)
    elif isinstance(value, float) and _decimals(value) > (
        most := located.schema.get("x-decimals", math.inf)
    ):
        message = f"Use at most {most} digits after the point."
        yield ErrorDetail(ErrorType.INVALID_VALUE, path, message)


def duplicate_errors(
    members: Iterable[tuple[int, Any]],
    name: str,
    *within: str | int,
    all_of_them: bool = False,
) -> Iterator[ErrorDetail]:
    """A failure for each member, by its place in the list, whose value another had before it.

    For the first one, too, where ``all_of_them`` are wanted. The list stands at ``within``. A false
    is no value: of switches only the one that is on must be alone.
    """
    listed, first = list(members), dict[Any, int]()
    # Mostly all have it, and each another; what is no object, or a list, is looked at below.
    with suppress(KeyError, TypeError):
        if len({member[name] for _, member in listed}) == len(listed):
            return
    for place, member in listed:
        value = member.get(name) if isinstance(member, dict) else None
        if isinstance(value, int | str) and value is not False:
            key = (type(value), value)
            if key not in first:
                first[key] = place
                continue
            if all_of_them and first[key] >= 0:
                yield _repeats(*within, first[key], name)
                first[key] = -1
            yield _repeats(*within, place, name)


def _repeats(*path: str | int) -> ErrorDetail:
    message = "Another one of this request has this value."
    return ErrorDetail(ErrorType.DUPLICATE, path, message)


def _is_plain(value: Any) -> bool:
    """Whether there is nothing to be said of the value whatever describes it."""
    kind = type(value)
    return kind in _PLAIN or (kind is str and "\0" not in value)


def _read_properties(
    located: ResolvedSchema, value: dict[str, Any]
) -> Iterable[tuple[str, ResolvedSchema]]:
    """The properties that are read of an object: fewer of an item that deletes."""
    yield from located.properties.items()
    if value.get("state") != "deleted":
        yield from located.otherwise.properties.items()


def _decimals(number: float) -> int:
    """How many digits the shortest text of a double has after its point."""
    exponent = Decimal(repr(number)).as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _is_whole(number: float) -> bool:
    """Whether it is whole, and not beyond 64 bits: that is a failure of its own."""
    return number.is_integer() and abs(number) < 2**63
