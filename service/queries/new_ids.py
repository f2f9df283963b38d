"""New ids: taken from the sequences of tables before the rows are inserted.

A cluster sends an insert with given ids to one node. It would pull one that calls a sequence to the
coordinator and commit it in two phases (scale, rule 18).
"""

from typing import Final

from service.database.connections import Connection
from service.database.statements import load

BLOCK: Final = 100
"""Number of ids that a connection takes at once for ``next_id``."""

_NEXT_IDS: Final = load("shared")["next_ids"].text


async def next_ids(connection: Connection, table: str, count: int) -> list[int]:
    """Take ``count`` ascending ids from the table's sequence; [] without a statement for 0."""
    rows = await connection.fetch(_NEXT_IDS, table, count) if count else ()
    return [row["id"] for row in rows]


async def next_id(connection: Connection, table: str) -> int:
    """Take a new id from the connection's block; a new block takes a round trip.

    Ids of several connections are not in the order of time.
    """
    block = connection.id_blocks.setdefault(table, [])
    if not block:
        block += reversed(await next_ids(connection, table, BLOCK))
    return block.pop()
