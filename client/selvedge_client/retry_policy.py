"""Retry policy: exponential backoff with jitter for failures that may be temporary.

Retries are safe: calls are reads, dry runs, or writes with an ``Idempotency-Key`` (contract,
Idempotency).
"""

import random
from dataclasses import dataclass
from typing import Final

from .errors import FailureError, SelvedgeError, UnreachableError

_MAX_DOUBLINGS: Final = 64
"""Doublings of the backoff after which it stays: 2.0 ** 1024 is an OverflowError."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Number of attempts and delays in between; times in seconds.

    It retries calls without a response, with the status 408, 429, 502, 503 or 504, or with the
    error ``conflict.in_progress`` (409).
    """

    attempts: int = 8
    """Maximum number of attempts; 1 for no retries."""
    first_wait: float = 0.25
    """Backoff before the second attempt; doubled for each further one."""
    longest_wait: float = 60.0
    """Maximum backoff. The call fails if the service asks for a longer wait (``Retry-After``).

    ``Retry-After`` comes on top of the backoff, so a delay is at most twice this.
    """

    def delay_seconds(self, error: SelvedgeError, attempt: int) -> float | None:
        """Return the seconds to wait after an attempt, the first of which is 1; None to give up.

        They are a random share of the backoff from half to all of it, at most ``longest_wait``,
        plus any ``Retry-After``.
        """
        if attempt >= self.attempts or not _may_succeed_later(error):
            return None
        doublings = min(attempt - 1, _MAX_DOUBLINGS)
        backoff = min(self.first_wait * 2.0**doublings, self.longest_wait)
        retry_after = error.retry_after if isinstance(error, FailureError) else None
        if retry_after is not None and retry_after > self.longest_wait:
            return None
        # Jitter: callers that failed together do not retry together.
        return random.uniform(0.5, 1) * backoff + (retry_after or 0.0)


def _may_succeed_later(error: SelvedgeError) -> bool:
    """Return whether the same call may succeed on another attempt."""
    if isinstance(error, UnreachableError):
        return True
    # 502 and 504 come from a proxy that gave up on the service, and 408 from one or from the
    # service if the body did not arrive in time.
    return isinstance(error, FailureError) and (
        error.status in (408, 429, 502, 503, 504) or error.type == "conflict.in_progress"
    )
