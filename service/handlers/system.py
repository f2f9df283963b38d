"""What operators ask: is it alive, is it ready, how does it do.

Anybody may ask, at any rate: what takes more than a moment is done once for all.
"""

from typing import Final

from aiohttp import web

from service.database.connections import Connection
from service.database.failing import unavailable
from service.database.migrating import schema_is_current
from service.http.context import database
from service.http.envelope import respond, success
from service.http.metrics import exposition
from service.http.recent import Recent

READINESS: Final[web.AppKey[Recent[bool]]] = web.AppKey("readiness", Recent)
EXPOSITION: Final[web.AppKey[Recent[bytes]]] = web.AppKey("exposition", Recent)
_EXPOSITION_SHARE: Final = 0.1


def prepare(app: web.Application) -> None:
    """Keep what is made once for all."""
    app[READINESS], app[EXPOSITION] = Recent(), Recent(share=_EXPOSITION_SHARE)


async def health(_: web.Request) -> web.Response:
    """200 as long as the process answers."""
    return respond(success(b'{"alive":true}'))


async def readiness(request: web.Request) -> web.Response:
    """200 when the database answers and its schema is the one of this version, else 503."""
    if not await request.app[READINESS].get(lambda: database(request).look_up(_is_current)):
        raise unavailable("The database schema is behind; run selvedge migrate.")
    return respond(success(b'{"ready":true}'))


async def _is_current(connection: Connection) -> bool:
    return await schema_is_current(connection)


async def metrics(request: web.Request) -> web.Response:
    """The text exposition for Prometheus."""
    body = await request.app[EXPOSITION].get(exposition)
    return web.Response(body=body, headers={"Content-Type": "text/plain; version=0.0.4"})
