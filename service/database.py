"""Connections and transactions: the only place that knows how PostgreSQL can fail.

Handlers hand work to :meth:`Database.read` and :meth:`Database.write`; the work gets a connection
and never sees the pool. Failures of the server or the network come out as ``server_error.*``
errors that say whether anything was done (contract, section 4).
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias, TypeVar

import asyncpg

from service.errors import ApiError, failure

T = TypeVar("T")
Connection: TypeAlias = asyncpg.Connection

ACQUIRE_SECONDS = 5
READ_SECONDS = 10
WRITE_SECONDS = 30
#: The server ends a statement first; this bounds a server that no longer answers at all.
SILENCE_SECONDS = WRITE_SECONDS + 5
ATTEMPTS = 8

_BEGIN = f"begin; set local statement_timeout = '{WRITE_SECONDS}s'"

#: Failures that say "try the same again": none of them leaves anything behind.
_RETRYABLE = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.InvalidCachedStatementError,
    asyncpg.OutdatedSchemaCacheError,
)
#: Failures of the connection or the server, not of the statement.
_LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    asyncpg.ProtocolError,
    OSError,
    TimeoutError,
)
#: Failures of a server that is there but will not do this now.
_REFUSED = (
    asyncpg.QueryCanceledError,
    asyncpg.LockNotAvailableError,
    asyncpg.InsufficientResourcesError,
    asyncpg.ReadOnlySQLTransactionError,
)


async def _leave(connection: asyncpg.Connection) -> None:
    """Instead of the stock reset, a round trip for nothing: the code leaves no session state.

    A connection that comes back inside a transaction is not trusted and is closed.
    """
    if connection.is_in_transaction():
        connection.terminate()


class Database:
    """A pool of few connections behind a fair queue."""

    def __init__(self, pool: asyncpg.Pool, size: int) -> None:
        self._pool = pool
        # asyncpg's own queue is last in, first out and lets late comers overtake waiters.
        self._turn = asyncio.Semaphore(size)

    @classmethod
    async def open(cls, dsn: str, size: int) -> "Database":
        """A database whose connections are made on first use, so that starting never fails."""
        pool = await asyncpg.create_pool(
            dsn,
            min_size=0,
            max_size=size,
            max_inactive_connection_lifetime=0,
            max_cached_statement_lifetime=0,
            statement_cache_size=1000,
            timeout=ACQUIRE_SECONDS,
            command_timeout=SILENCE_SECONDS,
            reset=_leave,
            server_settings={
                "application_name": "selvedge",
                "jit": "off",
                "statement_timeout": f"{READ_SECONDS}s",
                "timezone": "UTC",
            },
        )
        return cls(pool, size)

    async def close(self) -> None:
        """Close every connection, the busy ones after a short wait."""
        try:
            await asyncio.wait_for(self._pool.close(), ACQUIRE_SECONDS)
        except TimeoutError:
            self._pool.terminate()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection of the pool; raises TimeoutError after ACQUIRE_SECONDS in the queue."""
        async with asyncio.timeout(ACQUIRE_SECONDS):
            await self._turn.acquire()
        try:
            async with self._pool.acquire() as connection:
                yield connection
        finally:
            self._turn.release()

    async def read(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """The result of work that only reads; done again once when its connection was stale."""
        for attempt in range(2):
            try:
                async with self.connection() as connection:
                    return await work(connection)
            except TimeoutError as error:
                raise unavailable() from error
            except (*_RETRYABLE, *_LOST) as error:
                if attempt:
                    raise unavailable() from error
            except _REFUSED as error:
                raise unavailable() from error
        raise AssertionError("unreachable")

    async def write(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """The result of work done in one transaction, committed unless the work raises.

        Serialization failures and deadlocks are tried again here and never reach a caller.
        """
        for attempt in range(ATTEMPTS):
            try:
                async with self.connection() as connection:
                    return await _transaction(connection, work)
            except _RETRYABLE as error:
                if attempt == ATTEMPTS - 1:
                    raise unavailable() from error
                await asyncio.sleep(random.uniform(0, 0.01 * 2**attempt))
            except (*_LOST, *_REFUSED) as error:
                raise unavailable() from error
        raise AssertionError("unreachable")


async def _transaction(connection: Connection, work: Callable[[Connection], Awaitable[T]]) -> T:
    """The result of the work, committed; whatever the work raises, after a rollback."""
    await connection.execute(_BEGIN)
    try:
        result = await work(connection)
    except BaseException:
        await _roll_back(connection)
        raise
    try:
        await connection.execute("commit")
    except _RETRYABLE:
        raise
    except (*_LOST, asyncpg.QueryCanceledError, asyncpg.InternalServerError) as error:
        raise failure(
            "server_error.outcome_unknown",
            value="The connection was lost while committing; read the records before retrying.",
        ) from error
    return result


async def _roll_back(connection: Connection) -> None:
    """Leave the transaction; a connection that cannot is closed, which ends it as well."""
    try:
        await asyncio.shield(connection.execute("rollback", timeout=ACQUIRE_SECONDS))
    except (asyncpg.PostgresError, *_LOST, asyncio.CancelledError):
        connection.terminate()


def unavailable(reason: str = "The service is unavailable; try again soon.") -> ApiError:
    """503 with ``Retry-After``: the database is away or overloaded, and nothing was done."""
    error = failure("server_error.unavailable", value=reason)
    error.headers["Retry-After"] = "1"
    return error
