"""CSV cell codec: converts cell text to values by the field's types, and back (tools, Files)."""

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Any, Final

import orjson

from service.extras.tables.fields import Field
from service.extras.tables.table_cells import NUMBER, PERCENT, TEXT
from service.schemas.vocabulary import LANGUAGES, words

EMPTY_LIST: Final = "[]"
"""Cell text of an empty list."""
SEPARATOR: Final = ";"
"""Separator of the values of a list in one cell."""
_BOOLEANS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_FOREIGN_BOOLEANS: Final = {
    **dict.fromkeys(("wahr", "vrai", "ja", "oui"), True),
    **dict.fromkeys(("falsch", "faux", "nein", "non"), False),
}
"""Flags of spreadsheets, and of the pages, that write decimal commas."""
_INTEGER: Final = re.compile(r"(-?[0-9]{1,19})(?:\.0{0,10})?", re.ASCII)
_DECIMAL: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?", re.ASCII)
_DECIMAL_COMMA: Final = re.compile(r"(-?[0-9]{1,18}),([0-9]{1,18})", re.ASCII)
_THOUSANDS: Final = re.compile(r"-?[1-9][0-9]{0,2}([.,])[0-9]{3}", re.ASCII)
"""Number with one sign that separates thousands in one country, and decimals in another."""
_ZEROS: Final = re.compile("(?<=^-)0+(?=[0-9])|^0+(?=[0-9])")
_PERCENT: Final = re.compile(r"\s*%\s*$")
_PERCENTAGES: Final = ("percentage", "share")
"""Formats of fields whose values are percentages."""
_QUOTES: Final = re.compile('"{2,}')
_MIN_INTEGER: Final = -(2**63)


class CellError(Exception):
    """Error of a column or cell; its message is for the operator."""


def value_of(text: str, field: Field, kind: str = TEXT, decimal_signs: str = ".") -> Any:
    """Return the value of a cell that is not empty: callers leave empty cells out.

    Text that does not parse as one of the field's types is returned as a text; the service refuses
    it. A field that allows texts gets numbers as texts. ``decimal_signs`` are those that numbers in
    texts may have (``TableFile``). A reference may be a JSON object with an own key. A text of
    quotation marks alone, at least two, loses the first two. Raise CellError for the column of an
    object, whose members have columns of their own, for that of a list of objects unless the text
    is ``EMPTY_LIST``, for a percentage in a field that takes none, and for a number that may as
    well be a thousand times as large.
    """
    if "array" in field.types:
        _refuse(text, field, kind)
        return _list(text, field, decimal_signs)
    if field.refers_to and (reference := _object(text)) is not None:
        return reference
    _refuse(text, field, kind)
    if "boolean" in field.types:
        return _flag(text, decimal_signs)
    if field.types & {"integer", "number"}:
        return _number(
            _bare_number(text, field, kind), field, decimal_signs if kind == TEXT else "."
        )
    if choices := field.limits.get("enum"):
        return _choice(text, choices)
    return text[2:] if _QUOTES.fullmatch(text) else text


def _object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a text is; None if it is none."""
    value = None
    if text.lstrip().startswith("{"):
        with suppress(orjson.JSONDecodeError):
            value = orjson.loads(text)
    return value if isinstance(value, dict) else None


def _is_percentage(field: Field) -> bool:
    return field.limits.get("format") in _PERCENTAGES


def _refuse(text: str, field: Field, kind: str) -> None:
    """Raise CellError for the column of an object, and for a percentage in a field of another."""
    if field.members:
        raise CellError(
            f"an object has no cell: use a column for each field: {', '.join([*field.members][:3])}"
        )
    if kind == PERCENT and not _is_percentage(field):
        raise CellError(f"shows {text}%, and the field is no percentage: format it as a number")


def _flag(text: str, decimal_signs: str) -> bool | str:
    flags = _BOOLEANS if decimal_signs == "." else _BOOLEANS | _FOREIGN_BOOLEANS
    return flags.get(text.strip().lower(), text)


def _bare_number(text: str, field: Field, kind: str) -> str:
    """Return a number without a percent sign, and without the zeros that a format shows."""
    bare = _PERCENT.sub("", text) if _is_percentage(field) else text
    return _ZEROS.sub("", bare) if kind == NUMBER else bare


def key_object(text: str, member: str) -> dict[str, Any]:
    """Return the object that names a record by its own key; a text of such an object as it is."""
    with suppress(orjson.JSONDecodeError):
        value = orjson.loads(text) if text.startswith("{") else None
        if isinstance(value, dict):
            return value
    return {member: text}


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


def _list(text: str, field: Field, decimal_signs: str) -> list[Any]:
    """Return the values between separators, without outer white space; blank ones are skipped."""
    if text.strip() == EMPTY_LIST:
        return []
    items = field.items or Field()
    if items.members:
        raise CellError(
            f"use {EMPTY_LIST} for an empty list, and columns such as …[0].… for its entries"
        )
    return [
        value_of(part.strip(), items, TEXT, decimal_signs)
        for part in text.split(SEPARATOR)
        if part.strip()
    ]


def _choice(text: str, choices: Iterable[Any]) -> Any:
    """Return the only choice that a text names, by itself or by a word of the pages; else it."""
    names, bare = [each for each in choices if isinstance(each, str)], text.strip().lower()
    if text in names:
        return text
    matches = [name for name in names if bare in (name.lower(), *_words_of(name))]
    return matches[0] if len(matches) == 1 else text


@cache
def _words_of(value: str) -> tuple[str, ...]:
    """Return the words of the pages for a value, in lowercase."""
    return tuple(words(language)["values"].get(value, value).lower() for language in LANGUAGES)


def _number(text: str, field: Field, decimal_signs: str) -> Any:
    """Return the text without outer white space if the field allows texts.

    Otherwise return an int of 64 bits, else a float if the field allows one, else the text itself.
    """
    bare = text.strip()
    thousands = _THOUSANDS.fullmatch(bare)
    # Where decimal commas are usual, 1,234 is no thousand.
    if thousands and (decimal_signs == ".," or (decimal_signs, thousands[1]) == (",.", ".")):
        digits = re.sub("[.,]", "", bare)
        message = f"has {bare}, which may be {digits} or a decimal number: write it otherwise"
        raise CellError(message)
    if decimal_signs != "." and (comma := _DECIMAL_COMMA.fullmatch(bare)):
        text = bare = f"{comma[1]}.{comma[2]}"
    if "string" in field.types:
        return bare  # measured values are decimal strings: a float would lose digits
    if (match := _INTEGER.fullmatch(bare)) and _MIN_INTEGER <= int(match[1]) < -_MIN_INTEGER:
        return int(match[1])
    if "number" in field.types and _DECIMAL.fullmatch(bare):
        return float(bare)
    return text
