"""Tests of delayed 401 responses: beyond a rate, and without using up connections."""

import asyncio

import pytest

from service.http import unauthorized_throttle
from service.http.unauthorized_throttle import UnauthorizedThrottle
from tests.support.time_limits import limit, until

pytestmark = pytest.mark.contract("Callers")


@pytest.fixture
async def delayed(
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[UnauthorizedThrottle, list[asyncio.Task[None]]]:
    """Answers beyond the rate, of which each is delayed for long."""
    monkeypatch.setattr(unauthorized_throttle, "UNAUTHORIZED_DELAY_SECONDS", 60)
    monkeypatch.setattr(unauthorized_throttle, "UNAUTHORIZED_RATE", 0.1)
    monkeypatch.setattr(unauthorized_throttle, "UNAUTHORIZED_BURST", 3)
    throttle = UnauthorizedThrottle()
    answers = [asyncio.create_task(throttle.delay()) for _ in range(20)]
    await asyncio.sleep(0.01)
    return throttle, answers


async def test_answers_beyond_the_burst_are_delayed(
    delayed: tuple[UnauthorizedThrottle, list[asyncio.Task[None]]],
) -> None:
    throttle, answers = delayed
    assert [answer.done() for answer in answers] == [True] * 3 + [False] * 17
    answers[4].cancel()
    await asyncio.sleep(0)
    for index in (3, 5, 6):
        assert throttle.make_room()
        await asyncio.sleep(0.01)
        assert answers[index].done()
    assert sum(answer.done() for answer in answers) == 7
    while throttle.make_room():
        pass
    await asyncio.gather(*answers, return_exceptions=True)
    assert throttle._delayed == {}


async def test_no_answer_is_delayed_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unauthorized_throttle, "UNAUTHORIZED_DELAY_SECONDS", 0.1)
    throttle = UnauthorizedThrottle()
    answers = [asyncio.create_task(throttle.delay()) for _ in range(1000)]
    await until(lambda: all(answer.done() for answer in answers))
    await asyncio.wait_for(throttle.delay(), limit(5))
