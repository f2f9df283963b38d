"""CORS: access for browser pages of the origins in the settings (contract, Browsers).

Packages for aiohttp add CORS headers per route, so a page could not read a 401 or a 404. This
module adds them to every response of the middleware. Pages send the API key in a header, so
credentials mode is off. Responses to requests that the parser refused have no CORS headers.
"""

from collections.abc import Iterable
from typing import Final

from aiohttp import web

_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE"
_REQUEST_HEADERS: Final = (
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Request-Id, "
    "X-Service-Api"
)
_RESPONSE_HEADERS: Final = (
    "ETag, X-Request-Id, Retry-After, Location, Link, Idempotent-Replayed, Allow, Accept-Patch, "
    "Preference-Applied, RateLimit, RateLimit-Policy, Total-Count, WWW-Authenticate, "
    "X-Changes-After, X-Changes-Cursor, X-Changes-Epoch, Deprecation, Sunset"
)
_MAX_AGE_SECONDS: Final = 7200
"""Lifetime of a preflight result: the maximum of Chromium. Other browsers may keep it shorter."""
_ORIGIN: Final = "Access-Control-Allow-Origin"


class Cors:
    """CORS headers for the allowed origins, which are compared exactly; without any CORS is off."""

    def __init__(self, origins: Iterable[str]) -> None:
        self._origins = frozenset(origins)

    def preflight(self, request: web.Request) -> web.Response | None:
        """Return the response to a preflight from an allowed origin; None for any other request.

        The method is OPTIONS, which the caller checks. The response is 204, for a path without a
        route as well, so that pages can read the 404 of the actual request. ``mark`` adds its
        ``Access-Control-Allow-Origin``.
        """
        if "Access-Control-Request-Method" not in request.headers:
            return None
        if request.headers.get("Origin") not in self._origins:
            return None
        headers = {
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": _REQUEST_HEADERS,
            "Access-Control-Max-Age": str(_MAX_AGE_SECONDS),
        }
        return web.Response(status=204, headers=headers)

    def mark(self, request: web.Request, response: web.StreamResponse) -> None:
        """Add ``Vary: Origin``, and for an allowed origin the headers that let its page read it.

        Without allowed origins the response stays as it is.
        """
        if not self._origins:
            return
        vary = response.headers.get("Vary")
        response.headers["Vary"] = f"{vary}, Origin" if vary else "Origin"
        origin = request.headers.get("Origin")
        if origin in self._origins:
            response.headers[_ORIGIN] = origin
            response.headers["Access-Control-Expose-Headers"] = _RESPONSE_HEADERS


CORS: web.AppKey[Cors] = web.AppKey("cors", Cors)
