"""Tests of `selvedge distribute` on a cluster: placement, atomicity, permissions."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import psycopg
import pytest

from service.database import distribution, migrations
from service.extras import demo
from tests.cluster.table_placement import TablePlacement
from tests.policy.sources import tenant_tables
from tests.support import cluster, rows
from tests.support.command_line import CommandResult
from tests.support.databases import fresh_database
from tests.support.processes import selvedge
from tests.support.time_limits import limit

EVERYWHERE = {"country", "currency", "installation", "language"}
OWN_TABLES = {"_yoyo_migration", "_yoyo_version"}
BY_ORGANIZATION = {*tenant_tables(), "organization"}
_OWNER = "selvedge_test_owner"


def distribute(data_dir: Path, dsn: str, *options: str) -> CommandResult:
    """Return the command, with nobody there to be asked."""
    return selvedge(data_dir, "distribute", *options, DATABASE_URL=dsn)


def test_the_plan_is_printed_first(
    local: psycopg.Connection, local_dsn: str, tmp_path: Path
) -> None:
    refused = distribute(tmp_path, local_dsn)
    assert refused.returncode == 1
    assert "--yes" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert "to 2 nodes" in refused.stdout
    for name in BY_ORGANIZATION | EVERYWHERE:
        assert name in refused.stdout
    assert TablePlacement.of(local) == TablePlacement(frozenset(), frozenset(), 0)


def test_every_table_finds_its_place(
    local: psycopg.Connection, local_dsn: str, tmp_path: Path
) -> None:
    done = distribute(tmp_path, local_dsn, "--yes")
    assert done.returncode == 0, done.stderr
    tables = len(BY_ORGANIZATION | EVERYWHERE)
    assert done.stdout.splitlines()[-1] == f"{tables} tables distributed"
    assert TablePlacement.of(local) == TablePlacement(
        frozenset(BY_ORGANIZATION), frozenset(EVERYWHERE | OWN_TABLES), 1
    )
    again = distribute(tmp_path, local_dsn)
    assert (again.returncode, again.stdout) == (0, "All tables are distributed already.\n")


async def test_rows_go_along_and_leave_nothing_behind(
    local: psycopg.Connection, local_dsn: str, tmp_path: Path
) -> None:
    await demo.load(local_dsn, progress=False)
    before = await rows.dump(local_dsn)
    assert distribute(tmp_path, local_dsn, "--yes").returncode == 0
    assert await rows.dump(local_dsn) == before
    sizes = local.execute(
        "select relname from pg_class where relname = any(%s) and pg_relation_size(oid) > 0",
        [[*BY_ORGANIZATION, *EVERYWHERE]],
    ).fetchall()
    assert sizes == []


def test_it_is_done_whole_or_not_at_all(local: psycopg.Connection) -> None:
    """The last table cannot go, since one that stays refers to it."""
    local.execute("create schema other")
    local.execute(
        """create table other.note (organization_id bigint, sample_request_id bigint,
            size_range_size_id bigint, measurement_line_id bigint,
            foreign key (
                organization_id, sample_request_id, size_range_size_id, measurement_line_id
            ) references sample_request_measurement)"""
    )
    distribution.configure_session(local)
    with pytest.raises(psycopg.Error):
        distribution.distribute(local, distribution.plan(local))
    assert TablePlacement.of(local) == TablePlacement(frozenset(), frozenset(), 0)


def test_writers_wait_and_lose_nothing(
    local: psycopg.Connection, local_dsn: str, tmp_path: Path
) -> None:
    local.execute("insert into organization (name) values ('Norrby'), ('Tailor')")
    written: list[str] = []
    done = Event()

    def write() -> None:
        with psycopg.connect(local_dsn, autocommit=True) as writer:
            while not done.is_set():
                name = f"Color {len(written)}"
                statement = "insert into color (organization_id, name) values (%s, %s)"
                with suppress(psycopg.errors.DeadlockDetected):
                    writer.execute(statement, [1 + len(written) % 2, name])
                    written.append(name)

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        wait_for_more_than(0, written)
        finished = distribute(tmp_path, local_dsn, "--yes")
        wait_for_more_than(len(written), written)
        done.set()
        writing.result()
    assert finished.returncode == 0, finished.stderr
    stored = local.execute("select name from color").fetchall()
    assert sorted(name for (name,) in stored) == sorted(written)


def wait_for_more_than(count: int, written: list[str]) -> None:
    deadline = time.monotonic() + limit(30)
    while len(written) <= count and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(written) > count


@pytest.fixture
def owner_dsn(bare_dsn: str) -> Iterator[str]:
    """The database without tables, as its owner sees it, who is no superuser."""
    parts = urlsplit(bare_dsn)
    name = parts.path.removeprefix("/")
    for statement in (f"drop role if exists {_OWNER}", f"create role {_OWNER} login"):
        on_each_node(statement)
    on_each_node(f"alter database {name} owner to {_OWNER}")
    yield parts._replace(netloc=f"{_OWNER}@{parts.netloc.rpartition('@')[2]}").geturl()
    on_each_node(f"drop database {name} with (force)")
    on_each_node(f"drop role {_OWNER}")


def on_each_node(statement: str) -> None:
    for node in cluster.nodes():
        with psycopg.connect(node, autocommit=True) as connection:
            connection.execute(statement.encode())


def test_the_session_settings_are_those_of_every_node(local_dsn: str, tmp_path: Path) -> None:
    """Scaling, rule 12: a session's own settings do not reach the sessions of other nodes."""
    assert distribute(tmp_path, local_dsn, "--yes").returncode == 0
    name = urlsplit(local_dsn).path.removeprefix("/")
    settings = "select setting from pg_settings where name = any(%s) order by 1"
    for forgotten in (None, cluster.nodes()[2]):
        if forgotten:
            with psycopg.connect(forgotten, autocommit=True) as connection:
                connection.execute(f"alter database {name} reset jit".encode())
            refused = selvedge(tmp_path, "check", DATABASE_URL=local_dsn)
            assert refused.returncode == 1
            assert "lacks jit=off: run `selvedge migrate`" in refused.stdout
            assert migrations.migrate(local_dsn) == []
        for node in cluster.nodes(name):
            with psycopg.connect(node) as connection:
                assert [
                    setting
                    for (setting,) in connection.execute(
                        settings, [["TimeZone", "jit", "work_mem"]]
                    )
                ] == ["16384", "UTC", "off"]
        assert selvedge(tmp_path, "check", DATABASE_URL=local_dsn).returncode == 0


async def test_an_owner_needs_no_superuser(owner_dsn: str, tmp_path: Path) -> None:
    migrations.migrate(owner_dsn)
    await demo.load(owner_dsn, progress=False)
    done = distribute(tmp_path, owner_dsn, "--yes")
    assert done.returncode == 0, done.stderr
    with psycopg.connect(owner_dsn) as connection:
        assert TablePlacement.of(connection).by_organization == BY_ORGANIZATION
        assert connection.execute("show citus.override_table_visibility").fetchone() == ("off",)


def test_unsuitable_databases_are_refused(bare_dsn: str, tmp_path: Path) -> None:
    refused = distribute(tmp_path, bare_dsn, "--yes")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "selvedge migrate" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_a_worker_node_is_refused(bare_dsn: str, tmp_path: Path) -> None:
    coordinator, worker, *_ = cluster.nodes(urlsplit(bare_dsn).path.removeprefix("/"))
    for command in ("distribute --yes", "migrate", "run", "organization list", "key list"):
        refused = selvedge(tmp_path, *command.split(), DATABASE_URL=worker)
        assert (refused.returncode, refused.stdout) == (1, ""), command
        address = urlsplit(coordinator).netloc.rpartition("@")[2]
        assert f"coordinator of the cluster: name {address}\n" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1


def test_a_coordinator_without_nodes_takes_all_tables(server_dsn: str, tmp_path: Path) -> None:
    dsn = fresh_database(server_dsn, "lone", "template0")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create extension citus")
        migrations.migrate(dsn)
        done = distribute(tmp_path, dsn, "--yes")
        assert done.returncode == 0, done.stderr
        assert TablePlacement.of(connection).by_organization == BY_ORGANIZATION
