"""What is in the database: to show that something changed nothing, or wrote nothing at all."""

import asyncpg

_TABLES = """
select table_name from information_schema.tables
where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like '%yoyo%'
order by table_name
"""


async def dump(dsn: str, *, versions: bool = False) -> dict[str, list[str]]:
    """Every row of every table as text; with ``versions``, a row rewritten as it was is another."""
    connection = await asyncpg.connect(dsn)
    try:
        shown = "t.xmin::text || t::text" if versions else "t::text"
        return {
            table: [
                row[0]
                for row in await connection.fetch(f'select {shown} from "{table}" t order by 1')
            ]
            for (table,) in await connection.fetch(_TABLES)
        }
    finally:
        await connection.close()
