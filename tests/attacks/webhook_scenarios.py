"""Attack by receivers: subscriptions to a tar pit, which takes every message and answers none."""

import asyncio
from asyncio import StreamReader, StreamWriter
from typing import Any, Final

import asyncpg

from tests.attacks.attacker import Attacker

ORGANIZATIONS: Final = 50
SUBSCRIPTIONS: Final = 20
"""Subscriptions of each organization: as many as it may have."""

_FEEDS: Final = """
insert into change_feed (organization_id, epoch, last_n) select unnest($1::bigint[]), 1, 1
"""
_CHANGES: Final = """
insert into change (organization_id, clock, n, entries, records)
select unnest($1::bigint[]), 1, 1, 1, '{"groups": {"created": [1]}}'
"""
_SUBSCRIPTIONS: Final = """
insert into webhook (organization_id, url, collections, documents, state, secret, epoch, n)
select organization_id, 'https://pit.example.com', '{}', false, 'paused', '\\x00', 1, 0
from unnest($1::bigint[]) as organization_id, generate_series(1, $2::integer)
"""
_DELETE: Final = "delete from webhook where organization_id = any($1)"
_ACTIVATE: Final = "update webhook set url = $2, state = 'active' where organization_id = any($1)"


async def subscriptions(connection: asyncpg.Connection, scale: float) -> dict[str, Any]:
    """Create organizations with a change to deliver to each of their subscriptions."""
    names = [f"Pit {number}" for number in range(max(4, round(ORGANIZATIONS * scale)))]
    rows = await connection.fetch(
        "insert into organization (name) select unnest($1::text[]) returning id", names
    )
    ids = [row["id"] for row in rows]
    await connection.execute(_FEEDS, ids)
    await connection.execute(_CHANGES, ids)
    await connection.execute(_SUBSCRIPTIONS, ids, SUBSCRIPTIONS)
    return {"ids": ids}


async def tar_pit(attacker: Attacker) -> None:
    """Take messages and answer none, until the attack is over."""
    server = await asyncio.start_server(_take, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    connection = await asyncpg.connect(attacker.prepared["dsn"])
    await connection.execute(_ACTIVATE, attacker.prepared["ids"], f"http://127.0.0.1:{port}/")
    try:
        async with server:
            await server.serve_forever()
    finally:
        await connection.execute(_DELETE, attacker.prepared["ids"])
        await connection.close()


async def _take(reader: StreamReader, writer: StreamWriter) -> None:
    """Read what comes and never answer."""
    try:
        while await reader.read(2**16):
            pass
    except ConnectionError:
        pass
    finally:
        writer.close()
