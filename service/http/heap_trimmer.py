"""Heap trimmer: returns freed memory to the system after a burst of requests.

glibc keeps freed memory between blocks that are still in use. Thousands of incomplete heads would
enlarge a process for good. malloc_trim returns the memory within a few milliseconds.
"""

import ctypes
import gc
import sys
from typing import Final

MIN_GROWTH_BYTES: Final = 32 * 2**20
"""Minimum growth of a process, in bytes, before its heap is trimmed."""
_INTERVAL_SECONDS: Final = 5
_MAX_FAST_TRIES: Final = 6
_SLOW_INTERVAL_SECONDS: Final = 60
"""Interval after _MAX_FAST_TRIES without success: then the memory is in use."""
_GC_THRESHOLD: Final = 10_000
"""Allocations between garbage collections: about those of one large request."""


def tune_garbage_collector() -> None:
    """Run the garbage collector less often, and exempt the objects that exist now.

    With the default threshold it runs several times while a bulk body is parsed into thousands of
    objects, which takes 1/12 of a bulk write.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)


class HeapTrimmer:
    """Minimum resident size of a process so far, and the time of the next trim."""

    def __init__(self) -> None:
        self._min_resident: float = sys.maxsize
        self._next_trim, self._tries = 0.0, 0
        libc = ctypes.CDLL(None) if sys.platform == "linux" else None
        self._trim = getattr(libc, "malloc_trim", None)

    def update(self, resident: int, now: float) -> None:
        """Trim the heap if the process has grown to ``resident`` bytes and an interval is over."""
        if resident <= self._min_resident + MIN_GROWTH_BYTES:
            self._tries = 0
        elif self._trim and now >= self._next_trim:
            self._trim(0)
            self._tries += 1
            is_fast = self._tries < _MAX_FAST_TRIES
            self._next_trim = now + (_INTERVAL_SECONDS if is_fast else _SLOW_INTERVAL_SECONDS)
        self._min_resident = min(self._min_resident, resident)
