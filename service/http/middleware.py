"""Around every handler: request id, caller, errors, representation, metrics and the access log."""

import logging
import random
import re
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from aiohttp import hdrs, web

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.http import envelope
from service.http.access_log import AccessLog
from service.http.authentication import authenticate
from service.http.byte_budget import BYTE_BUDGET, release
from service.http.context import (
    ACCESS_LOG,
    ADMISSION,
    CALLER,
    REQUEST_ID,
    ROUTES,
    RouteProtocol,
)
from service.http.cors import CORS
from service.http.expectations import check_expectation, check_transfer_coding, is_waited_for
from service.http.headers import X_REQUEST_ID
from service.http.metrics import observer
from service.http.negotiation import READS, negotiated
from service.http.query_string import check_query_string
from service.http.response_sender import RESPONSE_SENDER
from service.masking import contains_key

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]

_SANE_ID = re.compile(r"[\x21-\x7e]{1,128}", re.ASCII)
METHODS = frozenset({*READS, "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_log = logging.getLogger("service")


@web.middleware
async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
    """The answer to a request, whatever becomes of it, once its caller has it.

    Until then its organization holds what it holds.
    """
    try:
        response = await _answered(request, handler)
        await request.app[RESPONSE_SENDER].send(request, response)
        return response
    finally:
        release(request)


async def _answered(request: web.Request, handler: Handler) -> web.StreamResponse:
    started, app = time.perf_counter(), request.app
    request_id = request.headers.get(X_REQUEST_ID)
    if request_id is None or not _SANE_ID.fullmatch(request_id) or contains_key(request_id):
        request_id = f"{random.getrandbits(128):032x}"
    request[REQUEST_ID] = request_id
    route = app[ROUTES].get(request.match_info.route)
    try:
        response = await _answer(request, app, route, handler)
    except ApiError as error:
        response = _refused(route, error)
    except Exception:
        _log.exception("request %s failed", request_id)
        response = _refused(
            route, api_error(ErrorType.SERVER_ERROR, message="Something went wrong here.")
        )
    is_open = route is not None and not route.needs_key
    response = negotiated(request, response, is_same_for_all=is_open)
    headers = response.headers
    headers[X_REQUEST_ID] = request_id
    headers[hdrs.SERVER] = "Selvedge"
    if not is_open:
        headers[hdrs.CACHE_CONTROL] = envelope.NOT_SHARED
    app[CORS].mark(request, response)
    if is_waited_for(request):
        response.force_close()
    seconds = time.perf_counter() - started
    _count(request, route, response, seconds)
    app[ACCESS_LOG].write(request, request_id, request.get(CALLER), response, seconds)
    return response


async def _answer(
    request: web.Request, app: web.Application, route: RouteProtocol | None, handler: Handler
) -> web.StreamResponse:
    """The handler's answer, within the caller's share."""
    check_transfer_coding(request)
    if request.method == "OPTIONS" and (preflight := app[CORS].preflight(request)):
        return preflight
    if not _needs_key(request, route):
        _check(request)
        return await handler(request)
    tenant = await authenticate(request)
    admission = app[ADMISSION]
    app[BYTE_BUDGET].check(tenant.organization_id)
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
        headers = {"Allow": allowed}
        for one in request.app[ROUTES].values():
            if one.media_type and one.method == "PATCH" and one.covers(request.path):
                headers["Accept-Patch"] = one.media_type
        raise api_error(ErrorType.METHOD_NOT_ALLOWED, message=f"Use {allowed}.", headers=headers)
    if error is not None:
        raise api_error(ErrorType.NOT_FOUND_ROUTE, message="There is nothing at this path.")
    if request.method not in READS and not request[CALLER].may_write:
        raise api_error(ErrorType.FORBIDDEN_SCOPE, message="This key may only read.")
    check_query_string(request)
    check_expectation(request)


def _needs_key(request: web.Request, route: RouteProtocol | None) -> bool:
    """Whether the request has to present a key; where nothing matches, the path alone tells."""
    if route is not None:
        return route.needs_key
    known = request.app[ROUTES].values()
    return not any(one.covers(request.path) for one in known if not one.needs_key)


def _refused(route: RouteProtocol | None, error: ApiError) -> web.StreamResponse:
    """The error's answer, in the envelope unless the route has it otherwise."""
    is_problem = route is not None and error.status in route.problems
    response = envelope.respond((envelope.problem if is_problem else envelope.failure)(error))
    if "Connection" in error.headers:
        response.force_close()
    return response


def count_parser_error(log: AccessLog) -> Callable[[web.BaseRequest, web.Response], None]:
    """What counts and logs a request that the parser refused; how it was meant is not known."""

    def tell(request: web.BaseRequest, response: web.Response) -> None:
        assert isinstance(request, web.Request)
        observer("other", "unmatched", response.status).observe(0)
        log.write(request, response.headers[X_REQUEST_ID], None, response, 0)

    return tell


def _count(
    request: web.Request, route: RouteProtocol | None, response: web.StreamResponse, seconds: float
) -> None:
    method = request.method if request.method in METHODS else "other"
    observer(method, route.path if route else "unmatched", response.status).observe(seconds)
