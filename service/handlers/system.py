"""What operators ask: is it alive, is it ready, how does it do."""

from aiohttp import web

from service.database.connections import Connection
from service.database.failing import unavailable
from service.database.migrating import schema_is_current
from service.http.context import database
from service.http.envelope import respond, success
from service.http.metrics import exposition


async def health(_: web.Request) -> web.Response:
    """200 as long as the process answers."""
    return respond(success(b'{"alive":true}'))


async def readiness(request: web.Request) -> web.Response:
    """200 when the database answers and its schema is the one of this version, else 503."""
    if not await database(request).look_up(_is_current):
        raise unavailable("The database schema is behind; run selvedge migrate.")
    return respond(success(b'{"ready":true}'))


async def _is_current(connection: Connection) -> bool:
    return await schema_is_current(connection)


async def metrics(_: web.Request) -> web.Response:
    """The text exposition for Prometheus."""
    return web.Response(body=exposition(), headers={"Content-Type": "text/plain; version=0.0.4"})
