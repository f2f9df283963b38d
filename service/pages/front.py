"""The front page: one HTML file that asks for nothing else, and calls only this service."""

from service import __version__
from service.pages.page import HTML, WebPage, composed, digest, file


def front() -> WebPage:
    """The page of `/`."""
    style, script = file("style.css"), file("front.js")
    return WebPage(
        composed("front.html", version=__version__, style=style, script=script),
        HTML,
        f"style-src {digest(style)}",
        f"script-src {digest(script)}",
        "img-src data:",
        "connect-src 'self'",
    )
