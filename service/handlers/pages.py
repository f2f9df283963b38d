"""Open page handlers: pages for people and the OpenAPI document, without an API key.

Source: contract, Open pages.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from aiohttp import hdrs, web

from service.error_types import ErrorType
from service.errors import api_error
from service.http.cached_response import CachedResponse
from service.http.headers import LINK
from service.http.media_types import JSON
from service.http.middleware import MISSING_PAGE
from service.http.web_links import PUBLIC_URL, base_url, description_links
from service.pages import api_catalog
from service.pages.data import data
from service.pages.docs import docs
from service.pages.front import front
from service.pages.guides import guides
from service.pages.page import WebPage, missing

PAGES: Final[web.AppKey[Mapping[str, WebPage]]] = web.AppKey("pages", Mapping)
"""Pages by exact path."""


def prepare(app: web.Application, openapi: bytes, public_url: str) -> None:
    """Add all pages to the application, rendered from the OpenAPI document and the package's files.

    They are rendered once in a process; the API catalog is not among them. ``public_url`` is "" if
    it is not set.
    """
    app[PUBLIC_URL], app[PAGES] = public_url, _pages(openapi, public_url)
    app[MISSING_PAGE] = _missing_page


@lru_cache(maxsize=1)
def _pages(openapi: bytes, public_url: str) -> Mapping[str, WebPage]:
    """Return the pages by path."""
    linking = {"/": front(), "/openapi.json": WebPage(openapi, JSON)}
    for page in linking.values():
        page.headers = {**page.headers, LINK: description_links(public_url)}
    return linking | dict(docs()) | dict(data()) | dict(guides())


async def page(request: web.Request) -> web.Response:
    """Return the page at the exact path; raise ApiError ``not_found.route`` if there is none."""
    web_page = request.app[PAGES].get(request.path)
    if web_page is None:
        raise api_error(ErrorType.NOT_FOUND_ROUTE)
    return CachedResponse(web_page)


def _missing_page(request: web.Request) -> web.Response:
    """Return the page, 404, of a path that has none. Its entity tag is left out: it is no 304."""
    response = CachedResponse(missing("../" * (request.path.count("/") - 1)))
    response.set_status(404)
    del response.headers[hdrs.ETAG]
    return response


async def catalog(request: web.Request) -> web.Response:
    """Return the API catalog, with addresses below the service's base URL (``base_url``)."""
    return CachedResponse(api_catalog.api_catalog(base_url(request)))


async def without_slash(request: web.Request) -> web.Response:
    """Redirect, with 308, to the path without its last slash and without the query.

    The target is relative, as a proxy may add a path prefix. The path has one segment.
    """
    target = f"../{request.path.strip('/')}"
    return web.Response(status=308, headers={"Location": target})
