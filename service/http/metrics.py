"""Metrics for Prometheus, right with several workers: their numbers add up in shared files."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
    values,
)
from prometheus_client.registry import REGISTRY

_PROCESS: Final = os.getpid()
#: Adding up takes about 30 ms per worker.
_THREAD: Final = ThreadPoolExecutor(1, "metrics")

if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
    # A worker imports this after its fork and forks no more; asking the system who it is for each
    # number it adds takes longer than adding it.
    values.ValueClass = values.MultiProcessValue(lambda: _PROCESS)  # type: ignore[no-untyped-call]

REQUESTS = Counter("selvedge_requests_total", "Answered requests.", ["method", "route", "status"])
SECONDS = Histogram(
    "selvedge_request_seconds",
    "Time from a request's head to its answer, in seconds.",
    ["method", "route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)

LOOP_DELAY = Histogram(
    "selvedge_event_loop_delay_seconds",
    "How late the event loop of a worker came to a timer, in seconds.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
LONGEST_LOOP_DELAY = Gauge(
    "selvedge_event_loop_longest_delay_seconds",
    "The longest such delay of any worker in the last minute or two, in seconds.",
    multiprocess_mode="livemax",
)
LONGEST_LOOP_HOLD = Gauge(
    "selvedge_event_loop_longest_hold_seconds",
    "The longest such delay that a worker worked through, in seconds: what it spent waiting for a "
    "processor or a file is left out.",
    multiprocess_mode="livemax",
)
MEMORY = Gauge(
    "selvedge_process_resident_memory_bytes",
    "Resident memory of a worker, in bytes.",
    multiprocess_mode="liveall",
)


async def exposition() -> bytes:
    """The text exposition of all workers' metrics, or of this process where it is the only one."""
    return await asyncio.get_running_loop().run_in_executor(_THREAD, _exposition)


def _exposition() -> bytes:
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


@lru_cache(maxsize=10_000)
def observer(method: str, route: str, status: int) -> Callable[[float], None]:
    """What counts one answer of this kind and its seconds."""
    count = REQUESTS.labels(method, route, str(status)).inc
    seconds = SECONDS.labels(method, route).observe

    def observe(elapsed: float) -> None:
        count()
        seconds(elapsed)

    return observe
