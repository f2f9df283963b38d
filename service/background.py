"""Background task: runs a coroutine function once, or repeatedly even after failed runs.

A bare ``asyncio.create_task`` ends with the first unexpected exception, and asyncio logs it only
when the task is garbage collected, if ever. Callers keep the returned task, because the event loop
refers to tasks only weakly, and cancel it at their end.
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
    """Start a task that runs the work, and again ``seconds`` after the end of each run.

    The task ends when the work returns True itself, not just a true value, or when it is canceled.
    The first run is delayed by ``seconds`` as well unless ``at_once``. A failed run does not end
    the task: an ApiError is ignored, for the database has logged its outage, and any other
    exception is logged as a defect.
    """
    return asyncio.create_task(_repeat(work, seconds, 0 if at_once else seconds))


def run(work: Callable[[], Awaitable[object]]) -> "asyncio.Task[bool]":
    """Start a task that runs the work once, at once; ignore and log exceptions as ``repeat`` does.

    The task's result is whether the work returned True: False after an exception.
    """
    return asyncio.create_task(_finished(work))


async def _repeat(work: Callable[[], Awaitable[object]], seconds: float, pause: float) -> None:
    while True:
        await asyncio.sleep(pause)
        pause = seconds
        if await _finished(work):
            return


async def _finished(work: Callable[[], Awaitable[object]]) -> bool:
    """Run the work and return whether it returned True; False after an exception."""
    try:
        return await work() is True
    except ApiError:
        pass  # the database is unreachable; the next run retries
    except Exception as error:
        _log.exception("background work failed: %s", type(error).__name__)
    return False
