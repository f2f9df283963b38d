"""What a worker is at, read once a second from what is kept anyway: no request pays for it."""

import time
from collections.abc import Callable

from service.database.connections import Database
from service.http import metrics
from service.http.admission import Admission


def gauges(database: Database, admission: Admission, limit: int) -> Callable[[float], None]:
    """What tells of it; it is given the seconds since it was last called.

    Who is seen to wait now has waited for all of them: what comes too short for one is made up for
    by another.
    """
    used = time.process_time()
    metrics.CONNECTIONS.set(limit)

    def tell(seconds: float) -> None:
        nonlocal used
        before, used = used, time.process_time()
        metrics.CPU.inc(used - before)
        metrics.IN_FLIGHT.set(admission.in_flight())
        metrics.CONNECTIONS_USED.set(database.queue.leased())
        metrics.WAITING.set(database.queue.waiting())
        for organization_id, waiting in database.queue.queue_lengths():
            metrics.WAITED.labels(str(organization_id)).inc(waiting * seconds)

    return tell
