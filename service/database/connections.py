"""Connections and transactions: the only place that knows how PostgreSQL can fail.

Handlers hand work to :meth:`Database.read` and :meth:`Database.write`; the work gets a connection
and never sees the pool. Failures of the server or the network come out as ``server_error.*``
errors that say whether anything was done (contract, section 4).
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from typing import TypeAlias, TypeVar

import asyncpg

from service.database.turns import Turns
from service.failures import ApiError, failed

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
    # A server that shuts down says so between two statements too, which asyncpg does not expect.
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
#: What leaves a connection that is of no more use, or whose answer may still come.
_UNANSWERED = (*_LOST, asyncio.CancelledError)
#: Failures of a server that is there but will not do this now.
_REFUSED = (
    asyncpg.QueryCanceledError,
    asyncpg.LockNotAvailableError,
    asyncpg.InsufficientResourcesError,
    asyncpg.ReadOnlySQLTransactionError,
)


class Database:
    """Few connections behind a fair queue.

    asyncpg's own pool is last in, first out, lets late comers overtake waiters, and takes a fifth
    of the processor time of a short read. A connection needs no reset: the code leaves no session
    state behind.
    """

    def __init__(self, dsn: str, size: int) -> None:
        self._dsn = dsn
        self._size = size
        self._turns: Turns[Connection | None] = Turns([None] * size, ACQUIRE_SECONDS)
        self._bulk_turns = Turns(range(max(1, size // 2)), ACQUIRE_SECONDS)
        self._open: set[Connection] = set()

    async def close(self) -> None:
        """Close every connection, the busy ones after a short wait."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ACQUIRE_SECONDS):
                for _ in range(self._size):
                    await self._turns.take()
        for connection in self._open:
            connection.terminate()

    @asynccontextmanager
    async def bulk_turn(self) -> AsyncIterator[None]:
        """The right to a bulk write: these take long, so half of the connections is not theirs."""
        turn = await self._bulk_turns.take()
        try:
            yield
        finally:
            self._bulk_turns.give_back(turn)

    async def take(self) -> Connection:
        """A connection, made on first use; raises TimeoutError after ACQUIRE_SECONDS of waiting."""
        connection = await self._turns.take()
        if connection is None or connection.is_closed():
            self._open.discard(connection)
            try:
                connection = await self._connect()
            except BaseException:
                self._turns.give_back(None)
                raise
            self._open.add(connection)
        return connection

    def give_back(self, connection: Connection) -> None:
        """Let the next one have it; one that is inside a transaction is not trusted and closed."""
        if not connection.is_closed() and connection.is_in_transaction():
            connection.terminate()
        self._turns.give_back(connection)

    async def _connect(self) -> Connection:
        try:
            return await asyncpg.connect(
                self._dsn,
                max_cached_statement_lifetime=0,
                statement_cache_size=1000,
                timeout=ACQUIRE_SECONDS,
                command_timeout=SILENCE_SECONDS,
                server_settings={
                    "application_name": "selvedge",
                    "jit": "off",
                    "statement_timeout": f"{READ_SECONDS}s",
                    "timezone": "UTC",
                },
            )
        except asyncpg.PostgresError as error:
            raise ConnectionError("The server does not let the service in.") from error

    async def read(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """The result of work that only reads; done again once when its connection was stale."""
        for attempt in range(2):
            try:
                async with _Borrowed(self) as connection:
                    return await work(connection)
            except TimeoutError as error:
                raise unavailable() from error
            except (*_RETRYABLE, *_LOST) as error:
                if attempt:
                    raise unavailable() from error
            except _REFUSED as error:
                raise unavailable() from error
        raise AssertionError("unreachable")

    async def write(
        self, work: Callable[[Connection], Awaitable[T]], *, is_bulk: bool = False
    ) -> T:
        """The result of work done in one transaction, committed unless the work raises.

        Serialization failures and deadlocks are tried again here and never reach a caller.
        """
        for attempt in range(ATTEMPTS):
            turn = self.bulk_turn() if is_bulk else nullcontext()
            try:
                async with turn, _Borrowed(self) as connection:
                    return await _transaction(connection, work)
            except _RETRYABLE as error:
                if attempt == ATTEMPTS - 1:
                    raise unavailable() from error
                await asyncio.sleep(random.uniform(0, 0.01 * 2**attempt))
            except (*_LOST, *_REFUSED) as error:
                raise unavailable() from error
        raise AssertionError("unreachable")


class _Borrowed:
    """A connection for the while; one whose statement was left unanswered is closed."""

    __slots__ = ("_connection", "_database")

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __aenter__(self) -> Connection:
        self._connection = await self._database.take()
        return self._connection

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and issubclass(kind, _UNANSWERED):
            self._connection.terminate()
        self._database.give_back(self._connection)


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
        connection.terminate()
        raise failed(
            "server_error.outcome_unknown",
            message="The connection was lost while committing; read the records before retrying.",
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
    return failed("server_error.unavailable", message=reason, headers={"Retry-After": "1"})
