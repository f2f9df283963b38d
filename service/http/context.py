"""Keys of the application and of requests: objects that middleware and handlers share."""

from collections.abc import Mapping
from typing import Protocol

from aiohttp import web

from service.database.connections import Database
from service.http.access_log import AccessLog
from service.http.admission import Admission
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
    def problem_statuses(self) -> frozenset[int]:
        """Return the statuses whose errors always are problem details (RFC 9457).

        Other errors are problem details only if the caller prefers these to the error envelope.
        """

    def covers(self, path: str) -> bool:
        """Return whether a request's path equals this one, or begins as it does before ``{``.

        ``/api/colors/{id}`` covers all paths that begin with ``/api/colors/``.
        """


ROUTES: web.AppKey[Mapping[web.AbstractRoute, RouteProtocol]] = web.AppKey("routes")
"""Routes by aiohttp's route; GET and HEAD of a path are two of aiohttp's, with the same route.

An unknown path or wrong method has none.
"""
DATABASE: web.AppKey[Database] = web.AppKey("database", Database)
ADMISSION: web.AppKey[Admission] = web.AppKey("admission", Admission)
CALLERS: web.AppKey[Callers] = web.AppKey("callers", Callers)
ACCESS_LOG: web.AppKey[AccessLog] = web.AppKey("access_log", AccessLog)

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
