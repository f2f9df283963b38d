"""Web links: ``Link`` headers, with addresses by which callers reach the service (RFC 8288)."""

from functools import lru_cache
from typing import Final
from urllib.parse import quote

from aiohttp import hdrs, web

from service.settings import HOST

PUBLIC_URL: web.AppKey[str] = web.AppKey("public_url", str)
_PATH_CHARACTERS: Final = "/%:@!$&'()*+,;=~"


def base_url(request: web.Request) -> str:
    """Return the address of the service: ``PUBLIC_URL``, else scheme and host of the request.

    Return "" for a request without a usable ``Host``; references are relative then.
    """
    public_url = request.app[PUBLIC_URL]
    return public_url or _base(request.scheme, request.headers.get(hdrs.HOST, ""))


@lru_cache(maxsize=256)
def _base(scheme: str, host: str) -> str:
    return f"{scheme}://{host}" if HOST.fullmatch(host) else ""


def next_page(request: web.Request, cursor: str) -> str:
    """Return the ``Link`` header to the page of a cursor."""
    path = quote(request.rel_url.raw_path, safe=_PATH_CHARACTERS, errors="surrogateescape")
    return f'<{base_url(request)}{path}?cursor={cursor}>; rel="next"'


def descriptions(base: str) -> str:
    """Return the ``Link`` header to the OpenAPI document and to the pages about it (RFC 8631)."""
    return (
        f'<{base}/openapi.json>; rel="service-desc"; type="application/json", '
        f'<{base}/docs>; rel="service-doc"; type="text/html"'
    )
