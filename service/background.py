"""Background task: runs a coroutine function once, or repeatedly even after a failed run.

A bare ``asyncio.create_task`` ends with the first unexpected exception, and asyncio logs it only
when the task is garbage collected, if ever.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from service.errors import ApiError

_log: Final = logging.getLogger("service")


def repeat(
    work: Callable[[], Awaitable[object]], seconds: float, *, at_once: bool = False
) -> "asyncio.Task[None]":
    """Run the work every ``seconds`` until it returns True or the task is canceled.

    The first run is delayed as well unless ``at_once``. An ApiError is ignored, for the database
    has logged its outage. Any other exception is logged as a defect.
    """
    return asyncio.create_task(_repeat(work, seconds, 0 if at_once else seconds))


def run(work: Callable[[], Awaitable[object]]) -> "asyncio.Task[bool]":
    """Run the work once; ignore and log exceptions as ``repeat`` does."""
    return asyncio.create_task(_finished(work))


async def _repeat(work: Callable[[], Awaitable[object]], seconds: float, pause: float) -> None:
    while True:
        await asyncio.sleep(pause)
        pause = seconds
        if await _finished(work):
            return


async def _finished(work: Callable[[], Awaitable[object]]) -> bool:
    """Run the work and return whether it returned True."""
    try:
        return await work() is True
    except ApiError:
        pass  # the database is unreachable; the next run retries
    except Exception as error:
        _log.exception("background work failed: %s", type(error).__name__)
    return False
