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
from service.http.context import ACCESS_LOG, CALLER, CALLERS
from service.http.metrics import observer
from service.organizations.caller import Caller

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]

_SANE_ID = re.compile(r"[\x21-\x7e]{1,128}", re.ASCII)
_READS = ("GET", "HEAD")
_CODINGS = (web.ContentCoding.gzip, web.ContentCoding.deflate)
_WEIGHT_ZERO = re.compile(r"q=0(\.0*)?")
METHODS = frozenset({*_READS, "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
#: What needs no key (contract, section 2).
PUBLIC = frozenset({"/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"})
PUBLIC_ASSETS = "/docs/"
PROBLEM_ROUTE = "measurement"
_log = logging.getLogger("service")


@web.middleware
async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
    """The answer to a request, whatever becomes of it."""
    started = time.perf_counter()
    given = request.headers.get("X-Request-Id", "")
    request_id = given if _SANE_ID.fullmatch(given) else f"{random.getrandbits(128):032x}"
    try:
        await _admit(request)
        response = await handler(request)
    except ApiError as error:
        response = _refused(request, error)
    except Exception:
        _log.exception("request %s failed", request_id)
        response = _refused(request, failed("server_error", message="Something went wrong here."))
    response.headers["X-Request-Id"] = request_id
    response.headers["Server"] = "Selvedge"
    _compress(request, response)
    _account(request, request_id, response, time.perf_counter() - started)
    return response


async def _admit(request: web.Request) -> None:
    """Raise what comes before a handler, in the contract's order (section 4, Precedence)."""
    path, match = request.path, request.match_info
    if path not in PUBLIC and not path.startswith(PUBLIC_ASSETS):
        request[CALLER] = await _caller(request)
        request.app[ACCOUNTS].check(request[CALLER].organization_id)
    error = match.http_exception
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


async def _caller(request: web.Request) -> Caller:
    kind, _, key = request.headers.get("Authorization", "").partition(" ")
    caller = None
    if kind.lower() == "bearer":
        caller = await request.app[CALLERS].find(key.strip())
    if caller is None:
        message, headers = (
            "Present a valid API key as a bearer token.",
            {"WWW-Authenticate": "Bearer"},
        )
        raise failed("unauthorized", message=message, headers=headers)
    return caller


def _refused(request: web.Request, error: ApiError) -> web.StreamResponse:
    """The error's answer; the measurement read speaks RFC 9457 where the specification says so."""
    if request.match_info.route.name == PROBLEM_ROUTE and error.status in (401, 500):
        return envelope.respond(envelope.problem(error))
    return envelope.respond(envelope.failure(error))


def _compress(request: web.Request, response: web.StreamResponse) -> None:
    """Let the caller's ``Accept-Encoding`` decide, where compressing saves anything."""
    body = response.body if isinstance(response, web.Response) else None
    if isinstance(body, bytes) and len(body) >= envelope.COMPRESS_FROM:
        response.headers["Vary"] = "Accept-Encoding"
        coding = _coding(request.headers.get("Accept-Encoding", ""))
        if coding is not None:
            response.enable_compression(coding)


@lru_cache(maxsize=256)
def _coding(accepted: str) -> web.ContentCoding | None:
    """The best coding that the header names and does not refuse (RFC 9110, 12.5.3)."""
    parted = [coding.partition(";") for coding in accepted.lower().split(",")]
    wanted = {
        name.strip() for name, _, weight in parted if not _WEIGHT_ZERO.fullmatch(weight.strip())
    }
    return next((coding for coding in _CODINGS if coding.value in wanted), None)


def _account(
    request: web.Request, request_id: str, response: web.StreamResponse, seconds: float
) -> None:
    resource = request.match_info.route.resource
    route = resource.canonical if resource else "unmatched"
    method = request.method if request.method in METHODS else "other"
    observer(method, route, response.status)(seconds)
    request.app[ACCESS_LOG].write(request, request_id, request.get(CALLER), response, seconds)
