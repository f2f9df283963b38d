"""Middleware of every request that the parser accepts.

It sets the request id, authenticates, applies admission control, turns errors into responses,
negotiates the content, adds CORS and rate limit headers, records metrics and access log, and sends
the response. A request that fails a check of ``_respond``, such as that of its key, does not reach
its handler.
"""

import logging
import random
import re
import time
from collections.abc import Callable
from typing import Final

from aiohttp import web

from service.database.errors import OrganizationMissingError
from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.http import envelope
from service.http.access_log import ACCESS_LOG, AccessLog
from service.http.budgets import ADMISSION, BYTE_BUDGET, RATE_LIMIT_HEADERS, release
from service.http.context import CALLER, CALLERS, REQUEST_ID, ROUTES, RouteProtocol, authenticate
from service.http.envelope import ApiResponse
from service.http.headers import CORS, JSON, PROBLEM, X_REQUEST_ID
from service.http.metrics import observer
from service.http.negotiation import READS, negotiate, prefers
from service.http.request_body import check_expectation, check_transfer_coding, may_await_continue
from service.http.response_sender import send
from service.http.router import Handler, check_query_string
from service.limits import MAX_REQUEST_ID_LENGTH
from service.masking import contains_key
from service.organizations.scopes import Scopes, require

_VALID_REQUEST_ID = re.compile(rf"[\x21-\x7e]{{1,{MAX_REQUEST_ID_LENGTH}}}", re.ASCII)
METHODS = frozenset({*READS, "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Methods that metrics name; any other one counts as ``other``."""
MISSING_PAGE: web.AppKey[Callable[[web.Request], ApiResponse]] = web.AppKey("missing_page")
"""Returns the page, 404, that browsers get for a path outside the interface that has none."""
_MAX_PAGE_DEPTH: Final = 8
"""Slashes in a path above which browsers get JSON, too."""
_log = logging.getLogger("service")


async def handle_request(request: web.Request, handler: Handler) -> ApiResponse:
    """Handle a request and send its response; return it when it is sent or the client has gone.

    Then release its bytes of the byte budget, also if the request is canceled.
    """
    try:
        response = await _finished_response(request, handler)
        await send(request, response)
        return response
    finally:
        release(request)


async def _finished_response(request: web.Request, handler: Handler) -> ApiResponse:
    """Return the negotiated response, also to errors, and record it in metrics and access log.

    It is recorded before it is sent, so its time excludes the sending. Any exception but ApiError
    is a defect: it is logged with its traceback, and the response is 500. The response has
    ``Cache-Control: private, no-cache`` unless the route needs no key.
    """
    started, app = time.perf_counter(), request.app
    request_id = request[REQUEST_ID] = _request_id(request)
    route = app[ROUTES].get(request.match_info.route)
    try:
        response = await _respond(request, app, route, handler)
    except ApiError as error:
        if isinstance(error, OrganizationMissingError):
            app[CALLERS].forget(request[CALLER].organization_id)
        response = _error_response(request, route, error)
    except Exception:
        _log.exception("request %s failed", request_id)
        response = _error_response(request, route, api_error(ErrorType.SERVER_ERROR))
    is_open = route is not None and not route.needs_key
    await negotiate(request, response)
    headers = response.headers
    headers["X-Request-Id"] = request_id
    headers["Server"] = "Selvedge"
    if not is_open:
        headers["Cache-Control"] = envelope.NOT_SHARED
    caller = request.get(CALLER)
    if caller is not None:
        app[RATE_LIMIT_HEADERS].mark(headers, caller.organization_id)
    app[CORS].mark(request, headers)
    if may_await_continue(request):
        response.keep_alive = False
    seconds = time.perf_counter() - started
    _count(request, route, response, seconds)
    app[ACCESS_LOG].write(request, request_id, caller, response, seconds)
    return response


def _request_id(request: web.Request) -> str:
    """Return the valid X-Request-Id of a request, otherwise a random id.

    It is visible ASCII, within MAX_REQUEST_ID_LENGTH and without an API key or more than 32
    consecutive hex digits (``contains_key``).
    """
    request_id = request.headers.get(X_REQUEST_ID, "")
    if _VALID_REQUEST_ID.fullmatch(request_id) and not contains_key(request_id):
        return request_id
    return f"{random.getrandbits(128):032x}"


async def _respond(
    request: web.Request, app: web.Application, route: RouteProtocol | None, handler: Handler
) -> ApiResponse:
    """Return the handler's response. Authenticate and admit the request if it needs a key.

    The response to a CORS preflight needs none. Raise ApiError of the first check that fails:
    transfer coding, key, byte budget, number of requests, and those of ``_check``. A preflight has
    only the first of these checks, a request to a route that needs no key the first and the last.
    Other requests count towards the limit of requests until their response is made, not until it is
    sent; a long poll does not count while it waits.
    """
    check_transfer_coding(request)
    if request.method == "OPTIONS" and (preflight := app[CORS].preflight(request)):
        return ApiResponse(204, headers=preflight)
    if not _needs_key(request, route):
        _check(request, route, None)
        return await handler(request)
    caller = await authenticate(request)
    admission = app[ADMISSION]
    app[BYTE_BUDGET].check(caller.organization_id)
    admission.enter(caller.organization_id)
    try:
        _check(request, route, caller.scopes)
        return await handler(request)
    finally:
        admission.leave(caller.organization_id)


def _check(request: web.Request, route: RouteProtocol | None, scopes: Scopes | None) -> None:
    """Raise ApiError for the first error that precedes the handler's (contract, Precedence).

    In this order: a wrong method or path, a scope that the key lacks, a malformed query, an unknown
    expectation. Routes that need no key, without ``scopes``, must have reads only.
    """
    error = request.match_info.http_exception
    if error is not None:
        raise _routing_error(request, error)
    if route and scopes and route.sufficient_scopes.isdisjoint(scopes.allowed):
        is_restricted = route.is_restrictable and scopes.opens(route.scope)
        if not is_restricted:
            require(scopes, route.scope)
    check_query_string(request)
    check_expectation(request)


def _routing_error(request: web.Request, error: web.HTTPException) -> ApiError:
    """Return the error of a wrong method or path."""
    if not isinstance(error, web.HTTPMethodNotAllowed):
        return api_error(ErrorType.NOT_FOUND_ROUTE, message=_path_of_part(request))
    methods = ", ".join(sorted(error.allowed_methods))
    headers = {"Allow": methods}
    if "PATCH" in error.allowed_methods:
        headers["Accept-Patch"] = _patch_media_types(request)
    return api_error(ErrorType.METHOD_NOT_ALLOWED, message=f"Use {methods}.", headers=headers)


def _path_of_part(request: web.Request) -> str | None:
    """Return the message with the path of a single part, for a path below a part's collection."""
    collection = "/".join(request.path.split("/")[:3])
    for route in request.app[ROUTES].values():
        if route.path == collection and route.part_path:
            return f"Use {route.part_path}."
    return None


def _patch_media_types(request: web.Request) -> str:
    """Return the media types that PATCH takes at a path that has it; an equal path counts first."""
    routes = request.app[ROUTES].values()
    covering = [route for route in routes if route.method == "PATCH" and route.covers(request.path)]
    return ", ".join(max(covering, key=lambda route: route.path == request.path).media_types)


def _needs_key(request: web.Request, route: RouteProtocol | None) -> bool:
    """Return whether the request must present a key.

    An unknown path or wrong method needs none only if a route that needs none covers the path.
    """
    if route is not None:
        return route.needs_key
    open_routes = (route for route in request.app[ROUTES].values() if not route.needs_key)
    return not any(route.covers(request.path) for route in open_routes)


def _error_response(
    request: web.Request, route: RouteProtocol | None, error: ApiError
) -> ApiResponse:
    """Return the error in the envelope, or as problem details if the caller prefers these.

    Statuses in the route's ``problem_statuses`` always have them, with the standard members only.
    """
    if _shows_missing_page(request, route, error):
        return request.app[MISSING_PAGE](request)
    if route is not None and error.status in route.problem_statuses:
        response = envelope.problem(error)
    elif prefers(request, PROBLEM, JSON):
        response = envelope.problem_with_details(error)
    else:
        response = envelope.failure(error)
    response.keep_alive = "Connection" not in error.headers
    return response


def _shows_missing_page(request: web.Request, route: RouteProtocol | None, error: ApiError) -> bool:
    """Return whether a browser asks for a page that is not there, whatever the error."""
    return (
        request.method in READS
        and not request.path.startswith("/api/")
        and request.path.count("/") <= _MAX_PAGE_DEPTH
        and (route is None or error.status == ErrorType.NOT_FOUND_ROUTE.status)
        and prefers(request, "text/html", JSON)
    )


def count_parser_error(log: AccessLog) -> Callable[[web.BaseRequest, ApiResponse], None]:
    """Return the callback that counts and logs a request that the parser refused.

    Its method is ``other``, its route ``unmatched`` and its time 0.
    """

    def count(request: web.BaseRequest, response: ApiResponse) -> None:
        assert isinstance(request, web.Request)
        observer("other", "unmatched", response.status).observe(0)
        log.write(request, response.headers["X-Request-Id"], None, response, 0)

    return count


def _count(
    request: web.Request, route: RouteProtocol | None, response: ApiResponse, seconds: float
) -> None:
    method = request.method if request.method in METHODS else "other"
    observer(method, route.path if route else "unmatched", response.status).observe(seconds)
