"""Extra checks that JSON Schema cannot express: number formats, NUL, uniqueness, keys in URLs.

``x-decimals`` in a schema is the maximum number of digits after the decimal point of a JSON number.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from service.error_types import ErrorType
from service.errors import ErrorDetail, Path
from service.schemas.definitions import ResolvedSchema, definition
from service.schemas.messages import BLANK, limit_message
from service.schemas.write_forms import DECIMALS

_PLAIN = frozenset({int, bool, type(None)})
_IGNORED = frozenset({dict, bool, type(None)})


def format_errors(resolved: ResolvedSchema, value: Any, path: Path = ()) -> Iterator[ErrorDetail]:
    """Yield an error detail for each text with U+0000, integer written as ``1.0``, excess decimals.

    ``path`` is that of the value. Values that the schema does not describe are not checked, and
    neither are names of members. Decimals are those of the shortest text of the double.
    """
    types = resolved.types
    if isinstance(value, dict) and "anyOf" in resolved.schema:
        # A key object is one value: its errors are those of the reference.
        # The schema reports members that it does not have.
        properties = resolved.properties
        parts = (
            format_errors(properties[name], value[name]) for name in value if name in properties
        )
        yield from (replace(detail, path=path) for details in parts for detail in details)
    elif isinstance(value, dict):
        for name, prop in resolved.properties.items():
            if name in value and not _is_plain(value[name]):
                yield from format_errors(prop, value[name], (*path, name))
    elif isinstance(value, list) and "array" in types:
        for index, member in enumerate(value):
            if not _is_plain(member):
                yield from format_errors(resolved.items, member, (*path, index))
    elif isinstance(value, str) and "\0" in value and "string" in types:
        yield ErrorDetail(ErrorType.INVALID_VALUE, path, "Remove the character U+0000.")
    elif isinstance(value, float) and "integer" in types and _is_whole(value):
        message = "Write a whole number without fraction or exponent."
        yield ErrorDetail(ErrorType.INVALID_TYPE, path, message)
    elif isinstance(value, float) and _decimals(value) > (
        max_decimals := resolved.schema.get(DECIMALS, math.inf)
    ):
        message = f"Use at most {max_decimals} digits after the point."
        yield ErrorDetail(ErrorType.INVALID_VALUE, path, message)


def duplicate_errors(
    members: Iterable[tuple[int, Any]], name: str, *within: str | int, all_of_them: bool = False
) -> Iterator[ErrorDetail]:
    """Yield ``duplicate`` for each member whose value of ``name`` an earlier member has.

    ``members`` have their index in the list, whose path is ``within``; the error's path is this,
    the index and ``name``. With ``all_of_them`` the first member of each value is reported, too.
    Values that are no integer, text or true are ignored. False is, so that a boolean may be true in
    only one member. Values of different types differ: 1, "1" and true.
    """
    listed = list(members)
    if are_distinct([member for _, member in listed], name):
        return
    first: dict[Any, int] = {}
    for index, member in listed:
        value = member.get(name) if isinstance(member, dict) else None
        if isinstance(value, int | str) and value is not False:
            key = (type(value), value)
            if key not in first:
                first[key] = index
                continue
            if all_of_them and first[key] >= 0:
                yield _duplicate(*within, first[key], name)
                first[key] = -1
            yield _duplicate(*within, index, name)


def are_distinct(members: Sequence[Any], name: str) -> bool:
    """Return whether members surely differ in ``name``: a fast check before ``duplicate_errors``.

    Return false for lists in it.
    """
    try:
        values = [member[name] for member in members if name in member]
        if values and not _IGNORED.isdisjoint(map(type, values)):
            values = [value for value in values if not (value is None or value is False)]
            values = [value for value in values if type(value) is not dict]
        return len({*values}) == len(values)
    except TypeError:
        return False


def key_errors(text: str, *path: str) -> Iterator[ErrorDetail]:
    """Yield the error details of an own key in a URL that no item of a request could have.

    It has a wrong length in characters, U+0000, or white space only. ``path`` is that of the error
    details.
    """
    schema = definition("common/scalars", "keyOfItem")
    length, limits = len(text), schema.schema
    if not limits["minLength"] <= length <= limits["maxLength"]:
        keyword = "maxLength" if length else "minLength"
        error_type, message = limit_message(keyword, limits[keyword])
        yield ErrorDetail(error_type, path, message)
    elif not text.strip():
        yield ErrorDetail(ErrorType.INVALID_VALUE, path, BLANK)
    yield from format_errors(schema, text, path)


def _duplicate(*path: str | int) -> ErrorDetail:
    return ErrorDetail(ErrorType.DUPLICATE, path, "Another item of this request has this value.")


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
