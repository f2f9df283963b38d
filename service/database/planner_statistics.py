"""Planner statistics of child tables: estimates that hold for organizations not yet analyzed.

Problem: if the statistics have values of ``organization_id``, PostgreSQL estimates no rows for an
organization that is not among them. All indexes that begin with the column then cost the same, and
a statement reads all children of the organization for each owner.

Rejected: extended statistics, which need those values. Rejected: the chosen way for tables that
lists page through, where a low estimate makes PostgreSQL sort the whole collection for a page.

Chosen: no statistics of the column in child tables. PostgreSQL then estimates 1/200 of the table's
present rows for every organization. The ``n_distinct`` of ids and owners is set to match, so that
both conditions together give the estimate of one owner's children.
"""

from typing import Any, Final

import psycopg
from psycopg import sql

from service.database.statements import load

_SQL: Final = load("operators/planner_statistics")
_DISTINCT_IDS: Final = -0.005
"""``n_distinct`` of ids: 1/200 of the rows."""
_DISTINCT_OWNERS: Final = -0.001
"""``n_distinct`` of owners' ids: a fifth of that, for 5 children each."""
_CLEARABLE_SINCE: Final = 180_000
"""``server_version_num`` of the release that introduced pg_clear_attribute_stats."""


def children(connection: psycopg.Connection[Any]) -> dict[str, str]:
    """Return the child tables, links included, with the column of the owner's id.

    They are read by owner. Custom fields are read by the id of their parent, and are among them.
    """
    return dict(connection.execute(_SQL["children"].encoded).fetchall())


def prepare(connection: psycopg.Connection[Any], *, distributed: bool, again: bool = False) -> None:
    """Take ``organization_id`` out of the statistics of children; set ``n_distinct`` of the ids.

    Tables that were prepared before are left as they are, unless ``again``, as needed after
    distribution. Each table is prepared in a transaction of its own,
    then analyzed. A table that was never analyzed stays so, except in a distributed database: an
    empty table keeps its default estimates. The connection is in autocommit mode. Raise
    psycopg.OperationalError if a shard cannot be altered.
    """
    owners = children(connection)
    unprepared = connection.execute(_SQL["unprepared"].encoded, [[*owners], again])
    for table, has_id in unprepared.fetchall():
        with connection.transaction():
            for change in _changes(owners[table], has_id):
                _alter(connection, table, change, distributed=distributed)
            analyzed = connection.execute(_SQL["analyzed"].encoded, [table]).fetchone()
            if analyzed == (True,) and not distributed:
                _clear(connection, table)
        if analyzed or distributed:
            connection.execute(sql.SQL("analyze {}").format(sql.Identifier(table)))


def _changes(owner: str, has_id: bool) -> list[str]:
    """Return the actions of ``alter table`` that prepare a table."""
    n_distinct = {owner: _DISTINCT_OWNERS, **({"id": _DISTINCT_IDS} if has_id else {})}
    return [
        "alter column organization_id set statistics 0",
        *(f"alter column {name} set (n_distinct = {n})" for name, n in n_distinct.items()),
    ]


def _alter(
    connection: psycopg.Connection[Any], table: str, change: str, *, distributed: bool
) -> None:
    """Alter a table and, as Citus does not propagate these changes, each of its shards."""
    if distributed:
        connection.execute("set local citus.enable_ddl_propagation = off")
        statement = "select bool_and(success) from run_command_on_shards(%s, %s)"
        done = connection.execute(statement, [table, f"alter table %s {change}"]).fetchone()
        if done == (False,):
            raise psycopg.OperationalError(f"statistics of {table} were not set on every shard")
    connection.execute(f"alter table {table} {change}".encode())


def _clear(connection: psycopg.Connection[Any], table: str) -> None:
    """Clear the stored statistics of ``organization_id``, which ``analyze`` no longer replaces."""
    if connection.info.server_version >= _CLEARABLE_SINCE:
        clear = "select pg_clear_attribute_stats(current_schema(), %s, 'organization_id', false)"
        connection.execute(clear, [table])
    else:
        # Setting the same type clears the statistics, without a scan of the rows.
        alter = sql.SQL("alter table {} alter column organization_id type bigint")
        connection.execute(alter.format(sql.Identifier(table)))
