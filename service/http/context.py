"""What handlers find in the application and on the request."""

from aiohttp import web

from service.database.connections import Database
from service.http.access_log import AccessLog
from service.http.admission import Admission
from service.organizations.caller import Caller, Callers

DATABASE: web.AppKey[Database] = web.AppKey("database", Database)
ADMISSION: web.AppKey[Admission] = web.AppKey("admission", Admission)
CALLERS: web.AppKey[Callers] = web.AppKey("callers", Callers)
ACCESS_LOG: web.AppKey[AccessLog] = web.AppKey("access_log", AccessLog)

CALLER: web.RequestKey[Caller] = web.RequestKey("caller", Caller)


def database(request: web.Request) -> Database:
    """The worker's database."""
    return request.app[DATABASE]


def caller(request: web.Request) -> Caller:
    """The caller that the middleware recognized."""
    return request[CALLER]
