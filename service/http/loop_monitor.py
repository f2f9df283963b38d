"""Event loop monitor: measures the loop's delay and the worker's memory.

A callback that blocks the event loop delays all requests. A timer measures the delay: by how much
it is late. On a busy machine it is late as well, so the monitor also measures the hold: the delay,
but at most the processor time of the loop's thread since the last beat. Once a second the monitor
updates the gauges, flushes the metrics and has the heap trimmed. Operators see by it whose work
blocks whom (docs/deploy/alerts.yaml), and every scenario of ``make attack`` is judged by the hold.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

import psutil

from service.http import metrics
from service.shares.heap_trimmer import HeapTrimmer

BEAT_SECONDS: Final = 0.025
"""Interval of the timer (beat). A blocking time is underestimated by at most this."""
WINDOW_SECONDS: Final = 60
"""Length of a window: its maximum is exported until the next window ends."""
_SAMPLE_SECONDS: Final = 1


class LoopMonitor:
    """Monitor of the running event loop, active from its creation until ``stop``.

    It calls ``on_sample`` at its creation and then about once a second, with the seconds since the
    last call, or 1 in the first one. ``on_sample`` must not block.
    """

    def __init__(self, on_sample: Callable[[float], None] = lambda _: None) -> None:
        self._on_sample = on_sample
        self._loop = asyncio.get_running_loop()
        self._process = psutil.Process()
        self._heap_trimmer = HeapTrimmer()
        self._hold = self._previous_hold = 0.0
        """Longest hold of the current and of the previous window."""
        self._due = self._next_window = self._next_sample = self._loop.time()
        self._cpu_seconds = time.thread_time()
        self._beat()

    def stop(self) -> None:
        """Stop measuring, and flush the metrics."""
        metrics.flush()
        self._timer.cancel()

    def _beat(self) -> None:
        now, cpu_seconds = self._loop.time(), time.thread_time()
        try:
            self._measure(now, cpu_seconds)
        finally:
            self._cpu_seconds = cpu_seconds
            self._due = now + BEAT_SECONDS
            self._timer = self._loop.call_at(self._due, self._beat)

    def _measure(self, now: float, cpu_seconds: float) -> None:
        delay = now - self._due
        metrics.LOOP_DELAY.observe(delay)
        self._hold = max(self._hold, min(delay, cpu_seconds - self._cpu_seconds))
        if now >= self._next_window:
            self._next_window = now + WINDOW_SECONDS
            self._previous_hold, self._hold = self._hold, 0.0
        if now >= self._next_sample:
            seconds = now - self._next_sample + _SAMPLE_SECONDS
            self._next_sample = now + _SAMPLE_SECONDS
            self._on_sample(seconds)
            resident = self._process.memory_info().rss
            metrics.MEMORY.set(resident)
            metrics.LONGEST_LOOP_HOLD.set(max(self._hold, self._previous_hold))
            metrics.flush()
            self._heap_trimmer.update(resident, now)
