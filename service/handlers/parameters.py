"""Request parameters: path ids, query, preconditions and the Idempotency-Key."""

import hashlib
import re

from aiohttp import hdrs, web

from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, api_error
from service.http.context import caller
from service.http.etag import precondition
from service.http.headers import combined_value
from service.idempotency.requests import IdempotentRequest
from service.limits import MAX_IDEMPOTENCY_KEY_LENGTH
from service.listing.query_reader import QueryReader
from service.masking import contains_key_start
from service.queries.outcomes import Precondition
from service.queries.resource import Resource

_PRECONDITIONS = (hdrs.IF_MATCH, hdrs.IF_NONE_MATCH)
_IDEMPOTENCY_KEY = re.compile(rf"[\x21-\x7e]{{1,{MAX_IDEMPOTENCY_KEY_LENGTH}}}", re.ASCII)


def no_parameters(request: web.Request) -> None:
    """Raise ``unknown_parameter`` for each query parameter."""
    reader = QueryReader(request.query.items())
    reader.only()
    reader.raise_errors()


def path_of(request: web.Request, resource: Resource) -> list[int]:
    """Return the stored ids of the parents and of the record that the path names."""
    names = (*resource.parents, resource.key)
    path = request.match_info
    return resource.path_ids(path, *(name for name in names if name in path))


def form(request: web.Request, *, offered: bool) -> str:
    """Return the statement of the ``form`` parameter: ``documents``, or ``writables``."""
    if not offered:
        no_parameters(request)
        return "documents"
    reader = QueryReader(request.query.items())
    reader.only("form")
    texts = reader.texts.get("form", [])
    if texts not in ([], ["writable"]):
        reader.fail_choice(["writable"], "form")
    reader.raise_errors()
    return "writables" if texts else "documents"


def precondition_of(request: web.Request, resource: Resource) -> Precondition | None:
    """Return the precondition of a write, from ``If-Match`` and ``If-None-Match``.

    Only writes of a single stored record have one.
    """
    if resource.key not in request.match_info:
        return None
    return precondition(
        combined_value(request, hdrs.IF_MATCH), combined_value(request, hdrs.IF_NONE_MATCH)
    )


def check_precondition(request: web.Request, resource: Resource) -> None:
    """Raise ``invalid_value`` for preconditions of a write without a single stored record."""
    if resource.key not in request.match_info:
        refuse_preconditions(request)


def refuse_preconditions(request: web.Request) -> None:
    """Raise ``invalid_value`` for each precondition header."""
    if headers := [name for name in _PRECONDITIONS if name in request.headers]:
        message = "Only writes of a single stored record take this header: leave it out."
        type_ = ErrorType.INVALID_VALUE
        raise ApiError([ErrorDetail(type_, (name,), message) for name in headers])


def idempotent_request(request: web.Request, raw: bytes) -> IdempotentRequest | None:
    """Return the ``Idempotency-Key`` with the digest of the request; None without the header.

    The digest covers method, path, query and body.
    """
    keys = request.headers.getall("Idempotency-Key", ())
    if not keys:
        return None
    if len(keys) > 1:
        message = "Give this header once."
        raise api_error(ErrorType.DUPLICATE, "Idempotency-Key", message=message)
    key = keys[0]
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        message = f"Use 1 to {MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters."
        raise api_error(ErrorType.INVALID_VALUE, "Idempotency-Key", message=message)
    if contains_key_start(key):
        message = "This is an API key. Use a random value, such as a UUID."
        raise api_error(ErrorType.INVALID_VALUE, "Idempotency-Key", message=message)
    request_line = f"{request.method} {request.raw_path}\n".encode()
    return IdempotentRequest(caller(request), key, hashlib.sha256(request_line + raw).digest())
