"""aiohttp application of a worker: routes, middleware, background tasks and shared objects.

Each worker makes one, after the fork. The application makes most objects that requests share, such
as the database pool, when it starts. When it stops, it ends long polls first; after its background
tasks it writes the last uses of keys, closes the database connections and exports pending spans.
"""

import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

from aiohttp import web

from service import openapi
from service.database.connections import Database
from service.database.snapshots import SNAPSHOTS, Snapshots
from service.extras.pages import page_handlers as pages
from service.feed.long_poll import end_change_waits, run_change_waiters
from service.handlers import identity, system
from service.handlers.response_cache import RESPONSE_CACHE, ResponseCache
from service.handlers.retention import run_retention
from service.http.access_log import ACCESS_LOG, AccessLog
from service.http.budgets import (
    ADMISSION,
    BYTE_BUDGET,
    RATE_LIMIT_HEADERS,
    Admission,
    ByteBudget,
    RateLimitHeaders,
)
from service.http.context import CALLERS, CHANGES_SECONDS, DATABASE, ROUTES
from service.http.gauges import gauge_updater
from service.http.headers import CORS, Cors
from service.http.loop_monitor import LoopMonitor
from service.http.middleware import count_parser_error, handle_request
from service.http.parser_errors import ON_PARSER_ERROR
from service.http.router import Middleware, Router, use_router
from service.organizations.caller import Callers
from service.routes import Route, routes
from service.settings import Settings
from service.shares.body_scheduler import BODY_SCHEDULER, BodyScheduler
from service.webhooks.addresses import AddressPolicy
from service.webhooks.outgoing import OUTGOING, Outgoing
from service.webhooks.webhook_sender import run_sender

if TYPE_CHECKING:
    from service.database.tracing import Traces


def create_app(settings: Settings, dsn: str) -> web.Application:
    """Return the application on the database of ``dsn``, which may be unreachable at the start.

    Set the log level of the process's service logger.
    """
    logging.getLogger("service").setLevel(settings.log_level.upper())
    traces, middleware = _traces(settings)
    app = web.Application()
    router, app[ROUTES] = _routing()
    use_router(app, router, middleware)
    pages.prepare(app, openapi.document, settings)
    app[CHANGES_SECONDS] = settings.kept_days * 86_400
    app[CORS] = Cors(settings.cors_origins)
    system.prepare(app)
    identity.prepare(app, settings.caller_requests)

    retention = partial(
        run_retention,
        changes_days=settings.kept_days,
        audit_days=settings.audit_days,
        history_days=settings.history_days,
    )
    app.cleanup_ctx.extend(
        [
            partial(_run_shared_objects, settings=settings, dsn=dsn, traces=traces),
            retention,
            run_change_waiters,
            system.run_checks,
            run_sender,
        ]
    )
    app.on_shutdown.append(end_change_waits)
    app[OUTGOING] = Outgoing(AddressPolicy(settings.webhook_private_addresses))
    return app


async def _run_shared_objects(
    app: web.Application, settings: Settings, dsn: str, traces: "Traces | None"
) -> AsyncIterator[None]:
    """Create the objects that requests share, and close them at the end."""
    database = Database(dsn, settings.pool_size, traces, settings.history)
    app[DATABASE], app[CALLERS] = database, Callers(database)
    app[SNAPSHOTS] = Snapshots(dsn)
    app[ACCESS_LOG], app[BYTE_BUDGET] = AccessLog(), ByteBudget()
    app[ON_PARSER_ERROR] = count_parser_error(app[ACCESS_LOG])
    app[ADMISSION] = Admission(settings.caller_requests, database.queue.retry_seconds)
    app[RATE_LIMIT_HEADERS] = RateLimitHeaders(app[ADMISSION], app[BYTE_BUDGET])
    cache_bytes = settings.response_cache_mib * 2**20
    app[RESPONSE_CACHE] = cache = ResponseCache(database, cache_bytes, settings.public_url)
    app[BODY_SCHEDULER] = BodyScheduler()
    gauges = gauge_updater(database, app[ADMISSION], lambda: cache.size, settings)
    monitor = LoopMonitor(gauges)
    app[CALLERS].changes.start()
    last_used = app[CALLERS].last_used
    last_used_task = last_used.start()
    yield
    monitor.stop()
    app[CALLERS].changes.stop()
    last_used_task.cancel()
    await last_used.write()
    app[ACCESS_LOG].flush()
    await database.close()
    if traces is not None:
        await traces.end()


def _traces(settings: Settings) -> "tuple[Traces | None, Middleware]":
    """Return the traces, None unless ``TRACES`` is on; and the middleware, which records any."""
    if not settings.traces:
        return None, handle_request
    from service.database.tracing import Traces  # of the optional extra "tracing"
    from service.http.tracing import traced

    traces = Traces()
    return traces, traced(traces, handle_request)


@cache
def _routing() -> tuple[Router, Mapping[web.AbstractRoute, Route]]:
    """Return the router, and the route of each of its own; applications of a process share them."""
    router = Router()
    return router, {added: route for route in routes() for added in _added(router, route)}


def _added(router: Router, route: Route) -> Iterator[web.AbstractRoute]:
    """Add a route to the router; yield aiohttp's route of each method: HEAD beside GET."""
    for method in ("HEAD", "GET") if route.method == "GET" else (route.method,):
        yield router.add_route(method, route.pattern, route.handler)  # type: ignore[arg-type]
