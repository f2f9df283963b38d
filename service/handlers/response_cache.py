"""Response cache: successful reads, validated against the change feed before each use.

Rejected: expiry times, which return stale data, and tables of documents, which make writes slower.
Chosen: a worker keeps responses by organization and ``Target``. The version of an organization
is the epoch of its feed and the number of its changes. A write becomes visible with its change, so
data of an equal version is equal. A hit reads the version after the request arrived (a poll), so it
has every write acknowledged before. Requests of an organization share polls, and those of a target
the read. While every poll finds a change, reads bypass the cache. SQL that bypasses the service is
seen after RESPONSE_CACHE_SECONDS at the latest.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Iterable
from typing import Final

from aiohttp import hdrs, web

from service.database.connections import Database
from service.feed.numbered_feed import (
    MAX_UNNUMBERED,
    FeedState,
    FeedVersion,
    position_headers,
    read_numbered_state,
)
from service.handlers.cache_entries import (
    CachedOrganization,
    CacheEntry,
    CacheFill,
    RecentKeys,
    Target,
)
from service.http import metrics
from service.http.budgets import reserve
from service.http.context import IS_CACHED, caller_of
from service.http.envelope import ApiResponse
from service.http.headers import CSV, JSON, PREFER
from service.http.negotiation import CachedResponse, prefers
from service.http.router import Handler
from service.limits import RESPONSE_CACHE_SECONDS
from service.listing.custom_fields import SCOPE
from service.organizations.caller import Caller
from service.organizations.scopes import NAMES, READ
from service.resources.assortment import effective_prices
from service.shares.contention import CONTENTION

_READ_ALL: Final = NAMES[READ]
MAX_ENTRY_SHARE: Final = 16
"""A body of more than 1/16 of the cache is not cached: it would evict too many others."""
MAX_ORGANIZATION_SHARE: Final = 2
"""One organization's responses have at most 1/2 of the cache."""
_FULL_SHARE: Final = 15 / 16
"""Share of a limit from which the cache is full."""
MAX_ORGANIZATIONS: Final = 10_000
"""Maximum number of organizations whose versions and responses are kept."""
MAX_CONTENDED_HITS: Final = 2
"""Maximum requests that share a poll during contention: hits wait in no queue for connections."""


class ResponseCache:
    """Cached responses of a worker, up to ``max_bytes``; 0 caches none, but polls for positions."""

    def __init__(self, database: Database, max_bytes: int, public_url: str) -> None:
        self._database = database
        self._max_bytes = max_bytes
        self._public_url = public_url
        self._weight = 0
        self._requested = RecentKeys()
        """Hashes of organizations and targets that a full cache did not admit."""
        self._organizations: OrderedDict[int, CachedOrganization] = OrderedDict()
        """By id; the least recently used comes first."""
        self._polls = set[asyncio.Task[None]]()

    @property
    def size(self) -> int:
        """Return the approximate bytes of all cached responses, compressed forms included."""
        return self._weight

    async def respond(self, request: web.Request, handler: Handler) -> ApiResponse:
        """Return the cached response if it is current, else the handler's; cache that if allowed.

        Raise ApiError as the handler does, of a failed poll, or of a byte budget that is exceeded.
        """
        caller = caller_of(request)
        if not self._max_bytes or caller.scopes.restricted:
            return await handler(request)
        target = self._target(request, caller)
        organization = self._find(caller.organization_id)
        if organization.is_volatile:
            if organization.is_poll_due:
                self._start_poll(organization)
            return await _missed(request, handler)
        version = organization.version
        if organization.may_have(target):
            version = (await self._current_state(organization)).version
            entry = await self._current_entry(organization, target, version)
            if entry is not None:
                return self._hit(request, organization, target, entry)
        if version is None or not self._admits(organization, target):
            return await _missed(request, handler)
        return await self._filled(request, handler, organization, target, version)

    def _target(self, request: web.Request, caller: Caller) -> Target:
        """Return all that the response depends on, beside the organization's data."""
        allowed = caller.scopes.allowed
        return (
            request.raw_path,
            tuple(request.headers.getall(PREFER, ())),
            None if self._public_url else request.headers.get(hdrs.HOST),
            prefers(request, CSV, JSON),
            effective_prices.today(),
            caller.multiple_language,
            caller.pro,
            _READ_ALL in allowed or SCOPE in allowed,
        )

    async def _filled(
        self,
        request: web.Request,
        handler: Handler,
        organization: CachedOrganization,
        target: Target,
        version: FeedVersion,
    ) -> ApiResponse:
        """Return the handler's response; cache it for this request and those that wait for it."""
        fill = organization.fills[target] = CacheFill(version)
        entry = None
        try:
            response = await _missed(request, handler)
            if response.status == 200:
                entry = self._store(organization.id, target, response, version)
            return response
        finally:
            if organization.fills.get(target) is fill:
                del organization.fills[target]
            fill.entry.set_result(entry)

    def _admits(self, organization: CachedOrganization, target: Target) -> bool:
        """Return whether to cache a response: there is room, or its target was requested lately.

        A stale entry is replaced, too. So reads that are not repeated evict none that are.
        """
        limit = self._max_bytes * _FULL_SHARE
        return (
            (self._weight < limit and organization.weight * MAX_ORGANIZATION_SHARE < limit)
            or target in organization.entries
            or self._requested.add(hash((organization.id, target)))
        )

    async def _current_entry(
        self, organization: CachedOrganization, target: Target, version: FeedVersion | None
    ) -> CacheEntry | None:
        """Return the entry of this version; await a running read of it; None if there is none."""
        fill = organization.fills.get(target)
        if fill is not None and fill.version == version:
            return await asyncio.shield(fill.entry)
        entry = organization.entries.get(target)
        return entry if entry is not None and entry.is_current(version) else None

    def _hit(
        self,
        request: web.Request,
        organization: CachedOrganization,
        target: Target,
        entry: CacheEntry,
    ) -> ApiResponse:
        reserve(request, len(entry.body))
        metrics.CACHE_HITS.inc()
        request[IS_CACHED] = True
        if organization.entries.get(target) is entry:
            organization.entries.move_to_end(target)
            self._weigh(organization, entry)
        return CachedResponse(entry)

    def _find(self, organization_id: int) -> CachedOrganization:
        organization = self._organizations.get(organization_id)
        if organization is None:
            self._organizations[organization_id] = organization = CachedOrganization(
                organization_id
            )
            if len(self._organizations) > MAX_ORGANIZATIONS:
                self._clear(self._organizations.popitem(last=False)[1])
        else:
            self._organizations.move_to_end(organization_id)
        return organization

    async def position_headers(self, organization_id: int) -> dict[str, str]:
        """Return the headers with the position of the change feed; {} until it has begun.

        The position is that of the last poll. If there was none, or it failed or began
        RESPONSE_CACHE_SECONDS ago, poll; also if it left changes without a number, and all had one
        for the last time RESPONSE_CACHE_SECONDS ago. So the feed may repeat changes of that time.
        """
        organization = self._organizations.get(organization_id) or self._find(organization_id)
        state = organization.state
        oldest = time.monotonic() - RESPONSE_CACHE_SECONDS
        if (
            state is None
            or organization.polled_at <= oldest
            or (state.unnumbered and organization.numbered_at <= oldest)
        ):
            state = await self._current_state(organization)
        return position_headers(state, organization_id) if state.epoch else {}

    async def _current_state(self, organization: CachedOrganization) -> FeedState:
        """Return the state by a poll that begins after this call."""
        waiter: asyncio.Future[FeedState] = asyncio.get_running_loop().create_future()
        organization.waiters.append(waiter)
        if not organization.is_polling:
            self._start_poll(organization)
        return await waiter

    def _start_poll(self, organization: CachedOrganization) -> None:
        organization.is_polling = True
        self._polls.add(task := asyncio.create_task(self._poll(organization)))
        task.add_done_callback(self._polls.discard)

    async def _poll(self, organization: CachedOrganization) -> None:
        """Poll once, and until no request waits; pass errors on. Clear entries after a change."""
        while organization.is_polling:
            served = MAX_CONTENDED_HITS if CONTENTION.is_contended() else None
            waiters = organization.waiters[:served]
            del organization.waiters[:served]
            state, error, before = None, None, organization.version
            started = time.monotonic()
            try:
                state = await self._numbered_state(organization, started)
            except Exception as failure:
                error = failure
            organization.state, organization.polled_at = state, started
            if organization.version == before:
                organization.changed_polls = 0
            else:
                organization.changed_polls += 1
                self._clear(organization)
            _settle(waiters, state, error)
            organization.is_polling = bool(organization.waiters)

    async def _numbered_state(self, organization: CachedOrganization, started: float) -> FeedState:
        # Early enough that reads seldom wait for it.
        is_due = organization.numbered_at + RESPONSE_CACHE_SECONDS / 2 <= started
        most = 0 if is_due else MAX_UNNUMBERED
        state = await read_numbered_state(self._database, organization.id, most)
        if state.is_numbered or not state.unnumbered:
            organization.numbered_at = started
        return state

    def _store(
        self, organization_id: int, target: Target, response: ApiResponse, version: FeedVersion
    ) -> CacheEntry | None:
        """Store a response; return None if its body is too long."""
        body = response.body
        if len(body) * MAX_ENTRY_SHARE > self._max_bytes:
            return None
        organization = self._find(organization_id)
        if target in organization.entries:
            self._remove(organization, target)
        entry = CacheEntry(target, body, response.headers, version)
        organization.entries[target] = entry
        self._weigh(organization, entry)
        return entry

    def _weigh(self, organization: CachedOrganization, entry: CacheEntry) -> None:
        """Count the bytes of an entry, new or with a new compressed form; evict beyond limits."""
        weight = entry.size + entry.overhead
        if weight == entry.weight:
            return
        organization.weight += weight - entry.weight
        self._weight += weight - entry.weight
        entry.weight = weight
        while organization.weight * MAX_ORGANIZATION_SHARE > self._max_bytes:
            self._remove(organization, next(iter(organization.entries)))
        while self._weight > self._max_bytes:
            oldest = next(iter(self._organizations.values()))
            if oldest.entries:
                self._remove(oldest, next(iter(oldest.entries)))
            else:
                self._organizations.popitem(last=False)

    def _remove(self, organization: CachedOrganization, target: Target) -> None:
        entry = organization.entries.pop(target, None)
        if entry is not None:
            organization.weight -= entry.weight
            self._weight -= entry.weight

    def _clear(self, organization: CachedOrganization) -> None:
        organization.entries.clear()
        self._weight -= organization.weight
        organization.weight = 0


def _settle(
    waiters: Iterable[asyncio.Future[FeedState]], state: FeedState | None, error: Exception | None
) -> None:
    """Give a poll's state, or its error, to the requests that still wait for it."""
    for waiter in waiters:
        if waiter.done():
            continue
        if state is not None:
            waiter.set_result(state)
        elif error is not None:
            waiter.set_exception(error)


def _missed(request: web.Request, handler: Handler) -> Awaitable[ApiResponse]:
    metrics.CACHE_MISSES.inc()
    request[IS_CACHED] = False
    return handler(request)


RESPONSE_CACHE: web.AppKey[ResponseCache] = web.AppKey("response_cache", ResponseCache)


def cached(handler: Handler) -> Handler:
    """Return a read handler with its responses cached: all of its data must be in the feed."""

    async def respond(request: web.Request) -> ApiResponse:
        return await request.app[RESPONSE_CACHE].respond(request, handler)

    return respond
