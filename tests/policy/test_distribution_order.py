"""Policy for the distribution: which tables it takes, and in which order, on plain PostgreSQL."""

from collections.abc import Iterator

import psycopg
import pytest

from service.database import distribution
from tests.policy.sources import tenant_tables


@pytest.fixture
def catalog(dsn: str) -> Iterator[psycopg.Connection]:
    """A connection to a migrated database."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def test_the_organization_comes_first(catalog: psycopg.Connection) -> None:
    """The others are co-located with it."""
    assert distribution.tenant_tables(catalog)[0] == "organization"


def test_each_table_comes_after_those_that_it_refers_to(catalog: psycopg.Connection) -> None:
    order = distribution.tenant_tables(catalog)
    references = catalog.execute(
        """select referring.relname, referred.relname from pg_constraint
        join pg_class referring on referring.oid = conrelid
        join pg_class referred on referred.oid = confrelid
        where contype = 'f' and conrelid <> confrelid"""
    ).fetchall()
    among = [(table, target) for table, target in references if target in order]
    assert len(among) > 100
    assert not [pair for pair in among if order.index(pair[0]) < order.index(pair[1])]


def test_tables_that_refer_to_each_other_end_the_list(catalog: psycopg.Connection) -> None:
    """No migration makes some; an operator's own may."""
    names = ("hen", "egg")
    with catalog.transaction(force_rollback=True):
        catalog.execute("set local statement_timeout = '20s'")
        for name in names:
            columns = "organization_id bigint, id bigint unique, other_id bigint"
            catalog.execute(f"create table {name} ({columns})".encode())
        for name, other in (names, names[::-1]):
            text = f"alter table {name} add foreign key (other_id) references {other} (id)"
            catalog.execute(text.encode())
        assert {*names} < {*distribution.tenant_tables(catalog)}


def test_the_list_of_tables_is_that_of_the_catalog(catalog: psycopg.Connection) -> None:
    """Policies read the names from the migrations, and `distribute` those of the catalog."""
    assert {*distribution.tenant_tables(catalog)} == {"organization", *tenant_tables()}
