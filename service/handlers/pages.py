"""What anybody may open: pages for people, and the OpenAPI document (contract, Open pages)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from aiohttp import web

from service.error_types import ErrorType
from service.errors import api_error
from service.http.media_types import JSON
from service.pages.docs import docs
from service.pages.front import front
from service.pages.guides import guides
from service.pages.page import WebPage

PAGES: Final[web.AppKey[Mapping[str, WebPage]]] = web.AppKey("pages", Mapping)


def prepare(app: web.Application, openapi: bytes) -> None:
    """Make everything once, from the OpenAPI document and our files."""
    app[PAGES] = _pages(openapi)


@lru_cache(maxsize=1)
def _pages(openapi: bytes) -> Mapping[str, WebPage]:
    document = WebPage(openapi, JSON)
    return {"/": front(), "/openapi.json": document, **dict(docs()), **dict(guides())}


async def page(request: web.Request) -> web.Response:
    """What there is at the path; 404 for other names."""
    found = request.app[PAGES].get(request.path)
    if found is None:
        raise api_error(ErrorType.NOT_FOUND_ROUTE, message="There is nothing at this path.")
    return web.Response(body=found.body, headers=found.headers)


async def without_slash(request: web.Request) -> web.Response:
    """The way to the page that is meant; relative, for a proxy may have put us below a path."""
    target = f"../{request.path.strip('/')}"
    return web.Response(status=308, headers={"Location": target})
