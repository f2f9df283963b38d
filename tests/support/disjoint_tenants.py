"""Disjoint tenants: two organizations that share no id, or one without the other."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from aiohttp.test_utils import TestClient

from tests.support import webhooks
from tests.support.api import Api, issue_key
from tests.support.serving import serving
from tests.support.tenant_attack import TenantPair

_APART = 1_000_000
_COLUMNS = """
select table_name, column_name from information_schema.columns
where table_schema = 'public' and table_name in (
    select table_name from information_schema.columns
    where table_schema = 'public' and column_name = 'organization_id'
)
order by 1, 2
"""
_REFERENCES = """
select c.conrelid::regclass::text, a.attname, c.confrelid::regclass::text, f.attname
from pg_constraint c
cross join lateral unnest(c.conkey, c.confkey) as pair (own, other)
join pg_attribute a on a.attrelid = c.conrelid and a.attnum = pair.own
join pg_attribute f on f.attrelid = c.confrelid and f.attnum = pair.other
where c.contype = 'f'
"""


@asynccontextmanager
async def pair(dsn: str, victim: int) -> AsyncIterator[TenantPair]:
    """Serve both organizations of a database, one of which attacks the other."""
    stolen = await make_ids_disjoint(dsn, victim)
    async with serving(dsn) as server, TestClient(server) as client:
        attacker, attacked = [
            Api(client, await issue_key(dsn, organization_id))
            for organization_id in (3 - victim, victim)
        ]
        for api in (attacker, attacked):
            await webhooks.ensure_one(api)
        yield TenantPair(attacker, attacked, dsn, victim, stolen)


async def make_ids_disjoint(dsn: str, organization_id: int) -> dict[str, int]:
    """Renumber an organization's records: each id is in no other table, the other tenants' too.

    Return one id of each table.
    """
    async with _unchecked(dsn) as connection:
        columns = await _columns(connection)
        rows = await connection.fetch(_REFERENCES)
        references = {(*row[:2],): row[2:4] for row in rows if row[1] != "organization_id"}
        bases = {table: _APART * n for n, table in enumerate(columns, 1) if "id" in columns[table]}
        chosen = {}
        for table, names in columns.items():
            roots = {name: _root((table, name), references) for name in names}
            moved = [f'"{n}" = "{n}" + {bases[r]}' for n, r in roots.items() if r in bases]
            where = f"where organization_id = {organization_id}"
            if moved:
                await connection.execute(f'update "{table}" set {", ".join(moved)} {where}')
            if "id" in names:
                chosen[table] = await connection.fetchval(f'select min(id) from "{table}" {where}')
        return {table: record_id for table, record_id in chosen.items() if record_id is not None}


async def remove(dsn: str, organization_id: int) -> None:
    """Delete everything that an organization owns."""
    async with _unchecked(dsn) as connection:
        for table in await _columns(connection):
            await connection.execute(
                f'delete from "{table}" where organization_id = $1', organization_id
            )


@asynccontextmanager
async def _unchecked(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """Open a transaction in which no node checks foreign keys."""
    connection = await asyncpg.connect(dsn)
    try:
        async with connection.transaction():
            await connection.execute("set local citus.propagate_set_commands = 'local'")
            await connection.execute("set local session_replication_role = 'replica'")
            yield connection
    finally:
        await connection.close()


async def _columns(connection: asyncpg.Connection) -> dict[str, list[str]]:
    """Return the columns of each table that organizations have rows in."""
    columns: dict[str, list[str]] = {}
    for table, column in await connection.fetch(_COLUMNS):
        columns.setdefault(table, []).append(column)
    return columns


def _root(column: tuple[str, str], references: dict[tuple[str, str], tuple[str, str]]) -> str:
    """Return the table whose ids a column holds; empty if it holds none."""
    while column[1] != "id":
        if column not in references:
            return ""
        column = references[column]
    return column[0]
