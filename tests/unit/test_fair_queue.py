"""Tests of the fair queue: fair among organizations, bounded in time, nothing lost."""

import asyncio
import time
import weakref

import pytest

from service.shares.contention import CONTENTION_SECONDS, ContentionSignal
from service.shares.fair_queue import READ, FairQueue, LeaseKind, QueueTimeoutError
from tests.support.time_limits import scaled, within

pytestmark = pytest.mark.contract("Shares")

SOON = scaled(0.05)
LONG = 30.0
BULK, EXCLUSIVE = LeaseKind(bulk=True), LeaseKind(exclusive=True)


async def started(
    shares: FairQueue[str], count: int, organization_id: int = 1, use: LeaseKind = READ
) -> list[asyncio.Task[str]]:
    """Start this many waiting callers, in this order."""
    waiting = [asyncio.create_task(shares.acquire(organization_id, use)) for _ in range(count)]
    await asyncio.sleep(0)
    return waiting


async def test_the_most_recently_used_connection_is_leased_first() -> None:
    shares = FairQueue(["a", "b", "c"], LONG, ContentionSignal())
    taken = [await shares.acquire(1, READ), await shares.acquire(1, READ)]
    for thing in taken:
        shares.release(thing, 1, READ)
    assert await shares.acquire(1, READ) == taken[-1]


def test_a_free_connection_needs_no_wait() -> None:
    shares = FairQueue(["a", "b", "c"], LONG, ContentionSignal())
    assert [shares.acquire_nowait(1, READ) for _ in range(3)] == [("c",), ("b",), ()]
    assert shares.acquire_nowait(2, READ) == ("a",)
    shares.release("b", 1, READ)
    assert shares.acquire_nowait(1, READ) == ("b",)


async def test_within_an_organization_who_asks_first_is_served_first() -> None:
    shares = FairQueue(["only"], LONG, ContentionSignal())
    thing = await shares.acquire(1, READ)
    first, second = await started(shares, 2)
    shares.release(thing, 1, READ)
    [late] = await started(shares, 1)
    assert await first == "only"
    shares.release("only", 1, READ)
    assert await second == "only"
    assert not late.done()
    shares.release("only", 1, READ)
    assert await late == "only"


async def test_one_organization_never_holds_all() -> None:
    shares = FairQueue(["a", "b", "c", "d"], LONG, ContentionSignal())
    tasks = await started(shares, 10)
    assert [task.done() for task in tasks].count(True) == 3
    assert await shares.acquire(2, READ)
    assert shares.waiting() == 7


async def test_organizations_are_served_in_turn_however_many_wait_of_one() -> None:
    shares = FairQueue(["only"], LONG, ContentionSignal())
    thing = await shares.acquire(1, READ)
    crowd = await started(shares, 50)
    [other] = await started(shares, 1, 2)
    shares.release(thing, 1, READ)
    assert await crowd[0] == "only"
    shares.release("only", 1, READ)
    assert await other == "only"
    shares.release("only", 2, READ)
    assert await crowd[1] == "only"


@pytest.mark.parametrize(("use", "most"), [(BULK, 2), (EXCLUSIVE, 1)])
async def test_long_uses_leave_room_for_short_ones(use: LeaseKind, most: int) -> None:
    shares = FairQueue(["a", "b", "c", "d"], LONG, ContentionSignal())
    long = await started(shares, 5, use=use)
    assert [task.done() for task in long].count(True) == most
    assert await shares.acquire(1, READ)
    shares.release(long[0].result(), 1, use)
    await asyncio.sleep(0)
    assert [task.done() for task in long].count(True) == most + 1


@pytest.mark.parametrize(("holder", "own"), [(1, True), (2, False)])
async def test_the_wait_is_bounded_and_names_its_cause(
    holder: int, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    shares = FairQueue(["only"], LONG, ContentionSignal())
    thing = await shares.acquire(holder, READ)
    [early] = await started(shares, 1)
    now = LONG / 2
    [late] = await started(shares, 1)
    now = LONG * 1.25
    await asyncio.wait([early], timeout=0)
    with pytest.raises(QueueTimeoutError) as error:
        early.result()
    assert error.value.own_organization is own
    assert not late.done()
    shares.release(thing, holder, READ)
    assert await late == "only"


async def test_everyone_in_line_gives_up_in_time() -> None:
    shares = FairQueue(["only"], SOON, ContentionSignal())
    thing = await shares.acquire(1, READ)
    for _ in range(2):
        waiting = await started(shares, 3)
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(result) for result in results] == [QueueTimeoutError] * 3
    shares.release(thing, 1, READ)
    assert await shares.acquire(1, READ) == "only"


@pytest.mark.parametrize("turns", [0, 1])
async def test_canceled_waiters_leave_the_queue(turns: int) -> None:
    shares = FairQueue(["only"], LONG, ContentionSignal())
    thing = await shares.acquire(1, READ)
    first, second, third = await started(shares, 3)
    first.cancel()
    for _ in range(turns):
        await asyncio.sleep(0)
    shares.release(thing, 1, READ)
    assert await second == "only"
    assert first.cancelled()
    # Canceled in the very moment in which it would have been its turn.
    shares.release("only", 1, READ)
    third.cancel()
    with pytest.raises(asyncio.CancelledError):
        await third
    assert await shares.acquire(1, READ) == "only"


async def test_cancellation_at_the_end_of_the_wait_wins() -> None:
    shares = FairQueue(["only"], SOON, ContentionSignal())
    await shares.acquire(1, READ)
    [waiting] = await started(shares, 1)
    time.sleep(SOON * 2)  # noqa: ASYNC251 - the loop itself is to be late
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_little_is_kept_of_organizations_that_are_gone() -> None:
    shares = FairQueue(["a", "b"], LONG, ContentionSignal())
    for organization_id in range(1000):
        thing = await shares.acquire(organization_id, READ)
        [waiting] = await started(shares, 1, organization_id)
        shares.release(thing, organization_id, READ)
        shares.release(await waiting, organization_id, READ)
    assert len(shares._queues) <= 100
    assert not shares._rotation


async def test_nothing_is_kept_of_who_was_served() -> None:
    """A timer that kept each lease until its limit would keep thousands per second."""
    shares = FairQueue(["only"], LONG, ContentionSignal())
    await shares.acquire(1, READ)
    [waiting] = await started(shares, 1)
    turn = weakref.ref(shares._queues[1].waiters[0].lease)
    shares.release("only", 1, READ)
    assert await waiting == "only"
    del waiting
    assert turn() is None


async def test_while_others_come_a_line_holds_an_eighth() -> None:
    """Earlier leases stay; an organization without a queue is not capped."""
    things = [str(number) for number in range(16)]
    shares = FairQueue(things, LONG, ContentionSignal(lambda: 0.0))
    crowd = await started(shares, 20)
    assert [task.done() for task in crowd].count(True) == 15
    shares.release(await shares.acquire(2, READ), 2, READ)
    for task in crowd[:13]:
        shares.release(task.result(), 1, READ)
    assert shares.waiting() == 5
    others = [await shares.acquire(2, READ) for _ in range(3)]
    assert len({*others}) == 3
    shares.release(crowd[13].result(), 1, READ)
    assert shares.waiting() == 4


async def test_a_moment_after_the_others_a_line_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    shares = FairQueue(["a", "b", "c", "d"], LONG, ContentionSignal(lambda: now))
    crowd = await started(shares, 6)
    shares.release(await shares.acquire(2, READ), 2, READ)
    shares.release(crowd[0].result(), 1, READ)
    assert shares.waiting() == 3
    now = 2 * CONTENTION_SECONDS
    await asyncio.wait(crowd, timeout=0)
    assert shares.waiting() == 2


async def test_nobody_is_held_back_for_long() -> None:
    """One who works for long, beside others who come all the time, does not stop its own."""
    comers = ContentionSignal(lambda: 0.0)
    shares = FairQueue(["a", "b", "c", "d"], LONG, comers)
    await shares.acquire(1, BULK)
    [working] = await started(shares, 1, 1, EXCLUSIVE)
    [waiting] = await started(shares, 1, 1, EXCLUSIVE)
    comers.record(2)
    [read] = await started(shares, 1)
    assert (working.done(), waiting.done(), read.done()) == (True, False, False)
    async with within(5):
        while not read.done():
            shares.release(await shares.acquire(2, READ), 2, READ)
            await asyncio.sleep(0.001)
            comers.record(1)
    assert not waiting.done()
    waiting.cancel()


async def test_writes_by_own_key_wait_for_their_collection_alone() -> None:
    colors, groups = (
        LeaseKind(bulk=True, collection="colors"),
        LeaseKind(bulk=True, collection="groups"),
    )
    shares = FairQueue([*"abcdefgh"], LONG, ContentionSignal())
    first = await shares.acquire(1, colors)
    [second] = await started(shares, 1, use=colors)
    async with within(5):
        assert await shares.acquire(1, groups) != first
    assert not second.done()
    shares.release(first, 1, colors)
    assert await second == first
