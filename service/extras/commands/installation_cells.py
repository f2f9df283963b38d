"""Cells: databases of one installation, each with organizations of its own (docs/scaling.md).

A cell's ids begin at its number times CELL_IDS, so that the ids of an organization that moves, its
own among them, meet no others. Callers keep their keys, ids and cursors.
"""

from typing import Any, Final
from uuid import UUID

import psycopg
from psycopg import sql

from service.database import distribution
from service.database.statements import load
from service.extras.commands import CommandError

CELL_IDS: Final = 2**40
"""Number of ids that a cell has for each table."""
MAX_CELLS: Final = 2**8
"""Number of cells; the ids of a cluster's worker nodes begin above the last one's (2**48)."""

_SQL: Final = load("operators/installation_cells")
_LOCK_SECONDS: Final = 10


def make_cell(connection: psycopg.Connection[Any], number: int, installation: UUID) -> None:
    """Make a migrated database without organizations the cell ``number`` of an installation.

    ``number`` is from 1 to MAX_CELLS - 1; the installation's first database is its cell 0. Raise
    CommandError if there is an organization.
    """
    with connection.transaction():
        if connection.execute(_SQL["has_organization"].encoded).fetchone() == (True,):
            raise CommandError("the database has organizations: make an empty one a cell")
        connection.execute("update installation set id = %s", [installation])
        tables = distribution.tenant_tables(connection)
        connection.execute(_SQL["begin_ids"].encoded, [number * CELL_IDS, tables])


def move(
    source: psycopg.Connection[Any], target: psycopg.Connection[Any], organization_id: int
) -> int:
    """Move an organization with all of its rows to another cell; return their number.

    Both connections are in autocommit mode. The rows are deleted from the source when the target
    has all of them, and the target commits first. So no row is lost; if the second commit fails,
    both have them, and the next move only deletes them. Raise CommandError for cells that
    do not fit, and psycopg.Error, such as after 10 s of waiting for a writer: then nothing is
    moved, unless the second commit failed.
    """
    _require_fit(source, target)
    with source.transaction(), target.transaction():
        tables = _lock(source, organization_id)
        if target.execute(_SQL["lock_organization"].encoded, [organization_id]).fetchone():
            moved = _require_equal(source, target, tables, organization_id)
        else:
            moved = [_copy(source, target, table, organization_id) for table in tables]
        _delete(source, tables, organization_id)
    return sum(moved)


def delete(connection: psycopg.Connection[Any], organization_id: int) -> int:
    """Delete an organization with all of its rows in one transaction; return their number.

    Raise CommandError if there is none, and psycopg.Error, such as after 10 s of waiting
    for a writer: then nothing is deleted.
    """
    with connection.transaction():
        return _delete(connection, _lock(connection, organization_id), organization_id)


def _lock(connection: psycopg.Connection[Any], organization_id: int) -> list[str]:
    """Lock out writers of an organization, waiting 10 s; return the tables with its rows."""
    connection.execute(f"set local statement_timeout = '{_LOCK_SECONDS}s'".encode())
    if connection.execute(_SQL["lock_organization"].encoded, [organization_id]).fetchone() is None:
        raise CommandError(f"there is no organization {organization_id}")
    # Writes wait for the first lock, by their foreign keys, and numbering for the second.
    connection.execute(_SQL["lock_feed"].encoded, [organization_id])
    connection.execute("set local statement_timeout = 0")
    return distribution.tenant_tables(connection)


def _delete(connection: psycopg.Connection[Any], tables: list[str], organization_id: int) -> int:
    """Delete the organization's rows, those with references first; return their number."""
    statement = sql.SQL("delete from {} where {} = %s")
    return sum(
        connection.execute(statement.format(*_table_and_key(table)), [organization_id]).rowcount
        for table in reversed(tables)
    )


def _require_fit(source: psycopg.Connection[Any], target: psycopg.Connection[Any]) -> None:
    """Raise CommandError unless these are different cells of one installation.

    Both must have the same migrations and languages.
    """
    reasons = {
        "migrations": "the databases have different migrations: run `selvedge migrate` on both",
        "installation": "the target is no cell of this installation: see `selvedge cell`",
        "languages": "the databases have different languages",
    }
    for name, reason in reasons.items():
        query = _SQL[name].encoded
        if source.execute(query).fetchall() != target.execute(query).fetchall():
            raise CommandError(reason)
    query = _SQL["cell"].encoded
    cells = [each.execute(query, [CELL_IDS]).fetchone() for each in (source, target)]
    if cells[0] == cells[1]:
        raise CommandError("both databases are the same cell, so that ids could meet")


def _require_equal(
    source: psycopg.Connection[Any],
    target: psycopg.Connection[Any],
    tables: list[str],
    organization_id: int,
) -> list[int]:
    """Return the numbers of the organization's rows by table, which are those of a move before.

    Raise CommandError if they differ: each write since then has added a change.
    """
    count = sql.SQL("select count(*) from {} where {} = %s")
    source_counts, target_counts = (
        [
            connection.execute(count.format(*_table_and_key(table)), [organization_id]).fetchall()
            for table in tables
        ]
        for connection in (source, target)
    )
    if source_counts != target_counts:
        raise CommandError(f"the target has another organization {organization_id}")
    return [number for [(number,)] in source_counts]


def _table_and_key(table: str) -> tuple[sql.Identifier, sql.Identifier]:
    """Return a tenant's table, and its column with the organization."""
    return sql.Identifier(table), sql.Identifier(distribution.key_of(table))


def _copy(
    source: psycopg.Connection[Any],
    target: psycopg.Connection[Any],
    table: str,
    organization_id: int,
) -> int:
    """Copy the organization's rows of a table, which stay locked at the source."""
    name, key = _table_and_key(table)
    stored_columns = source.execute(_SQL["columns"].encoded, [table]).fetchall()
    columns = sql.SQL(", ").join(sql.Identifier(column) for (column,) in stored_columns)
    read = sql.SQL("copy (select {} from {} where {} = {} for update) to stdout (format binary)")
    write = sql.SQL("copy {} ({}) from stdin (format binary)")
    with source.cursor() as reader, target.cursor() as writer:
        with (
            reader.copy(read.format(columns, name, key, organization_id)) as rows,
            writer.copy(write.format(name, columns)) as stored,
        ):
            for part in rows:
                stored.write(part)
        return writer.rowcount
