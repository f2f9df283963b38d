"""Share of an organization while another one does the same work on many connections."""

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg
import orjson

from benchmarks import load
from benchmarks.load import Measured, Request
from tests.attacks import prepare
from tests.attacks.prepare import ATTACKER, OTHER
from tests.attacks.service import service
from tests.support.api import issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database

MANY: Final = 64
FEW: Final = 2
_WARM_SECONDS: Final = 1
_PATCH: Final = "application/json-patch+json"


@dataclass(frozen=True, slots=True)
class Share:
    """Successful responses per second of the organization with few connections."""

    alone: float
    beside: float

    @property
    def share(self) -> float:
        """Return the ratio of its rate beside the other organization to its rate alone."""
        return self.beside / self.alone


async def measure(server_dsn: str, seconds: float) -> dict[str, Share]:
    """Return kind of work -> share."""
    dsn = fresh_database(server_dsn, "attacked", DEMO_TEMPLATE)
    many, few = await _works(dsn, ATTACKER), await _works(dsn, OTHER)
    shares = {}
    async with service(dsn, None) as served:
        for work in few:
            shares[work] = await _share(served.port, many[work], few[work], seconds)
    return shares


async def _share(port: int, many: Sequence[bytes], few: Sequence[bytes], seconds: float) -> Share:
    """Measure the few connections first alone and then beside the many.

    The few stay open: the worker that accepts a connection is chance, and makes a difference.
    """
    measured = Measured()
    running = asyncio.create_task(
        load.run(port, [few] * FEW, _WARM_SECONDS + 2 * seconds, measured=measured)
    )
    await asyncio.sleep(_WARM_SECONDS)
    alone = await _per_second(measured, asyncio.sleep(seconds))
    beside = await _per_second(measured, load.run(port, [many] * MANY, seconds))
    await running
    return Share(alone, beside)


async def _works(dsn: str, organization_id: int) -> dict[str, Sequence[bytes]]:
    """Return kind of work -> requests of an organization."""
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


async def _per_second(measured: Measured, meanwhile: Awaitable[object]) -> float:
    """Return the successful responses per second during other work."""
    began, before = time.perf_counter(), _good(measured)
    await meanwhile
    return (_good(measured) - before) / (time.perf_counter() - began)


def _good(measured: Measured) -> int:
    return len(measured.latencies) - measured.failures
