"""Outage monitor: polls a lost database server until it responds, even without requests."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from service import background
from service.database import incidents
from service.errors import ApiError

_POLL_SECONDS: Final = 1


class OutageMonitor:
    """Background poll of the database server, from the loss of a connection until it responds.

    It also begins with a service whose database is unreachable at its start. Success closes the
    incident of the unreachable database.
    """

    def __init__(self, check: Callable[[], Awaitable[None]]) -> None:
        self._check = check
        self._task: asyncio.Task[None] | None = None
        self._is_stopped = False
        if incidents.UNREACHABLE.is_open:
            self.start()

    def start(self, _: object = None) -> None:
        """Start to poll, unless the poll runs already. Connections call it when they end."""
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
        incidents.UNREACHABLE.close()
        return True
