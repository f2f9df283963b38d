"""Connection pool: connections to PostgreSQL, leased to organizations by a fair queue."""

import asyncio
import sys
from collections.abc import Container, Coroutine
from typing import TYPE_CHECKING, Any, Final, TypeVar

import asyncpg

from service.database import incidents
from service.database.errors import LOST
from service.database.pipeline import CACHED_STATEMENTS, MAX_CACHED_LENGTH, PipelinedConnection
from service.database.session_settings import SESSION_SETTINGS
from service.limits import ACQUIRE_SECONDS, READ_SECONDS, WRITE_SECONDS
from service.shares.contention import ContentionSignal
from service.shares.fair_queue import FairQueue, LeaseKind

SILENCE_SECONDS: Final = WRITE_SECONDS + 5
"""Client-side timeout of a statement, in seconds, for a server that no longer responds at all.

It is longer than each server-side timeout, so that a working server reports these itself.
"""

_CHECK_CONNECTION: Final = (
    {"client_connection_check_interval": "1s"} if sys.platform == "linux" else {}
)
"""Setting by which the server cancels, within 1 s, the statements of a worker that was killed.

Servers on other systems may refuse it, so it is left out there.
"""


async def connect(dsn: str) -> PipelinedConnection:
    """Return a new connection, or report the failure to the log and raise one of ``errors.LOST``.

    Any error of the server is raised as ConnectionError. Success closes the incident of the
    unreachable database. The connection is in autocommit mode, with a statement timeout of
    READ_SECONDS; a write sets its own. Raise TimeoutError if connecting takes ACQUIRE_SECONDS.
    """
    try:
        connection: PipelinedConnection = await asyncpg.connect(
            dsn,
            connection_class=PipelinedConnection,
            max_cached_statement_lifetime=0,
            statement_cache_size=CACHED_STATEMENTS,
            max_cacheable_statement_size=MAX_CACHED_LENGTH,
            timeout=ACQUIRE_SECONDS,
            command_timeout=SILENCE_SECONDS,
            server_settings={
                "application_name": "selvedge",
                **SESSION_SETTINGS,
                "statement_timeout": f"{READ_SECONDS}s",
                **_CHECK_CONNECTION,
            },
        )
    except asyncpg.PostgresError as error:
        incidents.report_unreachable(error)
        raise ConnectionError("PostgreSQL refuses the connection; the log says why.") from error
    except LOST as error:
        incidents.report_unreachable(error)
        raise
    incidents.UNREACHABLE.close()
    return connection


if TYPE_CHECKING:
    from service.database.tracing import Traces  # an extra, which may not be installed

T = TypeVar("T")


class ConnectionPool:
    """Pool of up to ``size`` connections, leased to organizations by a fair queue of that size.

    Rejected: asyncpg's own pool. It lets new requests overtake queued ones, and takes a fifth of
    the processor time of a short read. A connection needs no reset, as the code leaves no session
    state behind.
    """

    def __init__(
        self, dsn: str, size: int, traces: "Traces | None", contention: ContentionSignal
    ) -> None:
        self._dsn = dsn
        self.history: frozenset[str] | None = None
        """Value of ``history`` of the connections."""
        self._traces = traces
        new_queue = FairQueue if traces is None else traces.fair_queue
        self.queue: FairQueue[PipelinedConnection | None] = new_queue(
            [None] * size, ACQUIRE_SECONDS, contention
        )
        self._open: set[PipelinedConnection] = set()
        self._running: set[asyncio.Task[Any]] = set()
        self.stalled: Container[int] = ()
        """Organizations that get no connection."""
        self._leases: dict[PipelinedConnection, tuple[int, int]] = {}
        """By leased connection: the organization's id, and ``_ticks`` at the begin of the lease."""
        self._ticks = 0

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

    async def acquire(self, organization_id: int, kind: LeaseKind) -> PipelinedConnection:
        """Lease a connection, opened on first use and after a loss. The caller releases it.

        Raise QueueTimeoutError after ACQUIRE_SECONDS of waiting, one of LOST if none can be opened,
        TimeoutError if the organization is stalled.
        """
        connection = await self.queue.acquire(organization_id, kind)
        if organization_id in self.stalled:
            self.queue.release(connection, organization_id, kind)
            raise TimeoutError("the database does not answer for the organization")
        if connection is None or connection.is_closed():
            self._open.discard(connection)
            try:
                connection = await connect(self._dsn)
                connection.history = self.history
            except BaseException:
                self.queue.release(None, organization_id, kind)
                raise
            if self._traces is not None:
                connection.add_query_logger(self._traces.statement)
            self._open.add(connection)
        self._leases[connection] = organization_id, self._ticks
        return connection

    def acquire_nowait(self, organization_id: int, kind: LeaseKind) -> PipelinedConnection | None:
        """Lease a free connection that is open; None if ``acquire`` has to wait, open or refuse.

        With traces, ``acquire`` alone leases connections: its spans show each wait.
        """
        if self._traces is not None or organization_id in self.stalled:
            return None
        for connection in self.queue.acquire_nowait(organization_id, kind):
            if connection is not None and not connection.is_closed():
                self._leases[connection] = organization_id, self._ticks
                return connection
            self.queue.release(connection, organization_id, kind)
        return None

    def release(
        self, connection: PipelinedConnection, organization_id: int, kind: LeaseKind
    ) -> None:
        """Return a connection to the queue; close it first if it is inside a transaction."""
        if not connection.is_closed() and connection.is_in_transaction():
            connection.terminate()
        self._leases.pop(connection, None)
        self.queue.release(connection, organization_id, kind)

    def long_leases(self) -> set[int]:
        """Return the ids of organizations with leases from before the last call of this method."""
        self._ticks += 1
        return {id_ for id_, begin in self._leases.values() if begin < self._ticks - 1}

    def end_leases(self, organization_id: int) -> None:
        """Close the connections that an organization has; their work fails with one of LOST."""
        for connection, (id_, _) in [*self._leases.items()]:
            if id_ == organization_id:
                connection.terminate()

    async def release_canceled(
        self, connection: PipelinedConnection, organization_id: int, kind: LeaseKind
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
