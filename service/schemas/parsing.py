"""JSON parser of request bodies, with a limit on the number of values (contract, Budgets).

Values are counted before parsing, because a value can be as short as two bytes and takes time in
each later step.
"""

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate, islice
from typing import Any, Final

import orjson

from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, Path, api_error
from service.limits import MAX_LISTED, MAX_VALUES

_MESSAGE = "Remove this member: its object has another one of the same name."
_TOO_DEEP_MESSAGE = "Remove repeated members of objects, and nest the body less deeply."


def check_duplicate_members(raw: bytes, value: Any) -> None:
    """Raise ApiError ``malformed_json`` if the body has duplicate members.

    ``value`` is the parsed body. The error has the paths of the repeated members, each once and at
    most ``MAX_LISTED``, or none if the body is nested too deeply to search. Values
    nested too deeply to serialize pass; validation refuses them.
    """
    try:
        if _colons(raw) == orjson.dumps(value).count(b":"):
            return
    except orjson.JSONEncodeError:
        return
    kind = ErrorType.MALFORMED_JSON
    try:
        marked = json.loads(raw, object_pairs_hook=_marked, parse_int=str, parse_float=str)
        paths = [*islice(_paths(marked), MAX_LISTED)]
    except RecursionError:
        raise api_error(kind, message=_TOO_DEEP_MESSAGE) from None
    raise ApiError([ErrorDetail(kind, path, _MESSAGE) for path in paths])


def _colons(raw: bytes) -> int:
    """Count the colons of a body, those in texts and escaped ones included."""
    if b"\\" not in raw or b"\\u003" not in raw:
        return raw.count(b":")
    unescaped = raw.replace(b"\\\\", b"")
    return unescaped.count(b":") + unescaped.count(b"\\u003a") + unescaped.count(b"\\u003A")


class _Repeating(dict[str, Any]):
    """Object with duplicate members."""

    names: list[str]
    """Names of all members but the first of their name; a name can occur several times."""


def _marked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of the members; an instance of _Repeating if names are duplicate."""
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    marked, seen = _Repeating(members), set[str]()
    marked.names = []
    for name, _ in pairs:
        if name in seen:
            marked.names.append(name)
        seen.add(name)
    return marked


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of each repeated name of each object once.

    Objects in a member that the parser drops are not searched.
    """
    if isinstance(value, _Repeating):
        yield from ((*path, name) for name in dict.fromkeys(value.names))
    if isinstance(value, dict):
        for name, member in value.items():
            if isinstance(member, dict | list):
                yield from _paths(member, (*path, name))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            if isinstance(member, dict | list):
                yield from _paths(member, (*path, index))


_VALUE_STARTS: Final = b",[{"
"""Bytes before each value except the outermost; texts can have them, too."""
_CHUNK_BYTES: Final = 2**17
"""Bytes of a body that are counted at a time."""
_QUOTES_PER_VALUE: Final = 4
"""Maximum number of quotes per value: those of a text and its name."""


def parse(raw: bytes, max_values: int = MAX_VALUES) -> Any:
    """Parse a JSON body (RFC 8259), which may be any value.

    Raise ApiError, 400: ``malformed_json`` for an empty body, invalid UTF-8 or JSON, and duplicate
    members, and ``too_many_items``, before parsing, for more than ``max_values`` values.
    """
    _check_values(raw, max_values)
    return _parsed(raw)


def parse_lines(raw: bytes, max_values: int = MAX_VALUES) -> list[Any]:
    """Parse lines of JSON (NDJSON) as a list; an end of line after the last one is no line.

    Raise ApiError as ``parse`` does, with the index of the line as the path.
    """
    _check_values(raw, max_values)
    lines = raw.removesuffix(b"\n").split(b"\n")
    with suppress(orjson.JSONDecodeError, orjson.JSONEncodeError):
        parsed = [*map(orjson.loads, lines)]
        if _colons(raw) == orjson.dumps(parsed).count(b":"):
            return parsed
    values, details = list[Any](), list[ErrorDetail]()
    for index, line in enumerate(lines):
        try:
            values.append(_parsed(line))
        except ApiError as error:
            for detail in error.details:
                details.append(replace(detail, path=(index, *detail.path)))
            if len(details) >= MAX_LISTED:
                break
    if details:
        raise ApiError(details)
    return values


def _parsed(raw: bytes) -> Any:
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise _unreadable(raw, error) from None
    check_duplicate_members(raw, value)
    return value


def malformed(message: str) -> ApiError:
    """Return an ApiError ``malformed_json``, 400, to be raised."""
    return api_error(ErrorType.MALFORMED_JSON, message=message)


def _unreadable(raw: bytes, error: orjson.JSONDecodeError) -> ApiError:
    """Return the error of a body that is not UTF-8, or not JSON from some position on."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return malformed("Send the body in UTF-8.")
    if raw.startswith(BOM_UTF8):
        return malformed("Leave out the byte order mark (EF BB BF) before the JSON.")
    position = f"line {error.lineno}, column {error.colno}"
    return malformed(f"Send valid JSON: there is a syntax error at {position}.")


def _check_values(raw: bytes, max_values: int) -> None:
    """Raise ApiError ``too_many_items`` for a body of more than ``max_values`` values.

    The exact count runs only if a quick count, which includes texts, exceeds the limit. Both stop
    at the limit.
    """
    if len(raw) <= 2 * max_values:  # a value takes at least two bytes
        return
    quick = map(_count_starts, _chunks(raw))
    if _exceeds(quick, max_values) and _exceeds(_counts(raw, max_values), max_values):
        message = f"Send at most {max_values:,} values in one request."
        raise api_error(ErrorType.TOO_MANY_ITEMS, message=message)


def _exceeds(counts: Iterable[int], max_values: int) -> bool:
    return any(total > max_values for total in accumulate(counts))


def count_values(raw: bytes) -> int:
    """Return the number of values within the outermost value of a valid JSON text.

    An empty list or object within it counts as two, an empty outermost one as one. If there are
    more quotes than MAX_VALUES values can have, counting stops, and the result includes the number
    of quotes: it then exceeds MAX_VALUES.
    """
    return sum(_counts(raw, MAX_VALUES))


def _counts(raw: bytes, max_values: int) -> Iterator[int]:
    """Yield the number of values in each chunk; stop after too many quotes."""
    unescaped, quotes, begins_in_text = raw, 0, False
    if b"\\" in raw:
        unescaped = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    for chunk in _chunks(unescaped):
        quotes += chunk.count(b'"')
        if quotes > _QUOTES_PER_VALUE * max_values:
            yield quotes
            return
        parts = chunk.split(b'"')
        yield _count_starts(b"".join(parts[begins_in_text::2]))
        begins_in_text ^= len(parts) % 2 == 0


def _chunks(raw: bytes) -> Iterator[bytes]:
    return (raw[start : start + _CHUNK_BYTES] for start in range(0, len(raw), _CHUNK_BYTES))


def _count_starts(raw: bytes) -> int:
    return len(raw) - len(raw.translate(None, _VALUE_STARTS))
