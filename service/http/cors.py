"""Browsers that call from pages of other origins, where the operator names these (Fetch, CORS).

Our own and not a package: those that there are work route by route, so that a 401 or 404 would have
none of the headers without which a page cannot read it. Keys are presented by the page itself and
nothing by the browser, so nothing is said of credentials.
"""

from collections.abc import Iterable
from typing import Final

from aiohttp import web

_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE"
_SENT: Final = (
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Request-Id, "
    "X-Service-Api"
)
_EXPOSED: Final = (
    "ETag, X-Request-Id, Retry-After, Location, Idempotent-Replayed, Allow, Accept-Patch, "
    "Preference-Applied, Total-Count, WWW-Authenticate"
)
_REMEMBERED_SECONDS: Final = 7200
"""As long as the browser allows that remembers least."""
_ORIGIN: Final = "Access-Control-Allow-Origin"


class Cors:
    """What pages of these origins are told; others hear nothing of it."""

    def __init__(self, origins: Iterable[str]) -> None:
        self._origins = frozenset(origins)

    def preflight(self, request: web.Request) -> web.Response | None:
        """The answer to an OPTIONS by which a browser asks whether a page may send a request.

        None for any other. Every path has it: so the page sees what the request itself is answered.
        """
        if "Access-Control-Request-Method" not in request.headers:
            return None
        if request.headers.get("Origin") not in self._origins:
            return None
        headers = {
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": _SENT,
            "Access-Control-Max-Age": str(_REMEMBERED_SECONDS),
        }
        return web.Response(status=204, headers=headers)

    def mark(self, request: web.Request, response: web.StreamResponse) -> None:
        """Let the page that asked read the answer, and caches tell pages apart."""
        if not self._origins:
            return
        varies = response.headers.get("Vary")
        response.headers["Vary"] = f"{varies}, Origin" if varies else "Origin"
        origin = request.headers.get("Origin")
        if origin in self._origins:
            response.headers[_ORIGIN] = origin
            response.headers["Access-Control-Expose-Headers"] = _EXPOSED


CORS: web.AppKey[Cors] = web.AppKey("cors", Cors)
