"""The queue before the database connections: fair, bounded in time, and never losing one."""

import asyncio
import time

import pytest

from service.database.turns import Turns

SOON = 0.05
LONG = 30.0


async def started(turns: Turns[str], count: int) -> list[asyncio.Task[str]]:
    """Callers that stand in line, in this order."""
    waiting = [asyncio.create_task(turns.take()) for _ in range(count)]
    await asyncio.sleep(0)
    return waiting


async def test_what_was_used_last_is_taken_first() -> None:
    turns = Turns(["a", "b"], LONG)
    taken = [await turns.take(), await turns.take()]
    for thing in taken:
        turns.give_back(thing)
    assert await turns.take() == taken[-1]


async def test_who_asks_first_is_served_first_and_no_one_overtakes() -> None:
    turns = Turns(["only"], LONG)
    thing = await turns.take()
    first, second = await started(turns, 2)
    turns.give_back(thing)
    late = asyncio.create_task(turns.take())
    assert await first == "only"
    turns.give_back("only")
    assert await second == "only"
    assert not late.done()
    turns.give_back("only")
    assert await late == "only"


async def test_the_wait_is_bounded_for_each() -> None:
    turns = Turns(["only"], SOON)
    thing = await turns.take()
    [early] = await started(turns, 1)
    await asyncio.sleep(SOON / 2)
    [late] = await started(turns, 1)
    with pytest.raises(TimeoutError):
        await early
    assert not late.done()
    turns.give_back(thing)
    assert await late == "only"


async def test_everyone_in_line_gives_up_in_time() -> None:
    turns = Turns(["only"], SOON)
    thing = await turns.take()
    for _ in range(2):
        waiting = await started(turns, 3)
        ended = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(error) for error in ended] == [TimeoutError] * 3
    turns.give_back(thing)
    assert await turns.take() == "only"


@pytest.mark.parametrize("handed", [False, True])
async def test_who_leaves_the_line_takes_nothing_along(handed: bool) -> None:
    """Also when a turn had just come and was not taken yet."""
    turns = Turns(["only"], LONG)
    thing = await turns.take()
    leaving, staying = await started(turns, 2)
    if handed:
        turns.give_back(thing)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    if not handed:
        turns.give_back(thing)
    assert await staying == "only"


async def test_who_leaves_as_the_time_is_over_has_left() -> None:
    turns = Turns(["only"], SOON)
    await turns.take()
    [leaving] = await started(turns, 1)
    asyncio.get_running_loop().call_later(SOON, leaving.cancel)
    time.sleep(2 * SOON)  # noqa: ASYNC251 - both come in the same round of the loop
    with pytest.raises(asyncio.CancelledError):
        await leaving
