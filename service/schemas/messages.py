"""Error details of schema errors: type, path, and a message that fits beside a form's field.

A message says what to send instead and does not repeat the value.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import orjson

from service.error_types import ErrorType
from service.errors import ErrorDetail, Path
from service.schemas.formats import error_of
from service.schemas.visible_text import VISIBLE

_TYPE_MESSAGES = {
    "string": "Use a text.",
    "integer": "Use a whole number.",
    "number": "Use a number such as -12.5.",
    "boolean": "Use true or false.",
    "array": "Use a list.",
    "object": "Use an object.",
}
_LIMIT_MESSAGES = {
    "minLength": (ErrorType.TOO_SHORT, "Use at least {} character{}."),
    "maxLength": (ErrorType.TOO_LONG, "Use at most {} character{}."),
    "minItems": (ErrorType.TOO_FEW_ITEMS, "Use at least {} item{}."),
    "maxItems": (ErrorType.TOO_MANY_ITEMS, "Use at most {} item{}."),
    "minimum": (ErrorType.OUT_OF_RANGE, "Use {} or more."),
    "maximum": (ErrorType.OUT_OF_RANGE, "Use {} or less."),
}

_DECIMAL = "Use a decimal number such as -12.50, with at most 15 digits before the point, 10 after."

_TAG = 'Use one strong entity tag with its quotes, such as "0a1b2c", or *.'

BLANK = "Use more than white space and characters that cannot be seen."
"""Message of a text without a character that can be seen."""
_PATTERNS = {
    VISIBLE: BLANK,
    "^[0-9a-f]{16}$": "Use 16 hexadecimal digits in lower case.",
    "^[^?]*$": "Use a URL without a query.",
}
"""Messages by pattern; other patterns are those of decimals."""
LISTED_TWICE = "Remove this: the list has it already."
"""Message of ``duplicate`` for a repeated element of a list."""
_REFERENCE = "Use an id, or an object with the own key of the record and nothing else."


def type_message(types: frozenset[str] | list[str]) -> str:
    """Return the message of a value that has none of the allowed JSON types.

    It names one of them, never null: text first, then numbers, boolean, list, object.
    """
    return next(message for kind, message in _TYPE_MESSAGES.items() if kind in types)


def limit_message(keyword: str, limit: Any) -> tuple[ErrorType, str]:
    """Return the error type and the message of a violated limit.

    ``keyword`` is that of JSON Schema: one of ``minLength``, ``maxLength``, ``minItems``,
    ``maxItems``, ``minimum`` and ``maximum``; others raise KeyError.
    """
    error_type, message = _LIMIT_MESSAGES[keyword]
    return error_type, message.format(limit, "" if limit == 1 else "s")


def error_details(error: Any, depth: int = 0) -> Iterator[ErrorDetail]:
    """Yield the error details of an error of jsonschema-rs, a ``ValidationError``.

    Paths begin below the first ``depth`` parts. There are several for unknown fields, repeated
    elements and alternatives. Null in a member that does not allow it is ``required_field``, as if
    the member were missing. A value of the wrong type with alternatives gets the errors of the
    first one, unless it is an object.
    """
    for path, error_type, message in _parts(error):
        yield ErrorDetail(error_type, path[depth:], message)


_Part: TypeAlias = tuple[Path, ErrorType, str]
"""Path, type and message of an error detail."""


def _parts(error: Any) -> Iterable[_Part]:
    keyword, path = error.kind.name, tuple(error.instance_path)
    if explain := _EXPLANATIONS.get(keyword):
        return explain(error, path)
    return [(path, *limit_message(keyword, error.kind.limit))]


def _missing(error: Any, path: Path) -> Iterable[_Part]:
    error_type = ErrorType.REQUIRED_FIELD
    return [((*path, error.kind.property), error_type, error_type.message)]


def _unknown(error: Any, path: Path) -> Iterable[_Part]:
    error_type = ErrorType.UNKNOWN_FIELD
    return [((*path, name), error_type, error_type.message) for name in error.kind.unexpected]


def _wrong_type(error: Any, path: Path) -> Iterable[_Part]:
    if error.instance is None and path and isinstance(path[-1], str):
        return [(path, ErrorType.REQUIRED_FIELD, "This field is required and cannot be null.")]
    return [(path, ErrorType.INVALID_TYPE, type_message(error.kind.types))]


def _no_option(error: Any, path: Path) -> Iterable[_Part]:
    if path and path[-1] == "state" and error.instance == "deleted":
        error_type = ErrorType.STATE_NOT_ALLOWED
        return [(path, error_type, error_type.message)]
    options = ", ".join(str(option) for option in error.kind.options if option is not None)
    return [(path, ErrorType.INVALID_VALUE, f"Use one of {options}.")]


def _no_match(error: Any, path: Path) -> Iterable[_Part]:
    message = _PATTERNS.get(error.kind.pattern, _DECIMAL)
    return [(path, ErrorType.INVALID_VALUE, _TAG if path and path[-1] == "ifMatch" else message)]


def _wrong_format(error: Any, path: Path) -> Iterable[_Part]:
    details = error_of(error.kind.format, error.instance)
    return [(path, *details)] if details else []


def _read_only(_error: Any, path: Path) -> Iterable[_Part]:
    return [(path, ErrorType.READ_ONLY_FIELD, ErrorType.READ_ONLY_FIELD.message)]


def _no_alternative(error: Any, path: Path) -> Iterable[_Part]:
    """Yield the errors of the first alternative, of objects beside a list those of the second."""
    first, *others = error.kind.context
    if not isinstance(error.instance, dict):
        chosen = first
    elif _is_list(first):
        chosen = others[0]
    else:
        return [(path, ErrorType.INVALID_VALUE, _REFERENCE)]
    return [part for each in chosen for part in _parts(each)]


def _repeated(error: Any, path: Path) -> Iterable[_Part]:
    indexes = duplicate_indexes(error.instance)
    return [((*path, index), ErrorType.DUPLICATE, LISTED_TWICE) for index in indexes]


_EXPLANATIONS: Final[Mapping[str, Callable[[Any, Path], Iterable[_Part]]]] = {
    "required": _missing,
    "additionalProperties": _unknown,
    "type": _wrong_type,
    "enum": _no_option,
    "pattern": _no_match,
    "format": _wrong_format,
    "const": _read_only,
    "anyOf": _no_alternative,
    "uniqueItems": _repeated,
}
"""Functions that explain errors of a keyword; those of other keywords exceed a limit."""


def _is_list(errors: list[Any]) -> bool:
    """Return whether an alternative is a list, given its errors of an object."""
    return any(error.kind.name == "type" and "array" in error.kind.types for error in errors)


def duplicate_indexes(members: list[Any]) -> Iterable[int]:
    """Return the indexes of members that equal an earlier one, compared as serialized JSON."""
    # Fast path for ids; key objects, which are unhashable, take the loop below.
    try:
        if len({*members}) == len(members):
            return ()
    except TypeError:
        pass
    seen, indexes = set[bytes](), list[int]()
    for index, member in enumerate(members):
        text = orjson.dumps(member)
        if text in seen:
            indexes.append(index)
        seen.add(text)
    return indexes
