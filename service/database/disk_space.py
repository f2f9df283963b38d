"""Disk space check: lets PostgreSQL write a temporary file to the database's disk."""

from typing import Final

import asyncpg

_SPILL: Final = "begin; set local work_mem = '64kB'; select count(*) from generate_series(1, 5000)"
"""Statement whose rows exceed work_mem, so that they go to a temporary file beside the data.

That needs no privilege, changes nothing, and the file is gone before it has to reach the disk.
"""


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
