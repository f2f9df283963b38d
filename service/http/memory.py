"""Memory that a burst took goes back to the system once it is over.

glibc keeps what was freed between pieces that are still in use: what thousands of unfinished heads
took stays with the process for good, until it is asked for (malloc_trim, a few milliseconds).
"""

import ctypes
import sys
from typing import Final

MUCH: Final = 32 * 2**20
"""Bytes by which a process has to have grown: less is not worth the time."""
_SECONDS: Final = 5
"""From one time to the next at least."""


class Allowance:
    """What a process had when it was last made small, and when that was."""

    def __init__(self) -> None:
        self._least: float = sys.maxsize
        self._next = 0.0
        self._has_given_back = False
        libc = ctypes.CDLL(None) if sys.platform == "linux" else None
        self._trim = getattr(libc, "malloc_trim", None)

    def see(self, resident: int, now: float) -> None:
        """Give back what can be if the process, of so many bytes, has grown much since.

        What is left then is in use: growth is counted from there.
        """
        if self._has_given_back:
            self._least = resident
            self._has_given_back = False
        elif self._trim and resident > self._least + MUCH and now >= self._next:
            self._trim(0)
            self._next = now + _SECONDS
            self._has_given_back = True
        self._least = min(self._least, resident)
