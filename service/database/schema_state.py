"""Schema state: what workers ask about a database without psycopg and yoyo, which take 7 MB."""

from functools import cache
from typing import Final

import asyncpg

from service import files
from service.database.statements import load

_TABLE: Final = "_yoyo_migration"
"""Table of the applied migrations: yoyo's default."""


async def has_citus(connection: asyncpg.Connection) -> bool:
    """Return whether the database has Citus, with distributed tables or without."""
    return bool(await connection.fetchval(load("operators/distribution")["citus"].text))


async def schema_is_current(connection: asyncpg.Connection) -> bool:
    """Return whether every migration of this release is applied; False if none ever was.

    Migrations of later releases do not matter.
    """
    statement = f"select count(*) from {_TABLE} where migration_id = any($1)"
    try:
        applied: int = await connection.fetchval(statement, _identifiers())
    except asyncpg.UndefinedTableError:
        return False
    return applied == len(_identifiers())


@cache
def _identifiers() -> list[str]:
    paths = files.MIGRATIONS.glob("*.sql")
    return sorted(path.stem for path in paths if not path.name.endswith(".rollback.sql"))
