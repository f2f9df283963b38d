"""Attacks one after the other, each on a new service: idle, under attack, and afterwards."""

import asyncio
import multiprocessing
import os
from collections import Counter
from collections.abc import Awaitable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import asyncpg

from tests.attacks.attacker import Attacker
from tests.attacks.bystander import Record, watch
from tests.attacks.prepare import ATTACKER, OTHER
from tests.attacks.scenarios import Scenario, scenarios
from tests.attacks.service import Service, Sizes, service
from tests.support.api import issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database

T = TypeVar("T")
IDLE_SECONDS: Final = 3
REST_SECONDS: Final = 5
"""Time after an attack until memory should have been freed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Effects of an attack."""

    idle: Record
    during: Record
    before: Sizes
    most: float
    """Maximum memory of all workers together, in MB."""
    after: Sizes
    longest_hold: float
    """Longest hold of an event loop, in seconds."""
    died: int
    """Number of workers that were replaced."""
    answers: Counter[str]
    """Responses to the attacker, by status."""
    runs_out_of_time: bool
    """Whether some responses may be 503."""


async def attack(scenario: Scenario, server_dsn: str, seconds: float) -> Outcome:
    """Attack a new service on a copy of the demo data for some seconds."""
    dsn = fresh_database(server_dsn, "attacked", DEMO_TEMPLATE)
    made = await prepared(scenario, dsn, 1)
    async with service(dsn, scenario.files) as served:
        attacker = Attacker(served.port, await issue_key(dsn, ATTACKER), prepared=made)
        return await _strike(scenario, attacker, served, await issue_key(dsn, OTHER), seconds)


async def prepared(scenario: Scenario, dsn: str, scale: float) -> dict[str, Any]:
    """Create the data of a scenario; return the records and keys that it uses."""
    if scenario.prepare is None:
        return {}
    connection = await asyncpg.connect(dsn)
    try:
        return {"dsn": dsn, **await scenario.prepare(connection, scale)}
    finally:
        await connection.close()


async def _strike(
    scenario: Scenario, attacker: Attacker, served: Service, key: str, seconds: float
) -> Outcome:
    await _beside(served, key, asyncio.sleep(1))
    idle, _ = await _beside(served, key, asyncio.sleep(IDLE_SECONDS))
    before, pids = await served.sizes(), served.workers()
    over = asyncio.Event()
    memory = asyncio.create_task(served.largest_memory(over))
    during, answers = await _beside(served, key, _in_a_process(scenario.name, attacker, seconds))
    longest = await served.longest_hold()
    await asyncio.sleep(REST_SECONDS)
    over.set()
    most, after = await memory, await served.sizes()
    died = len(pids - served.workers())
    may = scenario.runs_out_of_time
    return Outcome(idle, during, before, most, after, longest, died, answers, may)


async def _beside(served: Service, key: str, work: Awaitable[T]) -> tuple[Record, T]:
    """Return the bystander's record of the time in which work is done, and the work's result."""
    stop = asyncio.Event()
    bystander = asyncio.create_task(watch(served.port, key, stop))
    result = await work
    stop.set()
    return await bystander, result


async def _in_a_process(name: str, attacker: Attacker, seconds: float) -> Counter[str]:
    """Attack from a process of its own; return the responses by status."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(pool, _run, name, attacker, seconds)


def _run(name: str, attacker: Attacker, seconds: float) -> Counter[str]:
    # The service and the bystander go first where there are few processors.
    os.nice(10)
    [scenario] = [each for each in scenarios() if each.name == name]
    asyncio.run(strike(scenario, attacker, seconds))
    return attacker.answers


async def strike(scenario: Scenario, attacker: Attacker, seconds: float) -> None:
    """Run a scenario's strike for some seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await scenario.strike(attacker)


def chosen(names: Sequence[str]) -> list[Scenario]:
    """Return the scenarios of these names, or all."""
    return [each for each in scenarios() if not names or each.name in names]
