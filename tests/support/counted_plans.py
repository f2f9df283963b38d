"""Counted plans: the rows that the statements of writes read, by what ``explain`` tells of each.

Each statement within a transaction is explained before it is sent: executed, and taken back. Rows
count as often as any node of the plan returns them or throws them away, so that a nested loop over
what was sent counts as much as one over a table. Tests that count are marked ``plain_postgresql``.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import asyncpg
import orjson
import pytest

from service.database.pipeline import PipelinedConnection
from tests.contract.test_page_query_plans import nodes

_COUNTED: Final = re.compile(r"(--.*\n)*\s*(with|select|insert|update|delete)\b")
_MODES: Final = ("force_generic_plan", "force_custom_plan")


def rows_of(node: dict[str, float]) -> float:
    """Return the rows that a node of a plan has returned or thrown away."""
    removed = sum(node[name] for name in node if name.startswith("Rows Removed"))
    return (node["Actual Rows"] + removed) * node["Actual Loops"]


class RowsRead(defaultdict[str, float]):
    """Rows that statements have read, by their text; it may be cleared, and paused."""

    is_paused = False


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[RowsRead]:
    """Count the rows that statements of new connections read in transactions.

    Statements are sent one by one.
    """
    rows = RowsRead(float)
    fetch, execute = asyncpg.Connection.fetch, asyncpg.Connection.execute

    async def run(self: Any, query: str, args: Sequence[Any], *_: Any, **__: Any) -> Any:
        await count(self, query, args)
        return await fetch(self, query, *args)

    async def execute_counted(self: Any, query: str, *args: Any, **options: Any) -> str:
        await count(self, query, args)
        return str(await execute(self, query, *args, **options))

    async def count(connection: Any, text: str, values: Sequence[Any]) -> None:
        is_counted = not rows.is_paused and connection.is_in_transaction()
        if is_counted and "nextval" not in text and _COUNTED.match(text):
            rows[text] += await _rows_read(connection, text, values)

    async def _rows_read(connection: Any, text: str, values: Sequence[Any]) -> float:
        """Return the rows read by a plan for these values or the generic one, whichever is more.

        The generic plan is that of the first call in the session, of tables that may have been
        empty.
        """
        name, most = f"counted_{hash(text) & 0xFFFFFFFFFFFF:x}", 0.0
        await execute(connection, "savepoint counted")
        if name not in connection.__dict__.setdefault("counted", set()):
            await execute(connection, f"prepare {name} as {text}")
            connection.counted.add(name)
        call = f"{name}({', '.join(map(_literal, values))})".removesuffix("()")
        for mode in _MODES:
            await execute(connection, f"set local plan_cache_mode = {mode}")
            explain = f"explain (analyze, timing off, format json) execute {call}"
            [[explanation]] = await fetch(connection, explain)
            await execute(connection, "rollback to counted")
            most = max(most, sum(map(rows_of, nodes(orjson.loads(explanation)[0]["Plan"]))))
        return most

    with monkeypatch.context() as patched:
        patched.setattr(PipelinedConnection, "pipelines", False)
        patched.setattr(PipelinedConnection, "_run", run)
        patched.setattr(PipelinedConnection, "execute", execute_counted)
        yield rows


def _literal(value: Any) -> str:
    """Return a parameter as SQL of no type: the statement has the types of its parameters."""
    if value is None:
        return "null"
    if not isinstance(value, str) and isinstance(value, Collection):
        value = f"{{{','.join(map(_element, value))}}}"
    return f"'{str(value).replace(chr(39), chr(39) * 2)}'"


def _element(value: Any) -> str:
    """Return an element of an array in PostgreSQL's notation, which escapes as JSON does."""
    return "null" if value is None else orjson.dumps(str(value)).decode()
