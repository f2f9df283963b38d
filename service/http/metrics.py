"""Prometheus metrics, aggregated over all workers of this instance through shared files.

A worker imports this module after its fork: the client library opens the files on import. Counts of
requests and of cached responses are buffered in the worker (``Observer``, ``BufferedCounter``), so
in the files they are about 1 s old at most.
"""

import asyncio
import os
import platform
from bisect import bisect_left
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
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
_THREAD: Final = ThreadPoolExecutor(1, "metrics")
"""Thread for the aggregation, which takes about 30 ms per worker, too long for the event loop."""

if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
    # The client library calls getpid for each update, which takes longer than the update. A worker
    # imports this module after its fork and never forks again, so its id is constant.
    values.ValueClass = values.MultiProcessValue(lambda: _PROCESS)  # type: ignore[no-untyped-call]

# Gauges by what an instance exports of those of its workers.
_sum = partial(Gauge, multiprocess_mode="livesum")
_max = partial(Gauge, multiprocess_mode="livemax")
# What describes the database stays when the worker that has measured it ends.
_latest = partial(Gauge, multiprocess_mode="mostrecent")

_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
REQUESTS = Counter("selvedge_requests_total", "Answered requests.", ["method", "route", "status"])
SECONDS = Histogram(
    "selvedge_request_seconds",
    "Time from a request's head to its response, in seconds.",
    ["method", "route"],
    buckets=_BOUNDS,
)

LOOP_DELAY = Histogram(
    "selvedge_event_loop_delay_seconds",
    "Delay of a timer in the event loop of a worker, in seconds.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
LONGEST_LOOP_HOLD = _max(
    "selvedge_event_loop_longest_hold_seconds",
    "Maximum event loop delay that a worker spent computing, in seconds. Waiting for a processor "
    "or a file does not count.",
)
CPU = Counter("selvedge_process_cpu_seconds_total", "Processor time of all workers, in seconds.")
IN_FLIGHT = _sum(
    "selvedge_requests_in_flight",
    "Authenticated requests that run or wait for a database connection.",
)
CONNECTIONS_USED = _sum(
    "selvedge_database_connections_used", "Database connections in use by requests."
)
CONNECTIONS = _sum(
    "selvedge_database_connections_limit",
    "Maximum database connections for requests (WORKERS times POOL_SIZE).",
)
WAITING = _sum(
    "selvedge_database_connections_waited_for", "Requests that wait for a database connection."
)
WAITED = Counter(
    "selvedge_organization_wait_seconds_total",
    "Total wait of an organization's requests for a database connection, in seconds.",
    ["organization"],
)
CACHE_BYTES = _sum("selvedge_response_cache_bytes", "Bytes of cached responses.")
WEBHOOK_DELIVERIES = Counter(
    "selvedge_webhook_deliveries_total", "Tries to deliver messages.", ["result"]
)
WEBHOOK_IN_FLIGHT = _sum(
    "selvedge_webhook_deliveries_in_flight", "Webhooks whose messages are on their way."
)
WEBHOOK_LAG = _max(
    "selvedge_webhook_lag_seconds",
    "Age of the oldest change that an active webhook lacks, in seconds.",
)
ENDING_KEYS = _latest("selvedge_keys_ending", "API keys in use that end within 30 days.")
ENDING_RANGES = _latest(
    "selvedge_barcode_ranges_ending",
    "Barcode ranges with less than a tenth of their numbers left, or less than 1,000.",
)
STORED_BYTES = _max(
    "selvedge_stored_responses_highest_bytes",
    "Bytes of stored responses of the organization that has most, when it last wrote.",
)
RETENTION = _max("selvedge_changes_retention_seconds", "Retention of the change feed, in seconds.")
CHANGES_READ_LATE = Counter(
    "selvedge_changes_read_late_total",
    "Pages of the change feed for readers that are behind by half of its retention.",
)
SERVER_CONNECTIONS = _latest(
    "selvedge_postgresql_connections", "Connections of all programs to the database server."
)
SERVER_CONNECTIONS_LIMIT = _latest(
    "selvedge_postgresql_connections_limit", "Connections that the database server allows."
)
TRANSACTION_ID_AGE = _latest(
    "selvedge_postgresql_transaction_id_age",
    "Age of the oldest transaction id of the database, in transactions.",
)
TABLE_ROWS = _latest(
    "selvedge_table_rows",
    "Rows of the change feed and of stored responses, estimated by PostgreSQL; none on a cluster.",
    ["table"],
)
TABLE_BYTES = _latest(
    "selvedge_table_bytes",
    "Bytes of the change feed and of stored responses, with indexes; none on a cluster.",
    ["table"],
)
MEMORY = Gauge(
    "selvedge_process_resident_memory_bytes",
    "Resident memory of a worker, in bytes.",
    multiprocess_mode="liveall",
)


async def exposition() -> bytes:
    """Return the metrics of all workers of this instance in the text format of Prometheus.

    A process without PROMETHEUS_MULTIPROC_DIR returns its own. Counters and histograms include
    those of workers that have ended, gauges do not. This worker's buffers are flushed before, those
    of other workers are not. The event loop goes on meanwhile.
    """
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
    """Metrics with one value for all workers, which each of them can export.

    The values are in memory that the workers share, not in their metrics files. Only the versions
    of the release and of Python are constants.
    """

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics with their current values."""
        labels = {"version": __version__, "python": platform.python_version()}
        build = GaugeMetricFamily("selvedge_build_info", "Release and Python.", labels=[*labels])
        build.add_metric([*labels.values()], 1)
        yield build
        up = "0 while the database is unreachable, else 1."
        yield GaugeMetricFamily("selvedge_database_up", up, int(not incidents.UNREACHABLE.is_open))
        behind = "1 while the database schema is older than this release, else 0."
        yield GaugeMetricFamily(
            "selvedge_schema_behind", behind, int(incidents.SCHEMA_BEHIND.is_open)
        )
        full = "1 while the database's disk is full, else 0."
        yield GaugeMetricFamily("selvedge_disk_full", full, int(incidents.DISK_FULL.is_open))
        deaths = "Workers that died and were replaced."
        yield CounterMetricFamily("selvedge_worker_deaths", deaths, DEATHS.value)


if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
    REGISTRY.register(_AllWorkersCollector())


class Observer:
    """Buffer of request counts and times of one method, route and status, until ``flush``.

    Each write to a shared file takes as long as a whole call of ``observe``. The counts go to
    REQUESTS, by status, and the times to SECONDS, which does not tell statuses apart.
    """

    __slots__ = ("_counts", "_requests", "_seconds", "_total")

    def __init__(self, method: str, route: str, status: int) -> None:
        self._requests = REQUESTS.labels(method, route, str(status))
        self._seconds = SECONDS.labels(method, route)
        self._reset()

    def _reset(self) -> None:
        self._total = 0.0
        self._counts = [0] * (len(_BOUNDS) + 1)

    def observe(self, seconds: float) -> None:
        """Count one response, and the seconds that it took, in this observer's buffer."""
        if not self._total:
            _PENDING[self] = None
        self._total += seconds
        self._counts[bisect_left(_BOUNDS, seconds)] += 1

    def flush(self) -> None:
        """Add the buffered counts to the shared metrics, and empty the buffer."""
        self._requests.inc(sum(self._counts))
        # Histogram.observe takes a single value.
        self._seconds._sum.inc(self._total)
        for bucket, count in zip(self._seconds._buckets, self._counts, strict=True):
            if count:
                bucket.inc(count)
        self._reset()


class BufferedCounter:
    """Counter whose increments stay in this worker until ``flush``."""

    __slots__ = ("_count", "_counter")

    def __init__(self, name: str, documentation: str) -> None:
        self._counter = Counter(name, documentation)
        self._count = 0

    @property
    def value(self) -> float:
        """Return this worker's count, the buffered part included."""
        return float(self._counter._value.get()) + self._count

    def inc(self) -> None:
        """Count once."""
        if not self._count:
            _PENDING[self] = None
        self._count += 1

    def flush(self) -> None:
        """Add the buffered count to the shared metric."""
        self._counter.inc(self._count)
        self._count = 0


_PENDING: Final[dict[Observer | BufferedCounter, None]] = {}
"""Observers and counters with buffered counts."""
CACHE_HITS = BufferedCounter("selvedge_response_cache_hits_total", "Reads answered by the cache.")
CACHE_MISSES = BufferedCounter(
    "selvedge_response_cache_misses_total", "Reads that the response cache did not answer."
)


@lru_cache(maxsize=10_000)
def observer(method: str, route: str, status: int) -> Observer:
    """Return the observer of a method, route and status; ``route`` is the path with parameters.

    The caller bounds the values: each combination is a time series that is never removed.
    """
    return Observer(method, route, status)


def flush() -> None:
    """Flush all observers and buffered counters of this worker that have counts.

    The event loop monitor calls it once a second and at its end, ``exposition`` before it reads.
    """
    for pending in _PENDING:
        pending.flush()
    _PENDING.clear()
