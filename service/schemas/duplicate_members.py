"""Duplicate members: find and refuse repeated names in JSON objects (RFC 7493, 2.3).

The parser keeps the last member of a name. If serializing the parsed value gives as many colons as
the body has, no member was lost, and the body is not searched. Counting takes 0.3 ms for 1,000
colors (190 kB).
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, Path, api_error
from service.limits import MAX_LISTED

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
