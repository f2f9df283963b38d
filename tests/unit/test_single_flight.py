"""Tests of the single-flight cache: concurrent callers share one computation."""

import asyncio

import pytest

from service.handlers import system
from service.handlers.system import SingleFlightCache

pytestmark = pytest.mark.contract("Health")


class CountingFactory:
    """Factory of numbers; each is ready when the test releases it."""

    def __init__(self) -> None:
        self.made = 0
        self.may = asyncio.Event()

    async def __call__(self) -> int:
        self.made += 1
        await self.may.wait()
        return self.made

    async def fail(self) -> int:
        """Raise: no value may be computed."""
        self.made += 1
        raise OSError(f"the {self.made}. time")


async def test_all_who_ask_meanwhile_and_soon_after_get_the_same() -> None:
    maker, shared = CountingFactory(), SingleFlightCache[int]()
    asking = [asyncio.create_task(shared.get(maker)) for _ in range(20)]
    await asyncio.sleep(0)
    maker.may.set()
    assert await asyncio.gather(*asking) == [1] * 20
    assert await shared.get(maker) == 1


async def test_then_it_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "SECONDS", 0)
    maker, shared = CountingFactory(), SingleFlightCache[int]()
    maker.may.set()
    assert [await shared.get(maker) for _ in range(3)] == [1, 2, 3]


async def test_a_failure_is_given_to_all_as_well() -> None:
    maker, shared = CountingFactory(), SingleFlightCache[int]()
    asking = [shared.get(maker.fail) for _ in range(3)]
    failures = [*await asyncio.gather(*asking, return_exceptions=True)]
    failures += await asyncio.gather(shared.get(maker), return_exceptions=True)
    assert [str(failure) for failure in failures] == ["the 1. time"] * 4


async def test_a_canceled_caller_stops_no_other() -> None:
    maker, shared = CountingFactory(), SingleFlightCache[int]()
    first, second = (asyncio.create_task(shared.get(maker)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    maker.may.set()
    assert await second == 1
    assert first.cancelled()


async def test_slow_computations_are_cached_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "SECONDS", 0)
    maker, shared = CountingFactory(), SingleFlightCache[int](share=0.0001)
    asyncio.get_running_loop().call_later(0.01, maker.may.set)
    assert [await shared.get(maker) for _ in range(3)] == [1] * 3
