"""How long a worker's event loop is held, and how much memory it has, measured from within.

What holds the loop keeps everybody waiting. A timer that is due every few milliseconds tells how
long, by how late it comes.
"""

import asyncio
from typing import Final

import psutil

from service.http import metrics

BEAT_SECONDS: Final = 0.025
"""A hold comes out shorter than it was by at most this."""
REMEMBERED_SECONDS: Final = 60
"""How long the longest hold is told for at least; at most for twice as long."""
_MEMORY_SECONDS: Final = 1


class Pulse:
    """Measures from when it is made until it is stopped."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._process = psutil.Process()
        self._longest = self._longest_before = 0.0
        self._due = self._next_window = self._next_memory = self._loop.time()
        self._beat()

    def stop(self) -> None:
        """Measure no more."""
        self._timer.cancel()

    def _beat(self) -> None:
        now = self._loop.time()
        late = now - self._due
        metrics.LOOP_DELAY.observe(late)
        if late > self._longest:
            self._longest = late
            self._tell()
        if now >= self._next_window:
            self._next_window = now + REMEMBERED_SECONDS
            self._longest_before, self._longest = self._longest, 0.0
            self._tell()
        if now >= self._next_memory:
            self._next_memory = now + _MEMORY_SECONDS
            metrics.MEMORY.set(self._process.memory_info().rss)
        self._due = now + BEAT_SECONDS
        self._timer = self._loop.call_at(self._due, self._beat)

    def _tell(self) -> None:
        metrics.LONGEST_LOOP_DELAY.set(max(self._longest, self._longest_before))
