"""Front page: one HTML file that loads no other file but words, and calls only this service.

It takes an API key and lists the first styles with it.
"""

from collections.abc import Iterator

from service import __version__
from service.extras.pages.page import HTML, WebPage, csp_source, menu, read_file, render
from service.resources.registry import MASTER_RECORDS
from service.schemas.vocabulary import words


def front() -> WebPage:
    """Return the page of `/`, with its style and its script inline."""
    style, script = read_file("style.css"), read_file("front.js")
    return WebPage(
        render(
            "front.html",
            version=__version__,
            style=style,
            script=script,
            menu=menu("."),
            groups="\n".join(_cards()),
        ),
        HTML,
        f"style-src {csp_source(style)}",
        f"script-src {csp_source(script)}",
        "img-src data:",
        "connect-src 'self'",
    )


def _cards() -> Iterator[str]:
    """Yield a card of each group, with its collections; those with pages are links."""
    titles, linked = words()["collections"], {resource.name for resource in MASTER_RECORDS}
    for group, names in words()["groups"].items():
        texts = (
            f'<a href="data#/{name}" data-name="{name}">{titles[name][0]}</a>'
            if name in linked
            else f'<span data-name="{name}">{titles[name][0]}</span>'
            for name in names
            if name in titles
        )
        yield f"<li><h3>{group}</h3><p>{', '.join(texts)}</p></li>"
