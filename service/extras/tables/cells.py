"""CSV cell codec: converts cell text to values by the field's types, and back (contract, Files)."""

import re
from contextlib import suppress
from typing import Any, Final

import orjson

from service.extras.tables.fields import Field

EMPTY_LIST: Final = "[]"
"""Cell text of an empty list."""
SEPARATOR: Final = ";"
"""Separator of the values of a list in one cell."""
_BOOLEANS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_INTEGER: Final = re.compile(r"(-?[0-9]{1,19})(?:\.0{0,10})?", re.ASCII)
_DECIMAL: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?", re.ASCII)
_DECIMAL_COMMA: Final = re.compile(r"(-?[0-9]{1,18}),([0-9]{1,18})", re.ASCII)
_QUOTES: Final = re.compile('"{2,}')
_MIN_INTEGER: Final = -(2**63)


class CellError(Exception):
    """Error of a column or cell; its message is for the operator."""


def value_of(text: str, field: Field, *, has_decimal_commas: bool = False) -> Any:
    """Return the value of a cell that is not empty: callers leave empty cells out.

    Text that does not parse as one of the field's types is returned as a text; the service refuses
    it. A field that allows texts gets numbers as texts. With ``has_decimal_commas``, 1,5 is 1.5 in
    a field of numbers. A reference may be a JSON object with an own key. A text of quotation marks
    alone, at least two, loses the first two. Raise CellError for the column of an object, whose
    members have columns of their own, and for that of a list of objects unless the text is
    ``EMPTY_LIST``.
    """
    if "array" in field.types:
        return _list(text, field, has_decimal_commas=has_decimal_commas)
    if field.refers_to and text.lstrip().startswith("{"):
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(text)
    if field.members:
        raise CellError(
            f"an object has no cell: use a column for each field: {', '.join([*field.members][:3])}"
        )
    if "boolean" in field.types:
        return _BOOLEANS.get(text.strip().lower(), text)
    if field.types & {"integer", "number"}:
        comma = _DECIMAL_COMMA.fullmatch(text.strip()) if has_decimal_commas else None
        return _number(f"{comma[1]}.{comma[2]}" if comma else text, field)
    return text[2:] if _QUOTES.fullmatch(text) else text


def text_of(value: Any) -> str:
    """Return the cell text of a value. Null is an empty cell, and an object is its JSON text.

    Text that is empty, or at least two quotation marks and nothing else, gets two more, so that ""
    differs from null. ``value_of`` is the inverse, except for objects, for texts in lists that have
    ``SEPARATOR`` or outer white space, and for nulls in lists.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return f'""{value}' if not value or _QUOTES.fullmatch(value) else value
    if isinstance(value, list):
        return SEPARATOR.join(map(text_of, value)) or EMPTY_LIST
    return orjson.dumps(value).decode()


def _list(text: str, field: Field, *, has_decimal_commas: bool) -> list[Any]:
    """Return the values between separators, without outer white space; blank ones are skipped."""
    if text.strip() == EMPTY_LIST:
        return []
    items = field.items or Field()
    if items.members:
        raise CellError(
            f"use {EMPTY_LIST} for an empty list, and columns such as …[0].… for its entries"
        )
    return [
        value_of(part.strip(), items, has_decimal_commas=has_decimal_commas)
        for part in text.split(SEPARATOR)
        if part.strip()
    ]


def _number(text: str, field: Field) -> Any:
    """Return the text without outer white space if the field allows texts.

    Otherwise return an int of 64 bits, else a float if the field allows one, else the text itself.
    """
    bare = text.strip()
    if "string" in field.types:
        return bare  # measured values are decimal strings: a float would lose digits
    if (match := _INTEGER.fullmatch(bare)) and _MIN_INTEGER <= int(match[1]) < -_MIN_INTEGER:
        return int(match[1])
    if "number" in field.types and _DECIMAL.fullmatch(bare):
        return float(bare)
    return text
