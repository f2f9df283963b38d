"""What callers would like, if it can be had (RFC 7240)."""

from collections.abc import Mapping
from typing import Final

from aiohttp import web

from service.http.headers import PREFER

APPLIED: Final = "Preference-Applied"
_LONGEST: Final = 500
"""Characters of the header that are read."""


def preferences(request: web.Request) -> Mapping[str, str]:
    """The values of the request's preferences by name; of one that stands twice the first."""
    found: dict[str, str] = {}
    for part in ",".join(request.headers.getall(PREFER, ()))[:_LONGEST].split(","):
        name, _, value = part.partition(";")[0].partition("=")
        found.setdefault(name.strip().lower(), value.strip().strip('"').lower())
    return found
