"""Connection pool and transactions, with retries and the mapping of database failures.

Handlers pass work to ``Database.read`` and ``Database.write``. The work gets a connection and
never sees the pool. A failure of the server or the network becomes an ApiError, 429 or 503, that
says whether anything was changed (contract, Outages). Other errors of the work pass unchanged.
Every worker has its own ``Database``.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import asyncpg

from service.database.connection_pool import ConnectionPool
from service.database.contention import CONTENTION, ContentionSignal
from service.database.errors import (
    BROKEN,
    LOST,
    REFUSED,
    RETRYABLE,
    leaves_unusable,
    outcome_unknown,
    refused,
    schema_is_behind,
    unavailable,
)
from service.database.fair_queue import READ, WRITE, FairQueue, LeaseKind
from service.database.migrations import schema_is_current
from service.database.outage_monitor import OutageMonitor
from service.database.pipeline import PipelinedConnection
from service.errors import ApiError
from service.limits import ACQUIRE_SECONDS, WRITE_SECONDS

if TYPE_CHECKING:
    from service.database.tracing import Traces  # an extra, which may not be installed

T = TypeVar("T")
Connection: TypeAlias = PipelinedConnection
"""Database connection, as work gets it from the pool."""

ATTEMPTS = 8
"""Maximum number of tries of a transaction."""
LOOK_UP_CONNECTIONS: Final = 2
"""Connections beside the pool for key look-ups and readiness: no organization holds both."""
POLL_CONNECTIONS: Final = 2
"""Connections beside the pool for polls: a statement that hangs delays no other."""
POLL_SECONDS: Final = 0.5
"""Timeout of a poll of one organization."""
_ALL_SECONDS: Final = 2
"""Timeout of a poll of all organizations."""
# Problem: a plan made while a table was almost empty scans the whole table, also once it has grown.
# Writes find their rows by id, so sequential scans are off for them.
_BEGIN = (
    "begin",
    f"set local statement_timeout = '{WRITE_SECONDS}s'",
    "set local enable_seqscan = off",
)


class Database:
    """Connection pool of ``size`` for the work of callers, beside small pools.

    Key look-ups and readiness checks have one, background polls another one, so that neither waits
    behind the work of callers (contract, Shares).
    """

    def __init__(self, dsn: str, size: int, traces: "Traces | None" = None) -> None:
        self._outage_monitor = OutageMonitor(lambda: self.look_up(_ping))
        listener = self._outage_monitor.start
        self._pool = ConnectionPool(dsn, size, listener, traces, CONTENTION)
        # A signal of its own: look-ups of made-up keys must not count as active organizations.
        self._reserved = ConnectionPool(
            dsn, LOOK_UP_CONNECTIONS, listener, traces, ContentionSignal()
        )
        self._polling = ConnectionPool(dsn, POLL_CONNECTIONS, listener, traces, ContentionSignal())

    async def close(self) -> None:
        """Close every connection, after at most ACQUIRE_SECONDS in each pool for work to end."""
        self._outage_monitor.stop()
        await self._pool.close()
        await self._reserved.close()
        await self._polling.close()

    @property
    def queue(self) -> FairQueue[Connection | None]:
        """Queue of the pool for callers, for metrics and the estimate of ``Retry-After``."""
        return self._pool.queue

    async def read(self, work: Callable[[Connection], Awaitable[T]], organization_id: int) -> T:
        """Return the result of work that only reads, outside a transaction.

        Run the work again once after a RETRYABLE failure or a lost connection, but not after a
        timeout. Cancel its statement if the calling task is canceled. Raise ApiError 429 or 503.
        """
        try:
            return await _read(self._pool, work, organization_id)
        except asyncpg.SyntaxOrAccessError as error:
            raise await self._schema_error_or(error) from error

    async def look_up(
        self, work: Callable[[Connection], Awaitable[T]], organization_id: int = 0
    ) -> T:
        """Return the result of a short read, as ``read`` does, but on the reserved connection.

        Its queue is fair, too; the service's own work has the organization id 0.
        """
        try:
            return await _read(self._reserved, work, organization_id)
        except asyncpg.SyntaxOrAccessError as error:
            raise await self._schema_error_or(error) from error

    async def poll(self, work: Callable[[Connection], Awaitable[T]], organization_id: int = 0) -> T:
        """Return the result of a short read in the background, on a connection for polls.

        Raise ApiError as ``read`` does, also after POLL_SECONDS, or two seconds for the id 0, which
        stands for all organizations: on a cluster a node may hang.
        """
        limited = partial(_limited, work, POLL_SECONDS if organization_id else _ALL_SECONDS)
        try:
            return await _read(self._polling, limited, organization_id)
        except asyncpg.SyntaxOrAccessError as error:
            raise await self._schema_error_or(error) from error

    async def write(
        self,
        work: Callable[[Connection], Awaitable[T]],
        organization_id: int,
        kind: LeaseKind = WRITE,
    ) -> T:
        """Return the result of work done in one transaction, committed unless the work raises.

        Only after a RETRYABLE failure run the work again, up to ATTEMPTS times in all. A
        transaction that has begun runs to its end, even if the calling task is canceled. Raise
        ApiError 429 or 503 for an outage.
        """
        for attempt in range(ATTEMPTS):
            try:
                connection = await self._pool.acquire(organization_id, kind)
                transaction = self._run(connection, work, organization_id, kind)
                return await asyncio.shield(self._pool.run_to_end(transaction))
            except RETRYABLE as error:
                if attempt == ATTEMPTS - 1:
                    raise unavailable() from error
                await asyncio.sleep(random.uniform(0, 0.01 * 2**attempt))
            except (*LOST, *REFUSED, *BROKEN) as error:
                raise refused(error, "write") from error
            except asyncpg.SyntaxOrAccessError as error:
                raise await self._schema_error_or(error) from error
        raise AssertionError("unreachable")

    async def _schema_error_or(self, error: Exception) -> Exception:
        """Return 503 if the schema is behind or cannot be read, else the error: it is a defect."""
        try:
            is_current = await _read(self._reserved, schema_is_current, 0)
        except ApiError as unavailable_error:
            return unavailable_error
        return error if is_current else schema_is_behind()

    async def _run(
        self,
        connection: Connection,
        work: Callable[[Connection], Awaitable[T]],
        organization_id: int,
        kind: LeaseKind,
    ) -> T:
        try:
            return await _transaction(connection, work)
        except BaseException as error:
            if leaves_unusable(type(error)):
                connection.terminate()
            raise
        finally:
            self._pool.release(connection, organization_id, kind)


async def _limited(
    work: Callable[[Connection], Awaitable[T]], seconds: float, connection: Connection
) -> T:
    """Return the result of work; raise TimeoutError after a time, which ends the connection.

    PostgreSQL's own limit does not hold on a cluster: a coordinator that cancels a statement waits
    for the node.
    """
    async with asyncio.timeout(seconds):
        return await work(connection)


async def _ping(connection: Connection) -> None:
    # asyncpg fails on an empty statement when it is the first of its connection.
    await connection.execute("begin; rollback")


async def _read(
    pool: ConnectionPool, work: Callable[[Connection], Awaitable[T]], organization_id: int
) -> T:
    """Return the result of work outside a transaction, run at most twice; raise ApiError."""
    for attempt in range(2):
        try:
            connection = await pool.acquire(organization_id, READ)
            try:
                result = await work(connection)
            except asyncio.CancelledError:
                pool.run_to_end(pool.release_canceled(connection, organization_id, READ))
                raise
            except BaseException as error:
                if leaves_unusable(type(error)):
                    connection.terminate()
                pool.release(connection, organization_id, READ)
                raise
            pool.release(connection, organization_id, READ)
            return result
        except (*RETRYABLE, *LOST) as error:
            if attempt or isinstance(error, TimeoutError):
                raise refused(error) from error
        except (*REFUSED, *BROKEN) as error:
            raise refused(error) from error
    raise AssertionError("unreachable")


async def _transaction(connection: Connection, work: Callable[[Connection], Awaitable[T]]) -> T:
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


async def _roll_back(connection: Connection) -> None:
    """Roll the transaction back; close the connection if that fails, which ends it as well."""
    connection.drop_deferred()
    try:
        await asyncio.shield(connection.execute("rollback", timeout=ACQUIRE_SECONDS))
    except (asyncpg.PostgresError, *LOST, asyncio.CancelledError):
        connection.terminate()
