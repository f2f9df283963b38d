"""Last use of API keys: recorded in memory at each look-up, written in the background.

Keys in use are looked up every KEY_CACHE_SECONDS. The workers together write the time of a key at
most once in five minutes, so a stored time is a few minutes old.
"""

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from service import background
from service.database import statements
from service.database.connections import Connection, Database
from service.errors import ApiError

PAUSE_SECONDS: Final = 60
GRAIN: Final = timedelta(minutes=5)
"""Age of a stored time from which on it is overwritten."""
_log: Final = logging.getLogger("service")


class LastUsed:
    """Buffer of the keys used since the last write."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._statement = statements.load("callers")["use_key"].text
        self._used: dict[tuple[int, int], datetime] = {}

    def record(self, organization_id: int, key_id: int) -> None:
        """Record that a key is used now."""
        self._used[organization_id, key_id] = datetime.now(UTC)

    def start(self) -> "asyncio.Task[None]":
        """Start the background task that writes the buffer every PAUSE_SECONDS."""
        return background.repeat(self.write, PAUSE_SECONDS)

    async def write(self) -> None:
        """Write and empty the buffer. After an error the rest of it is discarded."""
        used, self._used = self._used, {}
        try:
            for (organization_id, key_id), used_at in used.items():
                work = partial(
                    self._write, organization_id=organization_id, key_id=key_id, used_at=used_at
                )
                await self._database.write(work, organization_id)
        except ApiError:
            pass  # the database is unreachable, which has been logged
        except Exception:
            _log.exception("the last use of API keys could not be written")

    async def _write(
        self, connection: Connection, *, organization_id: int, key_id: int, used_at: datetime
    ) -> None:
        await connection.execute(self._statement, organization_id, key_id, used_at, used_at - GRAIN)
