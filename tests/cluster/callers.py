"""Callers of two organizations while the node of one of them is away, and what they saw."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from tests.cluster.environment import Cluster
from tests.support.api import Answer, Api
from tests.support.changes import PATH, Follower
from tests.support.time_limits import limit, within

GROUPS: Final = "/api/groups"
CALLERS: Final = 4
"""Callers who read, and as many who write, in the organization of the node."""
RATIO: Final = 1.5
"""Maximum ratio of the slowest write of another node's organization to the slowest before."""
MIN_SECONDS: Final = 0.3
"""Slowest write that is never too slow, on an idle machine: the slowest before may be quick."""
BACK_SECONDS: Final = 1
"""Time from the return of a node until its acknowledged writes can be read."""
MAX_WAIT_SECONDS: Final = 1.5
"""Longest wait of a long poll for a change that is written meanwhile, on an idle machine."""

Calls = list[tuple[float, Answer]]
"""Seconds and answer of each call."""


class Campaign(NamedTuple):
    """Calls of the organization of the node, reads and writes of another one, its longest wait."""

    own: Calls
    read: Calls
    written: Calls
    wait: float

    def report(self, name: str) -> None:
        """Print the counts and the slowest of each."""
        counts = [f"{len(each)} calls, {slowest(each):.3f} s" for each in self[:3]]
        print(name, *counts, f"longest wait {self.wait:.3f} s", sep="; ")


def writes(api: Api) -> Callable[[], Coroutine[Any, Any, Answer]]:
    """Return a function that creates a group."""
    return lambda: api.post(GROUPS, {"name": "Hung"})


def reads(api: Api) -> Callable[[], Coroutine[Any, Any, Answer]]:
    """Return a function that searches for groups, each time for others, so that none is cached."""
    numbers = iter(range(1_000_000))
    return lambda: api.get(GROUPS, {"q": f"Group {next(numbers)}"})


async def repeat(call: Callable[[], Coroutine[Any, Any, Answer]], deadline: float) -> Calls:
    """Return the seconds and answers of calls until a time."""
    calls = []
    while time.monotonic() < deadline:
        began = time.monotonic()
        answer = await call()
        calls.append((time.monotonic() - began, answer))
        await asyncio.sleep(0.01)
    return calls


async def follow(api: Api, deadline: float) -> list[float]:
    """Return the seconds that each long poll took until it had a change."""
    follower, seconds = Follower(api), []
    await follower.begin()
    while time.monotonic() < deadline:
        began = time.monotonic()
        answer = await api.get(PATH, {"cursor": follower.cursor, "wait": "5"})
        assert answer.status == 200, answer.raw
        if not answer.data and time.monotonic() > deadline:
            break  # the writers have ended
        assert answer.data
        follower.cursor = answer.json["pagination"]["cursor"]
        seconds.append(time.monotonic() - began)
    return seconds


async def campaign(away: Api, other: Api, seconds: float) -> Campaign:
    """Return what callers of both organizations see in so many seconds."""
    deadline = time.monotonic() + seconds
    own = [
        asyncio.create_task(repeat(make(away), deadline))
        for make in (reads, writes)
        for _ in range(CALLERS)
    ]
    others = [asyncio.create_task(repeat(make(other), deadline)) for make in (reads, writes)]
    waits = max(await follow(other, deadline))
    read, written = [await task for task in others]
    return Campaign([call for task in own for call in await task], read, written, waits)


def slowest(calls: Calls) -> float:
    """Return the seconds of the slowest call."""
    return max(seconds for seconds, _ in calls)


def assert_served(calm: Campaign, troubled: Campaign) -> None:
    """Fail unless the other organization was served in trouble as it was before."""
    assert {answer.status for _, answer in troubled.read} == {200}
    assert {answer.status for _, answer in troubled.written} == {201}
    assert slowest(troubled.written) < max(RATIO * slowest(calm.written), limit(MIN_SECONDS))
    assert troubled.wait < limit(MAX_WAIT_SECONDS)


def refusals(calls: Calls) -> Calls:
    """Return the calls without success; fail unless each is 429 or 503."""
    refused = [(seconds, answer) for seconds, answer in calls if answer.status not in (200, 201)]
    statuses = {answer.status for _, answer in refused}
    assert statuses <= {429, 503}, statuses
    return refused


async def readable_again(api: Api, group_id: int) -> float:
    """Return the seconds until a group can be read; fail at a limit."""
    began = time.monotonic()
    async with within(BACK_SECONDS):
        while (answer := await api.get(f"{GROUPS}/{group_id}")).status != 200:
            assert answer.status == 503, answer.raw
            await asyncio.sleep(0.01)
    return time.monotonic() - began


async def all_readable_again(set_up: Cluster, calls: Calls) -> float:
    """Return the seconds until the last acknowledged create of calls can be read; fail at a limit.

    All the others must be stored, too.
    """
    created = {answer.data["id"] for _, answer in calls if answer.status == 201}
    seconds = await readable_again(set_up.api, max(created))
    async with set_up.connection() as connection:
        rows = await connection.fetch("select id from style_group where organization_id = 1")
    assert created <= {row["id"] for row in rows}
    return seconds
