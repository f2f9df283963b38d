"""Bodies as JSON values, which are counted before any work is spent on them (contract, Budgets).

A byte of JSON can be half a value, and every value costs its time in each loop that follows.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, Final

import orjson

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.schemas.duplicate_members import check_duplicate_members

MAX_VALUES: Final = 100_000
"""In one body, or in a document that a patch makes."""

_SIGNS: Final = b",[{"
"""Each value but the outermost follows one of these; they stand in texts, too."""
_PIECE: Final = 2**17
"""Bytes that are looked at before the next ones are."""
_QUOTES_PER_VALUE: Final = 4
"""Of a text and its name."""


def parse(raw: bytes) -> Any:
    """The JSON value of a body (RFC 8259).

    Raises ApiError ``malformed_json``, for members that stand twice as well, or ``too_many_items``
    before the values are made.
    """
    _check_values(raw)
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise _unreadable(raw, error) from None
    check_duplicate_members(raw, value)
    return value


def malformed(message: str) -> ApiError:
    """400: the body is no JSON that the service reads."""
    return api_error(ErrorType.MALFORMED_JSON, message=message)


def _unreadable(raw: bytes, error: orjson.JSONDecodeError) -> ApiError:
    """What to do about a body that is no JSON; of one that is no UTF-8 the place is not known."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return malformed("Send the body in UTF-8.")
    place = f"line {error.lineno}, column {error.colno}"
    return malformed(f"Send valid JSON; it cannot be read at {place}.")


def _check_values(raw: bytes) -> None:
    """Raise ApiError ``too_many_items`` for a body of more than MAX_VALUES.

    What has far more of them is not looked through to its end. Most bodies have few signs of
    values, wherever these stand.
    """
    if len(raw) <= 2 * MAX_VALUES:  # the least that so many can take
        return
    if _exceeds(map(_signs, _pieces(raw))) and _exceeds(_counts(raw)):
        message = f"Send at most {MAX_VALUES:,} values in one request."
        raise api_error(ErrorType.TOO_MANY_ITEMS, message=message)


def _exceeds(counts: Iterable[int]) -> bool:
    return any(total > MAX_VALUES for total in accumulate(counts))


def count_values(raw: bytes) -> int:
    """How many values JSON has within its outermost; of what is none, those before it ends.

    An empty list or object counts as two. Where there are more texts than MAX_VALUES can have,
    their number stands for the count.
    """
    return sum(_counts(raw))


def _counts(raw: bytes) -> Iterator[int]:
    """The same of each piece."""
    bare, quotes, begins_in_text = raw, 0, False
    if b"\\" in raw:
        bare = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    for piece in _pieces(bare):
        quotes += piece.count(b'"')
        if quotes > _QUOTES_PER_VALUE * MAX_VALUES:
            yield quotes
            return
        parts = piece.split(b'"')
        yield _signs(b"".join(parts[begins_in_text::2]))
        begins_in_text ^= len(parts) % 2 == 0


def _pieces(raw: bytes) -> Iterator[bytes]:
    return (raw[start : start + _PIECE] for start in range(0, len(raw), _PIECE))


def _signs(raw: bytes) -> int:
    return len(raw) - len(raw.translate(None, _SIGNS))
