"""The application: what a worker serves."""

import logging
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp import web, web_urldispatcher

from service import openapi
from service.database.connections import Database
from service.handlers import pages, system
from service.handlers.long_poll import end_watching, watching
from service.handlers.retention import clearing
from service.http.access_log import AccessLog
from service.http.admission import Admission
from service.http.byte_budget import BYTE_BUDGET, ByteBudget
from service.http.context import ACCESS_LOG, ADMISSION, CALLERS, DATABASE, ROUTES
from service.http.cors import CORS, Cors
from service.http.gauges import gauges
from service.http.loop_monitor import LoopMonitor
from service.http.middleware import around, count_parser_error
from service.http.parser_errors import ON_PARSER_ERROR
from service.http.response_sender import run_response_sender
from service.http.router import Router
from service.http.turnstile import TURNSTILE, Turnstile
from service.http.unauthorized import UNAUTHORIZED, UnauthorizedThrottle
from service.organizations.caller import Callers
from service.routes import Route, routes
from service.settings import Settings

if TYPE_CHECKING:
    from service.database.tracing import Traces


def create_app(settings: Settings, dsn: str) -> web.Application:
    """The application on the database of ``dsn``; it starts with the database away as well."""
    logging.getLogger("service").setLevel(settings.log_level.upper())
    traces, traced = _traces(settings)
    app = web.Application(middlewares=[*traced, around])
    app._router = Router()  # as an argument it is deprecated
    pages.prepare(app, openapi.document())
    app[CORS] = Cors(settings.cors_origins)
    system.prepare(app)

    async def resources(app: web.Application) -> AsyncIterator[None]:
        database = Database(dsn, settings.pool_size, traces)
        app[DATABASE], app[CALLERS] = database, Callers(database)
        app[ACCESS_LOG], app[BYTE_BUDGET] = AccessLog(), ByteBudget()
        app[ON_PARSER_ERROR] = count_parser_error(app[ACCESS_LOG])
        app[ADMISSION] = Admission(settings.caller_requests)
        app[TURNSTILE], app[UNAUTHORIZED] = Turnstile(), UnauthorizedThrottle()
        pulse = LoopMonitor(gauges(database, app[ADMISSION], settings.pool_size))
        last_used = app[CALLERS].last_used
        writing = last_used.keep_writing()
        yield
        pulse.stop()
        writing.cancel()
        await last_used.write()
        app[ACCESS_LOG].flush()
        await database.close()
        if traces is not None:
            await traces.end()

    clear = partial(clearing, changes_days=settings.changes_days)
    app.cleanup_ctx.extend([resources, run_response_sender, clear, watching, system.looking])
    app.on_shutdown.append(end_watching)
    app[ROUTES] = {added: route for route in routes() for added in _added(app, route)}
    return app


def _traces(settings: Settings) -> "tuple[Traces | None, list[Any]]":
    """Where spans go and the middleware that makes those of requests, if they are asked for."""
    if not settings.traces:
        return None, []
    from service.database.tracing import Traces  # an extra, which may not be installed
    from service.http.tracing import traced

    traces = Traces()
    return traces, [traced(traces)]


def _added(app: web.Application, route: Route) -> Iterator[web.AbstractRoute]:
    """What a route becomes in the application: one by its method, and one by HEAD beside GET."""
    for method in ("HEAD", "GET") if route.method == "GET" else (route.method,):
        yield app.router.add_route(method, route.path, route.handler, expect_handler=_expect)


async def _expect(request: web.Request) -> None:
    """Nothing yet: whoever waits to send a body is told when it is known to be wanted.

    aiohttp's own answers at once, also where there is no route, to which it lets nobody give one.
    """


web_urldispatcher._default_expect_handler = _expect
