"""Tests of background tasks: they survive failures, and log them."""

import asyncio
import logging

import pytest

from service import background
from service.errors import unavailable
from tests.support.time_limits import limit, until


@pytest.mark.parametrize(
    ("error", "logged"), [(unavailable(), 0), (AttributeError("of a driver"), 1)]
)
async def test_a_failed_run_is_followed_by_another(
    error: Exception, logged: int, caplog: pytest.LogCaptureFixture
) -> None:
    runs = list[int]()

    async def fail_once() -> bool:
        runs.append(len(runs))
        if len(runs) == 1:
            raise error
        return len(runs) == 3

    with caplog.at_level(logging.ERROR, "service"):
        await asyncio.wait_for(background.repeat(fail_once, 0.01), limit(10))
    assert runs == [0, 1, 2]
    assert [record.exc_info is not None for record in caplog.records] == [True] * logged


async def test_it_ends_when_it_is_canceled() -> None:
    runs = list[int]()

    async def run() -> None:
        runs.append(1)

    task = background.repeat(run, 0.01, at_once=True)
    await until(lambda: len(runs) > 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
