"""The OpenAPI document and the page that shows it, which needs no network (contract, section 7).

The page is Swagger UI, whose files the package swagger-ui-py brings (Apache License 2.0).
"""

from importlib.metadata import distribution
from pathlib import Path
from typing import Final

from aiohttp import web

from service.failures import failed
from service.http.media import JSON

DOCUMENT: Final = web.AppKey("openapi", bytes)
"""The OpenAPI document as JSON, built once at start."""

_FILES: Final = Path(str(distribution("swagger-ui-py").locate_file("swagger_ui/static")))
_SHARED: Final = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png")
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Selvedge: External API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
_START: Final = """\
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  defaultModelsExpandDepth: 0,
  requestSnippetsEnabled: true,
});
"""
_HEADERS: Final = {
    # Everything that the page needs is the service's own, styles included.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
#: Kept, but asked about each time: the next release may bring other files.
_CACHED: Final = _HEADERS | {"Cache-Control": "no-cache"}


async def openapi(request: web.Request) -> web.Response:
    """The OpenAPI document."""
    return web.Response(body=request.app[DOCUMENT], content_type=JSON)


async def docs(_request: web.Request) -> web.Response:
    """The page."""
    return web.Response(text=_PAGE, content_type="text/html", headers=_HEADERS)


async def docs_asset(request: web.Request) -> web.StreamResponse:
    """One of the files that the page asks for; 404 for any other name."""
    name = request.match_info["name"]
    if name == "start.js":
        return web.Response(text=_START, content_type="text/javascript", headers=_CACHED)
    if name not in _SHARED:
        raise failed("not_found.route", message="There is nothing at this path.")
    return web.FileResponse(_FILES / name, headers=_CACHED)
