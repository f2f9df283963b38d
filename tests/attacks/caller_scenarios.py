"""Attacks by callers: long polls, forged and revoked keys, many organizations at once."""

import asyncio
from collections.abc import Iterator
from itertools import count, cycle, repeat
from typing import Any, Final

import asyncpg
import orjson

from benchmarks.load import Request, ask
from service.organizations import administration, keys
from service.organizations.caller import compose, new_secret
from tests.attacks.attacker import Attacker
from tests.attacks.prepare import ATTACKER, OTHER

COLORS: Final = "/api/colors"
CHANGES: Final = "/api/changes"
_STYLES: Final = """
insert into style (organization_id, number, name)
select $1::bigint, 'A-' || n, 'Style' from generate_series(1, $2::integer) as n
"""
_FOLLOWERS: Final = 50
_LIGHT: Final = 200
_BULK_CONNECTIONS: Final = 40
_PAUSE_SECONDS: Final = 1
"""Time between two requests of a light organization."""


async def organizations(connection: asyncpg.Connection, scale: float) -> dict[str, Any]:
    """Create light organizations; return a key of each."""
    numbers = range(max(8, round(_LIGHT * scale)))
    names = [f"Light {number}" for number in numbers]
    ids = await connection.fetch(
        "insert into organization (name) select unnest($1::text[]) returning id", names
    )
    return {"keys": [await _issue(connection, row["id"]) for row in ids]}


async def _issue(connection: asyncpg.Connection, organization_id: int, scope: str = "write") -> str:
    key = await administration.issue_key(
        connection, organization_id, name="attack", scopes=[scope], expires_at=None
    )
    assert key is not None
    return key


async def restricted(connection: asyncpg.Connection, scale: float) -> dict[str, Any]:
    """Create styles without a supplier; return the key of a supplier that has none."""
    await connection.execute(_STYLES, ATTACKER, round(200_000 * scale))
    await connection.execute("analyze style")
    return {"key": await _issue(connection, ATTACKER, "styles[supplierId=999999]:read")}


async def followers(attacker: Attacker) -> None:
    """Hold more long polls than there are connections, of organizations below their limits."""
    keys = attacker.prepared["keys"][:8]
    async with asyncio.TaskGroup() as group:
        for key in keys:
            message = Request("GET", await _waiting(attacker.port, key)).encoded(key)
            group.create_task(attacker.hold(attacker.some(2300) // len(keys), message))


async def _waiting(port: int, key: str) -> str:
    """Return the path of a long poll from now on."""
    body = await ask(port, Request("GET", f"{CHANGES}?from=now").encoded(key))
    cursor = orjson.loads(body)["pagination"]["cursor"]
    return f"{CHANGES}?cursor={cursor}&wait=30"


async def revoked(attacker: Attacker) -> None:
    """Revoke keys while their long polls wait for a change, which is written then."""
    connection = await asyncpg.connect(attacker.prepared["dsn"])
    try:
        for number in count():
            key = await _issue(connection, 1)
            message = Request("GET", await _waiting(attacker.port, key)).encoded(key)
            reading = [
                asyncio.create_task(_status(attacker, message))
                for _ in range(attacker.some(_FOLLOWERS))
            ]
            await asyncio.sleep(0.1)
            await keys.delete(connection, 1, int(key.split("_")[2]))
            color = orjson.dumps({"name": f"After the revocation {number}"})
            await _status(attacker, attacker.message("POST", COLORS, color))
            statuses = await asyncio.gather(*reading)
            if statuses.count("401") < len(statuses):
                raise AssertionError(f"readers with a revoked key were answered {statuses}")
    finally:
        await connection.close()


async def _status(attacker: Attacker, message: bytes) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", attacker.port)
    try:
        writer.write(message)
        status = (await reader.readuntil(b"\r\n\r\n"))[9:12].decode()
    finally:
        writer.transport.abort()
    attacker.answers[status] += 1
    return status


async def wrong_secrets(attacker: Attacker) -> None:
    """Send well-formed keys that name the other organization, half of them with its key ids."""

    def messages() -> Iterator[bytes]:
        for number in count():
            key_id = number % 20 + 1 if number % 2 else attacker.random.getrandbits(60) + 1
            yield Request("GET", COLORS).encoded(compose(OTHER, key_id, new_secret()))

    await attacker.send(64, messages())


async def malformed(attacker: Attacker) -> None:
    """Send malformed keys on many connections."""
    key = compose(OTHER, 1, new_secret())[:-1]
    await attacker.send(attacker.some(400), cycle([Request("GET", COLORS).encoded(key)]))


async def light(attacker: Attacker) -> None:
    """Write in bulk by key on 40 connections, while 200 other organizations read a little."""
    await _beside_light_ones(attacker, {"state": "active"})


async def refused(attacker: Attacker) -> None:
    """Write 1,000 items that fail: they never wait for a database connection."""
    await _beside_light_ones(attacker, {})


async def refused_bulk(attacker: Attacker) -> None:
    """Send 8 MB of items each of which has errors: none of them waits for a connection."""
    item = orjson.dumps({"colorNote": "x" * 7900})
    body = b"[" + b",".join([item] * attacker.some(1000)) + b"]"
    await attacker.send(6, repeat(attacker.message("POST", COLORS, body)))


async def refused_values(attacker: Attacker) -> None:
    """Send 8 MB of values with errors within a few items."""
    wrong = [{"value": "x" * 230, "none": 1}] * attacker.some(1000)
    item = orjson.dumps({"name": "Wide", "type": "allowedValue", "allowedValues": wrong})
    body = b"[" + b",".join([item] * 30) + b"]"
    await attacker.send(6, repeat(attacker.message("POST", "/api/style-custom-fields", body)))


async def scoped(attacker: Attacker) -> None:
    """Send a supplier's lists, which search all records for none, and writes that are refused."""
    key = attacker.prepared["key"]
    lists = [Request("GET", f"/api/{name}").encoded(key) for name in ("styles", "style-items")]
    body = b"[" + b",".join([b'{"name":"Wide"}'] * attacker.some(100_000)) + b"]"
    write = Request("POST", COLORS, body).encoded(key)
    await attacker.send(16, cycle([*lists, write]))


async def _beside_light_ones(attacker: Attacker, fields: dict[str, str]) -> None:
    def colors() -> Iterator[bytes]:
        for number in count():
            items = [
                {"userDefinedId": f"K-{each}", "name": f"Color {number}", **fields}
                for each in range(attacker.some(1000))
            ]
            yield attacker.message("PUT", f"{COLORS}?match=userDefinedId", orjson.dumps(items))

    async with asyncio.TaskGroup() as group:
        group.create_task(attacker.send(attacker.some(_BULK_CONNECTIONS), colors()))
        for key in attacker.prepared["keys"]:
            group.create_task(_read_now_and_then(attacker, key))


async def _read_now_and_then(attacker: Attacker, key: str) -> None:
    message = Request("GET", f"{COLORS}?pageSize=10").encoded(key)
    await asyncio.sleep(attacker.random.random() * _PAUSE_SECONDS)
    while True:
        await ask(attacker.port, message)
        await asyncio.sleep(_PAUSE_SECONDS)
