"""What is in the database: to show that something changed nothing, or wrote nothing at all."""

import asyncpg

_TABLES = """
select table_name from information_schema.tables
where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like '%yoyo%'
order by table_name
"""
_OWNED = """
select table_name from information_schema.columns
where table_schema = 'public' and column_name = 'organization_id'
order by table_name
"""


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
