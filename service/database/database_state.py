"""Database state: room on its disk, its schema and extension, as workers and commands ask for it.

Workers import neither psycopg nor yoyo, which take 7 MB.
"""

from functools import cache
from typing import Final

import asyncpg

from service import files
from service.database.statements import load

_SPILL: Final = "begin; set local work_mem = '64kB'; select count(*) from generate_series(1, 5000)"
"""Statement whose rows exceed work_mem, so that they go to a temporary file beside the data.

That needs no privilege, changes nothing, and the file is gone before it has to reach the disk.
"""
_MIGRATIONS: Final = "_yoyo_migration"
"""Table of the applied migrations: yoyo's default."""


async def has_room(connection: asyncpg.Connection) -> bool:
    """Return whether PostgreSQL can write a temporary file: False if the disk is full.

    Other errors are raised. The connection must not be in a transaction.
    """
    try:
        await connection.execute(_SPILL)
    except asyncpg.DiskFullError:
        return False
    finally:
        await connection.execute("rollback")
    return True


async def has_citus(connection: asyncpg.Connection) -> bool:
    """Return whether the database has Citus, with distributed tables or without."""
    return bool(await connection.fetchval(load("operators/distribution")["citus"].text))


async def schema_is_current(connection: asyncpg.Connection) -> bool:
    """Return whether every migration of this release is applied; False if none ever was.

    Migrations of later releases do not matter.
    """
    statement = f"select count(*) from {_MIGRATIONS} where migration_id = any($1)"
    try:
        applied: int = await connection.fetchval(statement, _identifiers())
    except asyncpg.UndefinedTableError:
        return False
    return applied == len(_identifiers())


@cache
def _identifiers() -> list[str]:
    paths = files.MIGRATIONS.glob("*.sql")
    return sorted(path.stem for path in paths if not path.name.endswith(".rollback.sql"))
