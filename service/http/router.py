"""Router: aiohttp's URL dispatcher with a bounded look-up time, and the dispatch of requests."""

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeAlias
from urllib.parse import unquote_to_bytes

from aiohttp import web, web_urldispatcher

from service.error_types import ErrorType
from service.errors import api_error
from service.http.envelope import ApiResponse
from service.limits import MAX_PARAMETERS

Handler: TypeAlias = Callable[[web.Request], Awaitable[ApiResponse]]
Middleware: TypeAlias = Callable[[web.Request, Handler], Awaitable[ApiResponse]]

_ENCODED_UNRESERVED: Final = re.compile(
    "%(2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)", re.ASCII | re.IGNORECASE
)
"""Percent-encoded letter, digit, hyphen, period, underscore or tilde."""
_Nested: TypeAlias = tuple[web_urldispatcher.DynamicResource, list[str]]
"""Resource of a path, and the names of its parameters."""


class RoutedRequest(web.Request):
    """Request with its application as an attribute; aiohttp's property looks it up at each use."""

    app: web.Application = None  # type: ignore[assignment]  # ``dispatch`` sets it


class Router(web.UrlDispatcher):
    """URL dispatcher whose look-up time is bounded for any path.

    aiohttp looks up each prefix of a path that ends at a slash, in quadratic time. No parameter of
    a route may match a slash, so a path with more slashes than every route has no route. A slash
    that is percent-encoded does not count. Paths without parameters are looked up first.
    Unreserved characters are decoded before: ``%63`` is ``c`` (RFC 3986, 6.2.2.2).
    """

    def __init__(self) -> None:
        super().__init__()
        self._max_slashes = 0
        self._plain: dict[str, web_urldispatcher.PlainResource] = {}
        self._nested: dict[tuple[int | str, ...], _Nested] = {}
        """Paths of names and parameters in turn, after the first name, by their length and names.

        aiohttp tries all paths of a collection, one after the other, by regular expressions.
        """

    def register_resource(self, resource: web_urldispatcher.AbstractResource) -> None:
        """Add the resource of a path, and count its slashes. aiohttp calls it for each path."""
        super().register_resource(resource)
        self._max_slashes = max(self._max_slashes, resource.canonical.count("/"))
        if isinstance(resource, web_urldispatcher.PlainResource):
            self._plain[resource.canonical] = resource
        parts = resource.canonical.split("/")
        in_turn = [("{" in part) == (index % 2 > 0) for index, part in enumerate(parts)][2:]
        if isinstance(resource, web_urldispatcher.DynamicResource) and all(in_turn):
            parameters = [part.strip("{}") for part in parts[3::2]]
            self._nested.setdefault(_key(parts), (resource, parameters))

    async def resolve(self, request: web.Request) -> web_urldispatcher.UrlMappingMatchInfo:
        """Return the match of the request's path and method, or one with the error 404 or 405.

        A path with more slashes than every route is 404, whatever the method. A path without
        parameters has its own methods only, also if it could be one with an id. The request gets
        the decoded path.
        """
        path = request.rel_url.raw_path
        if "%" in path:
            path = _ENCODED_UNRESERVED.sub(lambda match: chr(int(match[1], 16)), path)
            request._rel_url = request.rel_url.with_path(path, encoded=True, keep_query=True)
        plain = self._plain.get(path)
        if plain is not None:
            return _match_plain(plain, request.method)
        if path.count("/") > self._max_slashes:
            return web_urldispatcher.MatchInfoError(web.HTTPNotFound())
        parts = path.split("/")
        nested = self._nested.get(_key(parts))
        if nested is None:
            return await super().resolve(request)
        resource, parameters = nested
        route, values = resource._routes.get(request.method), parts[3::2]
        if route is not None and "" not in values and "%" not in path:
            match_dict = dict(zip(parameters, values, strict=True))
            return web_urldispatcher.UrlMappingMatchInfo(match_dict, route)
        match, _ = await resource.resolve(request)
        return match or await super().resolve(request)


def _match_plain(
    resource: web_urldispatcher.PlainResource, method: str
) -> web_urldispatcher.UrlMappingMatchInfo:
    route = resource._routes.get(method)
    if route is None:
        return web_urldispatcher.MatchInfoError(
            web.HTTPMethodNotAllowed(method, {*resource._routes})
        )
    return web_urldispatcher.UrlMappingMatchInfo({}, route)


def _key(parts: list[str]) -> tuple[int | str, ...]:
    """Return the number of parts of a path, and its names, between which parameters stand."""
    return len(parts), *parts[:3], *parts[4::2]


def use_router(app: web.Application, router: Router, middleware: Middleware) -> None:
    """Let the application dispatch its requests by the router, through one middleware.

    aiohttp's own dispatch builds a chain of middlewares for each request and changes the current
    application around it, for the sake of subapplications. It also sends ``100 Continue`` at once;
    here ``expectations.meet_expectation`` sends it, when the body of an accepted request is read.
    """

    async def dispatch(request: RoutedRequest) -> ApiResponse:
        request._match_info = match = await router.resolve(request)
        match.add_app(app)
        match.freeze()
        request.app = app
        return await middleware(request, match.handler)  # type: ignore[arg-type]

    app._router = router  # aiohttp has deprecated the argument
    app._make_request = partial(app._make_request, _cls=RoutedRequest)  # type: ignore[method-assign]
    app._handle = dispatch  # type: ignore[method-assign,assignment]


def check_query_string(request: web.Request) -> None:
    """Raise ApiError ``too_many_parameters``, or ``invalid_value`` if the query is not UTF-8.

    MAX_PARAMETERS are allowed; empty parts between two ``&`` count as well.
    """
    query = request.rel_url.raw_query_string
    if query.count("&") >= MAX_PARAMETERS:
        raise api_error(ErrorType.TOO_MANY_PARAMETERS)
    if "%" in query:
        try:
            unquote_to_bytes(query).decode()
        except UnicodeDecodeError:
            message = "Percent-encode the query as UTF-8."
            raise api_error(ErrorType.INVALID_VALUE, message=message) from None
