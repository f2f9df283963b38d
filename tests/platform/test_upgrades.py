"""Upgrade tests: the database of each earlier release goes to this one and back, with its data."""

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service.database import migrations, releases
from tests.support import release_dumps
from tests.support.api import Api, issue_keys
from tests.support.databases import fresh_database
from tests.support.release_dumps import Columns
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Migrations")
each_release = pytest.mark.parametrize("release", release_dumps.dumped_releases())

#: Columns that a migration rewrites, and its rollback brings back: since 0.2.0 facilities that were
#: deleted with their sub-supplier have the state `deleted`, and their own one beside it.
REWRITTEN = {("facility", "state")}


@pytest.fixture
def empty(server_dsn: str, dsn: str) -> str:
    """A database without any table."""
    return fresh_database(server_dsn, f"{dsn.split('?')[0].rsplit('/', 1)[1]}_empty", "template1")


def _shared(before: Columns, after: Columns) -> Columns:
    """Return the columns that both schemas have, without those that migrations rewrite."""
    return {
        table: [name for name in names if name in after[table] and (table, name) not in REWRITTEN]
        for table, names in before.items()
        if table in after
    }


def test_every_earlier_release_has_a_dump() -> None:
    earlier = list(releases.releases())[:-1]
    assert release_dumps.dumped_releases()[: len(earlier)] == earlier


@each_release
async def test_a_database_goes_to_this_release_and_back(empty: str, dsn: str, release: str) -> None:
    release_dumps.load(empty, release)
    before, present = release_dumps.columns(empty), release_dumps.columns(dsn)
    rows = release_dumps.data(empty, before)
    assert len(rows["color"]) > 500
    shared = _shared(before, present)
    shared_rows = release_dumps.data(empty, shared)

    migrations.migrate(empty)
    assert release_dumps.columns(empty) == present
    assert _differences(release_dumps.data(empty, shared), shared_rows) == []

    migrations.roll_back(empty, release=release)
    assert release_dumps.columns(empty) == before
    assert _differences(release_dumps.data(empty, before), rows) == []
    migrations.migrate(empty)
    await _assert_served(empty, release)


@pytest.mark.contract("Barcode ranges")
async def test_stored_numbers_are_counted(empty: str) -> None:
    """Those of the last release before counts, and one that it adds on the new schema."""
    release_dumps.load(empty, "0.4.0")
    connection = await asyncpg.connect(empty)
    stored = "from barcode where gtin14 is not null"
    before = await connection.fetchval(f"select count(*) {stored}")
    migrations.migrate(empty)
    assert await connection.fetchval("select sum(number) from barcode_block") == before > 0
    columns = "organization_id, barcode, type, gtin14"
    await connection.execute(f"insert into barcode ({columns}) values (1, 'N', 'gtin8', 'N')")
    assert await connection.fetchval(f"select count(*) {stored} and not is_counted") == 1
    await connection.close()


async def _assert_served(dsn: str, release: str) -> None:
    """Read the color that the release wrote."""
    connection = await asyncpg.connect(dsn)
    keys = await issue_keys(connection, 1, 2)
    async with serving(dsn) as server, TestClient(server) as client:
        color = await Api(client, keys["writer"]).get("/api/colors/559")
    assert color.data["name"] == f"Written by release {release[2]}"
    await connection.close()


def _differences(rows: release_dumps.Rows, others: release_dumps.Rows) -> list[str]:
    """Return the tables whose rows differ."""
    assert rows.keys() == others.keys()
    return [table for table in others if rows[table] != others[table]]
