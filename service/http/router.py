"""Router: aiohttp's URL dispatcher, with a bounded look-up time for paths of many slashes."""

from collections.abc import Coroutine
from typing import Any

from aiohttp import web
from aiohttp.web_urldispatcher import AbstractResource, MatchInfoError, UrlMappingMatchInfo


class Router(web.UrlDispatcher):
    """URL dispatcher whose look-up time is bounded for any path.

    aiohttp looks up each prefix of a path that ends at a slash, in quadratic time. No parameter of
    a route may match a slash, so a path with more slashes than every route has no route. A slash
    that is percent-encoded does not count.
    """

    def __init__(self) -> None:
        super().__init__()
        self._max_slashes = 0

    def register_resource(self, resource: AbstractResource) -> None:
        """Add the resource of a path, and count its slashes. aiohttp calls it for each path."""
        super().register_resource(resource)
        self._max_slashes = max(self._max_slashes, resource.canonical.count("/"))

    def resolve(self, request: web.Request) -> Coroutine[Any, Any, UrlMappingMatchInfo]:
        """Return the match of the request's path and method, or one with the error 404 or 405.

        A path with more slashes than every route is 404, whatever the method.
        """
        if request.rel_url.raw_path.count("/") > self._max_slashes:
            return _not_found()
        return super().resolve(request)


async def _not_found() -> UrlMappingMatchInfo:
    return MatchInfoError(web.HTTPNotFound())
