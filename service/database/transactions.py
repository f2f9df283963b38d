"""Transaction: work between begin and commit, and its outcome if the connection fails."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import asyncpg

from service.database.errors import BROKEN, LOST, RETRYABLE, outcome_unknown
from service.database.pipeline import PipelinedConnection
from service.limits import ACQUIRE_SECONDS, WRITE_SECONDS

T = TypeVar("T")

# Problem: a plan made while a table was almost empty scans the whole table, also once it has grown.
# Writes find their rows by id, so sequential scans are off for them.
_BEGIN = (
    "begin",
    f"set local statement_timeout = '{WRITE_SECONDS}s'",
    "set local enable_seqscan = off",
)


async def run_transaction(
    connection: PipelinedConnection, work: Callable[[PipelinedConnection], Awaitable[T]]
) -> T:
    """Return the result of the work after a commit; raise its error after a rollback."""
    for text in _BEGIN:
        await connection.defer(text)
    try:
        result = await work(connection)
    except BaseException:
        await _roll_back(connection)
        raise
    try:
        await connection.execute("commit")
    except RETRYABLE:
        await _roll_back(connection)
        raise
    except (*LOST, *BROKEN, asyncpg.QueryCanceledError) as error:
        connection.terminate()
        raise outcome_unknown() from error
    return result


async def _roll_back(connection: PipelinedConnection) -> None:
    """Roll the transaction back; close the connection if that fails, which ends it as well."""
    connection.drop_deferred()
    try:
        await asyncio.shield(connection.execute("rollback", timeout=ACQUIRE_SECONDS))
    except (asyncpg.PostgresError, *LOST, asyncio.CancelledError):
        connection.terminate()
