"""Request parameters: path ids, query, preconditions, the Idempotency-Key, and selected fields.

No function uses the database: a path may name records that do not exist. The members of selected
fields are copied from the JSON text instead of being serialized again, so they keep their bytes and
their order.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterator
from typing import Final
from urllib.parse import unquote_to_bytes

from aiohttp import hdrs, web

from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, api_error
from service.http.context import caller_of
from service.http.envelope import precondition
from service.http.headers import combined_value
from service.idempotency.requests import IdempotentRequest
from service.limits import MAX_IDEMPOTENCY_KEY_LENGTH
from service.listing.parameters import FIELDS
from service.listing.query_reader import QueryReader
from service.masking import contains_key_start
from service.records.path_keys import PathId, parse_key
from service.records.resource import Resource
from service.shares.body_scheduler import BODY_SCHEDULER
from service.writing.outcomes import Precondition

_PRECONDITIONS = (hdrs.IF_MATCH, hdrs.IF_NONE_MATCH)
_BARE_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_IDEMPOTENCY_KEY = re.compile(rf"[\x21-\x7e]{{1,{MAX_IDEMPOTENCY_KEY_LENGTH}}}", re.ASCII)


def no_parameters(request: web.Request) -> None:
    """Raise ApiError with ``unknown_parameter`` for each query parameter, if there are any."""
    reader = QueryReader(request.query.items())
    reader.only()
    reader.raise_errors()


def path_values(request: web.Request, resource: Resource, *names: str) -> list[PathId]:
    """Return the stored ids or own keys in the path: of parents, outermost first, then the record.

    With ``names``, return those of these path parameters, in this order, which the path has.
    Raise ApiError with a detail for each malformed one. If the path has keys, and is not UTF-8 or
    has a ``%`` that encodes nothing, the details are those of the keys only: aiohttp leaves both as
    they are, so that they would be another key. A malformed id of a collection with text ids is no
    error here: it becomes 0, which no record has.
    """
    texts = request.match_info
    names = names or tuple(texts)
    _check_encoding(request, [name for name in names if "=" in texts[name]])
    ids: list[PathId] = []
    details: list[ErrorDetail] = []
    for name in names:
        try:
            ids.append(_path_id(resource, name, texts[name]))
        except ApiError as error:
            details += error.details
    if details:
        raise ApiError(details)
    return ids


def _check_encoding(request: web.Request, keyed: list[str]) -> None:
    """Raise ApiError with a detail for each of these keys if the path is malformed."""
    if keyed and not _is_encoded(request.rel_url.raw_path):
        type_, message = ErrorType.INVALID_VALUE, "Percent-encode the key in UTF-8."
        raise ApiError([ErrorDetail(type_, (name,), message) for name in keyed])


def _is_encoded(raw_path: str) -> bool:
    try:
        unquote_to_bytes(raw_path).decode()
    except ValueError:
        return False
    return _BARE_PERCENT.search(raw_path) is None


def _path_id(resource: Resource, name: str, text: str) -> PathId:
    """Return the stored id or own key of a path value; raise ApiError."""
    try:
        if "=" in text:
            return parse_key(resource.key_lookups.get(name), name, text)
        return resource.stored_id(text)
    except ValueError as error:
        raise api_error(ErrorType.INVALID_VALUE, name, message=str(error)) from error


def record_path_ids(request: web.Request, resource: Resource) -> list[int]:
    """Return the stored ids in the path of a resource that has no own keys."""
    return [path_id for path_id in path_values(request, resource) if isinstance(path_id, int)]


def path_key(request: web.Request, resource: Resource) -> str | None:
    """Return the own key by which the path names a record; "" if it is wrong, None for none."""
    if "=" not in request.match_info.get(resource.key, ""):
        return None
    try:
        [path_id] = path_values(request, resource, resource.key)
    except ApiError:
        return ""
    return "" if isinstance(path_id, int) else path_id.key


def document_form(
    request: web.Request, resource: Resource, *, has_writable: bool
) -> tuple[str, tuple[str, ...]]:
    """Return the name of the statement for the parameter ``form``, and the selected ``fields``.

    The statement is ``documents``, or ``writables`` for ``form=writable``, which ``has_writable``
    allows. Fields are in the order of the documents; () selects all. Raise ApiError for wrong
    values, other parameters, and fields of a writable form.
    """
    if not request.query:
        return "documents", ()
    reader = QueryReader(request.query.items())
    reader.only(FIELDS, *(("form",) if has_writable else ()))
    is_writable = has_writable and bool(reader.texts.get("form"))
    if is_writable and reader.texts["form"] != ["writable"]:
        reader.fail_choice(["writable"], "form")
    fields = reader.members(FIELDS, resource.properties.members)
    if is_writable and fields:
        message = "Leave this out: a writable form has all fields."
        reader.fail(ErrorType.EXCLUSIVE_PARAMETERS, FIELDS, message=message)
    reader.raise_errors()
    return "writables" if is_writable else "documents", fields


def precondition_of(request: web.Request, resource: Resource) -> Precondition | None:
    """Return the precondition of a write, from ``If-Match`` and ``If-None-Match``; raise nothing.

    Return None without these headers, for an ``If-None-Match`` alone without a valid tag, and for a
    path that names no single record. The record is compared later, under its lock.
    """
    if resource.key not in request.match_info:
        return None
    return precondition(
        combined_value(request, hdrs.IF_MATCH), combined_value(request, hdrs.IF_NONE_MATCH)
    )


def check_precondition(request: web.Request, resource: Resource) -> None:
    """Raise ApiError for precondition headers of a write whose path names no single record."""
    if resource.key not in request.match_info:
        refuse_preconditions(request)


def refuse_preconditions(request: web.Request) -> None:
    """Raise ApiError with ``invalid_value`` for each precondition header."""
    if headers := [name for name in _PRECONDITIONS if name in request.headers]:
        message = "Only writes of a single stored record take this header: leave it out."
        raise ApiError([ErrorDetail(ErrorType.INVALID_VALUE, (name,), message) for name in headers])


def idempotent_request(request: web.Request, raw: bytes) -> IdempotentRequest | None:
    """Return the ``Idempotency-Key`` with the digest of the request; None without the header.

    The digest (SHA-256) covers method, path and query as sent, and the uncompressed body. Raise
    ApiError for a header that is repeated, malformed or contains the start of an API key.
    """
    keys = request.headers.getall("Idempotency-Key", ())
    if not keys:
        return None
    if len(keys) > 1:
        raise api_error(ErrorType.DUPLICATE, "Idempotency-Key", message="Give this header once.")
    key = keys[0]
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        message = f"Use 1 to {MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters."
        raise api_error(ErrorType.INVALID_VALUE, "Idempotency-Key", message=message)
    if contains_key_start(key):
        message = "This is an API key. Use a random value, such as a UUID."
        raise api_error(ErrorType.INVALID_VALUE, "Idempotency-Key", message=message)
    request_line = f"{request.method} {request.raw_path}\n".encode()
    caller = caller_of(request)
    if caller.scopes.name is None or len(caller.scopes.texts) > 1:
        # Another key's response may show what this one may not read, or a secret.
        key = f"{caller.key_id} {key}"
    return IdempotentRequest(caller, key, hashlib.sha256(request_line + raw).digest())


SCHEDULED_BYTES: Final = 64 * 1024
"""Minimum size of documents that wait for the body scheduler: they take 1 ms of the event loop."""
_scan: Final = json.JSONDecoder().raw_decode
_SEPARATORS: Final = " \t\n\r,:"


async def selected(request: web.Request, documents: bytes, names: Collection[str]) -> bytes:
    """Return documents, joined by commas, with the named members only; () returns them unchanged.

    The members are those of a document's first level; if a document is a list, of its entries. A
    name that a document lacks is ignored. Documents of SCHEDULED_BYTES or more together wait for
    the body scheduler first, because they block the event loop as large bodies do.
    """
    if not names:
        return documents
    if len(documents) >= SCHEDULED_BYTES:
        await request.app[BODY_SCHEDULER].enter(caller_of(request).organization_id)
    return ",".join(_reduced(documents.decode(), frozenset(names))).encode()


def _reduced(text: str, names: frozenset[str]) -> Iterator[str]:
    """Yield each object or list of a text, reduced to the named members.

    Raise ValueError for another value.
    """
    index = _next(text, 0)
    while index < len(text):
        if text[index] == "{":
            members, index = _members(text, index + 1, names)
            yield f"{{{','.join(members)}}}"
        elif text[index] == "[":
            _, end = _scan(text, index)
            yield f"[{','.join(_reduced(text[index + 1 : end - 1], names))}]"
            index = end
        else:
            raise ValueError("neither object nor list")
        index = _next(text, index)


def _members(text: str, index: int, names: frozenset[str]) -> tuple[list[str], int]:
    """Return the texts of an object's named members, and the index behind the object.

    ``index`` is behind the opening brace.
    """
    members, index = list[str](), _next(text, index)
    while text[index] != "}":
        name, end = _scan(text, index)
        _, value_end = _scan(text, _next(text, end))
        if name in names:
            members.append(text[index:value_end])
        index = _next(text, value_end)
    return members, index + 1


def _next(text: str, index: int) -> int:
    """Return ``index``, or the index of the next character after it that is no separator."""
    while index < len(text) and text[index] in _SEPARATORS:
        index += 1
    return index
