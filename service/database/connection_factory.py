"""Connection factory: opens PostgreSQL connections with the service's timeouts and settings.

The pools and the snapshots of exports use it; commands and the preflight check connect by
themselves.
"""

import sys
from typing import Final

import asyncpg

from service.database import incidents
from service.database.errors import LOST
from service.database.pipeline import PipelinedConnection
from service.limits import ACQUIRE_SECONDS, READ_SECONDS, WRITE_SECONDS

SILENCE_SECONDS: Final = WRITE_SECONDS + 5
"""Client-side timeout of a statement, in seconds, for a server that no longer responds at all.

It is longer than each server-side timeout, so that a working server reports these itself.
"""

CACHED_STATEMENTS: Final = 150
"""Maximum number of prepared statements that a connection caches: the most recently used ones."""
MAX_CACHED_STATEMENT_BYTES: Final = 6 * 1024
"""Maximum length of a cached statement in characters; longer ones are prepared for each use.

With their number it bounds the memory that a caller with ever new filters can make a session use.
"""
WORK_MEMORY: Final = "16MB"
"""Memory of a sort or bitmap in PostgreSQL.

With 4 MB, PostgreSQL's default, the bitmap of a frequent word loses rows beyond 60,000 pages of a
table, and a search of 10,000,000 colors compares hundred thousands of texts again.
"""
_CHECK_CONNECTION: Final = (
    {"client_connection_check_interval": "1s"} if sys.platform == "linux" else {}
)
"""Setting by which the server cancels, within 1 s, the statements of a worker that was killed.

Servers on other systems may refuse it, so it is left out there.
"""


async def connect(dsn: str) -> PipelinedConnection:
    """Return a new connection, or report the failure to the log and raise one of ``errors.LOST``.

    Any error of the server is raised as ConnectionError. Success closes the incident of the
    unreachable database. The connection is in autocommit mode, with a statement timeout of
    READ_SECONDS; a write sets its own. Raise TimeoutError if connecting takes ACQUIRE_SECONDS.
    """
    try:
        connection: PipelinedConnection = await asyncpg.connect(
            dsn,
            connection_class=PipelinedConnection,
            max_cached_statement_lifetime=0,
            statement_cache_size=CACHED_STATEMENTS,
            max_cacheable_statement_size=MAX_CACHED_STATEMENT_BYTES,
            timeout=ACQUIRE_SECONDS,
            command_timeout=SILENCE_SECONDS,
            server_settings={
                "application_name": "selvedge",
                # Without it, asyncpg's look-up of a type takes a second on a cluster's nodes.
                "citus.override_table_visibility": "off",
                "jit": "off",
                "statement_timeout": f"{READ_SECONDS}s",
                "timezone": "UTC",
                "work_mem": WORK_MEMORY,
                **_CHECK_CONNECTION,
            },
        )
    except asyncpg.PostgresError as error:
        incidents.report_unreachable(error)
        raise ConnectionError("PostgreSQL refuses the connection; the log says why.") from error
    except LOST as error:
        incidents.report_unreachable(error)
        raise
    incidents.UNREACHABLE.close()
    return connection
