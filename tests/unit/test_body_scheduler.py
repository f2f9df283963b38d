"""Tests of the body scheduler: large bodies one at a time, organizations in turn."""

import asyncio
import time
from itertools import pairwise

import pytest

from service.shares.body_scheduler import BodyScheduler
from service.shares.contention import ContentionSignal
from tests.support.time_limits import within

pytestmark = pytest.mark.contract("Shares")

WORK_SECONDS = 0.02


class BodyQueue:
    """Queue of bodies, which records the order in which they pass."""

    def __init__(self, contention: ContentionSignal | None = None) -> None:
        self.scheduler = BodyScheduler(contention or ContentionSignal())
        self.passed: list[tuple[int, float]] = []

    async def body(self, organization_id: int) -> None:
        """Pass the scheduler, and block the event loop for WORK_SECONDS."""
        await self.scheduler.enter(organization_id)
        self.passed.append((organization_id, time.monotonic()))
        began = time.monotonic()
        while time.monotonic() - began < WORK_SECONDS:
            pass


async def test_others_come_between_any_two_bodies() -> None:
    line = BodyQueue()
    bodies = [asyncio.create_task(line.body(1)) for _ in range(10)]
    seen = []
    while not all(body.done() for body in bodies):
        seen.append(len(line.passed))
        await asyncio.sleep(0)
    assert {*seen} >= {*range(1, 10)}


async def test_organizations_take_turns() -> None:
    line = BodyQueue()
    bodies = [asyncio.create_task(line.body(1)) for _ in range(5)]
    await asyncio.sleep(0)
    bodies += [asyncio.create_task(line.body(2)) for _ in range(2)]
    await asyncio.gather(*bodies)
    # The first of organization 1 may be through before organization 2 comes.
    order = "".join(str(organization) for organization, _ in line.passed).lstrip("1")
    assert order in {"2121", "21211", "212111"}


async def test_bodies_have_a_third_of_the_time_while_several_organizations_are_active() -> None:
    contention = ContentionSignal(lambda: 0.0)
    line = BodyQueue(contention)
    # Another organization reads. Bodies count themselves: those with errors reach no database.
    contention.record(2)
    await asyncio.gather(*(line.body(1) for _ in range(4)))
    moments = [moment for _, moment in line.passed]
    assert all(b - a >= 3 * WORK_SECONDS * 0.9 for a, b in pairwise(moments))


async def test_a_body_that_enters_again_precedes_others_of_its_organization() -> None:
    scheduler, passed = BodyScheduler(ContentionSignal()), list[str]()

    async def enter(name: str, *, again: bool) -> None:
        await scheduler.enter(1, again=again)
        passed.append(name)

    names = {"first": False, "second": False, "first again": True}
    await asyncio.gather(*(enter(name, again=again) for name, again in names.items()))
    assert passed == ["first", "first again", "second"]


async def test_canceled_bodies_leave_the_queue() -> None:
    line = BodyQueue()
    bodies = [asyncio.create_task(line.body(1)) for _ in range(3)]
    await asyncio.sleep(0)
    bodies[1].cancel()
    await asyncio.gather(*bodies, return_exceptions=True)
    assert len(line.passed) == 2
    await asyncio.sleep(0.01)
    async with within(5):
        await line.body(1)
    assert len(line.passed) == 3
