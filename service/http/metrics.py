"""Metrics for Prometheus, right with several workers: their numbers add up in shared files."""

import asyncio
import os
from bisect import bisect_left
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

_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
REQUESTS = Counter("selvedge_requests_total", "Answered requests.", ["method", "route", "status"])
SECONDS = Histogram(
    "selvedge_request_seconds",
    "Time from a request's head to its answer, in seconds.",
    ["method", "route"],
    buckets=_BOUNDS,
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
    flush()
    return await asyncio.get_running_loop().run_in_executor(_THREAD, _exposition)


def _exposition() -> bytes:
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


class Observer:
    """Counts the answers of one kind and their seconds.

    They are gathered until :func:`flush`: each number in a shared file takes as long to write as
    all that is done here.
    """

    __slots__ = ("_counts", "_requests", "_seconds", "_total")

    def __init__(self, method: str, route: str, status: int) -> None:
        self._requests = REQUESTS.labels(method, route, str(status))
        self._seconds = SECONDS.labels(method, route)
        self._begin()

    def _begin(self) -> None:
        self._total = 0.0
        self._counts = [0] * (len(_BOUNDS) + 1)

    def see(self, seconds: float) -> None:
        """Count one answer."""
        if not self._total:
            _GATHERED[self] = None
        self._total += seconds
        self._counts[bisect_left(_BOUNDS, seconds)] += 1

    def add_up(self) -> None:
        """Add what has gathered to the numbers of all workers."""
        self._requests.inc(sum(self._counts))
        # A histogram's own way takes one value at a time.
        self._seconds._sum.inc(self._total)
        for bucket, count in zip(self._seconds._buckets, self._counts, strict=True):
            if count:
                bucket.inc(count)
        self._begin()


_GATHERED: Final[dict[Observer, None]] = {}


@lru_cache(maxsize=10_000)
def observer(method: str, route: str, status: int) -> Observer:
    """What counts the answers of this kind."""
    return Observer(method, route, status)


def flush() -> None:
    """Add up what has gathered; to be called every now and then."""
    for one in _GATHERED:
        one.add_up()
    _GATHERED.clear()
