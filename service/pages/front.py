"""Front page: one HTML file that loads no other file and calls only this service."""

from service import __version__
from service.pages.page import HTML, WebPage, digest, file, render


def front() -> WebPage:
    """Return the page of `/`."""
    style, script = file("style.css"), file("front.js")
    return WebPage(
        render("front.html", version=__version__, style=style, script=script),
        HTML,
        f"style-src {digest(style)}",
        f"script-src {digest(script)}",
        "img-src data:",
        "connect-src 'self'",
    )
