"""Extra checks that JSON Schema cannot express: number formats, NUL, uniqueness, keys in URLs.

``x-decimals`` in a schema is the maximum number of digits after the decimal point of a JSON number.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import chain
from typing import Any, Final

from service.error_types import ErrorType
from service.errors import ErrorDetail, Path
from service.schemas.definitions import ResolvedSchema, definition
from service.schemas.messages import BLANK, limit_message
from service.schemas.visible_text import is_blank
from service.schemas.write_forms import DECIMALS

_PLAIN = frozenset({int, bool, type(None)})
_IGNORED = frozenset({dict, bool, type(None)})
_DUPLICATE: Final = "Another item of this request has this value."


def format_errors(resolved: ResolvedSchema, value: Any, path: Path = ()) -> Iterator[ErrorDetail]:
    """Return the errors of texts with U+0000, integers written as ``1.0``, excess decimals.

    ``path`` is that of the value. Values that the schema does not describe are not checked, and
    neither are names of members. Decimals are those of the shortest text of the double.
    """
    check = _CHECKS.get(type(value))
    return iter(()) if check is None else check(resolved, value, path)


def _object_errors(
    resolved: ResolvedSchema, value: dict[str, Any], path: Path
) -> Iterator[ErrorDetail]:
    # A key object is one value: its errors are those of the reference.
    is_key = "anyOf" in resolved.schema
    for name, prop in resolved.properties.items():
        if name in value and not _is_plain(value[name]):
            details = format_errors(prop, value[name], (*path, name))
            yield from (replace(detail, path=path) for detail in details) if is_key else details


def _list_errors(resolved: ResolvedSchema, value: list[Any], path: Path) -> Iterator[ErrorDetail]:
    if "array" in resolved.types:
        for index, member in enumerate(value):
            if not _is_plain(member):
                yield from format_errors(resolved.items, member, (*path, index))


def _text_errors(resolved: ResolvedSchema, value: str, path: Path) -> Iterator[ErrorDetail]:
    if "\0" in value and "string" in resolved.types:
        yield ErrorDetail(ErrorType.INVALID_VALUE, path, "Remove the character U+0000.")


def _number_errors(resolved: ResolvedSchema, value: float, path: Path) -> Iterator[ErrorDetail]:
    max_decimals = resolved.schema.get(DECIMALS, math.inf)
    if "integer" in resolved.types and _is_whole(value):
        message = "Write a whole number without fraction or exponent."
        yield ErrorDetail(ErrorType.INVALID_TYPE, path, message)
    elif _decimals(value) > max_decimals:
        message = f"Use at most {max_decimals} digits after the point."
        yield ErrorDetail(ErrorType.INVALID_VALUE, path, message)


_CHECKS: Final[dict[type, Callable[[ResolvedSchema, Any, Path], Iterator[ErrorDetail]]]] = {
    dict: _object_errors,
    list: _list_errors,
    str: _text_errors,
    float: _number_errors,
}


def duplicate_errors(
    members: Iterable[tuple[int, Any]], name: str, *within: str | int, all_of_them: bool = False
) -> Iterator[ErrorDetail]:
    """Yield ``duplicate``, in order, for each member whose value of ``name`` an earlier member has.

    ``members`` have their index in the list, whose path is ``within``; the error's path is this,
    the index and ``name``. With ``all_of_them`` the first member of each value is reported, too.
    Values that are no integer, text or true are ignored. False is, so that a boolean may be true in
    only one member. Values of different types differ: 1, "1" and true.
    """
    listed = list(members)
    if are_distinct([member for _, member in listed], name):
        return
    repeated = [group for group in _by_value(listed, name) if len(group) > 1]
    if not all_of_them:
        repeated = [group[1:] for group in repeated]
    for index in sorted(chain.from_iterable(repeated)):
        yield ErrorDetail(ErrorType.DUPLICATE, (*within, index, name), _DUPLICATE)


def _by_value(members: Iterable[tuple[int, Any]], name: str) -> Iterable[list[int]]:
    """Return the indexes of members by each value of ``name`` that must be distinct."""
    indexes = defaultdict[Any, list[int]](list)
    for index, member in members:
        value = member.get(name) if isinstance(member, dict) else None
        if isinstance(value, int | str) and value is not False:
            indexes[type(value), value].append(index)
    return indexes.values()


def are_distinct(members: Sequence[Any], name: str) -> bool:
    """Return whether members surely differ in ``name``: a fast check before ``duplicate_errors``.

    Return false for lists in it.
    """
    try:
        values = [member[name] for member in members if name in member]
        if not _IGNORED.isdisjoint(map(type, values)):
            values = [value for value in values if value is True or type(value) not in _IGNORED]
        return len({*values}) == len(values)
    except TypeError:
        return False


def key_errors(text: str, *path: str) -> Iterator[ErrorDetail]:
    """Yield the error details of an own key in a URL that no item of a request could have.

    It has a wrong length in characters, U+0000, or nothing that can be seen. ``path`` is that of
    the error details.
    """
    schema = definition("common/scalars", "keyOfItem")
    length, limits = len(text), schema.schema
    if not limits["minLength"] <= length <= limits["maxLength"]:
        keyword = "maxLength" if length else "minLength"
        error_type, message = limit_message(keyword, limits[keyword])
        yield ErrorDetail(error_type, path, message)
    elif is_blank(text):
        yield ErrorDetail(ErrorType.INVALID_VALUE, path, BLANK)
    yield from format_errors(schema, text, path)


def _is_plain(value: Any) -> bool:
    """Return whether the value passes every format check whatever its schema."""
    kind = type(value)
    return kind in _PLAIN or (kind is str and "\0" not in value)


def _decimals(number: float) -> int:
    """Return the number of digits after the decimal point in the shortest text of a double.

    1.0 has one; the result is negative for a number such as 1e22.
    """
    exponent = Decimal(repr(number)).as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _is_whole(number: float) -> bool:
    """Return whether the number is whole and below 2**63; larger ones are reported elsewhere."""
    return number.is_integer() and abs(number) < 2**63
