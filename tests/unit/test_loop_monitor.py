"""Tests of the event-loop monitor: delays, holds and memory of a worker."""

import asyncio
import time

import psutil
import pytest
from prometheus_client import REGISTRY

from service.http import loop_monitor
from service.http.loop_monitor import BEAT_SECONDS, LoopMonitor
from tests.support.time_limits import until

# A loop of its own: the monitor of a shared service sets the same gauges, from its own holds.
pytestmark = [pytest.mark.contract("Health"), pytest.mark.asyncio(loop_scope="function")]

HOLD = 0.3


def metric(name: str, **labels: str) -> float:
    """Return the value of a metric."""
    value = REGISTRY.get_sample_value(f"selvedge_{name}", labels)
    assert value is not None
    return value


def delays_longer_than(seconds: str) -> float:
    """Return the number of delays longer than a bucket's bound."""
    name = "event_loop_delay_seconds"
    return metric(f"{name}_count") - metric(f"{name}_bucket", le=seconds)


async def hold(*, work: bool = False) -> None:
    """Hold the event loop, and let it go."""
    await asyncio.sleep(2 * BEAT_SECONDS)
    used = time.thread_time()
    while work and time.thread_time() < used + HOLD:
        pass
    time.sleep(0 if work else HOLD)  # noqa: ASYNC251  # what has to be found
    await asyncio.sleep(2 * BEAT_SECONDS)


async def test_a_hold_of_the_event_loop_is_seen() -> None:
    LoopMonitor()
    before = delays_longer_than("0.25")
    await hold()
    assert delays_longer_than("0.25") > before


@pytest.mark.measures
async def test_work_and_waiting_are_distinguished() -> None:
    LoopMonitor()
    await hold()
    await asyncio.sleep(1)
    assert metric("event_loop_longest_hold_seconds") < HOLD - BEAT_SECONDS
    await hold(work=True)
    await until(lambda: metric("event_loop_longest_hold_seconds") >= HOLD - BEAT_SECONDS)


@pytest.mark.thorough  # a busy machine holds the event loop, too
async def test_the_longest_hold_is_forgotten_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    # A hold is exported for a window at least, and each beat exports.
    monkeypatch.setattr(loop_monitor, "WINDOW_SECONDS", 2)
    monkeypatch.setattr(loop_monitor, "_SAMPLE_SECONDS", 0)
    LoopMonitor()
    await hold(work=True)
    await until(lambda: metric("event_loop_longest_hold_seconds") >= HOLD - BEAT_SECONDS)
    await until(lambda: metric("event_loop_longest_hold_seconds") < HOLD - BEAT_SECONDS)


async def test_resident_memory_is_measured() -> None:
    LoopMonitor()
    has = psutil.Process().memory_info().rss
    assert 0.5 * has < metric("process_resident_memory_bytes") < 2 * has
