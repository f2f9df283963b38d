"""Policy for migrations: one schema runs on one server and on many (scaling, rules 1 to 6)."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from service import __version__
from service.database import releases
from service.files import MIGRATIONS
from tests.policy.sources import migrations, tenant_tables
from tests.policy.test_distributed_sql import changing, chosen_times
from tests.support.offenders import in_each

LONGEST_NAME = 50
_ALTER = re.compile(r"alter table (?:only )?(\w+)")
each_migration = in_each("path", migrations(), label=lambda path: path.stem)
each_file = in_each("path", sorted(MIGRATIONS.glob("*.sql")), label=lambda path: path.stem)
"""Migrations and rollbacks."""
BEFORE_THE_RULE = frozenset({"0043.suppliers", "0052.sample_types"})
"""Released migrations with a reference from an older table to a new one."""
REFUSED = re.compile(
    r"\b(clock_timestamp|format|jsonb_build_object|nextval|random|to_char|to_jsonb)\("
)
"""Functions that an update on a cluster may not call: stable and volatile ones."""


@pytest.fixture
async def catalog(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection to a migrated database."""
    connection = await asyncpg.connect(dsn)
    yield connection
    await connection.close()


@each_migration
def test_a_migration_can_be_taken_back(path: Path) -> None:
    rollback = path.with_name(f"{path.stem}.rollback.sql")
    assert rollback.read_text(encoding="utf-8").strip()


def test_the_newest_release_is_that_of_the_program() -> None:
    """Each release has the number of its first migration, in order."""
    numbers = releases.releases()
    assert [*numbers.values()] == sorted(numbers.values())
    assert list(numbers)[-1] == __version__


@each_migration
def test_migrations_are_numbered(path: Path) -> None:
    assert re.fullmatch(r"\d{4}\.[a-z_]+", path.stem)


def test_no_two_have_one_number() -> None:
    numbers = [path.name[:4] for path in migrations()]
    assert len({*numbers}) == len(numbers)


def statements(path: Path) -> list[str]:
    """Return the statements of a file without functions, without comments."""
    text = re.sub(r"--.*", "", path.read_text(encoding="utf-8"))
    return [each.strip() for each in re.sub(r"'[^']*'", "''", text).split(";")]


@each_file
def test_constraints_have_names(path: Path) -> None:
    text = re.sub(r"--.*", "", path.read_text(encoding="utf-8"))
    kinds = r"(primary key|foreign key|unique \(|check \()"
    assert len(re.findall(rf"constraint \w+\s+{kinds}", text)) == len(re.findall(kinds, text))
    assert not re.search(r"\b(references|deferrable|on update|trigger)\b(?! \w+ \()", text)


@each_migration
def test_no_older_table_refers_to_a_new_one(path: Path) -> None:
    """Scaling, rule 6: on a cluster the older one is distributed, and the new one not yet."""
    if path.stem not in BEFORE_THE_RULE:
        assert not references_to_new_tables(statements(path))


def references_to_new_tables(migration: list[str]) -> list[tuple[str, str]]:
    """Return each older table with the new one that a migration lets it refer to."""
    created = {name for text in migration for name in re.findall(r"^create table (\w+)", text)}
    altered = [(match[1], text) for text in migration if (match := _ALTER.match(text))]
    return [
        (table, target)
        for table, text in altered
        for target in re.findall(r"\breferences (\w+)", text)
        if target in created and table not in created
    ]


def test_a_reference_to_a_new_table_is_found() -> None:
    migration = [
        "create table season (id bigint)",
        "create table plan (season_id bigint)",
        "alter table plan add constraint plan_fk foreign key (season_id) references season (id)",
        "alter table style add constraint style_fk foreign key (season_id) references season (id)",
        "alter table style add constraint brand_fk foreign key (brand_id) references brand (id)",
    ]
    assert references_to_new_tables(migration) == [("style", "season")]


@each_file
def test_updates_call_what_a_cluster_allows(path: Path) -> None:
    """Scaling, rule 8: no time in a case or coalesce, no stable or volatile function."""
    for text in statements(path):
        if text.startswith(("update", "delete")):
            assert not chosen_times(changing(text))
            assert not REFUSED.search(text)


@each_file
def test_functions_read_no_table(path: Path) -> None:
    """Scaling, rule 4: a function of its arguments alone runs on any node, and in an index."""
    text = re.sub(r"--.*|set search_path from current", "", path.read_text(encoding="utf-8"))
    for function in re.findall(r"create (?:or replace )?function.*?(?:;\n\n|;\n?$)", text, re.S):
        assert re.search(r"language (sql|plpgsql) immutable", function)
        assert not re.search(r"\b(select|from|insert|update|delete|execute)\b", function)


@each_file
def test_no_sequence_is_restarted(path: Path) -> None:
    """Scaling, rule 6: ``setval`` moves it, which distributed tables allow."""
    assert not re.search(r"\brestart\b", re.sub(r"--.*", "", path.read_text("utf-8")))


@each_migration
def test_comments_are_taken_back(path: Path) -> None:
    """All but those that go with their table."""
    written = re.findall(r"^comment on \w+ ([\w.]+) is '", path.read_text("utf-8"), re.M)
    rollback = path.with_name(f"{path.stem}.rollback.sql").read_text("utf-8")
    dropped = re.findall(r"^drop (?:table|function) (\w+)", rollback, re.M)
    left = [name for name in written if name.partition(".")[0] not in dropped]
    assert re.findall(r"^comment on \w+ ([\w.]+) is null;", rollback, re.M) == left[::-1]


async def test_every_table_says_what_it_holds(catalog: asyncpg.Connection) -> None:
    silent = await catalog.fetch(
        """select oid::regclass::text from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r'
            and obj_description(oid, 'pg_class') is null"""
    )
    assert not [table for (table,) in silent if "yoyo" not in table]


async def test_names_are_short_enough_for_shards(catalog: asyncpg.Connection) -> None:
    """Scaling, rule 5: shards append their number to the names of constraints and indexes."""
    names = await catalog.fetch(
        """select conname from pg_constraint
        where connamespace = 'public'::regnamespace and contype <> 'n'
        union all
        select indexname from pg_indexes where schemaname = 'public'"""
    )
    long = [name for (name,) in names if len(name) > LONGEST_NAME and "yoyo" not in name]
    assert not long


async def test_the_organization_leads_every_key(catalog: asyncpg.Connection) -> None:
    """Scaling, rule 1: primary keys, unique and plain indexes, and foreign keys between tenants."""
    leading = await catalog.fetch(
        """select i.indexrelid::regclass::text, i.indrelid::regclass::text, a.attname
        from pg_index i
        join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        order by 1"""
    )
    wrong = [
        index
        for index, table, column in leading
        if table in tenant_tables() and column != "organization_id"
    ]
    assert len(leading) > 40
    assert not wrong


async def test_no_index_is_smaller_than_the_primary_key(catalog: asyncpg.Connection) -> None:
    """Where nothing is known of an organization, look-ups by id take the index of fewest levels.

    Equal values that are stored once make an index small, unless it has the whole primary key.
    """
    smaller = await catalog.fetch(
        """select i.indexrelid::regclass::text
        from pg_index i
        join pg_class c on c.oid = i.indexrelid and c.relnamespace = 'public'::regnamespace
        join pg_am on pg_am.oid = c.relam and pg_am.amname = 'btree'
        join pg_index own on own.indrelid = i.indrelid and own.indisprimary
        where not i.indisunique and i.indpred is null
            and not own.indkey::smallint[] <@ i.indkey::smallint[]
            and 'deduplicate_items=off' <> all(coalesce(c.reloptions, '{}'))
        order by 1"""
    )
    assert not [name for (name,) in smaller]


async def test_foreign_keys_between_tenants_are_composite(catalog: asyncpg.Connection) -> None:
    keys = await catalog.fetch(
        """select f.conname, f.conrelid::regclass::text, f.confrelid::regclass::text,
            (select attname from pg_attribute where attrelid = f.conrelid and attnum = f.conkey[1]),
            f.confupdtype, f.confdeltype, f.condeferrable, f.convalidated
        from pg_constraint f where f.contype = 'f' order by 1"""
    )
    assert len(keys) > 30
    for name, table, target, column, on_update, on_delete, deferrable, validated in keys:
        if target in tenant_tables():
            assert table in tenant_tables(), name
            assert column == "organization_id", name
        assert (on_update, deferrable, validated) == (b"a", False, True), name
        # Scaling, rule 3. No action looks for the deleted key once more, for each row.
        is_of_records = target in tenant_tables() - {"organization", table}
        assert on_delete in (b"c", b"r" if is_of_records else b"a"), name


async def test_text_that_sorts_sorts_by_code_point(catalog: asyncpg.Connection) -> None:
    columns = await catalog.fetch(
        """select table_name || '.' || column_name, collation_name from information_schema.columns
        where table_schema = 'public' and data_type = 'text' and table_name !~ 'yoyo|^citus'
        order by 1"""
    )
    free = {
        "organization.name",
        "api_key.name",
        "api_key.scope",
        "sample_request_size.designer_comment",
    }
    other = {name for name, collation in columns if collation != "C"}
    assert other <= free
