"""Last use of API keys: recorded in memory when a look-up finds them valid, written in background.

Keys in use are looked up every KEY_CACHE_SECONDS. The workers together write the time of a key at
most once in five minutes, so a stored time may be some minutes before the last use.
"""

import asyncio
import logging
import math
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from service import background
from service.database import statements
from service.database.connections import Connection, Database
from service.errors import ApiError

PAUSE_SECONDS: Final = 60
"""Time between two writes of a worker's buffer."""
GRAIN: Final = timedelta(minutes=5)
"""Age of a stored time, at the new use, beyond which it is overwritten."""
_TROUBLE_SECONDS: Final = 5
"""Time after the first failure of a write of the buffer in which the other keys are written."""
_log: Final = logging.getLogger("service")


class LastUsed:
    """Buffer of the keys that a worker has seen used since its last write."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._statement = statements.load("callers")["use_key"].text
        self._used: dict[tuple[int, int], datetime] = {}

    def record(self, organization_id: int, key_id: int) -> None:
        """Record in memory that a key is used now."""
        self._used[organization_id, key_id] = datetime.now(UTC)

    def start(self) -> "asyncio.Task[None]":
        """Start the background task that writes the buffer every PAUSE_SECONDS.

        The caller cancels it at the end, and calls ``write`` once more.
        """
        return background.repeat(self.write, PAUSE_SECONDS)

    async def write(self) -> None:
        """Write and empty the buffer, each key in a transaction of its own.

        An organization that fails does not keep the others from theirs: on a cluster one node may
        be away. _TROUBLE_SECONDS after the first failure, and after an unexpected error, the rest
        of the buffer is discarded. No error is raised: unexpected ones are logged.
        """
        used, self._used = self._used, {}
        failed, deadline = set[int](), math.inf
        for (organization_id, key_id), used_at in used.items():
            if organization_id in failed:
                continue
            work = partial(
                self._write, organization_id=organization_id, key_id=key_id, used_at=used_at
            )
            try:
                await self._database.write(work, organization_id)
            except ApiError:  # which has been logged
                failed.add(organization_id)
                deadline = min(deadline, time.monotonic() + _TROUBLE_SECONDS)
            except Exception:
                _log.exception("the last use of API keys could not be written")
                return
            if time.monotonic() > deadline:
                return

    async def _write(
        self, connection: Connection, *, organization_id: int, key_id: int, used_at: datetime
    ) -> None:
        await connection.execute(self._statement, organization_id, key_id, used_at, used_at - GRAIN)
