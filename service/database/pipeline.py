"""Pipelining: statements sent ahead of another one, in its round trip.

asyncpg awaits the response of each statement. The protocol allows several ``Bind`` and ``Execute``
messages before one ``Sync``; after an error, the server skips the rest. asyncpg has no method for
that, so this module relies on some of its internals. Without them, each statement takes a round
trip of its own. A statement that the connection has not prepared yet is prepared first, in further
round trips.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from struct import pack
from typing import Any, Final, TypeAlias

import asyncpg

from service.database.id_arrays import id_array

_INTERNALS: Final = (
    *("_do_execute", "_execute", "_get_statement", "_time_and_log"),
    *("_drop_global_statement_cache", "_protocol", "_stmt_cache", "_stmt_exclusive_section"),
)
_EXECUTE: Final = b"E" + pack("!ixi", 9, 0)
"""``Execute`` of the unnamed portal, for all rows."""
_BINARY_ROWS: Final = pack("!hh", 1, 1)
_Executor: TypeAlias = Callable[..., Awaitable[Any]]


class PipelinedConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """asyncpg's connection, which can also defer statements until the next one is sent."""

    pipelines = all(hasattr(asyncpg.Connection, name) for name in _INTERNALS)
    """Whether statements share round trips: asyncpg has the internals that this takes."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._deferred: list[tuple[str, Sequence[Any]]] = []

    async def defer(self, text: str, *parameters: Any) -> None:
        """Keep a statement to send it right before the next one, which raises its error.

        Deferred statements are sent in the order of the calls, and never without a next one. It
        must return no rows: they would become rows of the next one. Parameters are integers, texts,
        lists of integers, or None. Without ``pipelines`` it is executed at once.
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
        """Return the rows of all statements, in their order, in one list; sent in one round trip.

        The statements must return columns of the same names and types. Parameters are those of
        ``defer``. Nothing in the list tells which statement a row is of.
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
            await self.fetch(query, **options)
            return ""
        return str(await super().execute(query, *args, **options))

    async def _execute(
        self, query: str, args: Sequence[Any], limit: int, seconds: float | None, **options: Any
    ) -> Any:
        """Execute a statement as asyncpg does, but one that is prepared by a single step.

        asyncpg's own steps up to the protocol take a tenth of the processor time of a short read.
        ``options`` are its options, all falsy for plain rows.
        """
        statement = None
        if self.pipelines and not (self._deferred or self._query_loggers or any(options.values())):
            statement = self._stmt_cache.get((query, asyncpg.Record, False))
        if statement is None:
            return await super()._execute(query, args, limit, seconds, **options)
        try:
            with self._stmt_exclusive_section:
                return await self._protocol.bind_execute(statement, args, "", limit, False, seconds)
        except asyncpg.OutdatedSchemaCacheError:
            await self.reload_schema_state()
            raise
        except asyncpg.InvalidCachedStatementError:
            self._drop_global_statement_cache()
            if self.is_in_transaction():
                raise
        return await super()._execute(query, args, limit, seconds, **options)

    def _do_execute(self, query: str, executor: _Executor, *args: Any, **options: Any) -> Any:
        execute = self._execute_with_deferred if self._deferred else super()._do_execute
        return execute(query, executor, *args, **options)

    async def _execute_with_deferred(
        self, query: str, executor: _Executor, time_left: float | None, **options: Any
    ) -> Any:
        """Execute a statement as asyncpg does, with the deferred ones ahead of it.

        An outdated prepared statement raises InvalidCachedStatementError instead of being retried,
        as the deferred statements would not be sent again.
        """
        deferred, self._deferred = self._deferred, []
        messages = [
            _bind((await self._get_statement(text, time_left)).name, parameters)
            for text, parameters in deferred
        ]

        def send(*arguments: Any) -> Awaitable[Any]:
            self._transport.write(b"".join(messages))
            return executor(*arguments)

        with ExitStack() as stack:
            for text, parameters in reversed(deferred) if self._query_loggers else ():
                stack.enter_context(self._time_and_log(text, parameters, time_left))
            return await super()._do_execute(query, send, time_left, retry=False, **options)


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
