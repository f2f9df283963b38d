"""Waiting for a service that is away, however long (contract, Files)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.client import RetryPolicy, SelvedgeError
from service.console import say

_A_MOMENT: Final = 3
"""Tries."""


@dataclass(frozen=True)
class OutageRetryPolicy(RetryPolicy):
    """Tries again for as long as there is hope; what is sent so must do nothing twice."""

    longest_wait: float = 600.0
    tell: Callable[[str], None] = say
    """Is told the reason, once, where waiting takes longer than a moment."""

    def wait(self, error: SelvedgeError, tries: int) -> float | None:
        """Return the seconds to wait; None only if another try cannot help."""
        seconds = super().wait(error, min(tries, self.attempts - 1))
        if tries == _A_MOMENT and seconds is not None:
            self.tell(str(error))
        return seconds
