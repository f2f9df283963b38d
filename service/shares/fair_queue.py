"""Fair connection queue: organizations take turns, and none holds all of several connections.

A request queues behind requests of its own organization only (contract, Shares). Each pool has a
queue. Without it an organization with many requests or long writes leaves the others no connection
(``make attack``: light, locks, shares).
"""

import asyncio
import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from service.limits import CAP_EXEMPT_SECONDS, MAX_RETRY_AFTER
from service.shares.contention import CONTENTION, CONTENTION_SECONDS, ContentionSignal

T = TypeVar("T")


class QueueTimeoutError(TimeoutError):
    """Timeout of a queued request; ``own_organization`` tells whether that one had leases then."""

    def __init__(self, *, own_organization: bool, retry_seconds: int = 1) -> None:
        super().__init__("no connection became free in time")
        self.own_organization = own_organization
        self.retry_seconds = retry_seconds  # after which a retry is likely to succeed


@dataclass(frozen=True, slots=True)
class LeaseKind:
    """Kind of work that leases a connection: limits an organization's leases of the kind."""

    bulk: bool = False
    """Bulk write: an organization has at most half of the connections (1 at least) for these."""
    exclusive: bool = False
    """Locks the whole organization: one at a time, as a second one would block on the lock."""
    collection: str = ""
    """Collection that the work locks for the organization, one at a time; "" for none."""


READ = WRITE = LeaseKind()
"""Kind without limits of its own, of reads and plain writes; ``is READ`` takes the fast path."""
_MAX_EMPTY_QUEUES = 100
"""Number of queues above which a release drops its own if empty; most requests reuse a queue."""


@dataclass(slots=True, eq=False)
class _Waiter(Generic[T]):
    """Queued request; ``deadline`` is by the clock of the event loop."""

    organization_id: int
    kind: LeaseKind
    deadline: float
    lease: "asyncio.Future[T]"


@dataclass(slots=True)
class _OrganizationQueue(Generic[T]):
    """Leases of one organization, and its queued requests (waiters), oldest first."""

    leased: int = 0
    bulk_leases: int = 0
    exclusive_leases: int = 0
    locked_collections: set[str] = field(default_factory=set)
    waiters: "deque[_Waiter[T]]" = field(default_factory=deque)
    busy_since: float = 0.0
    """Time since which there have always been waiters."""
    served: int = 0
    """Waiters that got a lease since then."""

    def count(self, kind: LeaseKind, change: int) -> None:
        """Record that a lease has begun (1) or ended (-1)."""
        self.leased += change
        if kind is not READ:
            self.bulk_leases += change * kind.bulk
            self.exclusive_leases += change * kind.exclusive
        if kind.collection:
            locked = self.locked_collections
            (locked.add if change > 0 else locked.discard)(kind.collection)


class FairQueue(Generic[T]):
    """Queue of requests for n connections, fair among organizations.

    - A request takes a free connection at once if the limits allow it. Otherwise it is queued.
    - Organizations with queued requests take turns. Each one's requests are served first in, first
      out, except that a request passes those before it whose kind may not start yet.
    - An organization holds at most n - 1 connections, n/2 for bulk writes (rounded down; each is 1
      if 0). ``LeaseKind`` has further limits.
    - When several organizations are active, an organization with queued requests gets no further
      connection while it holds n/8 (rounded down, 1 if 0). The cap does not apply to a request
      that has waited 0.25 s.

    Problem: every connection that an organization holds slows the others down. Rejected: turns
    alone, which give an organization with 64 requests 7/8 of the processor beside one with 2.

    A request waits at most ``timeout_seconds``, and one timer serves all. A timer for each would
    cost more than the rest of the queue.
    """

    def __init__(
        self,
        connections: Iterable[T],
        timeout_seconds: float,
        contention: ContentionSignal = CONTENTION,
    ) -> None:
        self._contention = contention
        self._free = list(connections)
        self._timeout_seconds = timeout_seconds
        self._max_leases = max(1, len(self._free) - 1)
        self._max_bulk_leases = max(1, len(self._free) // 2)
        self._max_contended_leases = max(1, len(self._free) // 8)
        self._queues: dict[int, _OrganizationQueue[T]] = {}
        self._rotation: dict[int, None] = {}
        """Organizations with queued requests, in the order of their turns."""
        self._timer: asyncio.TimerHandle | None = None
        self._is_dispatch_scheduled = False

    def acquire_nowait(self, organization_id: int, kind: LeaseKind) -> tuple[T, ...]:
        """Return the free connection that was released last; () if the request must wait."""
        queue = self._queues.get(organization_id)
        if queue is None:
            queue = self._queues[organization_id] = _OrganizationQueue()
        self._contention.record(organization_id)
        # Under load most requests find their organization at its limit: no more checks for those.
        if self._free and queue.leased < self._max_leases:
            is_capped = bool(queue.waiters) and self._contention.is_contended()
            if self._is_allowed(queue, kind, is_capped=is_capped):
                queue.count(kind, 1)
                return (self._free.pop(),)
            self._schedule_dispatch()
        return ()

    async def acquire(self, organization_id: int, kind: LeaseKind) -> T:
        """Return a connection as ``acquire_nowait`` does; wait for one if necessary.

        Raise QueueTimeoutError after ``timeout_seconds``. The caller releases the connection.
        """
        for connection in self.acquire_nowait(organization_id, kind):
            return connection
        queue = self._queues[organization_id]
        loop = asyncio.get_running_loop()
        deadline, lease = loop.time() + self._timeout_seconds, loop.create_future()
        # _Waiter[T](…) would take several times as long as _Waiter(…).
        waiter: _Waiter[T] = _Waiter(organization_id, kind, deadline, lease)
        if not queue.waiters:
            queue.busy_since, queue.served = loop.time(), 0
        queue.waiters.append(waiter)
        self._rotation.setdefault(organization_id)
        if self._timer is None:
            self._timer = loop.call_later(self._timeout_seconds, self._expire)
        try:
            return await waiter.lease
        except asyncio.CancelledError:
            self._cancel(waiter)
            raise

    def release(self, connection: T, organization_id: int, kind: LeaseKind) -> None:
        """Lease the connection, or its replacement, to the next queued request, or keep it free."""
        queue = self._queues[organization_id]
        if kind is READ and queue.waiters and self._can_hand_over(waiter := queue.waiters[0]):
            # The most frequent case: no other organization is active.
            queue.served += 1
            self._remove(waiter)
            waiter.lease.set_result(connection)
            return
        queue.count(kind, -1)
        if len(self._queues) > _MAX_EMPTY_QUEUES:
            self._drop_if_empty(organization_id)
        self._free.append(connection)
        if self._rotation:
            self._dispatch()

    def _can_hand_over(self, waiter: _Waiter[T]) -> bool:
        """Return whether an organization's oldest waiter may take a connection it releases."""
        return (
            waiter.kind is READ
            and len(self._rotation) == 1
            and not waiter.lease.done()
            and not self._contention.is_contended()
        )

    def leased(self) -> int:
        """Return the number of leased connections."""
        return sum(queue.leased for queue in self._queues.values())

    def waiting(self) -> int:
        """Return the number of queued requests."""
        return sum(len(queue.waiters) for queue in self._queues.values())

    def retry_seconds(self, organization_id: int) -> int:
        """Return the seconds (1 to 30) after which an organization's waiters are likely served."""
        queue = self._queues.get(organization_id)
        if queue is None or not queue.waiters:
            return 1
        busy_seconds = asyncio.get_running_loop().time() - queue.busy_since
        seconds = len(queue.waiters) * busy_seconds / max(queue.served, 1)
        return min(MAX_RETRY_AFTER, math.ceil(seconds) or 1)

    def queue_lengths(self) -> list[tuple[int, int]]:
        """Return (organization id, queued requests) of each organization with queued requests."""
        return [(id_, len(self._queues[id_].waiters)) for id_ in self._rotation]

    def _dispatch(self) -> None:
        """Lease free connections to waiters, and check capped waiters again soon."""
        while self._rotation and self._free and (waiter := self._next_waiter()):
            waiter.lease.set_result(self._free.pop())
        if self._rotation and self._free:
            self._schedule_dispatch()

    def _schedule_dispatch(self) -> None:
        """Dispatch again in 0.01 s while contended: nothing else wakes capped waiters."""
        if not self._is_dispatch_scheduled and self._contention.is_contended():
            self._is_dispatch_scheduled = True
            asyncio.get_running_loop().call_later(CONTENTION_SECONDS, self._dispatch_again)

    def _dispatch_again(self) -> None:
        self._is_dispatch_scheduled = False
        self._dispatch()

    def _is_allowed(
        self, queue: _OrganizationQueue[T], kind: LeaseKind, *, is_capped: bool
    ) -> bool:
        """Return whether the limits allow the organization a further lease of the kind."""
        if queue.leased >= (self._max_contended_leases if is_capped else self._max_leases):
            return False
        return kind is READ or not (
            (kind.bulk and queue.bulk_leases >= self._max_bulk_leases)
            or (kind.exclusive and queue.exclusive_leases)
            or kind.collection in queue.locked_collections
        )

    def _next_waiter(self) -> _Waiter[T] | None:
        """Remove and return the waiter to lease to, or None; its organization goes last."""
        # A waiter whose deadline is later than this has waited less than 0.25 s.
        capped_after = math.inf
        if self._contention.is_contended():
            now = asyncio.get_running_loop().time()
            capped_after = now + self._timeout_seconds - CAP_EXEMPT_SECONDS
        for organization_id in self._rotation:
            queue = self._queues[organization_id]
            if queue.leased >= self._max_leases:
                continue
            for waiter in queue.waiters:
                # A canceled waiter is removed a moment later.
                if not waiter.lease.done() and self._is_allowed(
                    queue, waiter.kind, is_capped=waiter.deadline > capped_after
                ):
                    self._remove(waiter)
                    if self._rotation.pop(organization_id, True) is None:
                        self._rotation[organization_id] = None
                    queue.count(waiter.kind, 1)
                    queue.served += 1
                    return waiter
        return None

    def _cancel(self, waiter: _Waiter[T]) -> None:
        """Release the lease of a canceled waiter, or remove the waiter from its queue."""
        lease = waiter.lease
        if lease.done() and not lease.cancelled() and not lease.exception():
            self.release(lease.result(), waiter.organization_id, waiter.kind)
        elif waiter.organization_id in self._queues:
            self._remove(waiter)
            self._drop_if_empty(waiter.organization_id)

    def _remove(self, waiter: _Waiter[T]) -> None:
        """Remove a waiter from its organization's queue."""
        waiters = self._queues[waiter.organization_id].waiters
        if waiters and waiters[0] is waiter:
            waiters.popleft()
        elif waiter in waiters:
            waiters.remove(waiter)
        if not waiters:
            self._rotation.pop(waiter.organization_id, None)

    def _drop_if_empty(self, organization_id: int) -> None:
        """Drop the queue of an organization that has neither leases nor waiters."""
        queue = self._queues[organization_id]
        if not queue.leased and not queue.waiters:
            del self._queues[organization_id]

    def _expire(self) -> None:
        """Fail the waiters whose deadline has passed, and set the timer to the next deadline."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for organization_id in list(self._rotation):
            queue = self._queues[organization_id]
            retry_seconds = self.retry_seconds(organization_id)
            while queue.waiters and queue.waiters[0].deadline <= now:
                waiter = queue.waiters[0]
                self._remove(waiter)
                if not waiter.lease.done():
                    error = QueueTimeoutError(
                        own_organization=queue.leased > 0, retry_seconds=retry_seconds
                    )
                    waiter.lease.set_exception(error)
            self._drop_if_empty(organization_id)
        deadlines = [self._queues[id_].waiters[0].deadline for id_ in self._rotation]
        self._timer = loop.call_at(min(deadlines), self._expire) if deadlines else None
