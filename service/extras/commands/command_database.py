"""Database access of commands: the configured database, or the embedded one, started if needed.

The configured one is that of ``DATABASE_URL``. Without it, the embedded one in ``DATA_DIR`` is
used.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Concatenate, ParamSpec, TypeVar

import asyncpg

from service.database import distribution, incidents
from service.database.database_state import schema_is_current
from service.database.errors import LOST
from service.extras.commands import CommandError
from service.extras.embedded import has_data, running_server
from service.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")


class OldSchemaError(CommandError):
    """The schema of the database is older than this release."""

    def __init__(self) -> None:
        super().__init__("the schema is older than this release: run `selvedge migrate`")


def require_data(settings: Settings) -> None:
    """Raise CommandError if the embedded server is configured and no process ever used its folder.

    The folder may be the wrong one, and must not get a new database then.
    """
    if settings.database_url is None and not has_data(settings.data_dir):
        reason = f"there is no database in {settings.data_dir}"
        remedy = "set DATA_DIR or DATABASE_URL, or create it by `selvedge migrate`"
        raise CommandError(f"{reason}: {remedy}")


@contextmanager
def database(settings: Settings, *, creates: bool = False) -> Iterator[str]:
    """Yield the DSN of the configured database, or of the embedded one while it runs.

    An embedded server that another process runs is used; otherwise one runs until the block ends.
    Raise CommandError if the embedded database does not exist, unless ``creates``, and
    EmbeddedServerError if its server does not start, or that of the other process is not ready in
    300 s. Nothing connects to a database of DATABASE_URL here.
    """
    if not creates:
        require_data(settings)
    if settings.database_url is not None:
        yield settings.database_url
    else:
        with running_server(settings.data_dir) as dsn:
            yield dsn


async def _connect(dsn: str) -> asyncpg.Connection:
    try:
        return await asyncpg.connect(dsn, timeout=10)
    except (*LOST, asyncpg.PostgresError) as error:
        raise CommandError(f"the database cannot be reached: {incidents.cause(error)}") from error


def execute(dsn: str, work: Callable[[asyncpg.Connection], Awaitable[T]]) -> T:
    """Return the result of work on one new connection, outside a transaction.

    It runs in an event loop of its own, so no loop may run in the thread. Raise CommandError if the
    database cannot be reached in 10 s, DistributionError on a worker node of a cluster, and
    OldSchemaError if the schema is older than this release; errors of the work pass unchanged.
    """

    async def run() -> T:
        connection = await _connect(dsn)
        try:
            await distribution.require_coordinator(connection)
            if not await schema_is_current(connection):
                raise OldSchemaError
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(run())


def run(
    settings: Settings,
    work: Callable[Concatenate[asyncpg.Connection, P], Awaitable[T]],
    *arguments: P.args,
    **options: P.kwargs,
) -> T:
    """Return the result of work on the configured database, by ``database`` and ``execute``."""
    with database(settings) as dsn:
        return execute(dsn, lambda connection: work(connection, *arguments, **options))
