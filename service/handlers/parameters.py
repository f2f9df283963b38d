"""What handlers read from a request beside its body's meaning."""

import hashlib
import re
from collections.abc import Callable
from typing import Any

from aiohttp import hdrs, web

from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, api_error
from service.http.context import caller
from service.http.etag import precondition
from service.http.headers import combined_value
from service.idempotency.requests import IdempotentRequest
from service.masking import contains_key_start
from service.queries.locking import Precondition
from service.queries.resource import Resource

_PRECONDITIONS = (hdrs.IF_MATCH, hdrs.IF_NONE_MATCH)
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}", re.ASCII)


def collect_errors(*checks: Callable[[], Any]) -> list[Any]:
    """What each check answers; raises one ApiError with the failures of all.

    The first round of checks (contract, Errors): a caller hears of path, query, headers and body
    at once. The checks are in the order of the request.
    """
    answers, failures = list[Any](), list[ErrorDetail]()
    for check in checks:
        try:
            answers.append(check())
        except ApiError as error:
            failures += error.details
    if failures:
        raise ApiError(failures)
    return answers


def only_parameters(request: web.Request, *known: str) -> None:
    """Raise 400 for every query parameter beside the known ones."""
    unknown = [name for name in dict.fromkeys(request.query) if name not in known]
    if unknown:
        kind, message = ErrorType.UNKNOWN_PARAMETER, "There is no such parameter."
        raise ApiError(
            [ErrorDetail(kind, (name.replace("\0", "\\0"),), message) for name in unknown]
        )


def path_ids(request: web.Request, resource: Resource, *names: str) -> list[int]:
    """The stored ids that the path names; raises 400 with every one whose form is wrong."""
    ids, failures = [], []
    for name in names:
        try:
            ids.append(resource.stored_id(request.match_info[name]))
        except ValueError as error:
            failures.append(ErrorDetail(ErrorType.INVALID_VALUE, (name,), str(error)))
    if failures:
        raise ApiError(failures)
    return ids


def path_of(request: web.Request, resource: Resource) -> list[int]:
    """The stored ids that lead to the record in the path, its own last; raises 400 as above."""
    return path_ids(request, resource, *resource.parents, resource.key)


def form(request: web.Request, *, offered: bool) -> str:
    """The statement of the wanted form: ``documents``, or ``writables`` for ``form=writable``."""
    if not offered:
        only_parameters(request)
        return "documents"
    only_parameters(request, "form")
    wanted = request.query.getall("form", [])
    if wanted not in ([], ["writable"]):
        message = "Leave it out or use writable."
        raise api_error(ErrorType.INVALID_VALUE, "form", message=message)
    return "writables" if wanted else "documents"


def precondition_of(request: web.Request) -> Precondition | None:
    """The ``If-Match`` and ``If-None-Match`` of a single write."""
    return precondition(
        combined_value(request, hdrs.IF_MATCH), combined_value(request, hdrs.IF_NONE_MATCH)
    )


def no_precondition(request: web.Request) -> None:
    """Raise 400 for preconditions where there is no single record that they could speak of."""
    if found := [name for name in _PRECONDITIONS if name in request.headers]:
        message = "Only writes of one stored record take it."
        kind = ErrorType.INVALID_VALUE
        raise ApiError([ErrorDetail(kind, (name,), message) for name in found])


def idempotent_request(request: web.Request, raw: bytes) -> IdempotentRequest | None:
    """What the ``Idempotency-Key`` stands for: this method, path, query and body; None without."""
    keys = request.headers.getall("Idempotency-Key", ())
    if not keys:
        return None
    if len(keys) > 1:
        message = "Give this header once."
        raise api_error(ErrorType.DUPLICATE, "Idempotency-Key", message=message)
    key = keys[0]
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        message = "Use 1 to 255 visible ASCII characters."
        raise api_error(ErrorType.INVALID_VALUE, "Idempotency-Key", message=message)
    if contains_key_start(key):
        message = "This is an API key. Use a random value, such as a UUID."
        raise api_error(ErrorType.INVALID_VALUE, "Idempotency-Key", message=message)
    request_line = f"{request.method} {request.raw_path}\n".encode()
    return IdempotentRequest(caller(request), key, hashlib.sha256(request_line + raw).digest())
