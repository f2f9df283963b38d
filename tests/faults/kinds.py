"""Faults that strike batches in flight."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias
from urllib.parse import urlsplit

import aiohttp

from benchmarks.load import Request
from tests.faults import judge
from tests.faults.judge import Outcome
from tests.faults.proxy import Link, Moment, Trap
from tests.faults.stage import PATIENCE, POOL_SIZE, WORKERS, OwnServer, Stage
from tests.faults.work import Batch
from tests.support.api import Answer
from tests.support.time_limits import within

CROWD: Final = 10
"""Number of batches that wait for a connection at once."""
Call: TypeAlias = "asyncio.Task[Answer | None]"


class Fault(Protocol):
    """Kind of failure."""

    @property
    def name(self) -> str:
        """Return its name in the report."""

    @property
    def share(self) -> int:
        """Return its rounds for each round of the costliest fault."""

    async def strike(self, stage: Stage) -> list[Outcome]:
        """Return the outcomes of the batches of one attempt."""


@dataclass(frozen=True)
class Struck:
    """Failure at a chosen moment of the transaction that does a batch."""

    name: str
    share: int
    action: Callable[[Stage, Link, Call], Awaitable[None]]

    async def strike(self, stage: Stage) -> list[Outcome]:
        """Strike one batch, look for it in the database, and send it again.

        A batch is over before it is struck if another transaction of the service, such as that of a
        background task, has sprung no trap but taken it. The next batch gets a new one.
        """
        for _ in range(_TRIES):
            if outcome := await self._try(stage):
                return [outcome]
        raise AssertionError(f"{_TRIES} batches were over before the fault struck")

    async def _try(self, stage: Stage) -> Outcome | None:
        """Return the outcome of one batch; None if it was not struck."""
        batch, before = stage.workload.next(), await _clean_state(stage)
        call = asyncio.create_task(_answer(stage, batch))
        probes: list[asyncio.Task[float]] = []

        async def act(link: Link) -> None:
            await self.action(stage, link, call)
            probes.append(asyncio.create_task(stage.answers_again()))

        trap = _trap(stage, act)
        stage.proxy.arm(trap)
        await asyncio.wait([call])
        if trap.task is None:
            await _settle(stage, batch)
            return None
        await trap.task
        answer = None if call.cancelled() else call.result()
        where = f"{_what(batch)}, {trap.where}"
        return await _outcome(stage, batch, before, answer, await probes[0], where)


@dataclass(frozen=True)
class HalfSent:
    """Caller that hangs up in the middle of the body."""

    name: str
    share: int

    async def strike(self, stage: Stage) -> list[Outcome]:
        """Send a part of one batch."""
        batch, before = stage.workload.next(), await _clean_state(stage)
        body = batch.body or b" "
        headers = [f"Idempotency-Key: {batch.key}"]
        request = Request(batch.method, batch.path, body, headers=headers).encoded(stage.api.key)
        address = urlsplit(stage.service.base_url)
        _, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(request[: -stage.random.randint(1, len(body))])
        await writer.drain()
        await asyncio.sleep(stage.random.uniform(0, 0.01))
        writer.transport.abort()
        seconds = await stage.answers_again()
        return [await _outcome(stage, batch, before, None, seconds, f"{_what(batch)}, its body")]


@dataclass(frozen=True)
class Exhausted:
    """Organization whose share is used up for about as long as a request waits for its lease."""

    name: str
    share: int

    async def strike(self, stage: Stage) -> list[Outcome]:
        """Send a crowd of batches; those that wait too long are refused."""
        crowd = [stage.workload.creation() for _ in range(CROWD)]
        record = (await stage.api.get("/api/groups?pageSize=1")).data[0]["id"]
        idle = Batch("PATCH", f"/api/groups/{record}", b"[]", "")
        busy: list[Call] = []
        async with stage.connection() as watch, stage.connection() as lock, lock.transaction():
            await lock.fetch("select from style_group where id = $1 for update", record)
            async with within(PATIENCE):
                while not await watch.fetchval(_ALL_WAIT):
                    busy.append(asyncio.create_task(_answer(stage, idle)))
                    await asyncio.sleep(0.01)
            calls = []
            for batch in crowd:
                calls.append(asyncio.create_task(_answer(stage, batch)))
                await asyncio.sleep(stage.random.uniform(0, 0.2))
            await asyncio.sleep(stage.random.uniform(3.5, 5))
        seconds = await stage.answers_again()
        answers = await asyncio.gather(*calls)
        await asyncio.gather(*busy)
        return [
            await self._outcome(stage, batch, answer, seconds)
            for batch, answer in zip(crowd, answers, strict=True)
        ]

    async def _outcome(
        self, stage: Stage, batch: Batch, answer: Answer | None, seconds: float
    ) -> Outcome:
        """Return the outcome of one batch, whose key is the name of all its colors."""
        between = (await stage.api.get(batch.path, {"name": batch.key})).data
        settled = await stage.settle(batch)
        after = (await stage.api.get(batch.path, {"name": batch.key})).data
        fate = judge.fate([], between, after)
        wrong = judge.wrong(answer, fate, settled)
        return Outcome(fate, judge.response_kind(answer), wrong, seconds, _what(batch))


_TRIES: Final = 3
"""Batches of a strike, of which others took the traps."""
_ALL_WAIT: Final = f"""
    select count(*) >= {WORKERS * (POOL_SIZE - 1)} from pg_stat_activity
    where application_name = 'selvedge' and wait_event_type = 'Lock'
"""


async def _cut(_stage: Stage, link: Link, _call: Call) -> None:
    link.cut()


async def _hang_up(_stage: Stage, _link: Link, call: Call) -> None:
    call.cancel()


def of_stage(action: Callable[[Any], Awaitable[None]]) -> Any:
    """Return the action of a fault that calls a method of the stage."""

    async def act(stage: Stage, _link: Link, _call: Call) -> None:
        await action(stage)

    return act


FAULTS: Final[tuple[Fault, ...]] = (
    Struck("connection cut", 12, _cut),
    Struck("caller hangs up, waiting", 4, _hang_up),
    HalfSent("caller hangs up, sending", 2),
    Struck("worker killed", 2, of_stage(Stage.kill_workers)),
    Struck("PostgreSQL session killed", 2, of_stage(OwnServer.kill_backend)),
    Struck("PostgreSQL killed", 2, of_stage(OwnServer.kill_postgres)),
    Struck("PostgreSQL restarted", 2, of_stage(OwnServer.restart_postgres)),
    Exhausted("share used up", 1),
)


KILLS: Final = FAULTS[3:6]
"""Ends of processes in the middle of a batch."""


def _trap(stage: Stage, action: Callable[[Link], Awaitable[None]]) -> Trap:
    """Return a trap at the commit (half of the time), at the begin, or anywhere between."""
    last = stage.workload.statements
    step = stage.random.choice([None, None, None, 0, stage.random.randint(1, last)])
    return Trap(step, stage.random.choice(list(Moment)), action)


def _what(batch: Batch) -> str:
    return f"{batch.method} {urlsplit(batch.path).path}"


async def _answer(stage: Stage, batch: Batch) -> Answer | None:
    """Return the response, or None if the connection ended without one."""
    with suppress(aiohttp.ClientError):
        return await batch.send(stage.api)
    return None


async def _clean_state(stage: Stage) -> dict[str, Any]:
    """Delete the keys of earlier batches, and return the rows of the database."""
    await stage.forget_keys()
    return await stage.dump()


async def _settle(stage: Stage, batch: Batch) -> Answer:
    """Settle the workload's batch, which goes on from it; return the response."""
    settled = await stage.settle(batch)
    if settled.status in (200, 201):
        stage.workload.learn(settled)
    return settled


async def _outcome(
    stage: Stage,
    batch: Batch,
    before: dict[str, Any],
    answer: Answer | None,
    seconds: float,
    where: str,
) -> Outcome:
    """Return the outcome of the workload's batch, which is sent again for this."""
    between = await stage.dump()
    settled = await _settle(stage, batch)
    after = await stage.dump()
    fate = judge.fate(before, between, after)
    return Outcome(
        fate, judge.response_kind(answer), judge.wrong(answer, fate, settled), seconds, where
    )
