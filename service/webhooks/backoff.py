"""Backoff: time until the next try of a delivery (contract, Deliveries)."""

import random
from typing import Final

from service.limits import MAX_RETRY_SECONDS

_JITTER: Final = 0.1


def retry_seconds(failures: int, retry_after: float | None = None) -> float:
    """Return the seconds to wait after so many failed tries in a row, up to MAX_RETRY_SECONDS.

    The first retry comes after a second, each further one after twice as long, with 10 % of jitter.
    The receiver's ``Retry-After`` takes precedence.
    """
    if retry_after is not None:
        return min(retry_after, MAX_RETRY_SECONDS)
    seconds = 2.0 ** min(failures - 1, 20)
    jittered = seconds * random.uniform(1 - _JITTER, 1 + _JITTER)
    return min(jittered, MAX_RETRY_SECONDS)
