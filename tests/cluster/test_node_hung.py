"""Tests of a hung node: organizations on other nodes are served as if nothing were."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final

from tests.cluster.environment import stage
from tests.support.api import Answer, Api, issue_key
from tests.support.changes import PATH, Follower
from tests.support.time_limits import limit, within

GROUPS: Final = "/api/groups"
SEED: Final = 5
CALLERS: Final = 4
"""Callers who read, and as many who write, in the organization of the node."""
CALM_SECONDS: Final = 10
HUNG_SECONDS: Final = 25
RATIO: Final = 1.5
"""Maximum ratio of the slowest write of another node's organization to the slowest before."""
MIN_SECONDS: Final = 0.3
"""Slowest write that is never too slow, on an idle machine: the slowest before may be quick."""

_Calls = list[tuple[float, Answer]]


def writes(api: Api) -> Callable[[], Coroutine[Any, Any, Answer]]:
    """Return a function that creates a group."""
    return lambda: api.post(GROUPS, {"name": "Hung"})


def reads(api: Api) -> Callable[[], Coroutine[Any, Any, Answer]]:
    """Return a function that searches for groups, each time for others, so that none is cached."""
    numbers = iter(range(1_000_000))
    return lambda: api.get(GROUPS, {"q": f"Group {next(numbers)}"})


async def repeat(call: Callable[[], Coroutine[Any, Any, Answer]], deadline: float) -> _Calls:
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
        answer = await api.get(PATH, {"cursor": follower.cursor, "wait": "10"})
        assert answer.status == 200, answer.raw
        assert answer.data
        follower.cursor = answer.json["pagination"]["cursor"]
        seconds.append(time.monotonic() - began)
    return seconds


async def campaign(away: Api, other: Api, seconds: float) -> tuple[_Calls, _Calls, _Calls, float]:
    """Return calls of the hung organization, reads and writes of the other; the longest wait."""
    deadline = time.monotonic() + seconds
    own = [
        asyncio.create_task(repeat(make(away), deadline))
        for make in (reads, writes)
        for _ in range(CALLERS)
    ]
    others = [asyncio.create_task(repeat(make(other), deadline)) for make in (reads, writes)]
    waits = max(await follow(other, deadline))
    read, written = [await task for task in others]
    return [call for task in own for call in await task], read, written, waits


def slowest(calls: _Calls) -> float:
    return max(seconds for seconds, _ in calls)


async def test_the_others_are_served_while_a_node_hangs(demo_dsn: str) -> None:
    async with stage(demo_dsn, SEED) as set_up:
        other = Api(set_up.api.client, await issue_key(demo_dsn, 2))
        calm = await campaign(set_up.api, other, CALM_SECONDS)
        assert {answer.status for _, answer in calm[0]} == {200, 201}
        async with set_up.hung_node():
            hung = await campaign(set_up.api, other, HUNG_SECONDS)
        for name, (*calls, wait) in {"calm": calm, "hung": hung}.items():
            counts = [f"{len(each)} calls, {slowest(each):.3f} s" for each in calls]
            print(name, *counts, f"longest wait {wait:.3f} s", sep="; ")
        _, read, written, wait = hung
        assert {answer.status for _, answer in read} == {200}
        assert {answer.status for _, answer in written} == {201}
        assert slowest(written) < max(RATIO * slowest(calm[2]), limit(MIN_SECONDS))
        assert wait < limit(1.5)
        refusals = [(seconds, answer) for seconds, answer in hung[0] if answer.status != 200]
        statuses = {(answer.status, answer.headers.get("Retry-After")) for _, answer in refusals}
        assert statuses <= {(503, "1"), (503, None), (429, "1")}, statuses
        assert len(refusals) > 2 * CALLERS
        async with within(5):
            # There is no event to wait for.
            while (await set_up.api.post(GROUPS, {"name": "Back"})).status != 201:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
