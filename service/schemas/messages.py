"""What is wrong with a value by its schema, in words that stand beside a form's field."""

from collections.abc import Iterator
from typing import Any

import orjson

from service.errors import ErrorDetail, Path

_KINDS = {
    "string": "Use a text.",
    "integer": "Use a whole number.",
    "number": "Use a number such as -12.5.",
    "boolean": "Use true or false.",
    "array": "Use a list.",
    "object": "Use an object.",
}
_LIMITS = {
    "minLength": ("too_short", "Use at least {} character{}."),
    "maxLength": ("too_long", "Use at most {} character{}."),
    "minItems": ("too_few_items", "Use at least {} item{}."),
    "maxItems": ("too_many_items", "Use at most {} item{}."),
    "minimum": ("out_of_range", "Use {} or more."),
    "maximum": ("out_of_range", "Use {} or less."),
}

_DECIMAL = "Use a decimal number such as -12.50, with at most 15 digits before the point, 10 after."


def of_kind(types: frozenset[str] | list[str]) -> str:
    """What to do where a value of one of the JSON types is asked for."""
    return next(message for kind, message in _KINDS.items() if kind in types)


def of_limit(keyword: str, limit: Any) -> tuple[str, str]:
    """The type of failure, after its first dot, and the message of a limit that a value exceeds."""
    kind, message = _LIMITS[keyword]
    return kind, message.format(limit, "" if limit == 1 else "s")


def failures_of(error: Any) -> Iterator[ErrorDetail]:
    """The failures that an error of jsonschema-rs tells of."""
    for path, kind, message in _told(error):
        yield ErrorDetail(f"validation_error.{kind}", path, message)


def _told(error: Any) -> Iterator[tuple[Path, str, str]]:
    keyword, path, kind = error.kind.name, tuple(error.instance_path), error.kind
    if keyword == "required":
        yield (*path, kind.property), "required_field", "This field is required."
    elif keyword == "additionalProperties":
        for name in kind.unexpected:
            yield (*path, name), "unknown_field", "There is no such field."
    elif keyword == "type" and error.instance is None and path and isinstance(path[-1], str):
        yield path, "required_field", "This field is required and cannot be null."
    elif keyword == "type":
        yield path, "invalid_type", of_kind(kind.types)
    elif keyword == "enum" and path and path[-1] == "state" and error.instance == "deleted":
        yield path, "state_not_allowed", "Use DELETE to delete a record."
    elif keyword == "enum":
        options = ", ".join(str(option) for option in kind.options if option is not None)
        yield path, "invalid_value", f"Use one of {options}."
    elif keyword == "pattern":
        # Schemas of bodies have two: one asks for more than white space, the other for a decimal.
        is_blank = kind.pattern == "\\S"
        yield path, "invalid_value", "Use more than white space." if is_blank else _DECIMAL
    elif keyword == "const":
        yield path, "read_only_field", "This field is set by the service."
    elif keyword == "uniqueItems":
        for place in _repetitions(error.instance):
            yield (*path, place), "duplicate", "This stands in the list before."
    else:
        yield path, *of_limit(keyword, kind.limit)


def _repetitions(members: list[Any]) -> Iterator[int]:
    """The places of members that others before them are equal to."""
    seen = set()
    for place, member in enumerate(members):
        text = orjson.dumps(member)
        if text in seen:
            yield place
        seen.add(text)
