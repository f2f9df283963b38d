"""Who is calling: the API key's organization, its scope and its features (contract, Callers)."""

import hmac
import time
from dataclasses import dataclass

from service.database import statements
from service.database.connections import Connection, Database
from service.organizations import keys
from service.organizations.last_used import LastUsed

CACHE_SECONDS = 5
CACHE_SIZE = 10_000


@dataclass(frozen=True, slots=True)
class Caller:
    """The tenant that a request acts for, and what it may do there."""

    organization_id: int
    key_id: int
    may_write: bool
    multiple_language: bool
    pro: bool


class Callers:
    """API keys looked up in the database and remembered for at most CACHE_SECONDS."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lookup = statements.load("callers")["caller_of_key"].text
        self._known: dict[bytes, tuple[float, Caller]] = {}
        self.last_used = LastUsed(database)

    async def find(self, key: str) -> Caller | None:
        """The caller that presents ``key``; None when it is malformed, unknown or expired."""
        if not key.isascii():
            return None
        token, now = keys.digest(key), time.monotonic()
        until, caller = self._known.get(token, (0.0, None))
        if until > now:
            return caller
        self._known.pop(token, None)
        parsed = keys.parse(key)
        if parsed is None:
            return None
        organization_id, key_id, secret = parsed
        found = await self._database.look_up(
            lambda connection: self._look_up(connection, organization_id, key_id, secret),
            organization_id,
        )
        if found is not None:
            while len(self._known) >= CACHE_SIZE:
                del self._known[next(iter(self._known))]
            self._known[token] = (now + CACHE_SECONDS, found)
            self.last_used.see(organization_id, key_id)
        return found

    async def _look_up(
        self, connection: Connection, organization_id: int, key_id: int, secret: str
    ) -> Caller | None:
        row = await connection.fetchrow(self._lookup, organization_id, key_id)
        if row is None or not hmac.compare_digest(row["secret_sha256"], keys.digest(secret)):
            return None
        return Caller(
            organization_id, key_id, row["scope"] == "write", row["multiple_language"], row["pro"]
        )
