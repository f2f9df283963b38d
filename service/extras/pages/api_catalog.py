"""API catalog: links from the interface to its descriptions and its readiness check.

The descriptions are the OpenAPI document, its page and the guides. Source: RFC 9727, and RFC 9264
for the link set.
"""

from functools import lru_cache
from typing import Final

import orjson

from service.extras.pages.page import HTML, WebPage
from service.http.headers import JSON, LINK

PATH: Final = "/.well-known/api-catalog"
_MEDIA_TYPE: Final = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'


@lru_cache(maxsize=64)
def api_catalog(base: str) -> WebPage:
    """Return the catalog of the service at the address ``base``, such as ``http://127.0.0.1:8080``.

    ``base`` has no slash at its end (``base_url``). The links begin with it, so they are absolute
    unless it is "", as for a request without a valid ``Host``. The 64 catalogs used last are
    cached, as callers may reach the service by several addresses.
    """
    interface = f"{base}/api"
    linkset = [
        {"anchor": base + PATH, "item": [{"href": interface}]},
        {
            "anchor": interface,
            "service-desc": [{"href": f"{base}/openapi.json", "type": JSON}],
            "service-doc": [
                {"href": f"{base}/docs", "type": HTML},
                {"href": f"{base}/guides", "type": HTML},
            ],
            "status": [{"href": f"{base}/readyz", "type": JSON}],
        },
    ]
    page = WebPage(orjson.dumps({"linkset": linkset}), _MEDIA_TYPE)
    page.headers = {**page.headers, LINK: f'<{base}{PATH}>; rel="api-catalog"'}
    return page
