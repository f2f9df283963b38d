"""JSON parser of request bodies, with a limit on the number of values (contract, Budgets).

Values are counted before parsing, because a value can be as short as two bytes and takes time in
each later step.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, Final

import orjson

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.limits import MAX_VALUES
from service.schemas.duplicate_members import check_duplicate_members

_VALUE_STARTS: Final = b",[{"
"""Bytes before each value except the outermost; texts can have them, too."""
_CHUNK_BYTES: Final = 2**17
"""Bytes of a body that are counted at a time."""
_QUOTES_PER_VALUE: Final = 4
"""Maximum number of quotes per value: those of a text and its name."""


def parse(raw: bytes) -> Any:
    """Parse a JSON body (RFC 8259), which may be any value.

    Raise ApiError, 400: ``malformed_json`` for an empty body, invalid UTF-8 or JSON, and duplicate
    members, and ``too_many_items``, before parsing, for more than MAX_VALUES values.
    """
    _check_values(raw)
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
    position = f"line {error.lineno}, column {error.colno}"
    return malformed(f"Send valid JSON: there is a syntax error at {position}.")


def _check_values(raw: bytes) -> None:
    """Raise ApiError ``too_many_items`` for a body of more than MAX_VALUES values.

    The exact count runs only if a quick count, which includes texts, exceeds the limit. Both stop
    at the limit.
    """
    if len(raw) <= 2 * MAX_VALUES:  # a value takes at least two bytes
        return
    if _exceeds(map(_count_starts, _chunks(raw))) and _exceeds(_counts(raw)):
        message = f"Send at most {MAX_VALUES:,} values in one request."
        raise api_error(ErrorType.TOO_MANY_ITEMS, message=message)


def _exceeds(counts: Iterable[int]) -> bool:
    return any(total > MAX_VALUES for total in accumulate(counts))


def count_values(raw: bytes) -> int:
    """Return the number of values within the outermost value of a valid JSON text.

    An empty list or object within it counts as two, an empty outermost one as one. If there are
    more quotes than MAX_VALUES values can have, counting stops, and the result includes the number
    of quotes: it then exceeds MAX_VALUES.
    """
    return sum(_counts(raw))


def _counts(raw: bytes) -> Iterator[int]:
    """Yield the number of values in each chunk; stop after too many quotes."""
    unescaped, quotes, begins_in_text = raw, 0, False
    if b"\\" in raw:
        unescaped = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    for chunk in _chunks(unescaped):
        quotes += chunk.count(b'"')
        if quotes > _QUOTES_PER_VALUE * MAX_VALUES:
            yield quotes
            return
        parts = chunk.split(b'"')
        yield _count_starts(b"".join(parts[begins_in_text::2]))
        begins_in_text ^= len(parts) % 2 == 0


def _chunks(raw: bytes) -> Iterator[bytes]:
    return (raw[start : start + _CHUNK_BYTES] for start in range(0, len(raw), _CHUNK_BYTES))


def _count_starts(raw: bytes) -> int:
    return len(raw) - len(raw.translate(None, _VALUE_STARTS))
