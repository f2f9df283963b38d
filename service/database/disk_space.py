"""Whether the disk of the database has room, tried on a file that goes at once."""

from typing import Final

import asyncpg

#: More rows than may be kept in memory here go to a file where the data are: that takes no right,
#: changes nothing, and is gone before it has to reach the disk.
_TRY: Final = "begin; set local work_mem = '64kB'; select count(*) from generate_series(1, 5000)"


async def has_room(connection: asyncpg.Connection) -> bool:
    """Return whether a file can be written there."""
    try:
        await connection.execute(_TRY)
    except asyncpg.DiskFullError:
        return False
    finally:
        await connection.execute("rollback")
    return True
