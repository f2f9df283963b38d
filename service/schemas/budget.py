"""What a body may ask for, counted before any work is spent on it (contract, Budgets).

A byte of JSON can be half a value, and every value costs its time in each loop that follows.
"""

from typing import Any, Final

import orjson

from service.failures import Failure, failed

MAX_VALUES: Final = 100_000
"""In one body, or in a document that a patch makes."""
MAX_RECORD_KIB: Final = 256
MAX_RECORD_BYTES: Final = MAX_RECORD_KIB * 1024
"""Of one record as JSON, so that pages and answers have a size that can be told."""

_SIGNS: Final = b",[{"
"""Each value but the outermost follows one of these; they stand in texts, too."""
_BEGINNING: Final = 2**20
_QUOTES_PER_VALUE: Final = 4
"""Of a text and its name."""


def check_values(raw: bytes) -> None:
    """Raise ApiError ``too_many_items`` for a body of more than MAX_VALUES.

    What has far more of them has too many in its beginning: that is looked at first.
    """
    if _has_too_many(raw[:_BEGINNING]) or (len(raw) > _BEGINNING and _has_too_many(raw)):
        message = f"Send at most {MAX_VALUES:,} values in one request."
        raise failed("validation_error.too_many_items", message=message)


def _has_too_many(raw: bytes) -> bool:
    """Two bytes are the least that a value takes, and most bodies have few signs of them."""
    return len(raw) > 2 * MAX_VALUES and _signs(raw) > MAX_VALUES and count_values(raw) > MAX_VALUES


def count_values(raw: bytes) -> int:
    """How many values JSON has within its outermost; of what is none, those before it ends.

    An empty list or object counts as two. Where there are more texts than MAX_VALUES can have,
    their number stands for the count.
    """
    bare = raw
    if b"\\" in raw:
        bare = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    quotes = bare.count(b'"')
    if quotes > _QUOTES_PER_VALUE * MAX_VALUES:
        return quotes
    return _signs(b"".join(bare.split(b'"')[::2]))


def record_failures(record: Any) -> list[Failure]:
    """What is wrong with the size of a record, if anything; of one nested too deeply nothing."""
    try:
        size = len(orjson.dumps(record))
    except orjson.JSONEncodeError:
        return []
    if size <= MAX_RECORD_BYTES:
        return []
    message = f"Use at most {MAX_RECORD_KIB} KiB for one record."
    return [Failure("validation_error.too_long", (), message)]


def _signs(raw: bytes) -> int:
    return len(raw) - len(raw.translate(None, _SIGNS))
