"""The database of a command: the operator's, or the embedded one, at work or started for it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import asyncpg

from service.commands import CommandError
from service.database import incidents
from service.database.errors import LOST
from service.database.migrations import schema_is_current
from service.embedded import has_data, running_server
from service.settings import Settings

T = TypeVar("T")


def require_data(settings: Settings) -> None:
    """Raise CommandError where an embedded server would begin with nothing, in the wrong folder."""
    if settings.database_url is None and not has_data(settings.data_dir):
        where = f"there are no data in {settings.data_dir}"
        hint = "set DATA_DIR or DATABASE_URL, or make them by `selvedge migrate`"
        raise CommandError(f"{where}: {hint}")


@contextmanager
def database(settings: Settings, *, creates: bool = False) -> Iterator[str]:
    """Give the DSN of the database that the settings name.

    CommandError where an embedded one is not there, and is not to be made.
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
        why = f"the database cannot be reached: {incidents.cause(error)}"
        raise CommandError(why) from error


def execute(dsn: str, work: Callable[[asyncpg.Connection], Awaitable[T]]) -> T:
    """Return the result of work on one connection; CommandError while the schema is behind."""

    async def run() -> T:
        connection = await _connect(dsn)
        try:
            if not await schema_is_current(connection):
                raise CommandError("the schema is behind this release: run `selvedge migrate`")
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(run())
