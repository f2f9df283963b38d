"""Distribution on Citus: each organization's rows together on one node, shared rows on every node.

Which table goes where is read from the catalog: what has an ``organization_id`` goes by it, the
``organization`` table by its id beside them, anything else to every node. The migrations' own
tables stay where they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import psycopg
from psycopg import sql

from service.database import planner_statistics

Connection: TypeAlias = psycopg.Connection[Any]

_ATTEMPTS: Final = 5
_ROOT: Final = "organization"
_KEY: Final = "organization_id"
_CITUS: Final = "select true from pg_extension where extname = 'citus'"
_COORDINATOR: Final = "select citus_is_coordinator()"
_MIGRATED: Final = "select true where to_regclass(%s) is not null"
_NODES: Final = "select count(*) from pg_dist_node where shouldhaveshards and noderole = 'primary'"
_DISTRIBUTED: Final = """
    select true from pg_dist_partition where logicalrelid = to_regclass(%s) and partmethod = 'h'
"""
#: The local tables of our schema, those that others refer to first, the root before its peers.
_LOCAL: Final = """
    with recursive own as (
        select oid, relname as name
        from pg_class
        where relnamespace = current_schema()::regnamespace and relkind = 'r'
            and relname not like '%%yoyo%%' and not relation_is_a_known_shard(oid)
    ),
    reached (oid, depth) as (
        select oid, 0 from own
        union
        select key.conrelid, reached.depth + 1
        from reached
        join pg_constraint key on key.confrelid = reached.oid and key.contype = 'f'
            and key.conrelid <> key.confrelid
    )
    select
        own.name,
        own.name = %s or exists (
            select 1 from pg_attribute a where a.attrelid = own.oid and a.attname = %s
        ) as is_tenant,
        pg_total_relation_size(own.oid) as bytes
    from own
    join reached on reached.oid = own.oid
    where own.oid not in (select logicalrelid from pg_dist_partition)
    group by own.oid, own.name
    order by max(reached.depth), own.name <> %s, own.name
"""


class DistributionError(Exception):
    """The database cannot be distributed; the message is one line fit for the operator."""


@dataclass(frozen=True, slots=True)
class DistributionPlan:
    """What is still local and where it will go; tables stand after those they refer to."""

    nodes: int
    """How many nodes take rows."""
    tenant: Sequence[str]
    """Tables to distribute by organization."""
    shared: Sequence[str]
    """Tables to copy to every node."""
    bytes: int
    """What all of them take now."""

    @property
    def tables(self) -> list[str]:
        """All of them, in the order in which they can go."""
        return [*self.shared, *self.tenant]


def prepare(connection: Connection) -> None:
    """Set what a session needs to change a distributed schema; without Citus it means nothing.

    Otherwise Citus takes a new table that refers to a reference table for one of its own, and
    changes several shards at once, after which a transaction cannot read all of its own work.
    """
    connection.execute("set citus.enable_local_reference_table_foreign_keys = off")
    connection.execute("set citus.multi_shard_modify_mode = 'sequential'")


def plan(connection: Connection) -> DistributionPlan:
    """Return what there is to do; DistributionError where it cannot be done."""
    if not _holds(connection, _CITUS):
        raise DistributionError("there is no Citus here: `create extension citus` comes first")
    if not _holds(connection, _COORDINATOR):
        raise DistributionError("this is a worker; DATABASE_URL must name the coordinator")
    if not _holds(connection, _MIGRATED, _ROOT):
        raise DistributionError("there are no tables yet: run `selvedge migrate` first")
    local = connection.execute(_LOCAL, [_ROOT, _KEY, _ROOT]).fetchall()
    return DistributionPlan(
        nodes=connection.execute(_NODES).fetchall()[0][0],
        tenant=[name for name, is_tenant, _ in local if is_tenant],
        shared=[name for name, is_tenant, _ in local if not is_tenant],
        bytes=sum(size for _, _, size in local),
    )


def distribute(connection: Connection, wanted: DistributionPlan) -> None:
    """Carry a plan out, whole or not at all; writers wait meanwhile."""
    for attempt in range(_ATTEMPTS):
        try:
            _distribute(connection, wanted)
            break
        except psycopg.errors.DeadlockDetected:  # with writers that hold one table and want another
            if attempt == _ATTEMPTS - 1:
                raise
    planner_statistics.prepare(connection, again=True)
    connection.execute(sql.SQL("analyze {}").format(_names(wanted)))


def follow(connection: Connection) -> None:
    """Distribute what a migration made, in its transaction, if the database is distributed."""
    if _holds(connection, _CITUS) and _holds(connection, _DISTRIBUTED, _ROOT):
        _move(connection, plan(connection))


def _distribute(connection: Connection, wanted: DistributionPlan) -> None:
    with connection.transaction():
        connection.execute(sql.SQL("lock table {} in exclusive mode").format(_names(wanted)))
        _move(connection, wanted)
        # Looking types up takes the service a second and more for each while Citus hides shards.
        setting = sql.SQL("alter database {} set citus.override_table_visibility = off")
        connection.execute(setting.format(sql.Identifier(connection.info.dbname)))


def _move(connection: Connection, wanted: DistributionPlan) -> None:
    for name in wanted.shared:
        connection.execute("select create_reference_table(%s)", [name])
    for name in wanted.tenant:
        if name == _ROOT:
            connection.execute("select create_distributed_table(%s, 'id')", [name])
        else:
            statement = "select create_distributed_table(%s, %s, colocate_with => %s)"
            connection.execute(statement, [name, _KEY, _ROOT])
    for name in reversed(wanted.tables):
        # The rows have been copied; those that were local still take their place here.
        connection.execute("select truncate_local_data_after_distributing_table(%s)", [name])


def _holds(connection: Connection, condition: str, *arguments: str) -> bool:
    return connection.execute(condition.encode(), arguments).fetchone() == (True,)


def _names(wanted: DistributionPlan) -> sql.Composable:
    return sql.SQL(", ").join(map(sql.Identifier, wanted.tables))
