"""Table analyzer: planner statistics after large writes, before autovacuum gets to them.

Problem: an organization that the statistics do not know while they know others is taken for one
without rows, and look-ups by the organization alone seem as cheap as those by its keys. A first
load then reads whole collections until autovacuum analyzes them, on large tables after hours.
Rejected: ``analyze`` in the write's transaction, whose time and locks it would take.

Chosen: looks in the background for tables with many changed rows. PostgreSQL counts these, also
of child tables and links, over all workers. On a cluster nothing is done: each ``analyze`` asks all
shards.
"""

import asyncio
import logging
import time
from functools import partial
from typing import Final

from aiohttp import web

from service import background
from service.database import statements
from service.database.connections import Connection, Database
from service.database.database_state import has_citus
from service.errors import ApiError

LARGE_WRITE: Final = 2_000
"""Minimum number of items of a write, and of changed rows of a table, before it is analyzed."""
LOOK_SECONDS: Final = 1
"""Time from the write to the first look, and between looks."""
_LOOKING_SECONDS: Final = 12
"""Time of looks after a write: a session of PostgreSQL may report its changes after 10 s."""
_PAUSE_SECONDS: Final = 300
"""Minimum time between two attempts at a table; the statement has it between two successes."""
_log: Final = logging.getLogger("service")


class TableAnalyzer:
    """Analyzes tables with many changed rows, one at a time, as a read of the writer's share."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._changed = statements.load("system")["changed_tables"].text
        self._organization_id = 0
        self._deadline = 0.0
        self._attempts: dict[str, float] = {}
        """Time of the last attempt, by table."""
        self._task: asyncio.Task[None] | None = None

    def after_write(self, organization_id: int) -> None:
        """Look for tables to analyze for a while after a large write; return at once."""
        self._organization_id = organization_id
        self._deadline = time.monotonic() + _LOOKING_SECONDS
        if self._task is None or self._task.done():
            self._task = background.repeat(self.look, LOOK_SECONDS)

    def stop(self) -> None:
        """Cancel the looks, and the statement of the one that runs."""
        if self._task is not None:
            self._task.cancel()

    async def look(self) -> bool:
        """Analyze the tables that need it; return whether no further look is needed.

        A table that fails is left alone for a while; the log says why.
        """
        tables = await self._database.read(self._changed_tables, self._organization_id)
        for table in tables or ():
            now = time.monotonic()
            if now < self._attempts.get(table, -_PAUSE_SECONDS) + _PAUSE_SECONDS:
                continue
            self._attempts[table] = now
            try:
                await self._database.read(partial(analyze, table=table), self._organization_id)
            except ApiError as error:
                _log.warning("table %s was not analyzed: %s", table, error.__cause__ or error)
        return tables is None or time.monotonic() > self._deadline

    async def _changed_tables(self, connection: Connection) -> list[str] | None:
        """Return the tables to analyze; None on a cluster."""
        if await has_citus(connection):
            return None
        return [row["name"] for row in await connection.fetch(self._changed, LARGE_WRITE)]


async def analyze(connection: Connection, *, table: str) -> None:
    """Analyze a table, unless it is locked by a migration or by autovacuum."""
    await connection.execute(f"analyze (skip_locked) {table}")


TABLE_ANALYZER: web.AppKey[TableAnalyzer] = web.AppKey("table_analyzer", TableAnalyzer)
