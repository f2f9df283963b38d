"""How long a worker's event loop is held, and how much memory it has, measured from within.

What holds the loop keeps everybody waiting. A timer that is due every few milliseconds tells how
long, by how late it comes. On a machine that is busy it is late as well: so the processor time that
the loop has used meanwhile is told beside it. On this occasion memory is given back, too.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

import psutil
from prometheus_client import Gauge

from service.http import metrics
from service.http.heap_trimmer import HeapTrimmer

BEAT_SECONDS: Final = 0.025
"""A hold comes out shorter than it was by at most this."""
REMEMBERED_SECONDS: Final = 60
"""How long the longest is told for at least; at most for twice as long."""
_MEMORY_SECONDS: Final = 1


class _WindowMaximum:
    """The longest of what was seen in this period of REMEMBERED_SECONDS and in the one before."""

    def __init__(self, gauge: Gauge) -> None:
        self._gauge = gauge
        self._now = self._before = 0.0

    def record(self, seconds: float) -> None:
        """Keep and tell it, if it is."""
        if seconds > self._now:
            self._now = seconds
            self._gauge.set(max(self._now, self._before))

    def begin(self) -> None:
        """Begin another period."""
        self._before, self._now = self._now, 0.0
        self._gauge.set(self._before)


class LoopMonitor:
    """Measures from when it is made until it is stopped.

    Once a second it has ``tell`` tell of other things, with the seconds that have passed.
    """

    def __init__(self, tell: Callable[[float], None] = lambda _: None) -> None:
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._process = psutil.Process()
        self._allowance = HeapTrimmer()
        self._delay = _WindowMaximum(metrics.LONGEST_LOOP_DELAY)
        self._hold = _WindowMaximum(metrics.LONGEST_LOOP_HOLD)
        self._due = self._next_period = self._next_memory = self._loop.time()
        self._used = time.thread_time()
        self._beat()

    def stop(self) -> None:
        """Measure no more."""
        metrics.flush()
        self._timer.cancel()

    def _beat(self) -> None:
        now, used = self._loop.time(), time.thread_time()
        try:
            self._measure(now, used)
        finally:
            self._used = used
            self._due = now + BEAT_SECONDS
            self._timer = self._loop.call_at(self._due, self._beat)

    def _measure(self, now: float, used: float) -> None:
        late = now - self._due
        metrics.LOOP_DELAY.observe(late)
        self._delay.record(late)
        self._hold.record(min(late, used - self._used))
        if now >= self._next_period:
            self._next_period = now + REMEMBERED_SECONDS
            self._delay.begin()
            self._hold.begin()
        if now >= self._next_memory:
            seconds = now - self._next_memory + _MEMORY_SECONDS
            self._next_memory = now + _MEMORY_SECONDS
            self._tell(seconds)
            resident = self._process.memory_info().rss
            metrics.MEMORY.set(resident)
            metrics.flush()
            self._allowance.update(resident, now)
