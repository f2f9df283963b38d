"""Outage retry policy: retries for as long as the service is unavailable (contract, Files)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.client import RetryPolicy, SelvedgeError
from service.console import say

_TRIES_BEFORE_REPORT: Final = 3
"""Number of failed tries after which the outage is reported."""


@dataclass(frozen=True)
class OutageRetryPolicy(RetryPolicy):
    """Retry policy without a limit of tries: backoff and ``Retry-After`` up to 10 minutes."""

    longest_wait: float = 600.0
    on_outage: Callable[[str], None] = say
    """Called once per request with the reason, after three failed tries."""

    def delay_seconds(self, error: SelvedgeError, attempt: int) -> float | None:
        """Return the seconds to wait; None if no retry can mend the error.

        None also for a ``Retry-After`` beyond ``longest_wait``.
        """
        seconds = super().delay_seconds(error, min(attempt, self.attempts - 1))
        if attempt == _TRIES_BEFORE_REPORT and seconds is not None:
            self.on_outage(str(error))
        return seconds
