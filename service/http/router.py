"""Router: aiohttp's, which looks only at paths that some route could have."""

from collections.abc import Coroutine
from typing import Any

from aiohttp import web
from aiohttp.web_urldispatcher import AbstractResource, MatchInfoError, UrlMappingMatchInfo


class Router(web.UrlDispatcher):
    """Finds the route of a request in a time that no caller can stretch.

    aiohttp looks up each beginning of a path that ends at a slash: quadratic in a path of slashes.
    No parameter of a route matches a slash, so a path of more slashes than any route has none.
    """

    def __init__(self) -> None:
        super().__init__()
        self._most_slashes = 0

    def register_resource(self, resource: AbstractResource) -> None:
        """Add what stands at a path."""
        super().register_resource(resource)
        self._most_slashes = max(self._most_slashes, resource.canonical.count("/"))

    def resolve(self, request: web.Request) -> Coroutine[Any, Any, UrlMappingMatchInfo]:
        """Return the route of the request's path and method, or what is wrong with these."""
        if request.rel_url.raw_path.count("/") > self._most_slashes:
            return _nowhere()
        return super().resolve(request)


async def _nowhere() -> UrlMappingMatchInfo:
    return MatchInfoError(web.HTTPNotFound())
