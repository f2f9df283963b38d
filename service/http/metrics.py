"""Metrics for Prometheus, right with several workers: their numbers add up in shared files."""

import asyncio
import os
import platform
from bisect import bisect_left
from collections.abc import Iterator
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
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import REGISTRY, Collector

from service import __version__
from service.database import incidents
from service.http.metrics_folder import DEATHS

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
CPU = Counter("selvedge_process_cpu_seconds_total", "Processor time of all workers, in seconds.")
IN_FLIGHT = Gauge(
    "selvedge_requests_in_flight",
    "Requests with a key that are under way or wait for a connection.",
    multiprocess_mode="livesum",
)
CONNECTIONS_USED = Gauge(
    "selvedge_database_connections_used",
    "Database connections that requests have.",
    multiprocess_mode="livesum",
)
CONNECTIONS = Gauge(
    "selvedge_database_connections_limit",
    "Database connections that requests may have (WORKERS times POOL_SIZE).",
    multiprocess_mode="livesum",
)
WAITING = Gauge(
    "selvedge_database_connections_waited_for",
    "Requests that wait for a database connection.",
    multiprocess_mode="livesum",
)
WAITED = Counter(
    "selvedge_organization_wait_seconds_total",
    "Time that requests of an organization have waited for a database connection, in seconds.",
    ["organization"],
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
        registry.register(_AllWorkersCollector())
    return generate_latest(registry)


class _AllWorkersCollector(Collector):
    """What every worker knows of all of them."""

    def collect(self) -> Iterator[Metric]:
        """What is so now."""
        labels = {"version": __version__, "python": platform.python_version()}
        build = GaugeMetricFamily("selvedge_build_info", "Which release this is.", labels=[*labels])
        build.add_metric([*labels.values()], 1)
        yield build
        up = "1 unless the database is out of reach."
        yield GaugeMetricFamily("selvedge_database_up", up, int(not incidents.AWAY.is_open))
        behind = "1 while the database's schema is known to be older than this release."
        yield GaugeMetricFamily("selvedge_schema_behind", behind, int(incidents.BEHIND.is_open))
        full = "1 while the database's disk is known to be full."
        yield GaugeMetricFamily("selvedge_disk_full", full, int(incidents.FULL.is_open))
        dead = "Workers that had to be replaced."
        yield CounterMetricFamily("selvedge_worker_deaths", dead, DEATHS.value)


if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
    REGISTRY.register(_AllWorkersCollector())


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

    def observe(self, seconds: float) -> None:
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
