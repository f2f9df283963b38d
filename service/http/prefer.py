"""``Prefer`` header of requests (RFC 7240)."""

from collections.abc import Mapping
from typing import Final

from aiohttp import web

from service.http.headers import PREFER

APPLIED: Final = "Preference-Applied"
_MAX_LENGTH: Final = 500
"""Characters of the header's joined values that are parsed; further ones are ignored."""


def preferences(request: web.Request) -> Mapping[str, str]:
    """Return the request's preferences, name -> value, in lowercase, without their parameters.

    The first of a repeated name counts; a preference without a value has an empty one. Commas and
    semicolons split also within quotes. An empty part has the name "", as has an absent header.
    """
    values: dict[str, str] = {}
    for preference in ",".join(request.headers.getall(PREFER, ()))[:_MAX_LENGTH].split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        values.setdefault(name.strip().lower(), value.strip().strip('"').lower())
    return values
