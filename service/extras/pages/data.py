"""Data page at `/data`: a browser and editor of the records, in JavaScript modules of our own."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import orjson

from service.extras.pages.page import (
    CSS,
    HTML,
    SCRIPT,
    WebPage,
    menu,
    module_names,
    read_file,
    render,
)
from service.http.headers import JSON
from service.schemas.vocabulary import LANGUAGES, words

_MAIN: Final = "main.js"
_COMMENTS: Final = re.compile(r"^ *(?://.*|/\*\*(?:(?!\*/)[\s\S])*\*/)\n", re.MULTILINE)
"""Comments of whole lines, without which scripts are sent."""


def data(picture_sources: Iterable[str]) -> Iterator[tuple[str, WebPage]]:
    """Yield the path and content of the page, of its style, and of its words and modules."""
    # Trusted types make the browser refuse markup from texts, such as names that are stored.
    pictures = " ".join(picture_sources)
    images = f"img-src data: {pictures}".rstrip()
    own = ("script-src 'self'", "style-src 'self'", images, "connect-src 'self'")
    trusted = ("require-trusted-types-for 'script'", "trusted-types 'none'")
    modules = module_names("data")
    # Preloaded, so that modules are not found one after the other.
    preloads = "\n".join(
        f'<link rel="modulepreload" href="data/{name}">' for name in modules if name != _MAIN
    )
    yield (
        "/data",
        WebPage(
            render("data.html", preloads=preloads, menu=menu("data"), pictures=pictures),
            HTML,
            *own,
            *trusted,
        ),
    )
    style = read_file("style.css") + read_file("data.css")
    yield "/data/page.css", WebPage(style.encode(), CSS)
    for language in LANGUAGES:
        texts = orjson.loads(read_file(f"words/{language}.json"))
        yield f"/data/words.{language}.json", WebPage(orjson.dumps(words(language) | texts), JSON)
    for name in modules:
        script = _COMMENTS.sub("", read_file(f"data/{name}"))
        yield f"/data/{name}", WebPage(script.encode(), SCRIPT)
