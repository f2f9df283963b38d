"""Callers: API keys, their organization, scopes and features, and their cache (contract, Callers).

A key is ``slv_<organization>_<key id>_<secret>``. The ids are from 1 to 2**63 - 1 without leading
zeros; the secret is 64 lowercase hex digits.
"""

import asyncio
import hashlib
import hmac
import math
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

import asyncpg

from service import background
from service.database import statements
from service.database.connections import LOOK_UP_SECONDS, Connection, Database
from service.errors import ApiError, unavailable
from service.limits import KEY_CACHE_SECONDS, UNKNOWN_KEY_SECONDS
from service.organizations.key_changes import KeyChanges, KeyId
from service.organizations.last_used import LastUsed
from service.organizations.scopes import Scopes

_SECRET_BYTES: Final = 32
_ID: Final = "([1-9][0-9]{0,18})"
_KEY: Final = re.compile(f"slv_{_ID}_{_ID}_([0-9a-f]{{{2 * _SECRET_BYTES}}})")
_MAX_ID: Final = 2**63 - 1
CACHE_SIZE: Final = 10_000
"""Maximum number of entries of each level of the cache, in each worker."""
_UNKNOWN_CALLERS: Final = -1
"""Organization id under which look-ups of keys are queued that have not been valid before."""
_OUTAGE_SECONDS: Final = 60
"""Time after its last look-up for which a key works whose further look-ups get no answer."""
_REFRESH_SECONDS: Final = 1.0
"""Rest of the lifetime of a cached key in which a use has it looked up in the background."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def new_secret() -> str:
    """Return a fresh secret: 32 random bytes in lowercase hex."""
    return secrets.token_hex(_SECRET_BYTES)


def compose(organization_id: int, key_id: int, secret: str) -> str:
    """Return the key as the caller presents it."""
    return f"slv_{organization_id}_{key_id}_{secret}"


def parse(text: str) -> tuple[int, int, str] | None:
    """Return organization id, key id and secret; None if ``text`` has not the format of a key.

    Whether such a key was issued is not checked.
    """
    match = _KEY.fullmatch(text)
    if match is None:
        return None
    organization_id, key_id = int(match[1]), int(match[2])
    if max(organization_id, key_id) > _MAX_ID:
        return None
    return organization_id, key_id, match[3]


def digest(secret: str) -> bytes:
    """Return the SHA-256 of a secret, or of a whole key; raise UnicodeEncodeError beyond ASCII."""
    # A fast hash is enough: a secret has 256 random bits and cannot be guessed.
    return hashlib.sha256(secret.encode("ascii")).digest()


@dataclass(frozen=True, slots=True)
class Caller:
    """Organization of an API key, with the scopes of the key and the organization's features."""

    organization_id: int
    key_id: int
    scopes: Scopes
    multiple_language: bool
    pro: bool
    unique_keys: bool = False
    """Whether own keys of live records are unique."""
    source: str | None = None
    """System that uses the key: new records are of it."""

    @property
    def full_key_id(self) -> KeyId:
        """Organization and id of the key."""
        return self.organization_id, self.key_id


@dataclass(frozen=True, slots=True)
class _StoredKey:
    """Valid key as it is stored: the hashes of its secrets, and its caller."""

    secrets_sha256: tuple[bytes, ...]
    """Those of the secret and, for a while after a rotation, of the former one."""
    caller: Caller
    changed_at: datetime | None
    """Time of its last rotation."""

    def has(self, secret: str) -> bool:
        """Return whether the key has the secret."""
        own = digest(secret)
        return sum(hmac.compare_digest(each, own) for each in self.secrets_sha256) > 0


@dataclass(frozen=True, slots=True)
class _LookUp:
    """Cached result of a look-up: the key, or None if no valid key has the id."""

    stored: _StoredKey | None
    started: float
    """Time of ``time.monotonic`` before the read."""

    @property
    def expires_at(self) -> float:
        """Time after which the result is not used."""
        return self.started + (KEY_CACHE_SECONDS if self.stored else UNKNOWN_KEY_SECONDS)


class Callers:
    """Two-level cache of API keys in a worker.

    The first level has the callers of valid keys by the digest of the whole key, the second one
    look-ups by organization and key id. An id without a valid key costs one look-up in
    UNKNOWN_KEY_SECONDS, a wrong secret one in KEY_CACHE_SECONDS: it may be new. Concurrent look-ups
    of one id share one statement (single flight), except those of keys that were valid before.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._statement = statements.load("callers")["caller_of_key"].text
        self._valid_keys: dict[bytes, tuple[float, _StoredKey]] = {}
        """Entries expire, but stay: they are of keys that were valid before."""
        self._look_ups: dict[tuple[int, int], _LookUp] = {}
        self._running: dict[tuple[int, int, bool], tuple[asyncio.Task[_LookUp], float]] = {}
        """Look-ups with the time of their begin."""
        self._refreshing: dict[bytes, asyncio.Task[bool]] = {}
        self._refused: dict[bytes, float] = {}
        """Wrong keys of ids that have a valid one, with the time for which that is cached."""
        self.changes = KeyChanges(database, self._on_changes)
        self.last_used = LastUsed(database)

    async def find(self, key: str, *, fresh: bool = False) -> Caller | None:
        """Return the caller that presents the key; None if the key is not valid.

        ``fresh`` looks the key up in the database even if it is cached, or joins a look-up that
        runs. Otherwise a key that has expired is valid, and features stay as they were, for up to
        KEY_CACHE_SECONDS. Keys in use are looked up in the background before that. A look-up that
        finds the key valid is recorded as its use.

        A key whose look-up fails or takes LOOK_UP_SECONDS, as while its node is away, goes on for
        _OUTAGE_SECONDS after its last look-up. Raise ApiError 429 or 503 for all others.
        """
        if not key.isascii():
            return None
        token = digest(key)
        now = time.monotonic()
        expires_at, stored = self._valid_keys.get(token, (-math.inf, None))
        caller = stored.caller if stored else None
        if expires_at > now and not fresh:
            if expires_at < now + _REFRESH_SECONDS:
                self._refresh(token, key)
            return caller
        if self._refused.get(token, 0.0) > now:
            return None
        try:
            return await self._verify(token, key, caller, fresh=fresh)
        except ApiError:
            if now > expires_at - KEY_CACHE_SECONDS + _OUTAGE_SECONDS:
                raise
            return caller

    def forget(self, organization_id: int) -> None:
        """Drop the cached keys of an organization."""
        for token, (_, stored) in [*self._valid_keys.items()]:
            if stored.caller.organization_id == organization_id:
                del self._valid_keys[token]
        for key_id in [*self._look_ups]:
            if key_id[0] == organization_id:
                del self._look_ups[key_id]

    def _refresh(self, token: bytes, key: str) -> None:
        """Look a valid key up in the background, so that its callers do not wait for that."""
        if token in self._refreshing:
            return
        _, stored = self._valid_keys[token]
        refresh = background.run(partial(self._verify, token, key, stored.caller, fresh=True))
        self._refreshing[token] = refresh
        refresh.add_done_callback(lambda _: self._refreshing.pop(token))

    async def _verify(
        self, token: bytes, key: str, caller: Caller | None, *, fresh: bool
    ) -> Caller | None:
        """Return the caller of a key by the second level, or by a look-up; cache it.

        ``caller`` is that of the key as it was valid before. Raise ApiError if a look-up fails.
        """
        parsed = parse(key)
        if parsed is None:
            return None
        organization_id, key_id, secret = parsed
        look_up = await self._current_look_up(parsed, fresh=fresh, was_valid=caller is not None)
        self._valid_keys.pop(token, None)
        stored = look_up.stored
        if stored is None:
            return None
        if not stored.has(secret):
            _store(self._refused, token, look_up.expires_at)
            return None
        _store(self._valid_keys, token, (look_up.expires_at, stored))
        self.last_used.record(organization_id, key_id)
        self.changes.poll(organization_id, _OUTAGE_SECONDS + KEY_CACHE_SECONDS)
        return stored.caller

    async def _current_look_up(
        self, key: tuple[int, int, str], *, fresh: bool, was_valid: bool
    ) -> _LookUp:
        """Return the cached look-up of a key's id, or a new one: also if it has another secret."""
        organization_id, key_id, secret = key
        look_up, now = self._look_ups.get((organization_id, key_id)), time.monotonic()
        if fresh or look_up is None or look_up.expires_at <= now:
            look_up = await self._shared_look_up(organization_id, key_id, was_valid)
        while look_up.stored and not look_up.stored.has(secret) and look_up.started < now:
            # The key may have been rotated since then.
            look_up = await self._shared_look_up(organization_id, key_id, was_valid=False)
        return look_up

    def _on_changes(self, changes: Mapping[KeyId, asyncpg.Record]) -> None:
        """Drop what is cached of deleted keys; let rotated ones be looked up at their next use."""
        for key_id, change in changes.items():
            look_up = self._look_ups.get(key_id)
            if look_up and look_up.stored and look_up.stored.changed_at != change["changed_at"]:
                del self._look_ups[key_id]
        now = time.monotonic()
        for token, (expires_at, stored) in [*self._valid_keys.items()]:
            change = changes.get(stored.caller.full_key_id)
            if change is None or stored.changed_at == change["changed_at"]:
                continue
            if change["is_deleted"]:
                del self._valid_keys[token]
            else:
                self._valid_keys[token] = min(expires_at, now), stored

    async def _shared_look_up(self, organization_id: int, key_id: int, was_valid: bool) -> _LookUp:
        """Look the key id up, or wait for such a look-up that runs.

        Keys that were valid before share none with others, which may wait long in their queue. They
        wait until the look-up has run for LOOK_UP_SECONDS, and then raise ApiError 503.
        """
        flight = (organization_id, key_id, was_valid)
        running, started = self._running.get(flight, (None, 0.0))
        if running is None or running.done():  # `_end` may be due.
            running, started = asyncio.create_task(self._look_up(*flight)), time.monotonic()
            self._running[flight] = running, started
            running.add_done_callback(lambda task: self._end(flight, task))
        if was_valid:
            seconds = max(0.0, started + LOOK_UP_SECONDS - time.monotonic())
            if not (await asyncio.wait([running], timeout=seconds))[0]:
                raise unavailable()
        # A client that disconnects does not cancel the look-up for the others.
        return await asyncio.shield(running)

    def _end(self, flight: tuple[int, int, bool], task: asyncio.Task[_LookUp]) -> None:
        if self._running.get(flight, (None,))[0] is task:
            del self._running[flight]
        if not task.cancelled():
            # asyncio logs an exception that is never retrieved, as when all clients disconnect.
            task.exception()

    async def _look_up(self, organization_id: int, key_id: int, was_valid: bool) -> _LookUp:
        """Read the key from the database, and cache the result, but no exception."""

        async def fetch(connection: Connection) -> _StoredKey | None:
            row = await connection.fetchrow(self._statement, organization_id, key_id)
            if row is None:
                return None
            caller = Caller(
                organization_id,
                key_id,
                Scopes.of(row["scopes"]),
                row["multiple_language"],
                row["pro"],
                row["unique_keys"],
                row["source"],
            )
            secrets_sha256 = (row["secret_sha256"], row["former_secret_sha256"])
            return _StoredKey(tuple(filter(None, secrets_sha256)), caller, row["changed_at"])

        # Made-up keys may name any organization, so they do not wait in that one's queue.
        queue_id = organization_id if was_valid else _UNKNOWN_CALLERS
        started = time.monotonic()
        stored = await self._database.look_up(fetch, organization_id, queue_id)
        look_up = _LookUp(stored, started)
        _store(self._look_ups, (organization_id, key_id), look_up)
        return look_up


def _store(cache: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    """Store an entry as the newest; evict the entries stored longest ago beyond CACHE_SIZE."""
    cache.pop(key, None)
    while len(cache) >= CACHE_SIZE:
        del cache[next(iter(cache))]
    cache[key] = value
