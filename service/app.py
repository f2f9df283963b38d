"""The application: what a worker serves."""

import logging
from collections.abc import AsyncIterator

import orjson
from aiohttp import HttpVersion11, web

from service import openapi
from service.database.connections import Database
from service.handlers import docs
from service.http.access_log import AccessLog
from service.http.accounts import ACCOUNTS, Accounts
from service.http.clearing import clearing
from service.http.context import ACCESS_LOG, CALLERS, DATABASE
from service.http.delivery import delivered, deliveries
from service.http.middleware import around
from service.organizations.caller import Callers
from service.routes import routes
from service.settings import Settings


def create_app(settings: Settings, dsn: str) -> web.Application:
    """The application on the database of ``dsn``; it starts with the database away as well."""
    logging.getLogger("service").setLevel(settings.log_level.upper())
    app = web.Application(middlewares=[delivered, around])
    app[docs.DOCUMENT] = orjson.dumps(openapi.build())

    async def resources(app: web.Application) -> AsyncIterator[None]:
        database = Database(dsn, settings.pool_size)
        app[DATABASE], app[CALLERS] = database, Callers(database)
        app[ACCESS_LOG], app[ACCOUNTS] = AccessLog(), Accounts()
        yield
        app[ACCESS_LOG].flush()
        await database.close()

    app.cleanup_ctx.extend([resources, deliveries, clearing])
    for route in routes():
        if route.method == "GET":
            app.router.add_get(route.path, route.handler, name=route.name, expect_handler=_expect)
        else:
            app.router.add_route(route.method, route.path, route.handler, expect_handler=_expect)
    return app


async def _expect(request: web.Request) -> None:
    """Let a caller that waits for it send the body; other expectations are ignored.

    RFC 9110, section 10.1.1; aiohttp's own answer to those would be none of the contract's.
    """
    if request.headers["Expect"].lower() == "100-continue" and request.version >= HttpVersion11:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
