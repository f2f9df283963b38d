"""Whether the server is there, also while nobody asks anything of it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from service import background
from service.database import incidents
from service.errors import ApiError

_SECONDS: Final = 1
"""From one look whether a server that was lost is back to the next."""


class OutageMonitor:
    """Looks when a connection has ended, until the server answers: connecting tells what it sees.

    One that was away when the service started is looked for, too.
    """

    def __init__(self, look: Callable[[], Awaitable[None]]) -> None:
        self._look = look
        self._looking: asyncio.Task[None] | None = None
        self._has_ended = False
        if incidents.AWAY.is_open:
            self.start()

    def start(self, _: object = None) -> None:
        """Look, unless somebody does."""
        if not self._has_ended and (self._looking is None or self._looking.done()):
            self._looking = background.repeat(self._look_again, _SECONDS, at_once=True)

    def stop(self) -> None:
        """Look no more."""
        self._has_ended = True
        if self._looking is not None:
            self._looking.cancel()

    async def _look_again(self) -> bool:
        """Return whether the server is there; any failure means that it is not."""
        try:
            await self._look()
        except ApiError:
            return False  # logged where it was raised
        except Exception as error:
            incidents.is_lost(error)
            return False
        incidents.AWAY.close()
        return True
