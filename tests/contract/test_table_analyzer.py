"""Table analyzer: large writes get planner statistics before autovacuum comes."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any, Final

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service.database import table_analyzer
from service.database.connections import Connection
from service.database.table_analyzer import TABLE_ANALYZER, TableAnalyzer
from service.errors import unavailable
from tests.support.api import Api, issue_key
from tests.support.serving import serving
from tests.support.time_limits import until, within
from tests.support.transactions import entry, send, shown

pytestmark = [pytest.mark.plain_postgresql, pytest.mark.contract("Transactions over collections")]

LARGE: Final = 20
TABLES: Final = {"color", "color_in_group"}
_COUNTS: Final = """
select relname, n_mod_since_analyze, analyze_count from pg_stat_user_tables
where schemaname = current_schema()
"""
_PREPARE: Final = """
insert into organization (id, name, multiple_language, pro, unique_keys)
values (1, 'New', true, true, true);
alter table color set (autovacuum_enabled = off);
alter table color_in_group set (autovacuum_enabled = off)
"""


class Service:
    """A service on one connection, with what PostgreSQL counts of its tables."""

    def __init__(self, api: Api, analyzer: TableAnalyzer, connection: asyncpg.Connection) -> None:
        self.api, self.analyzer, self.connection = api, analyzer, connection

    async def write(self, mark: str, rows: int = LARGE) -> None:
        """Write colors of a group, in one transaction."""
        group: Any = {"colorGroupIds": [{"userDefinedId": "GREENS"}]}
        colors = [
            entry("colors", userDefinedId=f"{mark}-{n}", name="Sage", **group) for n in range(rows)
        ]
        shown(await send(self.api, colors))

    async def tables(self) -> dict[str, tuple[int, int]]:
        """Return the changed rows and the number of ``analyze`` by table."""
        return {row[0]: (row[1], row[2]) for row in await self.connection.fetch(_COUNTS)}

    async def changed_rows(self) -> int:
        """Return the least number of rows that changed in a table of colors."""
        tables = await self.tables()
        return min(tables[name][0] for name in TABLES)

    async def analyzed(self) -> set[str]:
        """Return the tables that were analyzed by a statement."""
        return {name for name, (_, count) in (await self.tables()).items() if count}

    async def write_unseen(self, mark: str) -> None:
        """Write as many colors, without the looks, and wait until PostgreSQL has counted them."""
        await self.write(mark)
        self.analyzer.stop()
        async with within(20):
            while await self.changed_rows() < LARGE:  # noqa: ASYNC110 - there is no event
                await asyncio.sleep(0.1)


@pytest.fixture
async def service(dsn: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Service]:
    monkeypatch.setattr(table_analyzer, "LARGE_WRITE", LARGE)
    connection = await asyncpg.connect(dsn)
    await connection.execute(_PREPARE)
    async with serving(dsn, POOL_SIZE="1") as server, TestClient(server) as client:
        api = Api(client, await issue_key(dsn, 1))
        shown(await send(api, [entry("color-groups", userDefinedId="GREENS", name="Greens")]))
        yield Service(api, server.app[TABLE_ANALYZER], connection)
    await connection.close()


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """A list that gets an entry for each look, which then does nothing."""
    looks = list[None]()

    async def look(_: TableAnalyzer) -> bool:
        looks.append(None)
        return True

    monkeypatch.setattr(TableAnalyzer, "look", look)
    monkeypatch.setattr(table_analyzer, "LOOK_SECONDS", 0)
    return looks


async def test_large_write_has_its_tables_analyzed(service: Service) -> None:
    """Those of the records and of their lists, and no others."""
    await service.write("A")
    async with within(20):
        while not await service.analyzed() >= TABLES:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.1)
    assert "brand" not in await service.analyzed()


async def test_small_writes_cause_no_look(service: Service, looks: list[None]) -> None:
    for mark in "AB":
        await service.write(mark, LARGE - 1)
    assert looks == []
    await service.write("C")
    await until(lambda: bool(looks))


async def test_further_writes_do_not_analyze_again(service: Service) -> None:
    for mark in "AB":
        await service.write_unseen(mark)
        await service.analyzer.look()
    assert (await service.tables())["color"][1] == 1


async def test_locked_table_is_left_alone(service: Service) -> None:
    """Also after the lock: it is tried again five minutes later."""
    await service.write_unseen("A")
    async with service.connection.transaction():
        await service.connection.execute("lock table color in share update exclusive mode")
        await service.analyzer.look()
    await service.analyzer.look()
    assert "color" not in await service.analyzed()
    assert "color_in_group" in await service.analyzed()


async def test_failure_concerns_its_table_only(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Each table is analyzed outside of a transaction; a failure is logged once."""
    analyze = table_analyzer.analyze

    async def fail_on_color(connection: Connection, *, table: str) -> None:
        assert not connection.is_in_transaction()
        if table == "color":
            raise unavailable("no space left")
        await analyze(connection, table=table)

    monkeypatch.setattr(table_analyzer, "analyze", fail_on_color)
    await service.write_unseen("A")
    with caplog.at_level(logging.WARNING, "service"):
        await service.analyzer.look()
        await service.analyzer.look()
    assert caplog.text.count("table color was not analyzed: ") == 1
    assert "color_in_group" in await service.analyzed()
    await service.write("B", 1)
