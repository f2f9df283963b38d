"""Tests of migrations: applied once, rolled back whole, refused if the schema is behind."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import psycopg
import pytest

from service import files
from service.database import migrations, planner_statistics
from service.database.database_state import schema_is_current
from service.files import MIGRATIONS
from tests.support.databases import fresh_database

_EVERYTHING = 10_000


@pytest.fixture
def empty(server_dsn: str, dsn: str) -> str:
    """A database without any table."""
    return fresh_database(server_dsn, f"{dsn.split('?')[0].rsplit('/', 1)[1]}_empty", "template1")


def _schema(dsn: str) -> list[tuple[object, ...]]:
    """Return columns, constraints and indexes of everything but yoyo's own tables."""
    query = """
        select table_name, column_name, data_type, column_default, is_nullable
          from information_schema.columns
         where table_schema = 'public' and table_name not like '%yoyo%'
        union all
        select conrelid::regclass::text, conname, pg_get_constraintdef(oid), '', ''
          from pg_constraint
         where connamespace = 'public'::regnamespace and conrelid::regclass::text not like '%yoyo%'
        union all
        select tablename, indexname, indexdef, '', ''
          from pg_indexes
         where schemaname = 'public' and tablename not like '%yoyo%'
         order by 1, 2, 3
    """
    with psycopg.connect(dsn) as connection:
        return connection.execute(query).fetchall()


def test_every_migration_is_undone_by_its_rollback(empty: str) -> None:
    """Contract, Style relations: the first of a pair stays, also where it was there before."""
    applied = migrations.migrate(empty)
    first = _schema(empty)
    later = [path for path in MIGRATIONS.glob("*.rollback.sql") if path.name >= "0018"]
    migrations.roll_back(empty, len(later))
    with psycopg.connect(empty) as connection:
        connection.execute("insert into organization (id, name) values (1, 'One'), (2, 'Two')")
        connection.execute(
            "insert into style (organization_id, id, number, name)"
            " select 1 + n % 2, n, 'S', 'S' from generate_series(1, 6) as n"
        )
        connection.execute(
            "insert into style_relation (organization_id, id, style_id, related_style_id) values"
            " (2, 5, 1, 3), (2, 9, 1, 3), (2, 7, 1, 3), (2, 8, 3, 1), (2, 6, 1, 5), (1, 4, 2, 4)"
        )
    assert len(migrations.migrate(empty)) == len(later)
    with psycopg.connect(empty) as connection:
        rows = connection.execute("select id from style_relation order by id").fetchall()
    assert [relation_id for (relation_id,) in rows] == [4, 5, 6, 8]
    assert _schema(empty) == first
    assert migrations.roll_back(empty, _EVERYTHING) == applied[::-1] != []
    assert _schema(empty) == []
    assert migrations.migrate(empty) == applied


@pytest.mark.thorough
def test_migrations_can_be_undone_one_by_one(empty: str) -> None:
    total = len(migrations.migrate(empty))
    sizes = [len(_schema(empty))]
    for _ in range(total):
        assert len(migrations.roll_back(empty, 1)) == 1
        sizes.append(len(_schema(empty)))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 0


def test_constraints_that_a_killed_run_left_are_validated(dsn: str) -> None:
    """The migration was applied, its new foreign key not yet validated."""
    query = "select conname from pg_constraint where not convalidated"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("alter table item drop constraint item_category_fk")
        connection.execute(
            """alter table item add constraint item_category_fk
            foreign key (organization_id, item_category_id)
            references item_category (organization_id, id) on delete restrict not valid"""
        )
        assert connection.execute(query).fetchall() == [("item_category_fk",)]
        assert migrations.migrate(dsn) == []
        assert connection.execute(query).fetchall() == []


def test_two_migrators_apply_each_migration_once(empty: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = sorted(pool.map(migrations.migrate, [empty, empty]))
    assert first == []
    assert second


@pytest.mark.contract("Health")
async def test_schema_is_current_only_with_every_migration(dsn: str, empty: str) -> None:
    connection = await asyncpg.connect(dsn)
    assert await schema_is_current(connection)
    migrations.roll_back(dsn, 1)
    assert not await schema_is_current(connection)
    await connection.close()

    connection = await asyncpg.connect(empty)
    assert not await schema_is_current(connection)
    await connection.close()


def test_migrating_forgets_organizations_that_were_analyzed_before(dsn: str) -> None:
    """Analyze leaves what it stored of a column before it was excluded."""
    query = """select tablename::text from pg_stats
        where schemaname = 'public' and attname = 'organization_id' and tablename = any(%s)"""
    with psycopg.connect(dsn, autocommit=True) as connection:
        children = [*planner_statistics.children(connection)]
        connection.execute("insert into organization (id, name) values (1, 'One')")
        connection.execute("set session_replication_role = replica")
        connection.execute(
            "insert into sample_request_size"
            " (organization_id, sample_request_id, size_range_size_id)"
            " select 1, n, n from generate_series(1, 100) as n"
        )
        connection.execute(
            "alter table sample_request_size alter column organization_id set statistics -1"
        )
        connection.execute("analyze sample_request_size")
        assert connection.execute(query, [children]).fetchall() == [("sample_request_size",)]
        migrations.migrate(dsn)
        connection.execute("analyze")
        assert connection.execute(query, [children]).fetchall() == []
        # Analyze warns of statistics that it cannot compute without the column.
        extended = "select stxname from pg_statistic_ext where stxrelid = any(%s::regclass[])"
        assert connection.execute(extended, [children]).fetchall() == []


def test_a_migration_that_a_deadlock_ends_is_repeated(
    empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sequence counts the tries, as no rollback takes it back."""
    migrations.migrate(empty)
    text = """create table weather (code text constraint weather_pk primary key);

    do $$ begin
        if nextval('tries') < {} then raise exception using errcode = 'deadlock_detected'; end if;
    end $$;
    """
    (tmp_path / "0900.weather.sql").write_text(text.format(5))
    (tmp_path / "0901.again.sql").write_text(text.format(100).replace("weather", "again"))
    monkeypatch.setattr(files, "MIGRATIONS", tmp_path)
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute("create sequence tries")
        with pytest.raises(psycopg.errors.DeadlockDetected):
            migrations.migrate(empty)
        tables = connection.execute("select to_regclass('weather'), to_regclass('again')")
        assert tables.fetchone() == ("weather", None)
        assert connection.execute("select last_value from tries").fetchone() == (10,)
