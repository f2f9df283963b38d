"""Backoff: time until the next try of a delivery (contract, Deliveries)."""

import random
from typing import Final

from service.limits import MAX_RETRY_SECONDS

_JITTER: Final = 0.1
"""Largest deviation from the backoff, up or down, as a share of it."""


def retry_seconds(failures: int, retry_after: float | None = None) -> float:
    """Return the seconds to wait after ``failures`` failed tries in a row, the last one included.

    They are 1 after the first failure and twice as many after each further one, with up to 10 % of
    jitter up or down. A longer ``retry_after``, the seconds of the receiver's ``Retry-After``,
    replaces them. Both are at most MAX_RETRY_SECONDS.
    """
    seconds = 2.0 ** min(failures - 1, 20)
    jittered = seconds * random.uniform(1 - _JITTER, 1 + _JITTER)
    return min(max(jittered, retry_after or 0), MAX_RETRY_SECONDS)
