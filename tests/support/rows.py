"""What is in the database: to show that something changed nothing, or wrote nothing at all."""

import asyncio

import asyncpg

from tests.support import cluster

#: A coordinator has its own shards, such as language_102009, beside the tables that they are of.
_TABLES = r"""
select table_name from information_schema.tables
where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like '%yoyo%'
    and table_name !~ '_\d{6,}$'
order by table_name
"""
_OWNED = """
select table_name from information_schema.columns
where table_schema = 'public' and column_name = 'organization_id'
order by table_name
"""

_WAITER = """
select exists (
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event = 'transactionid'
)
"""
_WAITER_ON_A_NODE = "select exists (select 1 from citus_lock_waits)"


async def wait_for_a_waiter(dsn: str) -> None:
    """Return once a statement of the database waits for another transaction."""
    connection = await asyncpg.connect(dsn)
    async with asyncio.timeout(10):
        waits = _WAITER_ON_A_NODE if cluster.url() else _WAITER
        while not await connection.fetchval(waits):  # noqa: ASYNC110 -- no event tells of this
            await asyncio.sleep(0.01)
    await connection.close()


async def dump(
    dsn: str, *, versions: bool = False, organization_id: int | None = None
) -> dict[str, list[str]]:
    """Every row of every table as text; with ``versions``, a row rewritten as it was is another.

    With ``organization_id``, the rows of that organization alone.
    """
    connection = await asyncpg.connect(dsn)
    try:
        shown = "t.xmin::text || t::text" if versions else "t::text"
        owner = "" if organization_id is None else f"where organization_id = {organization_id}"
        return {
            table: [
                row[0]
                for row in await connection.fetch(
                    f'select {shown} from "{table}" t {owner} order by 1'
                )
            ]
            for (table,) in await connection.fetch(_OWNED if owner else _TABLES)
        }
    finally:
        await connection.close()


async def stamping(connection: asyncpg.Connection) -> str:
    """A query whose answer any write changes: how many rows each table has, and the last writer.

    Cheap enough to be asked after every request, unlike a dump.
    """
    tables = [row[0] for row in await connection.fetch(_TABLES)]
    counts = (
        f"""select {number}, count(*), max(xmin::text::bigint) from "{table}" """
        for number, table in enumerate(tables)
    )
    return " union all ".join(counts) + " order by 1"
