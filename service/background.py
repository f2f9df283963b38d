"""Background task: repeats a coroutine function, whatever goes wrong in one of its runs.

A bare ``asyncio.create_task`` ends with the first exception that nobody expected, and says so when
it is garbage collected, if ever.
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
    """Run work again and again, until it returns True or the task is canceled.

    Each run comes after a pause, except the first one with ``at_once``. An ApiError has been logged
    where the database failed. Any other failure is logged as a defect, and the task goes on.
    """
    return asyncio.create_task(_repeat(work, seconds, 0 if at_once else seconds))


async def _repeat(work: Callable[[], Awaitable[object]], seconds: float, pause: float) -> None:
    while True:
        await asyncio.sleep(pause)
        pause = seconds
        try:
            if await work() is True:
                return
        except ApiError:
            pass  # the database is away: later
        except Exception as error:
            _log.exception("background work failed: %s", type(error).__name__)
