"""Outage monitor of a worker: polls a lost database server until it responds.

Without it, a worker without requests would not notice the loss, nor the end of an outage.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from service import background
from service.database import incidents
from service.errors import ApiError

_POLL_SECONDS: Final = 1
"""Seconds from the end of a failed check to the next one."""


class OutageMonitor:
    """Background poll of the database server, from the end of a connection until it responds.

    ``check`` raises unless the server responds. The poll also begins when the monitor is created
    while the incident UNREACHABLE is open, as after a start without the database. A check that
    finds no server opens the incident; the first successful one closes it and ends the poll.
    """

    def __init__(self, check: Callable[[], Awaitable[None]]) -> None:
        self._check = check
        self._task: asyncio.Task[None] | None = None
        self._is_stopped = False
        if incidents.UNREACHABLE.is_open:
            self.start()

    def start(self, _: object = None) -> None:
        """Start to poll, with a check at once, unless the poll runs or ``stop`` was called.

        Each connection of the pools calls it when it ends, also when the service itself closed it.
        In that case the first check succeeds, and the poll ends.
        """
        if not self._is_stopped and (self._task is None or self._task.done()):
            self._task = background.repeat(self._poll, _POLL_SECONDS, at_once=True)

    def stop(self) -> None:
        """Stop the poll for good."""
        self._is_stopped = True
        if self._task is not None:
            self._task.cancel()

    async def _poll(self) -> bool:
        """Return whether the server responds: False after any exception of the check."""
        try:
            await self._check()
        except ApiError:
            return False  # logged where it was raised
        except Exception as error:
            incidents.report_unreachable(error)
            return False
        incidents.UNREACHABLE.close()
        return True
