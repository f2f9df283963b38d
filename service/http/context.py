"""Keys of the application and of requests: objects that middleware and handlers share."""

import asyncio
from collections.abc import Mapping
from typing import Final, Protocol

from aiohttp import hdrs, web

from service.database.connections import Database
from service.error_types import ErrorType
from service.errors import api_error
from service.organizations.caller import Caller, Callers


class RouteProtocol(Protocol):
    """Route as the middleware sees it. The implementation is ``service.routes.Route``."""

    @property
    def path(self) -> str:
        """Return the path, with its parameters in braces."""

    @property
    def method(self) -> str:
        """Return the HTTP method."""

    @property
    def media_types(self) -> tuple[str, ...]:
        """Return the media types of the request body; () if no body is read."""

    @property
    def needs_key(self) -> bool:
        """Return whether callers must present an API key."""

    @property
    def scope(self) -> str:
        """Return the scope that the caller needs; "" for none."""

    @property
    def sufficient_scopes(self) -> frozenset[str]:
        """Return the scopes of which the caller needs one."""

    @property
    def is_restrictable(self) -> bool:
        """Return whether a scope that is restricted to suppliers suffices."""

    @property
    def part_path(self) -> str:
        """Return the path of a single part, for the collection of a part; "" for others."""

    @property
    def problem_statuses(self) -> frozenset[int]:
        """Return the statuses whose errors always are problem details (RFC 9457).

        Other errors are problem details only if the caller prefers these to the error envelope.
        """

    def covers(self, path: str) -> bool:
        """Return whether a request's path equals this one, or begins as it does before ``{``.

        ``/api/colors/{id}`` covers all paths that begin with ``/api/colors/``.
        """


STOPPING: web.AppKey[asyncio.Event] = web.AppKey("stopping", asyncio.Event)
"""Set from the beginning of a stop; the application may serve on for a while."""
CHANGES_SECONDS: web.AppKey[int] = web.AppKey("changes_seconds", int)
"""Retention of the change feed."""
ROUTES: web.AppKey[Mapping[web.AbstractRoute, RouteProtocol]] = web.AppKey("routes")
"""Routes by aiohttp's route; GET and HEAD of a path are two of aiohttp's, with the same route.

An unknown path or wrong method has none.
"""
DATABASE: web.AppKey[Database] = web.AppKey("database", Database)
CALLERS: web.AppKey[Callers] = web.AppKey("callers", Callers)

CALLER: web.RequestKey[Caller] = web.RequestKey("caller", Caller)
"""Caller; absent before authentication, and on routes that need no key."""
REQUEST_ID: web.RequestKey[str] = web.RequestKey("request_id", str)
"""Id of the request, which its response and log line have; the middleware sets it first."""
IS_CACHED: web.RequestKey[bool] = web.RequestKey("is_cached", bool)
"""Whether the response came from the response cache; absent for requests that bypass it."""


def database(request: web.Request) -> Database:
    """Return the worker's database."""
    return request.app[DATABASE]


def caller_of(request: web.Request) -> Caller:
    """Return the authenticated caller; raise KeyError if the request was not authenticated."""
    return request[CALLER]


_CHALLENGE: Final = "Bearer"
"""Challenge to a request without a key (RFC 6750, 3)."""
_INVALID: Final = 'Bearer error="invalid_token"'
"""Challenge to a request whose key is not valid."""


async def authenticate(request: web.Request, *, again: bool = False) -> Caller:
    """Return the caller and set it on the request as CALLER.

    Raise ApiError ``unauthorized`` without exactly one ``Authorization`` header with a valid key.
    Its ``WWW-Authenticate`` has the challenge. Raise ApiError of 429 or 503 if
    the key must be looked up and no result comes, as while the database is unreachable.

    ``again`` is for requests that have waited since their first authentication. It bypasses the
    cache of callers, because the key may have been revoked or changed meanwhile.
    """
    credentials = request.headers.getall(hdrs.AUTHORIZATION, ())
    scheme, _, key = credentials[0].partition(" ") if credentials else ("", "", "")
    caller = None
    # A proxy and the service could each take another one of two Authorization headers.
    if scheme.lower() == "bearer" and len(credentials) == 1:
        caller = await request.app[CALLERS].find(key.strip(), fresh=again)
    if caller is None:
        message = None
        if key.lower().startswith("bearer"):
            message = "The word Bearer stands before the key twice; send it once."
        challenge = _INVALID if scheme.lower() == "bearer" and key.strip() else _CHALLENGE
        headers = {"WWW-Authenticate": challenge}
        raise api_error(ErrorType.UNAUTHORIZED, message=message, headers=headers)
    request[CALLER] = caller
    return caller
