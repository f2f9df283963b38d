"""Time limits of tests, which grow with the load of the machine.

A time in a test is written for an idle machine and passed through one of these functions. A limit
after which a test fails comes from ``limit``, ``within``, ``until`` or ``becomes``; a time that the
test lets pass, or sets in the service, comes from ``scaled``.
"""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from service.settings import cores

_MARGIN: Final = 2
"""Allowance of limits on an idle machine. It costs a passing test nothing."""
_MOST: Final = 10
"""Cap of the factor, so that a limit of 10 s ends before the run's own limit for one test."""
_LOAD: Final = Path("/proc/loadavg")


def load_factor() -> float:
    """Return the number of runnable processes per core, between 1 and 10.

    The load average follows a change within a minute. Linux also tells how many processes are
    runnable at the moment.
    """
    runnable = [os.getloadavg()[0]]
    if _LOAD.exists():
        runnable.append(float(_LOAD.read_text().split()[3].partition("/")[0]))
    return min(max(1.0, *(count / cores() for count in runnable)), _MOST)


def scaled(seconds: float) -> float:
    """Return a time that grows with the load."""
    return seconds * load_factor()


def limit(seconds: float) -> float:
    """Return a time limit for what takes less than so many seconds on an idle machine."""
    return scaled(seconds) * _MARGIN


def within(seconds: float) -> asyncio.Timeout:
    """Return a context that raises TimeoutError at its limit."""
    return asyncio.timeout(limit(seconds))


async def until(holds: Callable[[], bool], seconds: float = 20) -> None:
    """Return as soon as a condition holds; raise TimeoutError at the limit."""
    async with within(seconds):
        while not holds():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.01)


def becomes(holds: Callable[[], bool], seconds: float = 15) -> bool:
    """Return whether a condition comes to hold before the limit; block the thread until then."""
    deadline = time.monotonic() + limit(seconds)
    while not (reached := holds()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return reached or holds()
