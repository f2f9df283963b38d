"""Swagger UI at `/docs`, with the files of the package swagger-ui-py (Apache License 2.0)."""

from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Final

from service.extras.pages.page import CSS, HTML, SCRIPT, WebPage, menu, read_file, render

_FILES: Final = Path(str(distribution("swagger-ui-py").locate_file("swagger_ui/static")))
_SHARED: Final = {"swagger-ui.css": CSS, "swagger-ui-bundle.js": SCRIPT}


def docs() -> Iterator[tuple[str, WebPage]]:
    """Yield the path and content of the page and of each file that it loads from ``/docs/``.

    It also loads ``/openapi.json``, which is not among them.
    """
    # All files come from the service itself, so the policy allows no other source.
    own = ("script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'")
    yield "/docs", WebPage(render("docs.html", menu=menu("docs")), HTML, *own)
    yield "/docs/start.css", WebPage(read_file("docs.css").encode(), CSS)
    yield "/docs/start.js", WebPage(read_file("docs/start.js").encode(), SCRIPT)
    for name, media_type in _SHARED.items():
        yield f"/docs/{name}", WebPage((_FILES / name).read_bytes(), media_type)
