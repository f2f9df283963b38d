"""Web links: values of ``Link`` headers (RFC 8288), and the base URL of the service."""

from functools import lru_cache
from typing import Final
from urllib.parse import quote

from aiohttp import hdrs, web

from service.settings import HOST

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
