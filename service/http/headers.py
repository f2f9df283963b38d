"""Header names that aiohttp lacks, and combined values of repeated headers.

Look-ups by ``istr``, the type of the names in ``hdrs``, take half of the time of those by ``str``.
"""

from typing import Final

from aiohttp import web
from multidict import istr

LINK: Final = istr("Link")
PREFER: Final = istr("Prefer")
RATE_LIMIT: Final = istr("RateLimit")
RATE_LIMIT_POLICY: Final = istr("RateLimit-Policy")
X_CHANGES_AFTER: Final = istr("X-Changes-After")
X_CHANGES_CURSOR: Final = istr("X-Changes-Cursor")
X_CHANGES_EPOCH: Final = istr("X-Changes-Epoch")
X_REQUEST_ID: Final = istr("X-Request-Id")


def combined_value(request: web.Request, name: str) -> str | None:
    """Return the values of all headers of a name, joined by ``, `` (RFC 9110, 5.3).

    Return None if there is none.
    """
    values = request.headers.getall(name, None)
    return ", ".join(values) if values else None
