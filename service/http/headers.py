"""Headers: names that aiohttp lacks, media types, links (RFC 8288), and CORS (contract, Browsers).

Look-ups by ``istr``, the type of the names in ``hdrs``, take half of the time of those by ``str``.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from aiohttp import hdrs, web
from multidict import istr

from service.settings import HOST

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


JSON: Final = "application/json"
JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
ACCEPT_PATCH: Final = f"{JSON_PATCH}, {MERGE_PATCH}"
"""Value of ``Accept-Patch`` (RFC 5789) where a single record is patched."""
CSV: Final = "text/csv"
NDJSON: Final = "application/x-ndjson"
PROBLEM: Final = "application/problem+json"
"""Problem details (RFC 9457)."""

_MAX_LENGTH: Final = 500
"""Maximum characters of a ``Content-Type`` that is parsed. Longer ones match no media type."""
_TOKEN: Final = r"[-!#$%&'*+.^_`|~0-9A-Za-z]{1,100}+"
_QUOTED: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*"'
_PARAMETER: Final = rf";[ \t]*+(?:({_TOKEN})=({_TOKEN}|{_QUOTED}))?"
_CONTENT_TYPE: Final = re.compile(rf"({_TOKEN}/{_TOKEN})((?:[ \t]*+{_PARAMETER})*)[ \t]*+")
_PARAMETERS: Final = re.compile(_PARAMETER)
_CHARSETS: Final = frozenset({"utf-8", "utf8", "us-ascii"})


def is_sent_as(content_type: str, media_type: str) -> bool:
    """Return whether a ``Content-Type`` names the media type, in UTF-8 or without a charset.

    ``media_type`` is lowercase; the header is compared in any letter case. Parameters other than
    the charset do not count, and US-ASCII counts as UTF-8. A malformed header matches nothing.
    Rejected: aiohttp's parser of e-mail headers, which takes quadratic time and raises exceptions.
    """
    if content_type == media_type:
        return True
    match = _CONTENT_TYPE.fullmatch(content_type) if len(content_type) <= _MAX_LENGTH else None
    if match is None or match[1].lower() != media_type:
        return False
    charsets = [value for name, value in _PARAMETERS.findall(match[2]) if name.lower() == "charset"]
    return all(charset.strip('"').lower() in _CHARSETS for charset in charsets)


PUBLIC_URL: web.AppKey[str] = web.AppKey("public_url", str)
_PATH_CHARACTERS: Final = "/%:@!$&'()*+,;=~"


def base_url(request: web.Request) -> str:
    """Return the base URL of the service: ``PUBLIC_URL``, else scheme and host of the request.

    It has no slash at its end. Without ``PUBLIC_URL`` return "" for a request without a valid
    ``Host``; links are relative then.
    """
    public_url = request.app[PUBLIC_URL]
    return public_url or _base(request.scheme, request.headers.get(hdrs.HOST, ""))


@lru_cache(maxsize=256)
def _base(scheme: str, host: str) -> str:
    return f"{scheme}://{host}" if HOST.fullmatch(host) else ""


def next_page_link(request: web.Request, cursor: str) -> str:
    """Return the value of ``Link`` to the next page of a list or of the changes, given its cursor.

    The cursor is its only parameter, because it carries those of the request.
    """
    return f'<{base_url(request)}{_quoted(request.rel_url.raw_path)}?cursor={cursor}>; rel="next"'


@lru_cache(maxsize=64)
def _quoted(path: str) -> str:
    return quote(path, safe=_PATH_CHARACTERS, errors="surrogateescape")


def description_links(base: str) -> str:
    """Return the value of ``Link`` to the OpenAPI document and the page ``/docs`` (RFC 8631).

    ``base`` is a base URL as ``base_url`` returns it.
    """
    return (
        f'<{base}/openapi.json>; rel="service-desc"; type="application/json", '
        f'<{base}/docs>; rel="service-doc"; type="text/html"'
    )


_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE"
_REQUEST_HEADERS: Final = (
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Request-Id, "
    "X-Service-Api"
)
_RESPONSE_HEADERS: Final = (
    "ETag, X-Request-Id, Retry-After, Location, Link, Idempotent-Replayed, Allow, Accept-Patch, "
    "Preference-Applied, RateLimit, RateLimit-Policy, Total-Count, WWW-Authenticate, "
    "X-Changes-After, X-Changes-Cursor, X-Changes-Epoch"
)
_MAX_AGE_SECONDS: Final = 7200
"""Lifetime of a preflight result: the maximum of Chromium. Other browsers may keep it shorter."""
_ORIGIN: Final = "Access-Control-Allow-Origin"


class Cors:
    """CORS headers for the allowed origins, which are compared exactly; without any CORS is off.

    Packages for aiohttp add them per route, so a page could not read a 401 or a 404. The middleware
    adds these to every response. Pages send the API key in a header, so credentials mode is off.
    """

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
