"""New ids: taken from the sequences of tables before the rows are inserted.

A cluster sends an insert with given ids to one node. It would pull one that calls a sequence to the
coordinator and commit it in two phases (scaling, rule 18).
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from typing import Final

from service.database.connections import Connection
from service.database.statements import load

BLOCK: Final = 100
"""Number of ids that a connection takes at once for ``next_id``."""

_WORKER_NODES: Final = 2**48
"""Ids above are of a worker node's own sequences."""
_SQL: Final = load("shared")
_NEXT_IDS: Final = _SQL["next_ids"].text
_NEXT_IDS_OF_COORDINATOR: Final = _SQL["next_ids_of_coordinator"].text


@contextmanager
def placeholder_ids(connection: Connection) -> Iterator[None]:
    """Give rows placeholders in the block, which a dry run rolls back: sequences have no gaps.

    They are from 2**52 to 2**53, at random, so that concurrent dry runs do not wait for each other.
    """
    connection.placeholders = count(2**52 + secrets.randbelow(2**52 - 2**20))
    try:
        yield
    finally:
        connection.placeholders = None


async def next_ids(connection: Connection, table: str, number: int) -> list[int]:
    """Take ascending ids from the table's sequence; [] without a statement for 0.

    A worker node's own sequences begin at multiples of 2**48, and JSON could not carry the ids of
    later nodes. There, ids are taken from the coordinator's sequence.
    """
    if not number:
        return []
    # Commands have asyncpg's own connections.
    if (placeholders := getattr(connection, "placeholders", None)) is not None:
        return [*islice(placeholders, number)]
    rows = await connection.fetch(_NEXT_IDS, table, number)
    if rows[0]["id"] > _WORKER_NODES:
        rows = await connection.fetch(_NEXT_IDS_OF_COORDINATOR, table, number)
    return [row["id"] for row in rows]


async def next_id(connection: Connection, table: str) -> int:
    """Take a new id from the connection's block; a new block takes a round trip.

    Ids of several connections are not in the order of time.
    """
    if connection.placeholders is not None:
        return next(connection.placeholders)
    block = connection.id_blocks.setdefault(table, [])
    if not block:
        block += reversed(await next_ids(connection, table, BLOCK))
    return block.pop()
