"""Web page, or a file that a page loads: body and headers, and the files that they are made of."""

import base64
import hashlib
from functools import lru_cache
from typing import Final

from service.files import PAGE
from service.http.envelope import etag
from service.http.negotiation import CachedBody
from service.schemas.vocabulary import LANGUAGES

CSS: Final = "text/css; charset=utf-8"
HTML: Final = "text/html; charset=utf-8"
SCRIPT: Final = "text/javascript; charset=utf-8"
_ICON: Final = (
    '<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 '
    "viewBox=%220 0 8 8%22%3E%3Crect width=%228%22 height=%228%22 rx=%221%22 fill=%22%238a2c3b%22/"
    '%3E%3Cpath d=%22M2 0v8M6 0v8%22 stroke=%22%23fff%22/%3E%3C/svg%3E">'
)
_MENU: Final = {
    ".": "Selvedge",
    "data": "Data",
    "guides": "Guides",
    "docs": "Try it",
    "openapi.json": "OpenAPI",
}
"""Texts of the links of every page's menu, by path."""
_OPTIONS: Final = "".join(
    f'<option value="{code}" lang="{code}">{name}</option>' for code, name in LANGUAGES.items()
)


class WebPage(CachedBody):
    """Static response of a path, the same for every caller.

    ``directives`` of the Content-Security-Policy say what the page may load and call. Everything
    else is forbidden, and so are frames around it and forms. Browsers may cache it, but must
    revalidate it by its entity tag.
    """

    def __init__(self, body: bytes, media_type: str, *directives: str) -> None:
        policy = ("default-src 'none'", *directives, "base-uri 'none'", "form-action 'none'")
        headers = {
            "Content-Type": media_type,
            "Content-Security-Policy": "; ".join((*policy, "frame-ancestors 'none'")),
            # Cached, but revalidated each time, for the next release may change it.
            "Cache-Control": "no-cache",
            "ETag": etag(body),
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
        super().__init__(body, headers)


def read_file(name: str) -> str:
    """Return the text of a file of `page/src/`."""
    return (PAGE / name).read_text(encoding="utf-8")


def module_names(folder: str) -> list[str]:
    """Return the names of the scripts in a folder of `page/src/`, sorted."""
    return sorted(path.name for path in (PAGE / folder).glob("*.js"))


def render(name: str, **values: str) -> bytes:
    """Return an HTML template, in UTF-8, with each ``{{placeholder}}`` of ``values`` replaced.

    ``{{icon}}`` becomes the icon of all pages, ``{{languages}}`` the options of their languages.
    Values are not escaped. They must not contain placeholders, which may be replaced, too.
    """
    text = read_file(name)
    for placeholder, value in {**values, "icon": _ICON, "languages": _OPTIONS}.items():
        text = text.replace(f"{{{{{placeholder}}}}}", value)
    return text.encode()


def menu(current: str, above: str = "") -> str:
    """Return the links of a page's menu; ``above`` is the relative path to the front page."""
    mark = ' aria-current="page"'
    return "\n".join(
        f'<a href="{above}{path}"{mark if path == current else ""}>{text}</a>'
        for path, text in _MENU.items()
    )


def csp_source(text: str) -> str:
    """Return the source expression that allows an inline style or script (CSP 3, 2.3.1).

    ``text`` is the whole content of the element, white space included.
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@lru_cache(maxsize=16)
def missing(above: str) -> WebPage:
    """Return the page of a path that has none; ``above`` is the relative path to the front page."""
    style, text = read_file("style.css"), "<h1>There is no such page</h1>"
    body = render("guide.html", title="No such page", style=style, menu=menu("", above), guide=text)
    return WebPage(body, HTML, f"style-src {csp_source(style)}", "img-src data:")
