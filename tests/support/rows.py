"""Dump of the database's rows, to show that nothing was changed or written."""

import asyncio

import asyncpg

from tests.support import cluster
from tests.support.time_limits import within

#: A coordinator has its own shards, such as language_102009, beside the tables that they are of.
_TABLES = r"""
select table_name from information_schema.tables
where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like '%yoyo%'
    and table_name <> 'change_feed'
    and table_name !~ '_\d{6,}$'
order by table_name
"""
#: What stays as it was written where something else is written away from requests: changes are
#: numbered whenever somebody reads them, of keys it is noted every minute that they are used, and
#: in the row of the installation one process counts once a minute what ends soon.
_STAYS = {
    "change": "(t.organization_id, t.id, t.clock, t.api_key_id, t.request_id, t.records, t.causes)",
    "api_key": "(to_jsonb(t) - 'last_used_at')",
    "installation": "(t.is_only, t.id)",
}
_OWNED = """
select table_name from information_schema.columns
where table_schema = 'public' and column_name = 'organization_id' and table_name <> 'change_feed'
order by table_name
"""

_WAITERS = """
select count(*) from pg_stat_activity
where datname = current_database() and wait_event_type = 'Lock'
"""
_WAITERS_ON_NODES = "select count(*) from citus_lock_waits"


async def wait_for_waiters(dsn: str, waiters: int = 1) -> None:
    """Return once so many statements of the database wait for other transactions.

    Asks by a connection of its own: within a transaction pg_stat_activity stays as first seen.
    """
    connection = await asyncpg.connect(dsn)
    async with within(10):
        waits = _WAITERS_ON_NODES if cluster.url() else _WAITERS
        while await connection.fetchval(waits) < waiters:  # noqa: ASYNC110 -- no event tells of this
            await asyncio.sleep(0.01)
    await connection.close()


async def dump(
    dsn: str, *, versions: bool = False, organization_id: int | None = None
) -> dict[str, list[str]]:
    """Return every row of every table as text; with ``organization_id``, those of it alone.

    ``versions`` tells rewritten rows apart at less cost: by their number and last writer.
    """
    connection = await asyncpg.connect(dsn)
    try:
        owner = "" if organization_id is None else f"where organization_id = {organization_id}"
        tables = [row[0] for row in await connection.fetch(_OWNED if owner else _TABLES)]
        stamps = await connection.fetch(await stamping(connection)) if versions else ()
        return {row[0]: [str(row)] for row in stamps} | {
            table: sorted(
                await connection.fetchval(
                    f'select array_agg({_STAYS.get(table, "t")}::text) from "{table}" t {owner}'
                )
                or ()
            )
            for table in (_STAYS if versions else tables)
        }
    finally:
        await connection.close()


async def stamping(connection: asyncpg.Connection) -> str:
    """Return a query whose result any write changes: row counts and the last writer.

    Cheap enough to be asked after every request, unlike a dump.
    """
    tables = [row[0] for row in await connection.fetch(_TABLES)]
    counts = (
        f"""select '{table}', count(*), {_last_writer(table)} from "{table}" """ for table in tables
    )
    return " union all ".join(counts) + " order by 1"


def _last_writer(table: str) -> str:
    return "0" if table in _STAYS else "max(xmin::text::bigint)"
