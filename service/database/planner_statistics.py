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
CHILDREN: Final = {
    "care_instruction_icon_translation": "care_instruction_icon_id",
    "care_instruction_layer_translation": "care_instruction_layer_id",
    "care_instruction_material_translation": "care_instruction_material_id",
    "care_instruction_translation": "care_instruction_id",
    "channel_language": "channel_id",
    "channel_price_list": "channel_id",
    "color_in_group": "color_id",
    "color_language": "color_id",
    "compliance_allowed_value": "custom_field_id",
    "compliance_custom_field": "parent_custom_field_id",
    "custom_field_brand": "custom_field_id",
    "custom_field_group": "custom_field_id",
    "custom_field_style_category": "custom_field_id",
    "custom_field_value": "style_id",
    "measurement_line": "style_id",
    "measurement_line_value": "measurement_line_id",
    "sample_request_measurement": "sample_request_id",
    "sample_request_size": "sample_request_id",
    "size_range_size": "size_range_id",
    "style_allowed_value": "custom_field_id",
    "style_care_icon": "style_care_set_id",
    "style_care_instruction": "style_care_set_id",
    "style_care_layer": "style_care_set_id",
    "style_care_material": "style_care_layer_id",
    "style_care_set": "style_id",
    "style_color_in_season": "style_color_id",
    "style_custom_field": "parent_custom_field_id",
    "style_contact": "style_id",
    "style_in_group": "style_id",
    "style_price": "style_id",
    "style_item": "style_id",
    "style_item_color": "style_item_id",
    "style_item_size": "style_item_id",
    "style_supplier_facility": "style_id",
    "style_translation": "style_id",
    "sub_supplier_contact": "sub_supplier_id",
    "supplier_contact": "supplier_id",
    "supplier_sub_supplier": "supplier_id",
}
"""Child tables, links included, which are read by owner, with the column of the owner's id.

Custom fields are read by the id of their parent; their lists are short enough to be sorted.
"""
_DISTINCT_IDS: Final = -0.005
"""``n_distinct`` of ids: 1/200 of the rows."""
_DISTINCT_OWNERS: Final = -0.001
"""``n_distinct`` of owners' ids: a fifth of that, for 5 children each."""
_CLEARABLE_SINCE: Final = 180_000
"""``server_version_num`` of the release that introduced pg_clear_attribute_stats."""


def prepare(connection: psycopg.Connection[Any], *, again: bool = False) -> None:
    """Take ``organization_id`` out of the statistics of CHILDREN; set ``n_distinct`` of the ids.

    Tables that were prepared before are left as they are, unless ``again``, as needed after
    distribution; missing tables are ignored. Each table is prepared in a transaction of its own,
    then analyzed. A table that was never analyzed stays so, except in a distributed database: an
    empty table keeps its default estimates. The connection is in autocommit mode. Raise
    psycopg.OperationalError if a shard cannot be altered.
    """
    distributed = _is_distributed(connection)
    unprepared = connection.execute(_SQL["unprepared"].encoded, [[*CHILDREN], again])
    for table, has_id in unprepared.fetchall():
        with connection.transaction():
            for change in _changes(table, has_id):
                _alter(connection, table, change, distributed=distributed)
            analyzed = connection.execute(_SQL["analyzed"].encoded, [table]).fetchone()
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
    if catalog == (None,):
        return False
    return connection.execute(_SQL["is_distributed"].encoded).fetchone() == (True,)
