"""When API keys were last used: seen where they are looked up, and written down later.

Keys are looked up again every few seconds while they are used, so that this is known to within a
minute. It is written away from requests, and for each key once in some minutes by all workers.
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
"""What was written is not written anew for so long."""
_log: Final = logging.getLogger("service")


class LastUsed:
    """The keys that were seen since they were written down."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._statement = statements.load("callers")["use_key"].text
        self._seen: dict[tuple[int, int], datetime] = {}

    def see(self, organization_id: int, key_id: int) -> None:
        """Take note that a key is used now."""
        self._seen[organization_id, key_id] = datetime.now(UTC)

    def keep_writing(self) -> "asyncio.Task[None]":
        """Write down what was seen, again and again, until the task is canceled."""
        return background.repeat(self.write, PAUSE_SECONDS)

    async def write(self) -> None:
        """Write down what was seen; what cannot be written is left out."""
        seen, self._seen = self._seen, {}
        try:
            for (organization_id, key_id), moment in seen.items():
                work = partial(self._write, key_id=key_id, moment=moment, of=organization_id)
                await self._database.write(work, organization_id)
        except ApiError:
            pass  # the database is away, and has said so
        except Exception:
            _log.exception("when keys were used is not written")

    async def _write(
        self, connection: Connection, *, of: int, key_id: int, moment: datetime
    ) -> None:
        await connection.execute(self._statement, of, key_id, moment, moment - GRAIN)
