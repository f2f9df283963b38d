"""Headers that a request may have several times, and names that aiohttp does not know.

A name of this type, as those in ``hdrs`` are, is found in half of the time that a text takes.
"""

from typing import Final

from aiohttp import web
from multidict import istr

PREFER: Final = istr("Prefer")
X_REQUEST_ID: Final = istr("X-Request-Id")


def joined(request: web.Request, name: str) -> str | None:
    """The header as one list, on however many lines it came (RFC 9110, 5.3); None without it."""
    if name not in request.headers:
        return None
    return ", ".join(request.headers.getall(name))
