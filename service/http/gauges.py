"""Gauges and counters of a worker, sampled once a second from existing state.

So they cost requests nothing. The loop monitor calls the function that updates them.
"""

import time
from collections.abc import Callable

from service.database.connections import Database
from service.http import metrics
from service.http.budgets import Admission


def gauge_updater(
    database: Database, admission: Admission, cache_bytes: Callable[[], int], pool_size: int
) -> Callable[[float], None]:
    """Return a function that updates the metrics, given the seconds since its last call.

    ``pool_size`` is the worker's, and ``cache_bytes`` returns the size of its response cache. Wait
    time is estimated: a request in the queue for connections counts as queued since the last call.
    Over many calls the errors cancel out.
    """
    cpu_seconds = time.process_time()
    metrics.CONNECTIONS.set(pool_size)

    def update(seconds: float) -> None:
        nonlocal cpu_seconds
        before, cpu_seconds = cpu_seconds, time.process_time()
        metrics.CPU.inc(cpu_seconds - before)
        metrics.IN_FLIGHT.set(admission.in_flight())
        metrics.CACHE_BYTES.set(cache_bytes())
        metrics.CONNECTIONS_USED.set(database.queue.leased())
        metrics.WAITING.set(database.queue.waiting())
        for organization_id, waiting in database.queue.queue_lengths():
            metrics.WAITED.labels(str(organization_id)).inc(waiting * seconds)

    return update
