"""Pipelined transactions: statements are sent ahead of another one, in its round trip.

asyncpg awaits the response of each statement. The protocol allows several ``Bind`` and ``Execute``
messages before one ``Sync``; after an error, the server skips the rest. asyncpg has no method for
that, so this module relies on some of its internals. Without them, each statement takes a round
trip of its own. A statement that the connection has not prepared yet is prepared first, in further
round trips.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack
from struct import pack
from typing import Any, Final, TypeVar

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

from service.database.errors import BROKEN, LOST, RETRYABLE, VERSION_KEY, outcome_unknown
from service.database.statements import id_array
from service.limits import ACQUIRE_SECONDS, WRITE_SECONDS

_INTERNALS: Final = ("_protocol", "_query_loggers", "_time_and_log", "_transport")
CACHED_STATEMENTS: Final = 120
"""Maximum number of prepared statements that a connection caches: the most recently used ones."""
MAX_CACHED_LENGTH: Final = 6 * 1024
"""Maximum length of such a statement in characters.

With their number it bounds the memory that a caller with ever new filters can make a session use.
"""
LONG_STATEMENTS: Final = 4
"""Maximum number of longer statements that a connection caches.

Without them a page of products waits 15 ms for its plan (``python -m benchmarks products``).
"""
_EXECUTE: Final = b"E" + pack("!ixi", 9, 0)
"""``Execute`` of the unnamed portal, for all rows."""
_BINARY_ROWS: Final = pack("!hh", 1, 1)


class PipelinedConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """asyncpg's connection, which can also defer statements until the next one is sent."""

    pipelines = all(hasattr(asyncpg.Connection, name) for name in _INTERNALS) and hasattr(
        PreparedStatement, "_state"
    )
    """Whether statements share round trips: asyncpg has the internals that this takes."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._deferred: list[tuple[str, Sequence[Any]]] = []
        self._short: OrderedDict[str, PreparedStatement] = OrderedDict()
        """Prepared statements by their text, the last used one last."""
        self._long: OrderedDict[str, PreparedStatement] = OrderedDict()
        self.id_blocks: dict[str, list[int]] = {}
        """New ids that this connection has taken and not used yet, by table, the first one last."""
        self.placeholders: Iterator[int] | None = None
        """Ids for the rows of a dry run (``new_ids.placeholder_ids``)."""
        self.history: frozenset[str] | None = None
        """Collections whose versions writes do not keep; None if they keep none at all."""

    async def defer(self, text: str, *parameters: Any) -> None:
        """Keep a statement to send it right before the next one, which raises its error.

        Deferred statements are sent in the order of the calls, and never without a next one. They
        must return no rows, which would become rows of the next one. Parameters are integers,
        texts, lists of integers, or None. Without ``pipelines`` the statement is executed at once.
        """
        if self.pipelines:
            self._deferred.append((text, parameters))
        else:
            await self.execute(text, *parameters)

    def drop_deferred(self) -> None:
        """Drop the statements that were deferred and not sent yet."""
        self._deferred.clear()

    async def fetch_in_turn(
        self, statements: Sequence[tuple[str, Sequence[Any]]]
    ) -> list[asyncpg.Record]:
        """Return the rows of all statements, in their order, in one list.

        With ``pipelines`` they are sent in one round trip, after those deferred before. They must
        return columns of the same names and types. Parameters are those of ``defer``. Nothing in
        the list tells which statement a row is of.
        """
        rows: list[asyncpg.Record] = []
        if self.pipelines:
            self._deferred += statements[:-1]
            statements = statements[-1:]
        for text, parameters in statements:
            rows += await self.fetch(text, *parameters)
        return rows

    async def execute(self, query: str, *args: Any, **options: Any) -> str:
        """Execute a text and return the status of its last statement, such as ``DELETE 3``.

        If statements were deferred, a text without ``args`` returns "" and may have one statement
        only. A text with ``args`` always has one statement, and returns its status.
        """
        if self._deferred and not args:
            await self._run(query, args, 0, options.get("timeout"))
            return ""
        if not args or not self.pipelines:
            return str(await super().execute(query, *args, **options))
        _, status, _ = await self._run(query, args, 0, options.get("timeout"), returns_status=True)
        return str(status.decode())

    async def fetch(self, query: str, *args: Any) -> Any:
        """Return the rows of a statement."""
        return await self._run(query, args)

    async def fetchrow(self, query: str, *args: Any) -> Any:
        """Return the first row of a statement, None without one."""
        rows = await self._run(query, args, 1)
        return rows[0] if rows else None

    async def fetchval(self, query: str, *args: Any) -> Any:
        """Return the first value of the first row of a statement, None without one."""
        rows = await self._run(query, args, 1)
        return rows[0][0] if rows else None

    async def _run(
        self,
        query: str,
        args: Sequence[Any],
        limit: int = 0,
        seconds: float | None = None,
        *,
        returns_status: bool = False,
    ) -> Any:
        """Execute a statement, with the deferred ones ahead of it; return up to ``limit`` rows.

        A prepared statement goes to the protocol at once: asyncpg's own steps up to there take a
        tenth of the processor time of a short read. An outdated one is prepared again, outside a
        transaction and without deferred statements; else it raises InvalidCachedStatementError. An
        outdated type raises OutdatedSchemaCacheError after a reload.
        """
        if not self.pipelines:
            return await super().fetch(query, *args, timeout=seconds)
        if self.is_closed():
            raise asyncpg.InterfaceError("the connection is closed")
        deferred, self._deferred = self._deferred, []
        # Each is referred to until it is sent: asyncpg closes those that nothing refers to.
        statements = [
            self._cached(text) or await self._prepared(text, seconds) for text, _ in deferred
        ]
        statement = self._cached(query) or await self._prepared(query, seconds)
        try:
            if deferred:
                self._transport.write(_bind_all(statements, deferred))
            execution = self._protocol.bind_execute(
                statement._state, args, "", limit, returns_status, seconds
            )
            if not self._query_loggers:
                return await execution
            with self._logged((*deferred, (query, args)), seconds):
                return await execution
        except (asyncpg.OutdatedSchemaCacheError, asyncpg.InvalidCachedStatementError) as error:
            await self._forget_outdated(error, can_repeat=not deferred)
        return await self._run(query, args, limit, seconds, returns_status=returns_status)

    async def _forget_outdated(self, error: asyncpg.PostgresError, *, can_repeat: bool) -> None:
        """Forget the prepared statements; raise the error unless the last one can be repeated."""
        self._forget_statements()
        if isinstance(error, asyncpg.OutdatedSchemaCacheError):
            await self.reload_schema_state()
            raise error
        if not can_repeat or self.is_in_transaction():
            raise error

    def _cached(self, query: str) -> Any:
        """Return the prepared statement of a short text, now the one used last; None without."""
        statement = self._short.get(query)
        if statement is not None:
            self._short.move_to_end(query)
        return statement

    async def _prepared(self, query: str, seconds: float | None) -> Any:
        """Return the prepared statement of a text, which is cached as the one used last."""
        cache, size = self._short, CACHED_STATEMENTS
        if len(query) > MAX_CACHED_LENGTH:
            cache, size = self._long, LONG_STATEMENTS
        if query not in cache:
            cache[query] = await self.prepare(query, timeout=seconds)
        cache.move_to_end(query)
        if len(cache) > size:
            cache.popitem(last=False)
        return cache[query]

    def _forget_statements(self) -> None:
        self._short.clear()
        self._long.clear()

    def _logged(
        self, statements: Sequence[tuple[str, Sequence[Any]]], seconds: float | None
    ) -> ExitStack:
        """Return a context that logs the statements executed in it."""
        stack = ExitStack()
        for text, parameters in reversed(statements):
            stack.enter_context(self._time_and_log(text, parameters, seconds))
        return stack


def _bind_all(statements: Sequence[Any], deferred: Sequence[tuple[str, Sequence[Any]]]) -> bytes:
    """Return the messages that run prepared statements, each with its parameters."""
    return b"".join(
        _bind(statement._state.name, parameters)
        for statement, (_, parameters) in zip(statements, deferred, strict=True)
    )


def _bind(statement: str, parameters: Sequence[Any]) -> bytes:
    """Return ``Bind`` and ``Execute`` of a prepared statement: parameters as text, rows binary."""
    formats_and_count = pack("!hh", 0, len(parameters))
    values = b"".join(map(_value, parameters))
    body = b"\0%b\0%b%b%b" % (statement.encode(), formats_and_count, values, _BINARY_ROWS)
    return b"B" + pack("!i", len(body) + 4) + body + _EXECUTE


def _value(value: Any) -> bytes:
    if value is None:
        return pack("!i", -1)
    text = (id_array(value) if isinstance(value, list) else str(value)).encode()
    return pack("!i", len(text)) + text


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
    except BaseException as error:
        await _roll_back(connection)
        _raise_retryable(error)
        raise
    try:
        await connection.execute("commit")
    except (*RETRYABLE, asyncpg.UniqueViolationError) as error:
        await _roll_back(connection)
        _raise_retryable(error)
        raise
    except (*LOST, *BROKEN, asyncpg.QueryCanceledError) as error:
        connection.terminate()
        raise outcome_unknown() from error
    return result


def _raise_retryable(error: BaseException) -> None:
    """Raise SerializationError if two transactions have taken one version of a record."""
    if isinstance(error, asyncpg.UniqueViolationError) and VERSION_KEY in str(error):
        raise asyncpg.SerializationError(str(error)) from error


async def _roll_back(connection: PipelinedConnection) -> None:
    """Roll the transaction back; close the connection if that fails, which ends it as well."""
    connection.drop_deferred()
    try:
        await asyncio.shield(connection.execute("rollback", timeout=ACQUIRE_SECONDS))
    except (asyncpg.PostgresError, *LOST, asyncio.CancelledError):
        connection.terminate()
