"""When a call is tried again: only where that can do nothing twice (contract, Idempotency)."""

import random
from dataclasses import dataclass
from enum import Enum

from service.client.errors import FailureError, SelvedgeError, UnreachableError


class Repeatable(Enum):
    """What a second try of a call may rely on."""

    ALWAYS = "a read, or a write with an idempotency key: a second try does nothing twice"
    GUARDED = "a write under If-Match: a second try is refused if the first was carried out"
    NEVER = "a write that nothing guards: only where the first try has done nothing"


@dataclass(frozen=True, slots=True)
class Retrying:
    """How often, and how long to wait in between; times in seconds."""

    attempts: int = 8
    """Tries in all; 1 for none but the first."""
    first_wait: float = 0.25
    """The longest wait before the second try; it doubles from try to try."""
    longest_wait: float = 60.0
    """And where the service asks to wait longer, the call fails."""

    def wait(self, error: SelvedgeError, repeatable: Repeatable, tries: int) -> float | None:
        """Seconds to wait before the next try after so many; None where there is to be none."""
        if tries >= self.attempts or not _is_worth_it(error, repeatable):
            return None
        # Callers that failed together shall not come back together.
        backoff = random.uniform(0.5, 1) * self.first_wait * 2.0 ** (tries - 1)
        named = error.retry_after if isinstance(error, FailureError) else None
        if named is not None and named > self.longest_wait:
            return None
        return min(backoff, self.longest_wait) + (named or 0.0)


def _is_worth_it(error: SelvedgeError, repeatable: Repeatable) -> bool:
    """Whether another try may succeed, and cannot do what was done already."""
    if isinstance(error, UnreachableError):
        return repeatable is not Repeatable.NEVER or not error.may_be_done
    if not isinstance(error, FailureError):
        return False
    if error.status in (429, 503):
        nothing_done = error.retry_after is not None
        return nothing_done or repeatable is not Repeatable.NEVER
    if error.type == "conflict.in_progress":
        return repeatable is Repeatable.ALWAYS
    # Something between gave up on the service, which may have gone on.
    return error.status in (408, 502, 504) and repeatable is not Repeatable.NEVER
