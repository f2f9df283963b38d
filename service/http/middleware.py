"""Around every handler: request id, caller, errors, compression, metrics and the access log."""

import logging
import random
import re
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from aiohttp import web

from service.failures import ApiError, failed
from service.http import envelope
from service.http.accounts import ACCOUNTS
from service.http.context import (
    ACCESS_LOG,
    ADMISSION,
    CALLER,
    CALLERS,
    REQUEST_ID,
    ROUTES,
    ServedRoute,
)
from service.http.metrics import observer
from service.organizations.caller import Caller

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]

_SANE_ID = re.compile(r"[\x21-\x7e]{1,128}", re.ASCII)
_READS = ("GET", "HEAD")
_CODINGS = (web.ContentCoding.gzip, web.ContentCoding.deflate)
_WEIGHT_ZERO = re.compile(r"q=0(\.0*)?")
METHODS = frozenset({*_READS, "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_log = logging.getLogger("service")


@web.middleware
async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
    """The answer to a request, whatever becomes of it."""
    started = time.perf_counter()
    given = request.headers.get("X-Request-Id", "")
    request_id = given if _SANE_ID.fullmatch(given) else f"{random.getrandbits(128):032x}"
    request[REQUEST_ID] = request_id
    route = request.app[ROUTES].get(request.match_info.route)
    try:
        response = await _answer(request, route, handler)
    except ApiError as error:
        response = _refused(route, error)
    except Exception:
        _log.exception("request %s failed", request_id)
        response = _refused(route, failed("server_error", message="Something went wrong here."))
    response.headers["X-Request-Id"] = request_id
    response.headers["Server"] = "Selvedge"
    _compress(request, route, response)
    seconds = time.perf_counter() - started
    _count(request, route, response, seconds)
    request.app[ACCESS_LOG].write(request, request_id, request.get(CALLER), response, seconds)
    return response


async def _answer(
    request: web.Request, route: ServedRoute | None, handler: Handler
) -> web.StreamResponse:
    """The handler's answer, within the caller's share."""
    if not _needs_key(request, route):
        _check(request)
        return await handler(request)
    request[CALLER] = tenant = await _caller(request)
    admission = request.app[ADMISSION]
    request.app[ACCOUNTS].check(tenant.organization_id)
    admission.enter(tenant.organization_id)
    try:
        _check(request)
        return await handler(request)
    finally:
        admission.leave(tenant.organization_id)


def _check(request: web.Request) -> None:
    """Raise what comes before a handler, in its order (contract, Precedence)."""
    error = request.match_info.http_exception
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        message, headers = f"Use {allowed}.", {"Allow": allowed}
        raise failed("method_not_allowed", message=message, headers=headers)
    if error is not None:
        raise failed("not_found.route", message="There is nothing at this path.")
    if request.method not in _READS and not request[CALLER].may_write:
        raise failed("forbidden.scope", message="This key may only read.")
    try:
        unquote_to_bytes(request.rel_url.raw_query_string).decode()
    except UnicodeDecodeError:
        message = "The query is not UTF-8."
        raise failed("validation_error.invalid_value", message=message) from None


def _needs_key(request: web.Request, route: ServedRoute | None) -> bool:
    """Whether the request has to present a key; where nothing matches, the path alone tells."""
    if route is not None:
        return route.needs_key
    known = request.app[ROUTES].values()
    return not any(one.covers(request.path) for one in known if not one.needs_key)


async def _caller(request: web.Request) -> Caller:
    kind, _, key = request.headers.get("Authorization", "").partition(" ")
    caller = None
    if kind.lower() == "bearer":
        caller = await request.app[CALLERS].find(key.strip())
    if caller is None:
        message = "Present a valid API key as a bearer token."
        if key.lower().startswith("bearer"):
            message = "The word Bearer stands before the key twice; send it once."
        raise failed("unauthorized", message=message, headers={"WWW-Authenticate": "Bearer"})
    return caller


def _refused(route: ServedRoute | None, error: ApiError) -> web.StreamResponse:
    """The error's answer, in the envelope unless the route has it otherwise."""
    if route is not None and error.status in route.problems:
        return envelope.respond(envelope.problem(error))
    return envelope.respond(envelope.failure(error))


def _compress(
    request: web.Request, route: ServedRoute | None, response: web.StreamResponse
) -> None:
    """Let the caller's ``Accept-Encoding`` decide, where compressing saves anything.

    What anybody may ask for is the same for all, and compressed once.
    """
    if not isinstance(response, web.Response):
        return
    body = response.body
    if isinstance(body, bytes) and len(body) >= envelope.COMPRESS_FROM:
        response.headers["Vary"] = "Accept-Encoding"
        coding = _coding(request.headers.get("Accept-Encoding", ""))
        if coding is not None and route is not None and not route.needs_key:
            envelope.put_compressed(response, body, coding)
        elif coding is not None:
            response.enable_compression(coding)


@lru_cache(maxsize=256)
def _coding(accepted: str) -> web.ContentCoding | None:
    """The best coding that the header names and does not refuse (RFC 9110, 12.5.3)."""
    parted = [coding.partition(";") for coding in accepted.lower().split(",")]
    wanted = {
        name.strip() for name, _, weight in parted if not _WEIGHT_ZERO.fullmatch(weight.strip())
    }
    return next((coding for coding in _CODINGS if coding.value in wanted), None)


def _count(
    request: web.Request, route: ServedRoute | None, response: web.StreamResponse, seconds: float
) -> None:
    method = request.method if request.method in METHODS else "other"
    observer(method, route.path if route else "unmatched", response.status)(seconds)
