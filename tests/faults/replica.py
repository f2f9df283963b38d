"""A copy that follows the changes while the service and its database are killed.

Writers do whatever can be done in two organizations; what became of a write that was struck is told
to nobody. In the end each copy is equal to the service all the same.
"""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any, Final

import aiohttp

from tests.faults.stage import OwnServer
from tests.support import generate
from tests.support.api import Answer, Api, issue_key
from tests.support.replica import Replica
from tests.support.writers import Writer

_WRITERS: Final = 2
"""Of each organization."""
_PASSING: Final = (429, 503)


class Patient(Api):
    """A caller that reads until it has an answer."""

    async def call(self, method: str, path: str, *arguments: Any, **options: Any) -> Answer:
        """The answer; only reads are sent again."""
        while True:
            try:
                answer = await super().call(method, path, *arguments, **options)
                if method != "GET" or answer.status not in _PASSING:
                    return answer
            except (aiohttp.ClientError, TimeoutError):
                if method != "GET":
                    raise
            await asyncio.sleep(0.05)


async def stays_equal(
    stage: OwnServer, strikes: int, progress: Callable[[int], object]
) -> list[Replica]:
    """The copies once everything is over; raises AssertionError where one is not equal."""
    callers = [
        Patient(stage.api.client, await issue_key(stage.dsn, organization))
        for organization in (1, 2)
    ]
    writers = [
        Writer(one, await generate.references(one), Random(stage.random.random()))
        for one in callers * _WRITERS
    ]
    replicas = [Replica(one, documents=True, limit=50) for one in callers]
    struck = asyncio.Event()
    busy = [asyncio.create_task(_write(one, struck)) for one in writers]
    await asyncio.gather(*(replica.begin() for replica in replicas))
    busy += [asyncio.create_task(_follow(one, struck)) for one in replicas]
    for _ in range(strikes):
        await asyncio.sleep(stage.random.uniform(0.2, 1.5))
        await _strike(stage)
        await stage.answers_again()
        progress(1)
    struck.set()
    await asyncio.gather(*busy)
    for replica in replicas:
        await replica.holds()
    return replicas


async def _strike(stage: OwnServer) -> None:
    kinds = (
        stage.kill_workers,
        stage.kill_backend,
        stage.kill_postgres,
        stage.restart_postgres,
    )
    await stage.random.choice(kinds)()


async def _write(writer: Writer, struck: asyncio.Event) -> None:
    while not struck.is_set():
        await writer.write(1)


async def _follow(replica: Replica, struck: asyncio.Event) -> None:
    while not struck.is_set():
        await replica.follow()
        await asyncio.sleep(0.05)
