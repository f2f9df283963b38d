"""Connection pool and transactions, with retries and the mapping of database failures.

Handlers pass work to ``Database.read`` and ``Database.write``. The work gets a connection and
never sees the pool. A failure of the server or the network becomes an ApiError, 429 or 503, that
says whether anything was changed (contract, Outages). Other errors of the work pass unchanged.
Every worker has its own ``Database``.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import asyncpg

from service.database.connection_factory import connect
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
# Problem: a plan made while a table was almost empty scans the whole table, also once it has grown.
# Writes find their rows by id, so sequential scans are off for them.
_BEGIN = (
    "begin",
    f"set local statement_timeout = '{WRITE_SECONDS}s'",
    "set local enable_seqscan = off",
)


class _ConnectionPool:
    """Pool of up to ``size`` connections, leased to organizations by a fair queue of that size.

    Rejected: asyncpg's own pool. It lets new requests overtake queued ones, and takes a fifth of
    the processor time of a short read. A connection needs no reset, as the code leaves no session
    state behind.
    """

    def __init__(
        self,
        dsn: str,
        size: int,
        on_termination: Callable[[object], None],
        traces: "Traces | None",
        contention: ContentionSignal,
    ) -> None:
        self._dsn = dsn
        self._on_termination = on_termination
        self._traces = traces
        new_queue = FairQueue if traces is None else traces.fair_queue
        self.queue: FairQueue[Connection | None] = new_queue(
            [None] * size, ACQUIRE_SECONDS, contention
        )
        self._open: set[Connection] = set()
        self._running: set[asyncio.Task[Any]] = set()

    async def close(self) -> None:
        """Close every connection; wait ACQUIRE_SECONDS at most for transactions, not for reads."""
        if self._running:
            await asyncio.wait(self._running, timeout=ACQUIRE_SECONDS)
        for connection in self._open:
            connection.terminate()

    def run_to_end(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Return a task that runs the work to its end, whether or not anyone awaits it."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._on_done)
        return task

    def _on_done(self, task: "asyncio.Task[Any]") -> None:
        self._running.discard(task)
        if not task.cancelled():
            # Retrieved, or asyncio would log an exception that no one awaited.
            task.exception()

    async def acquire(self, organization_id: int, kind: LeaseKind) -> Connection:
        """Lease a connection, opened on first use and after a loss. The caller releases it.

        Raise QueueTimeoutError after ACQUIRE_SECONDS of waiting, one of LOST if none can be opened.
        """
        connection = await self.queue.acquire(organization_id, kind)
        if connection is None or connection.is_closed():
            self._open.discard(connection)
            try:
                connection = await connect(self._dsn)
            except BaseException:
                self.queue.release(None, organization_id, kind)
                raise
            connection.add_termination_listener(self._on_termination)
            if self._traces is not None:
                connection.add_query_logger(self._traces.statement)
            self._open.add(connection)
        return connection

    def release(self, connection: Connection, organization_id: int, kind: LeaseKind) -> None:
        """Return a connection to the queue; close it first if it is inside a transaction."""
        if not connection.is_closed() and connection.is_in_transaction():
            connection.terminate()
        self.queue.release(connection, organization_id, kind)

    async def release_canceled(
        self, connection: Connection, organization_id: int, kind: LeaseKind
    ) -> None:
        """Release a connection once the server has ended its canceled statement.

        Until then, for ACQUIRE_SECONDS at most, the server works for the organization, so its lease
        goes on.
        """
        try:
            await connection.execute("begin; rollback", timeout=ACQUIRE_SECONDS)
        except (asyncpg.PostgresError, *LOST):
            connection.terminate()
        finally:
            self.release(connection, organization_id, kind)


class Database:
    """Connection pool of ``size`` for the work of callers, beside one reserved connection.

    Key look-ups, readiness checks and background polls use the reserved one, so that they never
    wait behind the work of callers (contract, Shares).
    """

    def __init__(self, dsn: str, size: int, traces: "Traces | None" = None) -> None:
        self._outage_monitor = OutageMonitor(lambda: self.look_up(_ping))
        listener = self._outage_monitor.start
        self._pool = _ConnectionPool(dsn, size, listener, traces, CONTENTION)
        # A signal of its own: look-ups of made-up keys must not count as active organizations.
        self._reserved = _ConnectionPool(dsn, 1, listener, traces, ContentionSignal())

    async def close(self) -> None:
        """Close every connection, after at most ACQUIRE_SECONDS in each pool for work to end."""
        self._outage_monitor.stop()
        await self._pool.close()
        await self._reserved.close()

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


async def _ping(connection: Connection) -> None:
    # asyncpg fails on an empty statement when it is the first of its connection.
    await connection.execute("begin; rollback")


async def _read(
    pool: _ConnectionPool, work: Callable[[Connection], Awaitable[T]], organization_id: int
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
