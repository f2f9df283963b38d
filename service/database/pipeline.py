"""Pipelined transactions: statements are sent ahead of another one, in its round trip.

asyncpg awaits the response of each statement. The protocol allows several ``Bind`` and ``Execute``
messages before one ``Sync``; after an error, the server skips the rest. asyncpg has no method for
that, so this module relies on some of its internals. Without them, each statement takes a round
trip of its own. A statement that the connection has not prepared yet is prepared first, in further
round trips.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from struct import pack
from typing import Any, Final, TypeVar

import asyncpg

from service.database.errors import BROKEN, LOST, RETRYABLE, outcome_unknown
from service.database.statements import id_array
from service.limits import ACQUIRE_SECONDS, WRITE_SECONDS

_INTERNALS: Final = (
    "_drop_global_statement_cache",
    "_execute",
    "_get_statement",
    "_maybe_gc_stmt",
    "_protocol",
    "_query_loggers",
    "_stmt_exclusive_section",
    "_time_and_log",
    "_transport",
)
LONG_STATEMENTS: Final = 4
"""Number of statements too long for asyncpg's cache that a connection keeps prepared.

Without them a page of products waits 15 ms for its plan (``python -m benchmarks products``).
"""
WRITE_STATEMENTS: Final = 350
"""Number of statements in transactions that a connection keeps prepared."""
_EXECUTE: Final = b"E" + pack("!ixi", 9, 0)
"""``Execute`` of the unnamed portal, for all rows."""
_BINARY_ROWS: Final = pack("!hh", 1, 1)
_NOT_LOGGED: Final = nullcontext()


class PipelinedConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """asyncpg's connection, which can also defer statements until the next one is sent."""

    pipelines = all(hasattr(asyncpg.Connection, name) for name in _INTERNALS)
    """Whether statements share round trips: asyncpg has the internals that this takes."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._deferred: list[tuple[str, Sequence[Any]]] = []
        self._long: dict[str, Any] = {}
        """Long prepared statements by their text, the last used one last."""
        self._writes: dict[str, Any] = {}
        """Other ones in transactions."""
        self.id_blocks: dict[str, list[int]] = {}
        """New ids that this connection has taken and not used yet, by table, the first one last."""
        self.placeholders: Iterator[int] | None = None
        """Ids for the rows of a dry run (``new_ids.placeholder_ids``)."""

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

    async def _get_statement(self, query: str, seconds: float | None, **options: Any) -> Any:
        """Return a prepared statement, also of the last long ones, which take long to plan.

        Those in transactions have a cache of their own: it holds the ones of a request that writes
        all collections.
        """
        most = self._config.max_cacheable_statement_size
        is_long = len(query) > most
        if options or not (self.pipelines and most and (is_long or self.is_in_transaction())):
            return await super()._get_statement(query, seconds, **options)
        statements, number = self._writes, WRITE_STATEMENTS
        if is_long:
            statements, number = self._long, LONG_STATEMENTS
        statement = statements.pop(query, None)
        if statement is None:
            statement = await super()._get_statement(query, seconds, named=True, use_cache=False)
        statements[query] = statement
        if len(statements) > number:
            self._maybe_gc_stmt(statements.pop(next(iter(statements))))
        return statement

    def _drop_local_statement_cache(self) -> None:
        for statements in (self._long, self._writes):
            while statements:
                self._maybe_gc_stmt(statements.popitem()[1])
        super()._drop_local_statement_cache()

    async def execute(self, query: str, *args: Any, **options: Any) -> str:
        """Execute a text and return the status of its last statement, such as ``DELETE 3``.

        If statements were deferred, a text without ``args`` returns "" and may have one statement
        only. A text with ``args`` always has one statement, and returns its status.
        """
        if self._deferred and not args:
            await self.fetch(query, **options)
            return ""
        return str(await super().execute(query, *args, **options))

    async def _execute(
        self, query: str, args: Sequence[Any], limit: int, seconds: float | None, **options: Any
    ) -> Any:
        """Execute a statement as asyncpg does, with the deferred ones ahead of it.

        A prepared statement goes to the protocol at once: asyncpg's own steps up to there take a
        tenth of the processor time of a short read. ``options`` are asyncpg's; only
        ``return_status`` may be set. An outdated prepared statement is prepared again, once,
        outside a transaction and without deferred statements; else it raises
        InvalidCachedStatementError. An outdated type raises OutdatedSchemaCacheError after a
        reload.
        """
        if not self.pipelines:
            return await super()._execute(query, args, limit, seconds, **options)
        deferred, self._deferred = self._deferred, []
        messages = [
            _bind((await self._get_statement(text, seconds)).name, parameters)
            for text, parameters in deferred
        ]
        statement = await self._get_statement(query, seconds)
        returns_status = bool(options.get("return_status"))
        try:
            with self._stmt_exclusive_section, self._logged(deferred, query, args, seconds):
                if messages:
                    self._transport.write(b"".join(messages))
                return await self._protocol.bind_execute(
                    statement, args, "", limit, returns_status, seconds
                )
        except asyncpg.OutdatedSchemaCacheError:
            await self.reload_schema_state()
            raise
        except asyncpg.InvalidCachedStatementError:
            self._drop_global_statement_cache()
            if messages or self.is_in_transaction():
                raise
        return await super()._execute(query, args, limit, seconds, **options)

    def _logged(
        self,
        deferred: Sequence[tuple[str, Sequence[Any]]],
        query: str,
        args: Sequence[Any],
        seconds: float | None,
    ) -> AbstractContextManager[object, bool | None]:
        """Return a context that logs the statements executed in it, the deferred ones as well."""
        if not self._query_loggers:
            return _NOT_LOGGED
        stack = ExitStack()
        for text, parameters in reversed((*deferred, (query, args))):
            stack.enter_context(self._time_and_log(text, parameters, seconds))
        return stack


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
