"""Contention signal: tells all workers of an instance that several organizations are active.

While it is on, fair queues cap the connections of an organization, the response cache serves fewer
requests with each poll, and the body scheduler pauses, which also does so for a time after it went
off. Without it an organization with 64 connections takes 5/6 of the work of one with 2 (``make
attack``: shares).
"""

import mmap
import time
from collections.abc import Callable
from typing import Final

CONTENTION_SECONDS: Final = 0.01
"""Duration of the contention signal after a request whose predecessor was another's."""


class ContentionSignal:
    """Signal that several organizations are active, in memory that forked processes share.

    The signal is on for 0.01 s after a recorded request whose predecessor, on any of these
    processes, came from another organization; id 0 as predecessor does not count. Requests for a
    connection and bodies are recorded. A signal made after the fork is the
    process's own.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, memory = clock, memoryview(mmap.mmap(-1, 16))
        self._last_id, self._contended_until = memory[:8].cast("q"), memory[8:].cast("d")

    def record(self, organization_id: int) -> None:
        """Record that a request of an organization has arrived, which may switch the signal on."""
        if (last_id := self._last_id[0]) != organization_id:
            self._last_id[0] = organization_id
            if last_id:
                self._contended_until[0] = self._clock() + CONTENTION_SECONDS

    def is_contended(self, extra_seconds: float = 0.0) -> bool:
        """Return whether the signal is on, or went off less than ``extra_seconds`` ago."""
        return self._clock() < self._contended_until[0] + extra_seconds


CONTENTION: Final = ContentionSignal()
"""Contention among organizations whose callers have presented a valid key, in all workers.

The module must be imported before the fork. Look-ups of keys do not count.
"""
