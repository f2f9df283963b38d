"""Tests of the organization poller: turns, pauses, and delays after failures."""

import asyncio
import time
from collections import Counter
from itertools import pairwise
from typing import Any

from service.database import organization_poller
from service.database.errors import unavailable
from service.database.organization_poller import GAP_SECONDS, OrganizationPoller
from tests.support.time_limits import scaled, until


class FakeDatabase:
    """Database without a server: it tells when it was polled for which organization."""

    def __init__(self, seconds: float = 0.0, failing: int = 0) -> None:
        self.seconds, self.failing = seconds, failing
        self.polls: list[tuple[float, float, int]] = []

    async def poll(self, look: Any, organization_id: int) -> Any:
        started = time.monotonic()
        await asyncio.sleep(self.seconds)
        self.polls.append((started, time.monotonic(), organization_id))
        if organization_id == self.failing:
            raise unavailable()
        return await look(None)


def poller_of(database: FakeDatabase, ids: Any, handle: Any) -> OrganizationPoller[int]:
    async def look(_: object, organization_id: int) -> int:
        return organization_id

    used: Any = database
    return OrganizationPoller(used, ids, look, handle)


async def handle_at_once(organization_id: int, looked: int) -> None:
    assert organization_id == looked


async def test_many_organizations_cost_no_more_statements() -> None:
    """One poll at a time, each after a pause; and every organization gets its turn."""
    database = FakeDatabase(0.001)
    poller = poller_of(database, lambda: range(1, 51), handle_at_once)
    poller.start()
    await until(lambda: len(database.polls) > 100)
    poller.stop()
    for before, after in pairwise(database.polls):
        assert after[0] - before[1] > 0.9 * GAP_SECONDS
    turns = Counter(id_ for _, _, id_ in database.polls)
    assert len(turns) == 50
    assert max(turns.values()) - min(turns.values()) <= 1


async def test_a_failing_organization_is_polled_ever_less_often() -> None:
    database = FakeDatabase(failing=1)
    poller = poller_of(database, lambda: [1, 2], handle_at_once)
    poller.start()
    await asyncio.sleep(scaled(2))
    poller.stop()
    turns = Counter(id_ for _, _, id_ in database.polls)
    assert 0 < turns[1] < turns[2]
    starts = [started for started, _, id_ in database.polls if id_ == 1]
    pauses = [after - before for before, after in pairwise(starts)]
    assert pauses == sorted(pauses)
    assert poller._delays.keys() == {1}
    for _ in range(9):
        await poller._poll(1)
    assert poller._delays[1] == organization_poller.MAX_DELAY_SECONDS


async def test_nobody_waits_for_what_is_handled() -> None:
    handled, done = list[int](), asyncio.Event()

    async def handle(organization_id: int, _: int) -> None:
        handled.append(organization_id)
        if organization_id == 1:
            await done.wait()

    poller = poller_of(FakeDatabase(), lambda: [1, 2], handle)
    poller.start()
    await until(lambda: handled.count(2) > 3)
    assert handled.count(1) == 1
    done.set()
    await until(lambda: handled.count(1) > 1)
    poller.stop()


async def test_it_ends_without_organizations_and_starts_again() -> None:
    ids, database = {1}, FakeDatabase()
    poller = poller_of(database, lambda: ids, handle_at_once)
    poller.start()
    await until(lambda: bool(database.polls))
    ids.clear()
    task = poller._task
    assert task is not None
    await until(task.done)
    ids.add(2)
    poller.start()
    await until(lambda: database.polls[-1][2] == 2)
    poller.stop()
    poller.start()
    await until(lambda: poller._task is not None and poller._task.done())
