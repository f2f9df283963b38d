"""Share of an organization while another one does the same work on many connections."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import asyncpg
import orjson

from benchmarks import load
from benchmarks.load import Measured, Request
from benchmarks.scenarios import distinct
from tests.attacks import prepare
from tests.attacks.prepare import ATTACKER, OTHER
from tests.attacks.service import service
from tests.support.api import issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database

MANY: Final = 64
FEW: Final = 2
MIN_SHARE: Final = 0.4
MIN_CACHED_SHARE: Final = 0.1
"""An idle worker sends cached responses at once, so beside others they can only get slower."""
_CACHED: Final = ", cached"
_COPIES: Final = 96_000
"""Reads that differ, over all connections of an organization: more than a cache has room for."""
_WARM_SECONDS: Final = 1
TURNS: Final = 4
"""Times that each rate is measured, in turns: a machine's speed and the chance below vary."""
_PATCH: Final = "application/json-patch+json"

_Requests: TypeAlias = Sequence[Sequence[bytes]]


@dataclass(frozen=True, slots=True)
class Share:
    """Successful responses per second of the organization with few connections."""

    alone: float
    beside: float
    least: float
    """Share that it has to get."""

    @property
    def share(self) -> float:
        """Return the ratio of its rate beside the other organization to its rate alone."""
        return self.beside / self.alone


async def measure(server_dsn: str, seconds: float) -> dict[str, Share]:
    """Return kind of work -> share."""
    dsn = fresh_database(server_dsn, "attacked", DEMO_TEMPLATE)
    many, few = await _works(dsn, ATTACKER, MANY), await _works(dsn, OTHER, FEW)
    shares = {}
    async with service(dsn, None) as served:
        for work in few:
            least = MIN_CACHED_SHARE if work.endswith(_CACHED) else MIN_SHARE
            rates = await _rates(served.port, many[work], few[work], seconds)
            shares[work] = Share(*rates, least)
    return shares


async def _rates(port: int, many: _Requests, few: _Requests, seconds: float) -> tuple[float, float]:
    """Return the mean rates of the few connections, in turns alone and beside the many.

    The few stay open for a turn: which worker accepts a connection is chance, and matters.
    """
    alone, beside = 0.0, 0.0
    for _ in range(TURNS):
        measured, turn = Measured(), seconds / TURNS
        running = asyncio.create_task(
            load.run(port, few, _WARM_SECONDS + 2 * turn, measured=measured)
        )
        await asyncio.sleep(_WARM_SECONDS)
        alone += await _per_second(measured, asyncio.sleep(turn)) / TURNS
        beside += await _per_second(measured, load.run(port, many, turn)) / TURNS
        await running
    return alone, beside


async def _works(dsn: str, organization_id: int, connections: int) -> dict[str, _Requests]:
    """Return kind of work -> requests of each of an organization's connections."""
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
    relations, colors = (
        Request("GET", path) for path in ("/api/style-relations", "/api/colors?pageSize=100")
    )
    copies = _COPIES // connections
    works: dict[str, Callable[[], Sequence[Request]]] = {
        "lists of 30 style relations": lambda: distinct(relations, copies),
        "lists of 100 colors": lambda: distinct(colors, copies),
        f"lists of 30 style relations{_CACHED}": lambda: [relations],
        "patches of one color": lambda: patches,
    }
    return {
        work: [[request.encoded(key) for request in requests()] for _ in range(connections)]
        for work, requests in works.items()
    }


async def _per_second(measured: Measured, meanwhile: Awaitable[object]) -> float:
    """Return the successful responses per second during other work."""
    began, before = time.perf_counter(), _good(measured)
    await meanwhile
    return (_good(measured) - before) / (time.perf_counter() - began)


def _good(measured: Measured) -> int:
    return len(measured.latencies) - measured.failures
