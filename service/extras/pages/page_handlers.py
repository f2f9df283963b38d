"""Open page handlers: pages for people and the OpenAPI document, without an API key.

Source: tools, Open pages.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from aiohttp import web

from service.error_types import ErrorType
from service.errors import api_error
from service.extras.pages import api_catalog, table_handler
from service.extras.pages.data import data
from service.extras.pages.docs import docs
from service.extras.pages.front import front
from service.extras.pages.guides import guides
from service.extras.pages.page import WebPage, missing
from service.handlers.operations import Operation
from service.http.envelope import ApiResponse
from service.http.headers import JSON, LINK, PUBLIC_URL, base_url, description_links
from service.http.middleware import MISSING_PAGE
from service.http.negotiation import CachedResponse
from service.limits import MAX_WORKBOOK_BYTES
from service.listing.query_reader import QueryReader
from service.resources.registry import EXPORTED
from service.settings import Settings

PAGES: Final[web.AppKey[Mapping[str, WebPage]]] = web.AppKey("pages", Mapping)
"""Pages by exact path."""
Document = Callable[..., bytes]
_DOCUMENT: Final = web.AppKey[Document]("document")
"""Returns the OpenAPI document, or that of the collections whose names are its argument."""


def prepare(app: web.Application, document: Document, settings: Settings) -> None:
    """Add all pages to the application, rendered from the OpenAPI document and the package's files.

    They are rendered once in a process; the API catalog is not among them.
    """
    app[PUBLIC_URL] = settings.public_url
    app[PAGES] = _pages(document, settings.public_url, settings.picture_sources)
    app[_DOCUMENT] = document
    app[MISSING_PAGE] = _missing_page
    app[table_handler.READERS] = table_handler.TableReaders()


@lru_cache(maxsize=1)
def _pages(
    document: Document, public_url: str, picture_sources: tuple[str, ...]
) -> Mapping[str, WebPage]:
    """Return the pages by path."""
    linking = {"/": front(), "/openapi.json": WebPage(document(), JSON)}
    for page in linking.values():
        page.headers = {**page.headers, LINK: description_links(public_url)}
    return linking | dict(docs()) | dict(data(picture_sources)) | dict(guides())


async def page(request: web.Request) -> ApiResponse:
    """Return the page at the exact path; raise ApiError ``not_found.route`` if there is none."""
    web_page = request.app[PAGES].get(request.path)
    if web_page is None:
        raise api_error(ErrorType.NOT_FOUND_ROUTE)
    return CachedResponse(web_page)


async def openapi_document(request: web.Request) -> ApiResponse:
    """Return the OpenAPI document, or that of the collections that the query names.

    Raise ApiError 400 for an unknown collection or parameter.
    """
    if not request.query_string:
        return await page(request)
    reader = QueryReader(request.query.items())
    reader.only("collection")
    names = frozenset(reader.texts.get("collection", EXPORTED))
    if not names <= EXPORTED.keys():
        reader.fail_choice(EXPORTED, "collection")
    reader.raise_errors()
    return CachedResponse(_page_of(request.app[_DOCUMENT], names))


@lru_cache(maxsize=16)
def _page_of(document: Document, names: frozenset[str]) -> WebPage:
    return WebPage(document(names), JSON)


def _missing_page(request: web.Request) -> ApiResponse:
    """Return the page, 404, of a path that has none. Its entity tag is left out: it is no 304."""
    response = CachedResponse(missing("../" * (request.path.count("/") - 1)))
    response.status = 404
    del response.headers["ETag"]
    return response


async def catalog(request: web.Request) -> ApiResponse:
    """Return the API catalog, with addresses below the service's base URL (``base_url``)."""
    return CachedResponse(api_catalog.api_catalog(base_url(request)))


async def without_slash(request: web.Request) -> ApiResponse:
    """Redirect, with 308, to the path without its last slash and without the query.

    The target is relative, as a proxy may add a path prefix. The path has one segment.
    """
    return ApiResponse(308, headers={"Location": f"../{request.path.strip('/')}"})


OPERATIONS: Final = (
    Operation(
        "tables",
        "POST",
        "/data/tables",
        table_handler.read_table,
        body=("file", "table", "sheet", "form"),
        max_body_bytes=MAX_WORKBOOK_BYTES,
        of_records=False,
        is_stored=False,
        needs_write_key=False,
    ),
    Operation("openapi", "GET", "/openapi.json", openapi_document, needs_key=False),
    Operation("api_catalog", "GET", "/.well-known/api-catalog", catalog, needs_key=False),
    Operation("front", "GET", "/", page, needs_key=False),
    Operation("guides", "GET", "/guides", page, needs_key=False),
    Operation("guides_slash", "GET", "/guides/", without_slash, needs_key=False),
    Operation("guide", "GET", "/guides/{name}", page, needs_key=False),
    Operation("docs", "GET", "/docs", page, needs_key=False),
    Operation("docs_slash", "GET", "/docs/", without_slash, needs_key=False),
    Operation("data", "GET", "/data", page, needs_key=False),
    Operation("data_slash", "GET", "/data/", without_slash, needs_key=False),
    Operation("data_asset", "GET", "/data/{name}", page, needs_key=False),
    Operation("docs_asset", "GET", "/docs/{name}", page, needs_key=False),
)
"""Operations of the open pages and of the OpenAPI document."""
