"""Gauges and counters of a worker, sampled once a second from existing state.

So they cost requests nothing. The loop monitor calls the function that updates them.
"""

import time
from collections.abc import Callable

from service.database.connections import Database
from service.http import metrics
from service.http.budgets import Admission
from service.settings import Settings


def gauge_updater(
    database: Database, admission: Admission, cache_bytes: Callable[[], int], settings: Settings
) -> Callable[[float], None]:
    """Return a function that updates the metrics, given the seconds since its last call.

    ``cache_bytes`` returns the size of the worker's response cache. Wait time is estimated: a
    request in the queue for connections counts as queued since the last call. Over many calls the
    errors cancel out.
    """
    cpu_seconds = time.process_time()
    metrics.CONNECTIONS.set(settings.pool_size)
    metrics.RETENTION.set(settings.kept_days * 86_400)

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
