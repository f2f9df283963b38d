"""Cache entries: responses with the version of their data, and recent keys for admission."""

import time
from collections.abc import Mapping
from typing import Final

from service.http.cached_response import CachedBody
from service.limits import RESPONSE_CACHE_SECONDS
from service.queries.feed_version import FeedVersion

ENTRY_BYTES: Final = 1024
"""Estimated bytes of an entry without its key, headers and body."""
MAX_RECENT_KEYS: Final = 2**15
"""Keys of each of the two generations of ``RecentKeys``, about 2 MiB together."""


class CacheEntry(CachedBody):
    """Cached response, and a version that was current before its statements began."""

    __slots__ = ("expires_at", "version", "weight")

    def __init__(self, body: bytes, headers: Mapping[str, str], version: FeedVersion) -> None:
        super().__init__(body, dict(headers))
        self.version = version
        self.expires_at = time.monotonic() + RESPONSE_CACHE_SECONDS
        self.weight = 0

    def is_current(self, version: FeedVersion | None) -> bool:
        """Return whether the entry has this version, the current one, and has not expired."""
        return self.version == version and self.expires_at > time.monotonic()


class RecentKeys:
    """Keys that were added lately: at least the last MAX_RECENT_KEYS, at most twice as many."""

    def __init__(self) -> None:
        self._recent, self._former = set[int](), set[int]()

    def add(self, key: int) -> bool:
        """Add a key; return whether it was there."""
        if key in self._recent or key in self._former:
            return True
        if len(self._recent) >= MAX_RECENT_KEYS:
            self._recent, self._former = set(), self._recent
        self._recent.add(key)
        return False
