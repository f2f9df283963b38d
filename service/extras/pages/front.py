"""Front page: one HTML file that loads no other file and calls only this service.

It takes an API key and lists the first colors with it.
"""

from service import __version__
from service.extras.pages.page import HTML, WebPage, csp_source, menu, read_file, render
from service.resources.registry import MASTER_RECORDS, PARTS


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
            collections=_collections(),
        ),
        HTML,
        f"style-src {csp_source(style)}",
        f"script-src {csp_source(script)}",
        "img-src data:",
        "connect-src 'self'",
    )


def _collections() -> str:
    """Return the names of all records and parts that can be written, as the words of a sentence."""
    names = sorted(resource.name.replace("-", " ") for resource in (*MASTER_RECORDS, *PARTS))
    return f"{', '.join(names[:-1])} and {names[-1]}".capitalize()
