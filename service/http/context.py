"""What handlers find in the application and on the request."""

from collections.abc import Callable, Mapping
from typing import Protocol

from aiohttp import web

from service.database.connections import Database
from service.http.access_log import AccessLog
from service.http.admission import Admission
from service.organizations.caller import Caller, Callers


class RouteProtocol(Protocol):
    """What is to be known of a route by whoever stands between it and its callers."""

    @property
    def path(self) -> str:
        """The path, with its parameters in braces."""

    @property
    def method(self) -> str:
        """The method."""

    @property
    def media_type(self) -> str | None:
        """What a body has to be sent as; None where none is read."""

    @property
    def needs_key(self) -> bool:
        """Whether callers must present an API key."""

    @property
    def problems(self) -> frozenset[int]:
        """Statuses that are answered as problem details (RFC 9457), without the envelope."""

    def covers(self, path: str) -> bool:
        """Whether the path is this one, or below where this one's parameters begin."""


ROUTES: web.AppKey[Mapping[web.AbstractRoute, RouteProtocol]] = web.AppKey("routes")
DATABASE: web.AppKey[Database] = web.AppKey("database", Database)
ADMISSION: web.AppKey[Admission] = web.AppKey("admission", Admission)
CALLERS: web.AppKey[Callers] = web.AppKey("callers", Callers)
ACCESS_LOG: web.AppKey[AccessLog] = web.AppKey("access_log", AccessLog)
MAKE_ROOM: web.AppKey[Callable[[], bool]] = web.AppKey("make_room")
"""Lets the longest waiting request be answered at once; returns False if none waits."""

CALLER: web.RequestKey[Caller] = web.RequestKey("caller", Caller)
REQUEST_ID: web.RequestKey[str] = web.RequestKey("request_id", str)


def database(request: web.Request) -> Database:
    """The worker's database."""
    return request.app[DATABASE]


def caller(request: web.Request) -> Caller:
    """The caller that the middleware recognized."""
    return request[CALLER]
