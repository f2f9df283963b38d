"""Connections and transactions: the only place that knows how PostgreSQL can fail.

Handlers hand work to :meth:`Database.read` and :meth:`Database.write`; the work gets a connection
and never sees the pool. Failures of the server or the network come out as ``server_error.*``
errors that say whether anything was done (contract, Outages).
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import asyncpg

from service.database.connection_factory import ACQUIRE_SECONDS, WRITE_SECONDS, connect
from service.database.errors import (
    BROKEN,
    LOST,
    REFUSED,
    RETRYABLE,
    is_of_no_more_use,
    outcome_unknown,
    refused,
    schema_is_behind,
    unavailable,
)
from service.database.fair_queue import COMERS, READ, WRITE, ContentionSignal, FairQueue, LeaseKind
from service.database.migrations import schema_is_current
from service.database.outage_monitor import OutageMonitor
from service.errors import ApiError

if TYPE_CHECKING:
    from service.database.tracing import Traces  # an extra, which may not be installed

T = TypeVar("T")
Connection: TypeAlias = asyncpg.Connection

ATTEMPTS = 8

#: What writes finds its rows by their ids, so that a plan made while a table was all but empty does
#: not go on reading all of it once it has grown.
_BEGIN = f"begin; set local statement_timeout = '{WRITE_SECONDS}s'; set local enable_seqscan = off"


class _ConnectionPool:
    """Connections to one server, shared out among organizations.

    asyncpg's own pool is last in, first out, lets late comers overtake waiters, and takes a fifth
    of the processor time of a short read. A connection needs no reset: the code leaves no session
    state behind.
    """

    def __init__(
        self,
        dsn: str,
        size: int,
        tell_of_end: Callable[[object], None],
        traces: "Traces | None",
        comers: ContentionSignal,
    ) -> None:
        self._dsn = dsn
        self._tell_of_end = tell_of_end
        self._traces = traces
        make = FairQueue if traces is None else traces.fair_queue
        self.queue: FairQueue[Connection | None] = make([None] * size, ACQUIRE_SECONDS, comers)
        self._open: set[Connection] = set()
        self._running: set[asyncio.Task[Any]] = set()

    async def close(self) -> None:
        """Close every connection; what is under way has a short while to end."""
        if self._running:
            await asyncio.wait(self._running, timeout=ACQUIRE_SECONDS)
        for connection in self._open:
            connection.terminate()

    def run_to_end(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """The work as a task that is brought to its end, whether or not anyone waits for it."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._running.discard(task)
        if not task.cancelled():
            # Read, or asyncio would complain where no one waited for it.
            task.exception()

    async def acquire(self, organization_id: int, use: LeaseKind) -> Connection:
        """A connection, made on first use; raises NoTurnError after ACQUIRE_SECONDS of waiting."""
        connection = await self.queue.acquire(organization_id, use)
        if connection is None or connection.is_closed():
            self._open.discard(connection)
            try:
                connection = await connect(self._dsn)
            except BaseException:
                self.queue.release(None, organization_id, use)
                raise
            connection.add_termination_listener(self._tell_of_end)
            if self._traces is not None:
                connection.add_query_logger(self._traces.statement)
            self._open.add(connection)
        return connection

    def release(self, connection: Connection, organization_id: int, use: LeaseKind) -> None:
        """Let the next one have it; one that is inside a transaction is not trusted and closed."""
        if not connection.is_closed() and connection.is_in_transaction():
            connection.terminate()
        self.queue.release(connection, organization_id, use)

    async def release_unused(
        self, connection: Connection, organization_id: int, use: LeaseKind
    ) -> None:
        """Give a connection back once the server has taken notice that its statement is canceled.

        Until then it works for its organization, which does not get another one for that.
        """
        try:
            await connection.execute("begin; rollback", timeout=ACQUIRE_SECONDS)
        except (asyncpg.PostgresError, *LOST):
            connection.terminate()
        finally:
            self.release(connection, organization_id, use)


class Database:
    """Connections for what callers ask, and one kept free for keys and readiness.

    So that neither waits behind callers (contract, Shares).
    """

    def __init__(self, dsn: str, size: int, traces: "Traces | None" = None) -> None:
        self._watch = OutageMonitor(lambda: self.look_up(_is_there))
        self._connections = _ConnectionPool(dsn, size, self._watch.start, traces, COMERS)
        # Made-up keys are looked up here: they tell nobody that other organizations are active.
        self._spare = _ConnectionPool(dsn, 1, self._watch.start, traces, ContentionSignal())

    async def close(self) -> None:
        """Close every connection; what is under way has a short while to end."""
        self._watch.stop()
        await self._connections.close()
        await self._spare.close()

    @property
    def queue(self) -> FairQueue[Connection | None]:
        """Who has connections and who waits for one, for those who count."""
        return self._connections.queue

    async def read(self, work: Callable[[Connection], Awaitable[T]], organization_id: int) -> T:
        """The result of work that only reads; done again once when its connection was stale.

        Where its caller is gone the statement is canceled.
        """
        try:
            return await _read(self._connections, work, organization_id)
        except asyncpg.SyntaxOrAccessError as error:
            raise await self._explained(error) from error

    async def look_up(
        self, work: Callable[[Connection], Awaitable[T]], organization_id: int = 0
    ) -> T:
        """The result of a short read that waits behind no caller's work."""
        try:
            return await _read(self._spare, work, organization_id)
        except asyncpg.SyntaxOrAccessError as error:
            raise await self._explained(error) from error

    async def write(
        self,
        work: Callable[[Connection], Awaitable[T]],
        organization_id: int,
        use: LeaseKind = WRITE,
    ) -> T:
        """The result of work done in one transaction, committed unless the work raises.

        Serialization failures and deadlocks are tried again here and never reach a caller. What
        has begun is brought to its end, whether or not its caller is still there.
        """
        for attempt in range(ATTEMPTS):
            try:
                connection = await self._connections.acquire(organization_id, use)
                running = self._run(connection, work, organization_id, use)
                return await asyncio.shield(self._connections.run_to_end(running))
            except RETRYABLE as error:
                if attempt == ATTEMPTS - 1:
                    raise unavailable() from error
                await asyncio.sleep(random.uniform(0, 0.01 * 2**attempt))
            except (*LOST, *REFUSED, *BROKEN) as error:
                raise refused(error, "write") from error
            except asyncpg.SyntaxOrAccessError as error:
                raise await self._explained(error) from error
        raise AssertionError("unreachable")

    async def _explained(self, error: Exception) -> Exception:
        """What a statement that the server cannot take means: an old schema, or else a defect."""
        try:
            is_current = await _read(self._spare, schema_is_current, 0)
        except ApiError as unknown:
            return unknown
        return error if is_current else schema_is_behind()

    async def _run(
        self,
        connection: Connection,
        work: Callable[[Connection], Awaitable[T]],
        organization_id: int,
        use: LeaseKind,
    ) -> T:
        try:
            return await _transaction(connection, work)
        except BaseException as error:
            if is_of_no_more_use(type(error)):
                connection.terminate()
            raise
        finally:
            self._connections.release(connection, organization_id, use)


async def _is_there(connection: Connection) -> None:
    # asyncpg fails on an empty statement when it is the first of its connection.
    await connection.execute("begin; rollback")


async def _read(
    connections: _ConnectionPool, work: Callable[[Connection], Awaitable[T]], organization_id: int
) -> T:
    for attempt in range(2):
        try:
            connection = await connections.acquire(organization_id, READ)
            try:
                result = await work(connection)
            except asyncio.CancelledError:
                giving = connections.release_unused(connection, organization_id, READ)
                connections.run_to_end(giving)
                raise
            except BaseException as error:
                if is_of_no_more_use(type(error)):
                    connection.terminate()
                connections.release(connection, organization_id, READ)
                raise
            connections.release(connection, organization_id, READ)
            return result
        except (*RETRYABLE, *LOST) as error:
            if attempt or isinstance(error, TimeoutError):
                raise refused(error) from error
        except (*REFUSED, *BROKEN) as error:
            raise refused(error) from error
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
    except RETRYABLE:
        raise
    except (*LOST, *BROKEN, asyncpg.QueryCanceledError) as error:
        connection.terminate()
        raise outcome_unknown() from error
    return result


async def _roll_back(connection: Connection) -> None:
    """Leave the transaction; a connection that cannot is closed, which ends it as well."""
    try:
        await asyncio.shield(connection.execute("rollback", timeout=ACQUIRE_SECONDS))
    except (asyncpg.PostgresError, *LOST, asyncio.CancelledError):
        connection.terminate()
