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

from service import background
from service.database.connection_pool import ConnectionPool
from service.database.database_state import schema_is_current
from service.database.errors import (
    BROKEN,
    LOST,
    ORGANIZATION_KEY,
    REFUSED,
    RETRYABLE,
    OrganizationMissingError,
    leaves_unusable,
    refused,
    schema_is_behind,
)
from service.database.pipeline import PipelinedConnection, run_transaction
from service.database.statements import load
from service.errors import ApiError, unavailable
from service.shares.contention import CONTENTION, ContentionSignal
from service.shares.fair_queue import READ, WRITE, FairQueue, LeaseKind
from service.shares.stall_monitor import StallMonitor

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
LOOK_UP_SECONDS: Final = 1
"""Timeout of a look-up."""
POLL_SECONDS: Final = 0.5
"""Timeout of a poll of one organization."""
_WATCH_SECONDS: Final = 0.1
"""Interval in which leases of connections are looked at; older ones are suspected of a stall."""
_PROBE: Final = load("callers")["probe"].text
_ALL_SECONDS: Final = 2
"""Timeout of a poll of all organizations."""


class Database:
    """Connection pool of ``size`` for the work of callers, beside small pools.

    Key look-ups and readiness checks have one, background polls another one, so that neither waits
    behind the work of callers (contract, Shares).
    """

    def __init__(
        self,
        dsn: str,
        size: int,
        traces: "Traces | None" = None,
        history: frozenset[str] | None = None,
    ) -> None:
        self._pool = ConnectionPool(dsn, size, traces, CONTENTION)
        self._pool.history = self.history = history
        # A signal of its own: look-ups of made-up keys must not count as active organizations.
        self._reserved = ConnectionPool(dsn, LOOK_UP_CONNECTIONS, traces, ContentionSignal())
        self._polling = ConnectionPool(dsn, POLL_CONNECTIONS, traces, ContentionSignal())
        self._stalls = StallMonitor(self._probe, self._pool.end_leases)
        self._pool.stalled = self._reserved.stalled = self._stalls.stalled
        self._watch = background.repeat(self._suspect_long_leases, _WATCH_SECONDS)

    async def close(self) -> None:
        """Close every connection, after at most ACQUIRE_SECONDS in each pool for work to end."""
        self._watch.cancel()
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
        if organization_id in self._stalls.stalled:
            await self._stalls.require_answers(organization_id)
        try:
            return await _read(self._pool, work, organization_id)
        except asyncpg.SyntaxOrAccessError as error:
            raise await self._schema_error_or(error) from error

    async def look_up(
        self,
        work: Callable[[Connection], Awaitable[T]],
        organization_id: int = 0,
        queue_id: int | None = None,
    ) -> T:
        """Return the result of a short read, as ``read`` does, but on a connection for look-ups.

        Their queue is fair, too; ``queue_id`` is the organization id that it uses, if it is another
        one. The service's own work has the organization id 0. All other work has LOOK_UP_SECONDS.
        """
        await self._stalls.require_answers(organization_id)
        queue_id = organization_id if queue_id is None else queue_id

        async def limited(connection: Connection) -> T:
            # Those that waited in the queue meanwhile.
            await self._stalls.require_answers(organization_id, wait=False)
            return await _limited(work, LOOK_UP_SECONDS, connection)

        try:
            result = await _read(self._reserved, limited if organization_id else work, queue_id)
        except asyncpg.SyntaxOrAccessError as error:
            raise await self._schema_error_or(error) from error
        except ApiError as error:
            self._suspect(organization_id, error)
            raise
        self._stalls.answered(organization_id)
        return result

    async def poll(self, work: Callable[[Connection], Awaitable[T]], organization_id: int = 0) -> T:
        """Return the result of a short read in the background, on a connection for polls.

        Raise ApiError as ``read`` does, also after POLL_SECONDS, or two seconds for the id 0, which
        stands for all organizations: on a cluster a node may hang.
        """
        await self._stalls.require_answers(organization_id, wait=False)
        limited = partial(_limited, work, POLL_SECONDS if organization_id else _ALL_SECONDS)
        try:
            return await _read(self._polling, limited, organization_id)
        except asyncpg.SyntaxOrAccessError as error:
            raise await self._schema_error_or(error) from error
        except ApiError as error:
            self._suspect(organization_id, error)
            raise

    async def write(
        self,
        work: Callable[[Connection], Awaitable[T]],
        organization_id: int,
        kind: LeaseKind = WRITE,
    ) -> T:
        """Return the result of work done in one transaction, committed unless the work raises.

        Only after a RETRYABLE failure run the work again, up to ATTEMPTS times in all. A
        transaction that has begun runs to its end, even if the calling task is canceled. Raise
        ApiError 429 or 503 for an outage, OrganizationMissingError for an organization that is not
        there.
        """
        await self._stalls.require_answers(organization_id)
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
            except asyncpg.ForeignKeyViolationError as error:
                if ORGANIZATION_KEY in str(error):
                    raise OrganizationMissingError from error
                raise
            except asyncpg.SyntaxOrAccessError as error:
                raise await self._schema_error_or(error) from error
        raise AssertionError("unreachable")

    def _suspect(self, organization_id: int, error: ApiError) -> None:
        """Suspect an organization of a stall if the error came of a timeout."""
        if isinstance(error.__cause__, TimeoutError):
            self._stalls.suspect(organization_id)

    async def _suspect_long_leases(self) -> None:
        for organization_id in self._pool.long_leases():
            self._stalls.suspect(organization_id)

    async def _probe(self, organization_id: int, seconds: float) -> None:
        """Read the organization's row on a connection for polls; raise ApiError without answer."""

        async def read(connection: Connection) -> None:
            await connection.execute(_PROBE, organization_id)

        await _read(self._polling, partial(_limited, read, seconds), organization_id)

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
            return await run_transaction(connection, work)
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


async def _read(
    pool: ConnectionPool, work: Callable[[Connection], Awaitable[T]], organization_id: int
) -> T:
    """Return the result of work outside a transaction, run at most twice; raise ApiError."""
    for attempt in range(2):
        try:
            return await _read_once(pool, work, organization_id)
        except (*RETRYABLE, *LOST) as error:
            if attempt or isinstance(error, TimeoutError):
                raise refused(error) from error
        except (*REFUSED, *BROKEN) as error:
            raise refused(error) from error
    raise AssertionError("unreachable")


async def _read_once(
    pool: ConnectionPool, work: Callable[[Connection], Awaitable[T]], organization_id: int
) -> T:
    connection = pool.acquire_nowait(organization_id, READ)
    if connection is None:
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
