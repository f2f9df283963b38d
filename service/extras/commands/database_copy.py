"""Database copy: all rows of an installation, from one PostgreSQL to another of any version.

A dump of a newer PostgreSQL cannot be restored into an older one. The schema comes from the
migrations instead, and only rows are copied, as text. Ids, keys, positions of the change feed, the
audit log and deleted records stay what they are.
"""

from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import sql

from service.database import distribution
from service.database.statements import load
from service.extras.commands import CommandError

_SQL: Final = load("operators/database_copy")
_LOCK_SECONDS: Final = 10
_CHECKSUM: Final = sql.SQL(
    "select count(*), coalesce(sum(('x' || left(md5(copied::text), 15))::bit(60)::bigint), 0)"
    " from (select {} from {}) copied"
)
"""Number of rows, and the sum of hashes of their texts, in which their order does not count."""


@dataclass(frozen=True, slots=True)
class TableSum:
    """Rows of a table, and the sum of their hashes."""

    rows: int
    checksum: int


def copy(source: psycopg.Connection[Any], target: psycopg.Connection[Any]) -> dict[str, TableSum]:
    """Copy all rows into a migrated database without organizations; return the sums by table.

    Both connections are in autocommit mode. Writers of the source wait until the end. The target
    commits only if each table has the rows and the checksum of the source. Raise CommandError if
    the databases do not fit or a table differs, and psycopg.Error, such as after 10 s of waiting
    for a writer: then the target stays as it was.
    """
    _require_fit(source, target)
    for connection in (source, target):
        connection.execute("set timezone = 'UTC'")
    tables = [name for (name,) in source.execute(_SQL["tables"].encoded)]
    with source.transaction(), target.transaction():
        _lock(source, tables)
        keys = target.execute(_SQL["foreign_keys"].encoded).fetchall()
        _execute(target, [drop for drop, _ in keys])
        names = sql.SQL(", ").join(map(sql.Identifier, tables))
        target.execute(sql.SQL("truncate {}").format(names))
        sums = {table: _copy(source, target, table) for table in tables}
        _execute(target, [add for _, add in keys])
        for name, is_called, next_id in source.execute(_SQL["sequences"].encoded).fetchall():
            target.execute(_SQL["set_sequence"].encoded, [name, next_id, is_called])
    target.execute("analyze")
    return sums


def _require_fit(source: psycopg.Connection[Any], target: psycopg.Connection[Any]) -> None:
    for connection in (source, target):
        if distribution.is_distributed(connection):
            raise CommandError("a cluster is copied organization by organization: `selvedge move`")
    query = _SQL["migrations"].encoded
    if source.execute(query).fetchall() != target.execute(query).fetchall():
        raise CommandError("the source has other migrations: run `selvedge migrate` on it first")
    if target.execute(_SQL["has_organization"].encoded).fetchone() == (True,):
        raise CommandError("the target has organizations: copy into a new, empty database")


def _lock(connection: psycopg.Connection[Any], tables: list[str]) -> None:
    """Let writers wait; raise psycopg.errors.QueryCanceled if one takes longer than 10 s."""
    connection.execute(f"set local statement_timeout = '{_LOCK_SECONDS}s'".encode())
    names = sql.SQL(", ").join(map(sql.Identifier, tables))
    connection.execute(sql.SQL("lock table {} in share mode").format(names))
    connection.execute("set local statement_timeout = 0")


def _execute(connection: psycopg.Connection[Any], statements: list[str]) -> None:
    for statement in statements:
        connection.execute(statement.encode())


def _copy(source: psycopg.Connection[Any], target: psycopg.Connection[Any], table: str) -> TableSum:
    """Copy a table; return its sum. Raise CommandError if the sums of both differ."""
    stored = source.execute(_SQL["columns"].encoded, [table]).fetchall()
    columns = sql.SQL(", ").join(sql.Identifier(column) for (column,) in stored)
    name = sql.Identifier(table)
    read = sql.SQL("copy (select {} from {}) to stdout").format(columns, name)
    write = sql.SQL("copy {} ({}) from stdin").format(name, columns)
    with (
        source.cursor() as reader,
        target.cursor() as writer,
        reader.copy(read) as rows,
        writer.copy(write) as stored_rows,
    ):
        for part in rows:
            stored_rows.write(part)
    query = _CHECKSUM.format(columns, name)
    (rows_of_source, checksum), of_target = (
        connection.execute(query).fetchall()[0] for connection in (source, target)
    )
    if of_target != (rows_of_source, checksum):
        raise CommandError(f"the rows of {table} differ in the target: nothing was copied")
    return TableSum(rows_of_source, int(checksum))
