"""System endpoints: health, readiness and metrics.

They need no API key and have no rate limit. So the callers of a worker share the result of a
readiness check or metrics aggregation, an error included, for at least 1 s (``SingleFlightCache``).
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Final, Generic, TypeVar

from aiohttp import web

from service import __version__, background
from service.database import database_state, incidents
from service.database.connections import Connection, Database
from service.database.errors import schema_is_behind
from service.database.statements import load
from service.errors import ApiError, unavailable
from service.http import metrics
from service.http.context import DATABASE, STOPPING, database
from service.http.envelope import ApiResponse, success

T = TypeVar("T")

SECONDS: Final = 1
"""Minimum lifetime of a result, in seconds after the end of its computation."""


class SingleFlightCache(Generic[T]):
    """Cache of one result or exception, without a key, for SECONDS or longer.

    Computing takes at most ``share`` of the time (above 0, up to 1), so the result of a slow
    computation is cached longer. Callers of one instance must pass equivalent computations.
    """

    def __init__(self, *, share: float = 1.0) -> None:
        self._share = share
        self._computation: asyncio.Future[T] | None = None
        self._expires_at = 0.0

    async def get(self, compute: Callable[[], Awaitable[T]]) -> T:
        """Return the cached result or raise the cached exception; compute it if none is valid.

        A computation that runs already serves this caller, too: then ``compute`` is not called. It
        goes on even if all callers are canceled.
        """
        computation = self._computation
        if computation is None or (computation.done() and time.monotonic() >= self._expires_at):
            self._computation = computation = asyncio.ensure_future(self._compute(compute))
            computation.add_done_callback(_retrieve_exception)
        # A caller that is canceled does not cancel the computation for the others.
        return await asyncio.shield(computation)

    async def _compute(self, compute: Callable[[], Awaitable[T]]) -> T:
        started = time.monotonic()
        try:
            return await compute()
        finally:
            ended = time.monotonic()
            self._expires_at = max(ended + SECONDS, started + (ended - started) / self._share)


def _retrieve_exception(computation: "asyncio.Future[T]") -> None:
    """Retrieve the exception: asyncio logs one that no caller is left to retrieve."""
    if not computation.cancelled():
        computation.exception()


READINESS: Final[web.AppKey[SingleFlightCache[None]]] = web.AppKey("readiness", SingleFlightCache)
EXPOSITION: Final[web.AppKey[SingleFlightCache[bytes]]] = web.AppKey(
    "exposition", SingleFlightCache
)
_EXPOSITION_SHARE: Final = 0.1
"""Maximum share of a worker's time in which it aggregates metrics: slow results are kept longer."""
_RECHECK_SECONDS: Final = 10
"""Interval of the checks of open incidents."""
_MEASURE_SECONDS: Final = 60
"""Interval in which a worker measures the database."""
_SQL: Final = load("system")
_HEALTH: Final = f'{{"alive":true,"version":"{__version__}"}}'.encode()


def prepare(app: web.Application) -> None:
    """Add the single-flight caches and the event of a stop to the application."""
    app[READINESS], app[EXPOSITION] = (
        SingleFlightCache(),
        SingleFlightCache(share=_EXPOSITION_SHARE),
    )
    app[STOPPING] = asyncio.Event()


async def run_checks(app: web.Application) -> AsyncIterator[None]:
    """Recheck open incidents and measure the database at intervals while the application runs.

    The polls for webhooks notice a lost database within seconds.
    """
    database = app[DATABASE]
    tasks = [
        background.repeat(partial(_recheck, database), _RECHECK_SECONDS),
        background.repeat(partial(database.poll, measure), _MEASURE_SECONDS),
    ]
    yield
    for task in tasks:
        task.cancel()


async def measure(connection: Connection) -> None:
    """Set the metrics of keys and ranges that end soon, of growing tables, and of the server.

    Those of tables are not set on a cluster. One process of all counts keys and ranges once a
    minute, and keeps the numbers for the others.
    """
    counts = await connection.fetchrow(_SQL["counts"].text)
    if counts["is_due"] and await connection.fetchval(_SQL["claim_count"].text):
        keys = await connection.fetchval(_SQL["ending_keys"].text)
        ranges = len(await connection.fetch(_SQL["ending_ranges"].text))
        counts = await connection.fetchrow(_SQL["keep_counts"].text, keys, ranges)
    if counts["keys_ending"] is not None:
        metrics.ENDING_KEYS.set(counts["keys_ending"])
        metrics.ENDING_RANGES.set(counts["ranges_ending"])
    server = await connection.fetchrow(_SQL["server"].text)
    metrics.SERVER_CONNECTIONS.set(server["connections"])
    metrics.SERVER_CONNECTIONS_LIMIT.set(server["connections_limit"])
    metrics.TRANSACTION_ID_AGE.set(server["transaction_id_age"])
    for name, rows, size in await connection.fetch(_SQL["growing_tables"].text):
        metrics.TABLE_ROWS.labels(name).set(rows)
        metrics.TABLE_BYTES.labels(name).set(size)


async def _recheck(database: Database) -> None:
    """Check the database again if one of its incidents is open."""
    open_incidents = (incidents.UNREACHABLE, incidents.SCHEMA_BEHIND, incidents.DISK_FULL)
    if any(incident.is_open for incident in open_incidents):
        await database.look_up(_require_all)


async def health(_: web.Request) -> ApiResponse:
    """Return 200 and the version as long as the process responds, whatever the database does."""
    return success(_HEALTH)


async def readiness(request: web.Request) -> ApiResponse:
    """Return 200 if the database is reachable, has space and the current schema.

    Otherwise, and from the beginning of a stop, raise ApiError ``server_error.unavailable``, 503.
    """
    if request.app[STOPPING].is_set():
        raise unavailable("The service stops: send requests to another instance.")
    await request.app[READINESS].get(lambda: _require_ready(database(request)))
    return success(b'{"ready":true}')


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
    The database can be reached, or there were no connection.
    """
    incidents.UNREACHABLE.close()
    if not await database_state.schema_is_current(connection):
        raise schema_is_behind()
    incidents.SCHEMA_BEHIND.close()
    if not await database_state.has_room(connection):
        incidents.report_disk_full()
        raise unavailable(incidents.DISK_IS_FULL)
    incidents.DISK_FULL.close()


async def show_metrics(request: web.Request) -> ApiResponse:
    """Return the metrics, aggregated over the workers, in Prometheus' text format."""
    body = await request.app[EXPOSITION].get(metrics.exposition)
    return ApiResponse(200, body, {"Content-Type": "text/plain; version=0.0.4"})
