"""Retry policy: which failures of a call are worth another try, and how long to wait.

A retry does nothing twice: calls are reads, rehearsals, or writes with an ``Idempotency-Key``
(contract, Idempotency).
"""

import random
from dataclasses import dataclass

from service.client.errors import FailureError, SelvedgeError, UnreachableError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often, and how long to wait in between; times in seconds."""

    attempts: int = 8
    """Tries in all; 1 for none but the first."""
    first_wait: float = 0.25
    """The longest wait before the second try; it doubles from try to try."""
    longest_wait: float = 60.0
    """And where the service asks to wait longer, the call fails."""

    def wait(self, error: SelvedgeError, tries: int) -> float | None:
        """Return the seconds to wait after that many tries; None if there is no further one."""
        if tries >= self.attempts or not _may_succeed_later(error):
            return None
        # Callers that failed together shall not come back together.
        backoff = random.uniform(0.5, 1) * self.first_wait * 2.0 ** (tries - 1)
        named = error.retry_after if isinstance(error, FailureError) else None
        if named is not None and named > self.longest_wait:
            return None
        return min(backoff, self.longest_wait) + (named or 0.0)


def _may_succeed_later(error: SelvedgeError) -> bool:
    """Return whether the same call may succeed on another try."""
    if isinstance(error, UnreachableError):
        return True
    # 408, 502 and 504 come from a proxy that gave up on the service.
    return isinstance(error, FailureError) and (
        error.status in (408, 429, 502, 503, 504) or error.type == "conflict.in_progress"
    )
