"""Citus distribution: shards tables by organization, and copies shared tables to every node.

The columns of a table decide: one with an ``organization_id`` is distributed by it, and
``organization`` by its ``id`` on the same nodes. Every other table becomes a reference table, the
migrations' own one, too, so that any node can serve.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import asyncpg
import psycopg
from psycopg import sql

from service.console import OperatorError
from service.database import planner_statistics
from service.database.database_state import has_citus
from service.database.session_settings import SESSION_SETTINGS
from service.database.statements import load

_ATTEMPTS: Final = 5
_WRITER_SECONDS: Final = 1
"""Time within which a writer's transaction usually ends."""
_ORGANIZATION_TABLE: Final = "organization"
_DISTRIBUTION_COLUMN: Final = "organization_id"
_SQL: Final = load("operators/distribution")
_NO_SHARD: Final = "and not relation_is_a_known_shard(oid)"
_LOCAL: Final = "and own.oid not in (select logicalrelid from pg_dist_partition)"
"""Condition of local tables."""
_OWN_TABLES: Final = {
    "_yoyo_migration": "create_reference_table",
    "_yoyo_version": "citus_add_local_table_to_metadata",
}
"""The migrations' own tables that each node shows, by name, with the function that lets them.

``next_ids_of_coordinator`` reads ``_yoyo_version``, which is on the coordinator only.
"""


class DistributionError(OperatorError):
    """Error of a database that cannot be distributed; its message is one line for operators."""


@dataclass(frozen=True, slots=True)
class DistributionPlan:
    """Plan of a distribution: local tables, each after the tables that it refers to."""

    nodes: int
    """Number of primary nodes that can hold shards."""
    tenant: Sequence[str]
    """Tables to distribute by organization."""
    shared: Sequence[str]
    """Tables to copy to every node."""
    bytes: int
    """Size of all these tables now, with their indexes, in bytes."""

    @property
    def tables(self) -> list[str]:
        """All tables, in the order in which they can be distributed; empty if none is local."""
        return [*self.shared, *self.tenant]


class NodeState(NamedTuple):
    """State of a node, with the session settings that its database lacks."""

    address: str
    answers: bool
    missing: list[str]


def connect(dsn: str) -> psycopg.Connection[Any]:
    """Return a connection in autocommit mode for schema changes and moves of rows.

    Raise DistributionError on a worker node, and psycopg.Error if it cannot be opened.
    """
    connection = psycopg.connect(dsn, autocommit=True)
    try:
        configure_session(connection)
    except DistributionError:
        connection.close()
        raise
    return connection


def configure_session(connection: psycopg.Connection[Any]) -> None:
    """Turn off two defaults of Citus, for schema changes in a distributed database.

    By default Citus adds a new table to its metadata if the table refers to a reference table, and
    alters shards in parallel, after which a transaction cannot read all of its own writes. Without
    Citus the settings have no effect. Raise DistributionError on a worker node, which cannot change
    the schema.
    """
    if _is_true(connection, "citus"):
        for (coordinator,) in connection.execute(_SQL["coordinator"].encoded).fetchall():
            raise DistributionError(_worker_refused(coordinator))
    connection.execute("set citus.enable_local_reference_table_foreign_keys = off")
    connection.execute("set citus.multi_shard_modify_mode = 'sequential'")


async def require_coordinator(connection: asyncpg.Connection) -> None:
    """Raise DistributionError, which names the coordinator, on a worker node of a cluster."""
    if await has_citus(connection) and (
        address := await connection.fetchval(_SQL["coordinator"].text)
    ):
        raise DistributionError(_worker_refused(address))


async def nodes_of_organizations(connection: asyncpg.Connection) -> list[tuple[int, str]]:
    """Return each organization id with the address of its node, such as ``worker-1:5432``, by id.

    No other node is asked. Ids that no organization has are among them. Raise DistributionError if
    the tables are not distributed.
    """
    if not await _has_distribution(connection):
        raise DistributionError(
            "the tables are not distributed, so there are no nodes: run `selvedge distribute` first"
        )
    rows = await connection.fetch(_SQL["nodes_of_organizations"].text)
    return [(row["id"], row["node"]) for row in rows]


async def _has_distribution(connection: asyncpg.Connection) -> bool:
    statement = _SQL["is_distributed"].text.replace("%s", "$1")
    return await has_citus(connection) and bool(
        await connection.fetchval(statement, _ORGANIZATION_TABLE)
    )


def _worker_refused(coordinator: str) -> str:
    return (
        "DATABASE_URL names a worker node, and this command needs the coordinator of the cluster:"
        f" name {coordinator}"
    )


def plan(connection: psycopg.Connection[Any]) -> DistributionPlan:
    """Return the plan of the tables still local; raise DistributionError if it is impossible.

    It is impossible without Citus, and before the first migration.
    """
    if not _is_true(connection, "citus"):
        raise DistributionError("there is no Citus here: run `create extension citus` first")
    if not _is_true(connection, "is_migrated", _ORGANIZATION_TABLE):
        raise DistributionError("there are no tables yet: run `selvedge migrate` first")
    local = _ordered(connection, no_shard=_NO_SHARD, condition=_LOCAL)
    return DistributionPlan(
        nodes=connection.execute(_SQL["nodes"].encoded).fetchall()[0][0],
        tenant=[name for name, is_tenant, _ in local if is_tenant],
        shared=[name for name, is_tenant, _ in local if not is_tenant],
        bytes=sum(size for _, _, size in local),
    )


def tenant_tables(connection: psycopg.Connection[Any]) -> list[str]:
    """Return the tables of tenants, distributed or not, each after those that it refers to."""
    no_shard = _NO_SHARD if _is_true(connection, "citus") else ""
    tables = _ordered(connection, no_shard=no_shard, condition="")
    return [name for name, is_tenant, _ in tables if is_tenant]


def validate_constraints(connection: psycopg.Connection[Any]) -> None:
    """Validate constraints that migrations have added as not valid, each in a transaction.

    Reads and writes of the tables go on meanwhile, as long as it may take.
    """
    unvalidated = _SQL["unvalidated"].encoded
    for (text,) in connection.execute(unvalidated, [tenant_tables(connection)]).fetchall():
        connection.execute(text.encode())


def _ordered(connection: psycopg.Connection[Any], **conditions: str) -> list[Any]:
    """Return name, whether it is a tenant's, and bytes of tables, referenced ones first."""
    arguments = [_ORGANIZATION_TABLE, _DISTRIBUTION_COLUMN, _ORGANIZATION_TABLE]
    return connection.execute(_SQL["ordered"].fill(**conditions).encode(), arguments).fetchall()


def key_of(table: str) -> str:
    """Return the column of a tenant's table with the organization."""
    return "id" if table == _ORGANIZATION_TABLE else _DISTRIBUTION_COLUMN


def distribute(connection: psycopg.Connection[Any], plan: DistributionPlan) -> None:
    """Execute a non-empty plan in one transaction, repeated after deadlocks; then analyze.

    The connection is in autocommit mode, and has the lock of migrations. Writes to the tables wait
    until the commit, or fail with 503 after their timeout. Citus hides shards in the system catalog
    by default, but not from sessions that begin later.
    """
    repeat_deadlocks(lambda _: _distribute(connection, plan))
    planner_statistics.prepare(connection, distributed=True, again=True)
    connection.execute(sql.SQL("analyze {}").format(_identifiers(plan)))


def repeat_deadlocks(change: Callable[[bool], None]) -> None:
    """Execute a transaction, up to 5 times if deadlocks end it; say whether it is a repetition.

    Writers lock tables in another order. Raise psycopg.errors.DeadlockDetected if a deadlock ends
    the fifth try, too.
    """
    for attempt in range(_ATTEMPTS - 1):
        with suppress(psycopg.errors.DeadlockDetected):
            change(attempt > 0)
            return
    change(True)


def outlive_writers(connection: psycopg.Connection[Any]) -> None:
    """Wait, at the begin of a transaction, until a deadlock will end writers and not it.

    Citus ends the youngest transaction of a deadlock, and one has an age from its first statement
    on a distributed table. Without Citus, do nothing.
    """
    if is_distributed(connection):
        connection.execute("select 1 from installation")
        connection.execute("select pg_sleep(%s)", [_WRITER_SECONDS])


def distribute_new_tables(connection: psycopg.Connection[Any]) -> None:
    """Distribute a migration's new tables, in its transaction, if ``organization`` is distributed.

    Do nothing without Citus, or before the first ``distribute``.
    """
    if is_distributed(connection):
        _move(connection, plan(connection))


def share_own_tables(connection: psycopg.Connection[Any]) -> None:
    """Let every node read the migrations' own tables, once ``organization`` is distributed."""
    if not is_distributed(connection):
        return
    for name, function in _OWN_TABLES.items():
        if not _is_true(connection, "is_own_shown", name):
            connection.execute(f"select {function}(%s)".encode(), [name])


def set_session_settings(connection: psycopg.Connection[Any]) -> None:
    """Set what statements rely on for the database on every node, if a node that answers lacks it.

    Do nothing without Citus, or before the first ``distribute``. Open sessions keep theirs.
    """
    if is_distributed(connection):
        nodes = connection.execute(_SQL["node_settings"].encoded).fetchall()
        if any(missing_settings(result) for _, answered, result in nodes if answered):
            _set_session_settings(connection)


def _set_session_settings(connection: psycopg.Connection[Any]) -> None:
    database = sql.Identifier(connection.info.dbname)
    for name, value in SESSION_SETTINGS.items():
        setting = sql.SQL("alter database {} set {} = {}")
        connection.execute(setting.format(database, _setting_name(name), sql.Literal(value)))


def _setting_name(name: str) -> sql.Composable:
    return sql.SQL(".").join(map(sql.Identifier, name.split(".")))


def missing_settings(configured: str) -> list[str]:
    """Return the session settings that are not among those of a node's database."""
    of_database = configured.strip("{}").split(",")
    settings = [f"{name}={value}" for name, value in SESSION_SETTINGS.items()]
    return [setting for setting in settings if setting not in of_database]


async def node_states(connection: asyncpg.Connection) -> list[NodeState]:
    """Return the state of each node, the coordinator first; empty without a distribution.

    A node that hangs counts as one that does not answer after 2 s (``node_connection_timeout``).
    """
    if not await _has_distribution(connection):
        return []
    return [
        NodeState(node, answers, missing_settings(result) if answers else [])
        for node, answers, result in await connection.fetch(_SQL["node_settings"].text)
    ]


def _distribute(connection: psycopg.Connection[Any], plan: DistributionPlan) -> None:
    with connection.transaction():
        connection.execute(sql.SQL("lock table {} in exclusive mode").format(_identifiers(plan)))
        _move(connection, plan)
        share_own_tables(connection)
        _set_session_settings(connection)


def _move(connection: psycopg.Connection[Any], plan: DistributionPlan) -> None:
    """Distribute or copy the tables of a plan, and delete the local originals of their rows."""
    for name in plan.shared:
        connection.execute("select create_reference_table(%s)", [name])
    for name in plan.tenant:
        if name == _ORGANIZATION_TABLE:
            connection.execute("select create_distributed_table(%s, %s)", [name, key_of(name)])
        else:
            statement = "select create_distributed_table(%s, %s, colocate_with => %s)"
            connection.execute(statement, [name, key_of(name), _ORGANIZATION_TABLE])
    for name in reversed(plan.tables):
        # The rows have been copied; the local originals still take disk space.
        connection.execute("select truncate_local_data_after_distributing_table(%s)", [name])


def is_distributed(connection: psycopg.Connection[Any]) -> bool:
    """Return whether the tables are distributed over a Citus cluster."""
    return _is_true(connection, "citus") and _is_true(
        connection, "is_distributed", _ORGANIZATION_TABLE
    )


def _is_true(connection: psycopg.Connection[Any], name: str, *arguments: str) -> bool:
    """Return whether the named statement returns true, and not false or no row."""
    return connection.execute(_SQL[name].encoded, arguments).fetchone() == (True,)


def _identifiers(plan: DistributionPlan) -> sql.Composable:
    return sql.SQL(", ").join(map(sql.Identifier, plan.tables))
