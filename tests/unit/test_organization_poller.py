"""Tests of the organization poller: turns, pauses, and delays after failures."""

import asyncio
import time
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from service.database import organization_poller
from service.database.organization_poller import GAP_SECONDS, OrganizationPoller
from service.errors import unavailable
from tests.support.time_limits import until

INTERVAL_SECONDS = 0.05


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let turns come sooner."""
    monkeypatch.setattr(organization_poller, "INTERVAL_SECONDS", INTERVAL_SECONDS)


class FakeDatabase:
    """Database without a server: it tells when it was polled for which organization."""

    def __init__(self, seconds: float = 0.0, failing: int = 0) -> None:
        self.seconds, self.failing = seconds, failing
        self.polls: list[tuple[float, float, int]] = []
        self.groups: list[list[int]] = []

    async def poll(self, look: Any, organization_id: int) -> Any:
        started = time.monotonic()
        await asyncio.sleep(self.seconds)
        self.polls.append((started, time.monotonic(), organization_id))
        if organization_id == self.failing:
            raise unavailable()
        return await look(None)


def poller_of(
    database: FakeDatabase, ids: Any, handle: Any, *, is_cluster: bool = True
) -> OrganizationPoller[int]:
    async def look(_: object, organization_ids: list[int]) -> dict[int, int]:
        database.groups.append(organization_ids)
        return {id_: id_ for id_ in organization_ids}

    used: Any = database
    poller = OrganizationPoller(used, ids, look, handle)
    poller._is_cluster = is_cluster
    return poller


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


async def test_many_organizations_share_a_statement_without_a_cluster() -> None:
    """Those that come later join the statement of the others."""
    ids, database = {1}, FakeDatabase(0.001)
    began = time.monotonic()
    poller = poller_of(database, lambda: ids, handle_at_once, is_cluster=False)
    poller.start()
    await until(lambda: len(database.groups) == 1)
    for id_ in range(2, 12):
        ids.add(id_)
        await asyncio.sleep(INTERVAL_SECONDS / 10)
    under_way = len(database.groups)
    await until(lambda: len(database.groups) > under_way + 1)
    poller.stop()
    assert database.groups[under_way + 1] == sorted(ids)
    for number, (at, *_) in enumerate(database.polls, 1):
        assert at - began >= number * INTERVAL_SECONDS


async def test_organizations_are_polled_alone_after_a_failure() -> None:
    """So the one that fails delays the others once."""
    ids = [2, 1, 3]
    database = FakeDatabase(failing=2)
    poller = poller_of(database, lambda: ids, handle_at_once, is_cluster=False)
    poller.start()
    await until(lambda: [1, 3] in database.groups and 2 in poller._delays)
    database.failing = 0
    await until(lambda: ids in database.groups)
    poller.stop()
    assert [1] in database.groups
    assert not poller._delays


async def test_a_failing_organization_is_polled_ever_less_often() -> None:
    database = FakeDatabase(failing=1)
    poller = poller_of(database, lambda: [1, 2], handle_at_once)
    poller.start()
    await until(lambda: [id_ for _, _, id_ in database.polls].count(1) == 3)
    poller.stop()
    assert poller._delays == {1: INTERVAL_SECONDS * 8}
    starts = [started for started, _, id_ in database.polls if id_ == 1]
    assert starts[1] - starts[0] >= INTERVAL_SECONDS * 2
    assert starts[2] - starts[1] >= INTERVAL_SECONDS * 4
    for _ in range(9):
        await poller._poll([1])
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
