"""Memory that a burst took goes back to the system once it is over.

glibc keeps what was freed between pieces that are still in use: what thousands of unfinished heads
took stays with the process for good, until it is asked for (malloc_trim, a few milliseconds).
"""

import ctypes
import gc
import sys
from typing import Final

MUCH: Final = 32 * 2**20
"""Bytes by which a process has to have grown: less is not worth the time."""
_SECONDS: Final = 5
"""From one time to the next at least."""
_TRIES: Final = 6
_LATER_SECONDS: Final = 60
"""From one time to the next where so many did not help: what is in use stays."""
_COLLECT_AFTER: Final = 10_000
"""Objects; what one large request makes."""


def spare_collector() -> None:
    """Let the garbage collector look for cycles less often, and not among what stays.

    A bulk body is thousands of objects, and reading it would have them all looked through several
    times, which takes a twelfth of a bulk write.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)


class HeapTrimmer:
    """The least that a process had, and when it is to be made small again."""

    def __init__(self) -> None:
        self._least: float = sys.maxsize
        self._next, self._tries = 0.0, 0
        libc = ctypes.CDLL(None) if sys.platform == "linux" else None
        self._trim = getattr(libc, "malloc_trim", None)

    def update(self, resident: int, now: float) -> None:
        """Give back what can be while the process, of so many bytes, is much larger than it was."""
        if resident <= self._least + MUCH:
            self._tries = 0
        elif self._trim and now >= self._next:
            self._trim(0)
            self._tries += 1
            self._next = now + (_SECONDS if self._tries < _TRIES else _LATER_SECONDS)
        self._least = min(self._least, resident)
