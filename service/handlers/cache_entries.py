"""Cache entries: responses with the version of their data, by organization and target."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Mapping
from datetime import date
from typing import Final, TypeAlias

from service.feed.numbered_feed import FeedState, FeedVersion
from service.http.negotiation import CachedBody
from service.limits import RESPONSE_CACHE_SECONDS

ENTRY_BYTES: Final = 1024
"""Estimated bytes of an entry without its key, headers and body."""
_VOLATILE_POLLS: Final = 4
"""Number of polls, one after the other, that find a change before reads bypass the cache."""
_VOLATILE_POLL_SECONDS: Final = 0.25
"""Interval of polls while they do."""
MAX_RECENT_KEYS: Final = 2**15
"""Keys of each of the two generations of ``RecentKeys``, about 2 MiB together."""

Target: TypeAlias = tuple[str, tuple[str, ...], str | None, bool, date, bool, bool, bool]
"""Path and query, Prefer, Host (None with a public URL), if CSV is preferred, day, and features."""


class CacheEntry(CachedBody):
    """Cached response, and a version that was current before its statements began."""

    __slots__ = ("expires_at", "overhead", "version", "weight")

    def __init__(
        self, target: Target, body: bytes, headers: Mapping[str, str], version: FeedVersion
    ) -> None:
        super().__init__(body, dict(headers))
        path, preferences, host, *_ = target
        texts = (path, *preferences, host or "", *headers.values())
        self.overhead = ENTRY_BYTES + sum(map(len, texts))
        """Estimated bytes of the entry without its bodies."""
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


class CacheFill:
    """Read in progress whose response will be an entry of this version."""

    __slots__ = ("entry", "version")

    def __init__(self, version: FeedVersion) -> None:
        self.version = version
        self.entry: asyncio.Future[CacheEntry | None] = asyncio.get_running_loop().create_future()
        """Result: the entry; None if the response was not cached."""


class CachedOrganization:
    """Cached responses of one organization; the least recently used comes first."""

    def __init__(self, organization_id: int) -> None:
        self.id = organization_id
        self.entries: OrderedDict[Target, CacheEntry] = OrderedDict()
        self.fills: dict[Target, CacheFill] = {}
        self.weight = 0
        self.state: FeedState | None = None
        """State of the feed by the last poll; None before the first one and after a failed one."""
        self.polled_at = 0.0
        self.numbered_at = -float(RESPONSE_CACHE_SECONDS)
        """Time of the last poll that left all earlier changes with a number."""
        self.waiters: list[asyncio.Future[FeedState]] = []
        """Requests that wait for the next poll."""
        self.is_polling = False
        self.changed_polls = 0
        """Number of polls since the last one that found no change."""

    @property
    def is_volatile(self) -> bool:
        """Whether reads bypass the cache, as every poll finds a change.

        A poll would only make them wait for a connection twice.
        """
        return self.changed_polls >= _VOLATILE_POLLS

    @property
    def is_poll_due(self) -> bool:
        """Whether a poll shall find out if the organization is still volatile."""
        return not self.is_polling and self.polled_at + _VOLATILE_POLL_SECONDS <= time.monotonic()

    def may_have(self, target: Target) -> bool:
        """Return whether to poll for a cached response, or as the version is unknown."""
        return target in self.entries or target in self.fills or self.version is None

    @property
    def version(self) -> FeedVersion | None:
        """Return the version of ``state``; None if it is unknown or cannot be counted."""
        return self.state.version if self.state else None
