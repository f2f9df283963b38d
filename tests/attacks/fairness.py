"""Two organizations that do the same work, one on many connections: what the other one gets."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg
import orjson

from tests.attacks import prepare
from tests.attacks.prepare import ATTACKER, OTHER
from tests.attacks.service import service
from tests.benchmarks import load
from tests.benchmarks.load import Measured, Request
from tests.support.api import issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database

MANY: Final = 64
FEW: Final = 2
_PATCH: Final = "application/json-patch+json"


@dataclass(frozen=True, slots=True)
class Share:
    """Answers per second of the organization with few connections, the good ones alone."""

    alone: float
    beside: float

    @property
    def share(self) -> float:
        """Of what it gets alone, how much it gets beside the other organization."""
        return self.beside / self.alone


async def measure(server_dsn: str, seconds: float) -> dict[str, Share]:
    """The share for each kind of work."""
    dsn = fresh_database(server_dsn, "attacked", DEMO_TEMPLATE)
    many, few = await _works(dsn, ATTACKER), await _works(dsn, OTHER)
    found = {}
    async with service(dsn, None) as served:
        for work in few:
            await _run(served.port, few[work], FEW, 1)
            alone = await _run(served.port, few[work], FEW, seconds)
            _, beside = await asyncio.gather(
                _run(served.port, many[work], MANY, seconds),
                _run(served.port, few[work], FEW, seconds),
            )
            found[work] = Share(_per_second(alone), _per_second(beside))
    return found


async def _works(dsn: str, organization_id: int) -> dict[str, Sequence[bytes]]:
    """What an organization sends, by kind of work."""
    key = await issue_key(dsn, organization_id)
    connection = await asyncpg.connect(dsn)
    try:
        color = (await prepare.color(connection, 1, organization_id))["id"]
    finally:
        await connection.close()
    patches = [
        Request(
            "PATCH",
            f"/api/colors/{color}",
            orjson.dumps([{"op": "replace", "path": "/colorNote", "value": f"Note {number}"}]),
            _PATCH,
        )
        for number in range(2)
    ]
    return {
        "lists of 30 style relations": [Request("GET", "/api/style-relations").encoded(key)],
        "lists of 100 colors": [Request("GET", "/api/colors?pageSize=100").encoded(key)],
        "patches of one color": [patch.encoded(key) for patch in patches],
    }


async def _run(port: int, requests: Sequence[bytes], connections: int, seconds: float) -> Measured:
    return await load.run(port, [requests] * connections, seconds)


def _per_second(measured: Measured) -> float:
    return (len(measured.latencies) - measured.failures) / measured.seconds
