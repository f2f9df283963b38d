"""Connection factory: opens PostgreSQL connections with the service's timeouts and settings."""

import sys
from typing import Final

import asyncpg

from service.database import incidents
from service.database.errors import LOST
from service.database.pipeline import PipelinedConnection
from service.limits import ACQUIRE_SECONDS, READ_SECONDS, WRITE_SECONDS

SILENCE_SECONDS: Final = WRITE_SECONDS + 5
"""Client-side timeout of a statement, for a server that no longer responds at all."""

#: Size of a connection's cache of prepared statements, and the maximum length in bytes of a cached
#: one. Together they bound the memory that a caller with ever new filters can make a session use.
STATEMENTS: Final = 150
LONGEST_STATEMENT: Final = 6 * 1024

#: Makes the server cancel the statements of a worker that was killed.
_CHECK_CONNECTION: Final = (
    {"client_connection_check_interval": "1s"} if sys.platform == "linux" else {}
)


async def connect(dsn: str) -> PipelinedConnection:
    """Return a new connection; log the failure and raise one of LOST if that fails."""
    try:
        connection: PipelinedConnection = await asyncpg.connect(
            dsn,
            connection_class=PipelinedConnection,
            max_cached_statement_lifetime=0,
            statement_cache_size=STATEMENTS,
            max_cacheable_statement_size=LONGEST_STATEMENT,
            timeout=ACQUIRE_SECONDS,
            command_timeout=SILENCE_SECONDS,
            server_settings={
                "application_name": "selvedge",
                "jit": "off",
                "statement_timeout": f"{READ_SECONDS}s",
                "timezone": "UTC",
                **_CHECK_CONNECTION,
            },
        )
    except asyncpg.PostgresError as error:
        incidents.report_unreachable(error)
        raise ConnectionError("PostgreSQL refuses the connection; the log says why.") from error
    except LOST as error:
        incidents.report_unreachable(error)
        raise
    incidents.AWAY.close()
    return connection
