"""Outage monitor: polls a lost database server until it responds, also without requests."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from service import background
from service.database import incidents
from service.errors import ApiError

_POLL_SECONDS: Final = 1


class OutageMonitor:
    """Background poll of the database server; runs from the end of a connection to a success.

    It also runs from the start of a service whose database was unreachable then. The check logs
    its failures itself.
    """

    def __init__(self, check: Callable[[], Awaitable[None]]) -> None:
        self._check = check
        self._task: asyncio.Task[None] | None = None
        self._is_stopped = False
        if incidents.AWAY.is_open:
            self.start()

    def start(self, _: object = None) -> None:
        """Start to poll, unless the poll runs already."""
        if not self._is_stopped and (self._task is None or self._task.done()):
            self._task = background.repeat(self._poll, _POLL_SECONDS, at_once=True)

    def stop(self) -> None:
        """Stop the poll for good."""
        self._is_stopped = True
        if self._task is not None:
            self._task.cancel()

    async def _poll(self) -> bool:
        """Return whether the server responds; any failure means that it does not."""
        try:
            await self._check()
        except ApiError:
            return False  # logged where it was raised
        except Exception as error:
            incidents.report_unreachable(error)
            return False
        incidents.AWAY.close()
        return True
