"""CSV cells: from a text to a value by the field's types, and back (contract, Files)."""

import re
from typing import Any, Final

import orjson

from service.transfer.fields import Field

EMPTY_LIST: Final = "[]"
SEPARATOR: Final = ";"
"""Separates the values of a list in one cell."""
_FLAGS: Final = {
    **dict.fromkeys(("true", "1", "yes"), True),
    **dict.fromkeys(("false", "0", "no"), False),
}
_WHOLE: Final = re.compile(r"(-?[0-9]{1,19})(?:\.0{0,10})?", re.ASCII)
_DECIMAL: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?", re.ASCII)
_COMMA: Final = re.compile(r"(-?[0-9]{1,18}),([0-9]{1,18})", re.ASCII)
_QUOTES: Final = re.compile('"{2,}')
_SMALLEST: Final = -(2**63)


class CellError(Exception):
    """The text is no value of the field, and could not be sent."""


def value_of(text: str, field: Field, *, has_decimal_commas: bool = False) -> Any:
    """Return the value of a cell.

    A text that is no value of the field's types stays a text, for the service to refuse. Raises
    CellError for objects, which have a column for each member.
    """
    if "array" in field.types:
        return _list(text, field, has_decimal_commas=has_decimal_commas)
    if field.members:
        raise CellError(f"use a column for each field: {', '.join([*field.members][:3])}")
    if "boolean" in field.types:
        return _FLAGS.get(text.strip().lower(), text)
    if field.types & {"integer", "number"}:
        return _number(_COMMA.sub(r"\1.\2", text) if has_decimal_commas else text, field)
    return text[2:] if _QUOTES.fullmatch(text) else text


def text_of(value: Any) -> str:
    """Return the cell of a value, which ``value_of`` reads again; null is an empty cell.

    A text of nothing but quotation marks gets two more, so that an empty text differs from null.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return f'""{value}' if not value or _QUOTES.fullmatch(value) else value
    if isinstance(value, list):
        return SEPARATOR.join(map(text_of, value)) or EMPTY_LIST
    return orjson.dumps(value).decode()


def _list(text: str, field: Field, *, has_decimal_commas: bool) -> list[Any]:
    if text.strip() == EMPTY_LIST:
        return []
    items = field.items or Field()
    if items.members:
        raise CellError(
            f"use {EMPTY_LIST} for an empty list, and columns such as …[0].… for others"
        )
    return [
        value_of(part.strip(), items, has_decimal_commas=has_decimal_commas)
        for part in text.split(SEPARATOR)
        if part.strip()
    ]


def _number(text: str, field: Field) -> Any:
    bare = text.strip()
    if "string" in field.types:
        return bare  # measured values are texts, exact to the digit
    if (whole := _WHOLE.fullmatch(bare)) and _SMALLEST <= int(whole[1]) < -_SMALLEST:
        return int(whole[1])
    if "number" in field.types and _DECIMAL.fullmatch(bare):
        return float(bare)
    return text
