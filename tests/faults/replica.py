"""Replicas that follow the change feed while the service and its database are killed.

Writers send all kinds of writes in two organizations; nobody learns the outcome of a write that was
struck. In the end each replica is equal to the service.
"""

import asyncio
import logging
from collections import Counter
from random import Random
from typing import Any, Final

import aiohttp

from tests.faults.stage import OwnServer
from tests.support import generate
from tests.support.api import Answer, Api, issue_key
from tests.support.campaign import Progress, Rounds
from tests.support.replica import Replica
from tests.support.writers import Writer

_LOG: Final = logging.getLogger(__name__)
_WRITERS: Final = 2
"""Number of writers of each organization."""
_PASSING: Final = (429, 503)


class Patient(Api):
    """Caller that repeats a read until it has a response."""

    async def call(self, method: str, path: str, *arguments: Any, **options: Any) -> Answer:
        """Return the response; only reads are sent again."""
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
    stage: OwnServer, strikes: int, on_progress: Progress, writes: int = 0
) -> list[Replica]:
    """Return the replicas after so many strikes and at least so many writes.

    Raise AssertionError if one is not equal.
    """
    callers = [
        Patient(stage.api.client, await issue_key(stage.dsn, organization))
        for organization in (1, 2)
    ]
    writers = [
        Writer(caller, await generate.references(caller), Random(stage.random.random()))
        for caller in callers * _WRITERS
    ]
    replicas = [Replica(caller, documents=True, limit=50) for caller in callers]
    is_over = asyncio.Event()
    busy = [asyncio.create_task(_write(writer, is_over)) for writer in writers]
    await asyncio.gather(*(replica.begin() for replica in replicas))
    busy += [asyncio.create_task(_follow(replica, is_over)) for replica in replicas]
    kills, rounds = Counter[str](), Rounds(strikes, on_progress)
    while rounds.left or _written(writers) < writes:
        await asyncio.sleep(stage.random.uniform(0.2, 1.5))
        for task in busy:
            if task.done():
                await task  # raises what it failed of
        # The kills are spread over all writes.
        if rounds.left and _written(writers) >= writes * (strikes - rounds.left) // strikes:
            kills[await _strike(stage)] += 1
            await stage.answers_again()
            rounds.count()
    is_over.set()
    await asyncio.gather(*busy)
    for replica in replicas:
        await replica.holds()
        assert replica.seen, "nothing was followed"
    _log(writers, kills, replicas)
    return replicas


def _written(writers: list[Writer]) -> int:
    return sum(writer.done for writer in writers)


def _log(writers: list[Writer], kills: Counter[str], replicas: list[Replica]) -> None:
    for organization, replica in enumerate(replicas, 1):
        collections = Counter(collection for collection, _ in replica.records)
        _LOG.info(
            "organization %s: %s entries, equal: %s",
            *(organization, len(replica.seen), dict(collections)),
        )
    _LOG.info("%s writes, kills: %s", _written(writers), dict(kills))


async def _strike(stage: OwnServer) -> str:
    """Kill or restart something; return what was done."""
    kinds = (stage.kill_workers, stage.kill_backend, stage.kill_postgres, stage.restart_postgres)
    strike = stage.random.choice(kinds)
    await strike()
    return strike.__name__


async def _write(writer: Writer, is_over: asyncio.Event) -> None:
    while not is_over.is_set():
        await writer.write(1)


async def _follow(replica: Replica, is_over: asyncio.Event) -> None:
    while not is_over.is_set():
        await replica.follow()
        await asyncio.sleep(0.05)
