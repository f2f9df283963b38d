"""Outages of the service: commands that call it wait for their end without a time limit."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from selvedge_client import Client, RetryPolicy, SelvedgeError
from service.console import say
from service.extras.commands import CommandError

_REPORT_SECONDS: Final = 60.0
_TRIES_BEFORE_REPORT: Final = 3


@dataclass(frozen=True)
class OutageRetryPolicy(RetryPolicy):
    """Retry policy without a limit of tries, for the errors that ``RetryPolicy`` retries.

    The maximum of the backoff doubles from 0.25 s to 16 s. Any ``Retry-After`` is added.
    """

    longest_wait: float = 600.0
    """Maximum ``Retry-After`` in seconds that is waited for; a longer one fails the call."""
    on_outage: Callable[[str], None] = say
    """Called with the reason after the third failed try of a request, if a retry follows."""

    def delay_seconds(self, error: SelvedgeError, attempt: int) -> float | None:
        """Return the seconds to wait after the n-th failed try; None for no further try.

        None is for errors that no retry can mend, and a ``Retry-After`` beyond ``longest_wait``.
        """
        seconds = super().delay_seconds(error, min(attempt, self.attempts - 1))
        if attempt == _TRIES_BEFORE_REPORT and seconds is not None:
            self.on_outage(str(error))
        return seconds


def client_from_environment() -> Client:
    """Return a client of the service in SELVEDGE_URL and SELVEDGE_API_KEY that waits in outages.

    Raise CommandError if one is missing or empty, or the URL is not one of http or https.
    """
    url, key = (os.environ.get(name) for name in ("SELVEDGE_URL", "SELVEDGE_API_KEY"))
    if not url or not key:
        raise CommandError("set SELVEDGE_URL and SELVEDGE_API_KEY: address and key of the service")
    try:
        return Client(url, key, retry_policy=OutageRetryPolicy(on_outage=_reporter(url)))
    except ValueError as error:
        raise CommandError(f"SELVEDGE_URL: {error}") from None


def _reporter(url: str) -> Callable[[str], None]:
    """Return a function that prints an outage, each reason at most once a minute."""
    reported_at = dict[str, float]()

    def report(reason: str) -> None:
        now = time.monotonic()
        if now - reported_at.get(reason, -_REPORT_SECONDS) >= _REPORT_SECONDS:
            reported_at[reason] = now
            say(f"waiting for {url}: {reason}", file=sys.stderr)

    return report
