"""System endpoints: health, readiness and metrics.

They need no API key and have no rate limit. So the callers of a worker share the result of a
readiness check or metrics aggregation, an error included, for at least 1 s (``SingleFlightCache``).
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from aiohttp import web

from service import background
from service.database import disk_space, incidents
from service.database.connections import Connection, Database
from service.database.errors import schema_is_behind, unavailable
from service.database.migrations import schema_is_current
from service.errors import ApiError
from service.http.context import DATABASE, database
from service.http.envelope import respond, success
from service.http.metrics import exposition
from service.http.single_flight import SingleFlightCache

READINESS: Final[web.AppKey[SingleFlightCache[None]]] = web.AppKey("readiness", SingleFlightCache)
EXPOSITION: Final[web.AppKey[SingleFlightCache[bytes]]] = web.AppKey(
    "exposition", SingleFlightCache
)
_EXPOSITION_SHARE: Final = 0.1
"""Maximum share of a worker's time in which it aggregates metrics: slow results are kept longer."""
_RECHECK_SECONDS: Final = 10
"""Interval of the checks of open incidents."""


def prepare(app: web.Application) -> None:
    """Add the single-flight caches to the application."""
    app[READINESS], app[EXPOSITION] = (
        SingleFlightCache(),
        SingleFlightCache(share=_EXPOSITION_SHARE),
    )


async def run_incident_checks(app: web.Application) -> AsyncIterator[None]:
    """Recheck open incidents every _RECHECK_SECONDS while the application runs.

    So incidents of schema and disk close without readiness requests.
    """
    task = background.repeat(partial(_recheck, app[DATABASE]), _RECHECK_SECONDS)
    yield
    task.cancel()


async def _recheck(database: Database) -> None:
    """Check schema and disk space again if one of their incidents is open."""
    if incidents.SCHEMA_BEHIND.is_open or incidents.DISK_FULL.is_open:
        await database.look_up(_require_all)


async def health(_: web.Request) -> web.Response:
    """Return 200 as long as the process responds, whatever the state of the database."""
    return respond(success(b'{"alive":true}'))


async def readiness(request: web.Request) -> web.Response:
    """Return 200 if the database is reachable, has space and the current schema.

    Otherwise raise ApiError ``server_error.unavailable``, 503.
    """
    await request.app[READINESS].get(lambda: _require_ready(database(request)))
    return respond(success(b'{"ready":true}'))


async def _require_ready(database: Database) -> None:
    """Raise ApiError ``server_error.unavailable`` unless the database is ready.

    Its message names a schema that is behind or a full disk. For another failure it has only the
    SQLSTATE, if there is one, and the remedy or a reference to the log. It has no names of hosts or
    users.
    """
    try:
        await database.look_up(_require_all)
    except ApiError as error:
        if error.__cause__ is None:
            raise
        raise unavailable(incidents.cause_without_names(error)) from error


async def _require_all(connection: Connection) -> None:
    """Raise ApiError ``server_error.unavailable`` if the schema is behind or the disk is full.

    Open their incidents, or close them. The schema is checked first, so the disk may be unchecked.
    """
    if not await schema_is_current(connection):
        raise schema_is_behind()
    incidents.SCHEMA_BEHIND.close()
    if not await disk_space.has_room(connection):
        incidents.report_disk_full()
        raise unavailable(incidents.DISK_IS_FULL)
    incidents.DISK_FULL.close()


async def metrics(request: web.Request) -> web.Response:
    """Return the metrics, aggregated over the workers, in Prometheus' text format."""
    body = await request.app[EXPOSITION].get(exposition)
    return web.Response(body=body, headers={"Content-Type": "text/plain; version=0.0.4"})
