"""Opaque cursors for keyset pagination: the query and the last record's sort values, in base64url.

The query is filters, sort, page size, ``changedSince``, ``fields`` and ``q``. A cursor carries a
checksum over its payload and its scope: path of the list and organization. The checksum needs no
secret: ``decode`` checks cursor values like query parameters, so a forged cursor gains nothing
(contract, Cursors). Cursors of the change feed share ``seal`` and ``unseal``.
"""

import base64
import binascii
import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import orjson

from service.error_types import ErrorType
from service.errors import api_error
from service.limits import MAX_CONDITIONS, MAX_CURSOR_BYTES, MAX_PAGE_SIZE
from service.listing.list_request import ChangedRecords, Condition, ListRequest, SortKey
from service.listing.operators import OPERATORS
from service.listing.properties import Properties, Property, parse_timestamp
from service.listing.search import PARAMETER, RELEVANCE, Search, query_error

VERSION = 1
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, zlib.error)
"""Exceptions that mean an invalid cursor if ``unseal`` or the reading of its payload raises one."""
_MAX_PAYLOAD = 64 * 1024
"""Maximum bytes of a payload after decompression."""
_COMPRESS_ABOVE = 256
"""Bytes of a payload up to which it is not compressed, as that takes most of the encoding time."""
_DIGEST_BYTES = 9
_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "string": (str,),
    "date": (str,),
    "date-time": (str,),
}
"""Types of the sort values in a cursor's JSON, by stored kind of the property."""


class CursorWriter:
    """Writes the cursors of a list request, whose own part of them is encoded once."""

    def __init__(self, list_request: ListRequest) -> None:
        conditions = [
            [c.property.name, c.operator.name, [_text(v) for v in c.values]]
            for c in list_request.conditions
        ]
        sort = [[key.property.name, key.descending] for key in list_request.sort]
        start = orjson.dumps([VERSION, conditions, sort, list_request.page_size])
        end = orjson.dumps(list(_optional_members(list_request)))
        self._start = start.removesuffix(b"]") + b","
        self._end = end.replace(b"[", b",", 1) if end != b"[]" else b"]"

    def write(self, last: list[Any], scope: str) -> str:
        """Return the cursor of the page after the record whose sort values are ``last``.

        ``last`` has a JSON value for each sort key, as the database returns them. The page number
        is not carried. Raise ApiError ``too_long`` if it would exceed MAX_CURSOR_BYTES bytes.
        """
        text = seal(self._start + orjson.dumps(last) + self._end, scope)
        if len(text) > MAX_CURSOR_BYTES:
            message = f"The cursor would exceed {MAX_CURSOR_BYTES} bytes."
            raise api_error(ErrorType.TOO_LONG, "filter", message=message)
        return text


def _optional_members(list_request: ListRequest) -> Iterator[dict[str, Any]]:
    """Yield one object with the members that only some cursors have; nothing if all are absent.

    ``changedSince`` is absent until ``changed`` has been looked up.
    """
    more: dict[str, Any] = {}
    if list_request.changed_since is not None and list_request.changed is not None:
        changed = list_request.changed
        more["changedSince"] = [_text(list_request.changed_since), changed.epoch, changed.after]
    if list_request.fields:
        more["fields"] = list_request.fields
    if list_request.search is not None:
        more[PARAMETER] = list_request.search.text
    if more:
        yield more


def _read_optional(properties: Properties, more: Any = None) -> dict[str, Any]:
    """Return fields of a list request, by name, from the members that only some cursors have.

    ``changed`` has no condition yet. Raise one of UNREADABLE for unknown or invalid members.
    """
    read: dict[str, Any] = {}
    if more is None:
        return {}
    if "changedSince" in more:
        since, epoch, after = _list(more.pop("changedSince"))
        read["changed_since"] = parse_timestamp(_checked(since))
        read["changed"] = ChangedRecords(_whole(epoch, 0), _whole(after, 0))
    if PARAMETER in more:
        read["search"] = _search(properties, more.pop(PARAMETER))
    fields = _list(more.pop("fields", []))
    if more or [name for name in properties.members if name in fields] != fields:
        raise ValueError("unknown members, or unknown fields")
    return read | {"fields": tuple(fields)}


def _search(properties: Properties, text: Any) -> Search:
    if properties.search is None or query_error(_checked(text)):
        raise ValueError("no search")
    return Search(text, properties.search)


def seal(payload: bytes, scope: str) -> str:
    """Return checksum and payload as base64url text without padding, of any length.

    The payload is a JSON array: ``unseal`` tells it from a compressed one by its first byte, ``[``.
    A payload over 256 bytes is compressed.
    """
    if len(payload) > _COMPRESS_ABOVE:
        payload = zlib.compress(payload, level=9)
    return base64.urlsafe_b64encode(_digest(payload, scope) + payload).rstrip(b"=").decode()


def decode(text: str, properties: Properties, scope: str) -> ListRequest:
    """Return the list request that a cursor continues, with ``after`` and without a page number.

    The condition of ``changed`` must be looked up again. Raise ApiError ``invalid_cursor`` for any
    text but a cursor of this scope whose fields, operators and values are valid.
    """
    try:
        payload = unseal(text, scope)
        version, conditions, sort, page_size, last, *more = orjson.loads(payload)
        _whole(version, VERSION, VERSION)
        list_request = ListRequest(
            tuple(
                _condition(properties, *_list(condition))
                for condition in _list(conditions, MAX_CONDITIONS)
            ),
            tuple(_sort_key(properties, *_list(key)) for key in _list(sort, len(properties))),
            _whole(page_size, 1, MAX_PAGE_SIZE),
            **_read_optional(properties, *more),
        )
        keys = [key.property for key in list_request.sort]
        if list_request.search is None and RELEVANCE in keys:
            raise ValueError("relevance without a search")
        return replace(
            list_request, after=_sort_values(list_request.sort, _list(last), properties.key)
        )
    except UNREADABLE as error:
        raise api_error(ErrorType.INVALID_CURSOR, "cursor") from error


def unseal(text: str, scope: str) -> bytes:
    """Return the payload of a sealed text, decompressed.

    Raise one of UNREADABLE if the text is malformed, altered, of another scope, over
    MAX_CURSOR_BYTES, or over 64 KiB after decompression.
    """
    if len(text) > MAX_CURSOR_BYTES or not text.isascii() or "=" in text:
        raise ValueError("wrong form")
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("wrong form") from error
    digest, payload = raw[:_DIGEST_BYTES], raw[_DIGEST_BYTES:]
    if (
        digest != _digest(payload, scope)
        or base64.urlsafe_b64encode(raw).rstrip(b"=") != text.encode()
    ):
        raise ValueError("altered")
    if payload.startswith(b"["):
        return payload
    decompressor = zlib.decompressobj()
    payload = decompressor.decompress(payload, _MAX_PAYLOAD)
    if not decompressor.eof:
        raise ValueError("cut, or too long")
    return payload


def _condition(properties: Properties, name: Any, operator: Any, texts: Any) -> Condition:
    prop, op = properties[_checked(name)], OPERATORS[_checked(operator).lower()]
    if not op.fits(prop) or not _list(texts) or (len(texts) > 1 and not op.takes_several):
        raise ValueError("operator not allowed")
    compared = op.compared(prop)
    return Condition(prop, op, tuple(compared.parse(_checked(text)) for text in texts))


def _sort_key(properties: Properties, name: Any, descending: Any) -> SortKey:
    prop = RELEVANCE if name == RELEVANCE.name else properties[_checked(name)]
    if not prop.sortable or not isinstance(descending, bool):
        raise ValueError("not sortable")
    return SortKey(prop, descending)


def _list(value: Any, most: int = _MAX_PAYLOAD) -> list[Any]:
    """Return the value; raise ValueError unless it is a list of at most so many members."""
    if not isinstance(value, list) or len(value) > most:
        raise ValueError("no list, or too long")
    return value


def _whole(value: Any, least: int, most: int = 2**63 - 1) -> int:
    """Return the value; raise ValueError unless it is a whole number within these limits."""
    if type(value) is not int or not least <= value <= most:
        raise ValueError("no such number")
    return value


def _sort_values(sort: tuple[SortKey, ...], last: list[Any], id_name: str) -> tuple[Any, ...]:
    """Return the typed sort values of the last record.

    Raise ValueError unless the id sorts last, no field sorts twice, and there is a value of the
    right type for each key.
    """
    names = [key.property.name for key in sort]
    if names[-1:] != [id_name] or len(set(names)) < len(names):
        raise ValueError("no tie-break, or a field sorts twice")
    return tuple(_sort_value(key.property, value) for key, value in zip(sort, last, strict=True))


def _sort_value(prop: Property, value: Any) -> Any:
    if value is None and prop.nullable:
        return None
    if type(value) not in _JSON_TYPES[prop.stored_kind]:
        raise ValueError("of another type")
    return prop.parse_stored(_checked(_text(value)))


def _checked(text: Any) -> str:
    """Return the text; raise ValueError unless it is a string without NUL."""
    if not isinstance(text, str) or "\0" in text:
        raise ValueError("not a text")
    return text


def _text(value: Any) -> str:
    """Return a value as text that ``Property.parse`` or ``parse_stored`` accepts."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    return str(value)


def scope(path: str, organization_id: int) -> str:
    """Return the scope of a cursor: path of the request and organization.

    So lists below different parents differ.
    """
    return f"{path}/{organization_id}"


def _digest(payload: bytes, scope: str) -> bytes:
    """Return the checksum, whose key is the scope, or the hash of a scope that is too long."""
    key = scope.encode()
    if len(key) > hashlib.blake2b.MAX_KEY_SIZE:
        key = hashlib.blake2b(key).digest()
    return hashlib.blake2b(payload, digest_size=_DIGEST_BYTES, key=key).digest()
