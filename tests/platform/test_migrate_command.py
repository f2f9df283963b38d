"""Tests of `selvedge migrate`: what it lists, applies, prints and asks before it undoes."""

import re
from pathlib import Path

import psycopg
import pytest

from service import __version__
from service.database import migration_effects, migrations, releases
from service.database.migrations import MigrationState
from service.files import MIGRATIONS
from tests.support import release_dumps
from tests.support.databases import fresh_database
from tests.support.processes import selvedge

pytestmark = pytest.mark.contract("Command line")
RENAMES = "0025.writer_lock"
NEWEST = sorted(MIGRATIONS.glob("*.rollback.sql"))[-1].name.removesuffix(".rollback.sql")


@pytest.fixture
def empty(server_dsn: str, dsn: str) -> str:
    """A database without any table."""
    return fresh_database(server_dsn, f"{dsn.split('?')[0].rsplit('/', 1)[1]}_empty", "template1")


def _ids(dsn: str) -> list[str]:
    return [state.id for state in migrations.states(dsn) if state.applied_at]


def test_undoing_migrations_waits_for_a_word_and_a_number(dsn: str, data_dir: Path) -> None:
    result = selvedge(data_dir, "migrate", "--rollback", "1", DATABASE_URL=dsn)
    assert result.returncode == 1
    assert "nothing was done" in result.stderr
    assert result.stdout.startswith(f"{NEWEST}: a rollback loses ")
    for wrong in ("--rollback=-1", "--rollback=0", "--rollback=x", "--to=9.9", "--rollback-to=x"):
        refused = selvedge(data_dir, "migrate", wrong, "--yes", DATABASE_URL=dsn)
        assert (refused.returncode, refused.stdout) == (2, "")
    current = selvedge(data_dir, "migrate", DATABASE_URL=dsn)
    assert current.stdout.startswith(f"The schema is current for {__version__}: ")
    undone = selvedge(data_dir, "migrate", "--rollback", "1", "--yes", DATABASE_URL=dsn)
    assert f"1 migration rolled back: {NEWEST}\n" in undone.stdout
    assert NEWEST not in _ids(dsn)


@pytest.mark.contract("Migrations")
def test_a_database_goes_to_the_release_that_is_named(empty: str, data_dir: Path) -> None:
    settings = {"DATABASE_URL": empty}
    first = selvedge(data_dir, "migrate", "--to", "0.1.0", **settings)
    assert "13 migrations applied: 0001.organizations, " in first.stdout
    assert "The schema is of release 0.1.0: 13 migrations, the newest is" in first.stdout
    second = selvedge(data_dir, "migrate", "--to", "0.3.0", **settings)
    assert "21 migrations applied: 0014.changes, " in second.stdout
    with psycopg.connect(empty) as connection:
        connection.execute("insert into organization (id, name) values (1, 'One')")
    question = selvedge(data_dir, "migrate", "--rollback-to", "0.2.0", **settings)
    assert (question.returncode, len(_ids(empty))) == (1, 34)
    assert "0027.webhooks: a rollback loses table webhook\n" in question.stdout
    assert "Rows and values there now: organization.unique_keys (1)\n" in question.stdout
    back = selvedge(data_dir, "migrate", "--rollback-to", "0.2.0", "--yes", **settings)
    assert "9 migrations rolled back: 0034.webhook_log, " in back.stdout
    assert len(_ids(empty)) == 25
    nothing = selvedge(data_dir, "migrate", "--to", "0.1.0", **settings)
    assert (nothing.returncode, len(_ids(empty))) == (0, 25)
    assert nothing.stdout.startswith("The schema is of release 0.2.0: ")


def test_a_dry_run_prints_what_would_run(empty: str, data_dir: Path) -> None:
    planned = selvedge(data_dir, "migrate", "--dry-run", "--to", "0.1.0", DATABASE_URL=empty)
    assert len(re.findall(r"^create table \w+ \($", planned.stdout, re.M)) == 37
    with psycopg.connect(empty) as connection:
        assert connection.execute("select to_regclass('_yoyo_migration')").fetchone() == (None,)
    migrations.migrate(empty, "0.1.0")
    options = ("migrate", "--dry-run", "--rollback", "1")
    rollback = selvedge(data_dir, *options, DATABASE_URL=empty)
    file = MIGRATIONS / "0013.comments.rollback.sql"
    assert file.read_text("utf-8").strip() in rollback.stdout
    assert len(_ids(empty)) == 13
    migrations.migrate(empty)
    assert selvedge(data_dir, "migrate", "--dry-run", DATABASE_URL=empty).stdout == (
        "-- nothing to run\n"
    )


def test_the_list_says_what_each_migration_does(dsn: str, data_dir: Path) -> None:
    migrations.roll_back(dsn, 1)
    with psycopg.connect(dsn) as connection:
        connection.execute(
            "insert into _yoyo_migration (migration_hash, migration_id, applied_at_utc)"
            " values ('x', '9999.later', now())"
        )
    listed = selvedge(data_dir, "migrate", "--list", DATABASE_URL=dsn).stdout
    applied = rf"0041.seasons  release 0.4.0, applied \S+Z by {re.escape(__version__)}\n"
    effect = "    Seasons for which styles are made.\n    A rollback loses table season.\n"
    assert re.search(applied + effect, listed)
    assert f"{NEWEST}  release {releases.release_of(NEWEST)}, not applied\n" in listed
    assert "9999.later  of a later release, applied " in listed
    refused = selvedge(data_dir, "migrate", "--rollback", "1", "--yes", DATABASE_URL=dsn)
    assert (refused.returncode, "9999.later" in refused.stderr) == (1, True)


def _files() -> list[MigrationState]:
    paths = [path for path in MIGRATIONS.glob("*.sql") if "rollback" not in path.name]
    return [MigrationState(path.stem, path, None, None) for path in paths]


def test_every_migration_has_a_description_and_a_release() -> None:
    descriptions = {state.id: migration_effects.description(state.sql) for state in _files()}
    short = {id_: text for id_, text in descriptions.items() if len(text) < len("Price lists.")}
    assert short == {}
    assert {releases.release_of(id_) for id_ in descriptions} <= {*releases.releases()}


def _names(dsn: str) -> set[tuple[str, str]]:
    """Return the tables of the schema, with no column, and their columns."""
    columns = release_dumps.columns(dsn)
    return {(table, name) for table, names in columns.items() for name in ("", *names)}


@pytest.mark.thorough
def test_a_rollback_names_all_that_it_loses(empty: str) -> None:
    """Renamed tables have their columns yet."""
    migrations.migrate(empty)
    for state in reversed(migrations.states(empty)):
        before = _names(empty)
        migrations.roll_back(empty, 1)
        gone = before - _names(empty)
        loss = migration_effects.loss(state.rollback)
        tables = {table for table, column in gone if not column}
        lost_columns = {pair for pair in gone if pair[0] not in tables}
        if state.id != RENAMES:
            assert (tables, lost_columns) == ({*loss.tables}, {*loss.columns}), state.id


def test_a_phrase_says_what_is_lost() -> None:
    loss = migration_effects.Loss(("season",), (("style", "a"), ("style", "b")), ("api_key",))
    assert str(loss) == "table season; columns style.a, style.b; rows of table api_key"
    assert str(migration_effects.joined([])) == "nothing"
