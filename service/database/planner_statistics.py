"""Planner statistics of child tables: estimates that hold for organizations not yet analyzed.

Problem: if the statistics have values of ``organization_id``, PostgreSQL estimates no rows for an
organization that is not among them. All indexes that begin with the column then cost the same, and
joins read all children of the organization for each owner.

Rejected: extended statistics, which need those values. Rejected: the chosen way for tables that
lists page through, where a low estimate makes PostgreSQL sort the whole collection for a page, and
for allowed values and links, where it doubles PostgreSQL's time for a bulk replace.

Chosen: no statistics of the column in child tables. PostgreSQL then estimates 1/200 of the table's
present rows for every organization. The ``n_distinct`` of ids and owners is set to match, so that
both conditions together give the estimate of one owner's children.
"""

from typing import Any, Final

import psycopg
from psycopg import sql

CHILDREN: Final = {
    "measurement_line": "style_id",
    "measurement_line_value": "measurement_line_id",
    "sample_request_measurement": "sample_request_id",
    "sample_request_size": "sample_request_id",
}
"""Child tables, which are read by owner, with the column of the owner's id."""
_DISTINCT_IDS: Final = -0.005
"""``n_distinct`` of ids: 1/200 of the rows."""
_DISTINCT_OWNERS: Final = -0.001
"""``n_distinct`` of owners' ids: a fifth of that, for 5 children each."""
_CLEARABLE_SINCE: Final = 180_000
"""``server_version_num`` of the release that introduced pg_clear_attribute_stats."""
_UNPREPARED: Final = """
    select own.relname, exists (
        select 1 from pg_attribute a where a.attrelid = own.oid and a.attname = 'id'
    )
    from pg_class own
    join pg_attribute tenant on tenant.attrelid = own.oid and tenant.attname = 'organization_id'
    where own.relnamespace = current_schema()::regnamespace and own.relname = any(%s)
        and (coalesce(tenant.attstattarget, -1) <> 0 or %s)
    order by own.relname
"""
"""Names of the child tables to prepare, and whether each has an id: those not prepared, or all."""
_IS_DISTRIBUTED: Final = """
    select true from pg_dist_partition where logicalrelid = to_regclass('organization')
"""
_ANALYZED: Final = """
    select attname = 'organization_id' from pg_stats
    where schemaname = current_schema() and tablename = %s order by 1 desc limit 1
"""
"""Whether a table's statistics have ``organization_id``; no row for a table without statistics."""


def prepare(connection: psycopg.Connection[Any], *, again: bool = False) -> None:
    """Take ``organization_id`` out of the statistics of CHILDREN; set ``n_distinct`` of the ids.

    Tables that were prepared before are left as they are, unless ``again``, as needed after
    distribution; missing tables are ignored. Each table is prepared in a transaction of its own,
    then analyzed. A table that was never analyzed stays so, except in a distributed database: an
    empty table keeps its default estimates. The connection is in autocommit mode. Raise
    psycopg.OperationalError if a shard cannot be altered.
    """
    distributed = _is_distributed(connection)
    for table, has_id in connection.execute(_UNPREPARED, [[*CHILDREN], again]).fetchall():
        with connection.transaction():
            for change in _changes(table, has_id):
                _alter(connection, table, change, distributed=distributed)
            analyzed = connection.execute(_ANALYZED, [table]).fetchone()
            if analyzed == (True,) and not distributed:
                _clear(connection, table)
        if analyzed or distributed:
            connection.execute(sql.SQL("analyze {}").format(sql.Identifier(table)))


def _changes(table: str, has_id: bool) -> list[str]:
    """Return the actions of ``alter table`` that prepare a table."""
    n_distinct = {CHILDREN[table]: _DISTINCT_OWNERS, **({"id": _DISTINCT_IDS} if has_id else {})}
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


def _is_distributed(connection: psycopg.Connection[Any]) -> bool:
    catalog = connection.execute("select to_regclass('pg_dist_partition')::text").fetchone()
    return catalog != (None,) and connection.execute(_IS_DISTRIBUTED).fetchone() == (True,)
