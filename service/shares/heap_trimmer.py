"""Heap trimmer: returns freed memory to the system after a burst; settings of garbage collection.

glibc keeps freed memory between blocks that are still in use. Without the trimmer a worker that
thousands of clients have sent incomplete heads stays larger for good, and the machine's other
programs lack the memory (``make attack``: heads). malloc_trim takes a few milliseconds.
"""

import ctypes
import gc
import sys
from typing import Final

MIN_GROWTH_BYTES: Final = 32 * 2**20
"""Growth of a process, in bytes, above which its heap is trimmed."""
_INTERVAL_SECONDS: Final = 5
_MAX_FAST_TRIES: Final = 6
_SLOW_INTERVAL_SECONDS: Final = 60
"""Interval after _MAX_FAST_TRIES trims in a row that did not end the growth: it is in use then."""
_GC_THRESHOLD: Final = 50_000
"""Net allocations of containers between garbage collections: about those of one large request."""


def tune_garbage_collector() -> None:
    """Run the garbage collector less often in this process, and exempt the objects that exist now.

    With the default threshold it runs several times while a bulk body is parsed into thousands of
    objects, which takes 1/12 of a bulk write.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)


class HeapTrimmer:
    """Trims the heap while the process is over MIN_GROWTH_BYTES larger than at its smallest so far.

    Trims are at least _INTERVAL_SECONDS apart, and more if they do not help. Systems without
    ``malloc_trim`` have none. The loop monitor calls ``update`` once a second.
    """

    def __init__(self) -> None:
        self._min_resident: float = sys.maxsize
        self._next_trim, self._tries = 0.0, 0
        libc = ctypes.CDLL(None) if sys.platform == "linux" else None
        self._trim = getattr(libc, "malloc_trim", None)

    def update(self, resident: int, now: float) -> None:
        """Trim the heap if ``resident`` bytes are too many and the interval is over by ``now``.

        ``now`` is in seconds of a monotonic clock. The trim blocks the caller.
        """
        if resident <= self._min_resident + MIN_GROWTH_BYTES:
            self._tries, self._next_trim = 0, min(self._next_trim, now + _INTERVAL_SECONDS)
        elif self._trim and now >= self._next_trim:
            self._trim(0)
            self._tries += 1
            is_fast = self._tries < _MAX_FAST_TRIES
            self._next_trim = now + (_INTERVAL_SECONDS if is_fast else _SLOW_INTERVAL_SECONDS)
        self._min_resident = min(self._min_resident, resident)
