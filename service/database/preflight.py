"""Preflight check: version, encoding, connection limit and schema of the database before serving.

It runs in the process that forks the workers, before it does; for `run` also before migrations.
"""

import asyncio
from typing import Any, Final

import asyncpg

from service.database import incidents
from service.database.connections import LOOK_UP_CONNECTIONS, POLL_CONNECTIONS
from service.database.database_state import schema_is_current
from service.database.errors import LOST
from service.database.statements import load
from service.limits import EXPORT_CONNECTIONS
from service.settings import Settings, SettingsError

_OLDEST_VERSION: Final = 150000
"""Oldest supported ``server_version_num``."""
_CONNECT_SECONDS: Final = 10
"""Timeout of opening the connection, in seconds."""
_PROPERTIES: Final = load("operators/preflight")["properties"].text


def check(settings: Settings, dsn: str, *, required: bool) -> None:
    """Raise SettingsError, with one line, if the service cannot work with this database.

    Without ``required``, an unreachable database and a schema behind this release only open their
    incidents, as both may be mended while the service runs. With ``required``, an unreachable
    database is an error, and the schema does not matter: the caller migrates next. Unreachable
    includes any error of PostgreSQL, such as a wrong password. No event loop may run.
    """
    try:
        row, is_current = asyncio.run(_query(dsn))
    except (*LOST, asyncpg.PostgresError) as error:
        if required:
            raise SettingsError(
                f"the database cannot be reached: {incidents.cause(error)}"
            ) from error
        incidents.report_unreachable(error)
        return
    _require_suitable(settings, *row)
    if not required and not is_current:
        incidents.SCHEMA_BEHIND.open(
            f"{incidents.SCHEMA_IS_BEHIND} Until then requests that need the new schema get 503."
        )


async def _query(dsn: str) -> tuple[Any, bool]:
    """Return the server's properties, and whether every migration of this release is applied."""
    connection = await asyncpg.connect(dsn, timeout=_CONNECT_SECONDS)
    try:
        return await connection.fetchrow(_PROPERTIES), await schema_is_current(connection)
    finally:
        await connection.close()


def _require_suitable(
    settings: Settings, version: int, encoding: str, lowers_umlauts: bool, max_connections: int
) -> None:
    """Raise SettingsError unless version, encoding, LC_CTYPE and connection limit suffice.

    ``max_connections`` is the least limit of server (less its reserved connections), role and
    database. Each worker may open ``pool_size`` connections, LOOK_UP_CONNECTIONS, POLL_CONNECTIONS
    and EXPORT_CONNECTIONS. Connections of other programs do not count.
    """
    reserved = LOOK_UP_CONNECTIONS + POLL_CONNECTIONS + EXPORT_CONNECTIONS
    needed = settings.workers * (settings.pool_size + reserved)
    if version < _OLDEST_VERSION:
        raise SettingsError(f"PostgreSQL 15 or newer is needed, not {version // 10000}")
    if encoding != "UTF8" or not lowers_umlauts:
        raise SettingsError("the database must have the encoding UTF8 and a UTF-8 LC_CTYPE")
    if needed > max_connections:
        raise SettingsError(
            f"WORKERS={settings.workers} times (POOL_SIZE={settings.pool_size} and {reserved} more)"
            f" makes {needed} connections; the database allows {max_connections}:"
            " lower WORKERS or POOL_SIZE, or raise max_connections"
        )
