"""One connection to PostgreSQL, as the service uses it, and how long anything may take on it."""

import sys
from typing import Final

import asyncpg

from service.database import incidents
from service.database.errors import LOST

ACQUIRE_SECONDS: Final = 5
READ_SECONDS: Final = 10
WRITE_SECONDS: Final = 30
SILENCE_SECONDS: Final = WRITE_SECONDS + 5
"""The server ends a statement first; this bounds a server that no longer answers at all."""

#: Prepared statements that a connection keeps, and the bytes of the longest of them: together they
#: bound what a caller of ever new filters can make each session hold.
STATEMENTS: Final = 150
LONGEST_STATEMENT: Final = 6 * 1024

#: A server that looks whether its client is still there ends what a killed worker began.
_CHECK_CONNECTION: Final = (
    {"client_connection_check_interval": "1s"} if sys.platform == "linux" else {}
)


async def connect(dsn: str) -> asyncpg.Connection:
    """Return a connection; raises one of LOST where none can be had, which is told."""
    try:
        connection = await asyncpg.connect(
            dsn,
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
        incidents.is_lost(error)
        raise ConnectionError("The server does not let the service in.") from error
    except LOST as error:
        incidents.is_lost(error)
        raise
    incidents.AWAY.close()
    return connection
