"""Who gets a connection next: organizations take turns, and none holds them all.

One organization's requests wait behind each other, never behind another's (contract, Shares).
"""

import asyncio
import math
import mmap
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


class ContentionSignal:
    """Whether organizations come one after the other, or several at once.

    To any of the processes forked from this one: they share the machine, and the database.
    """

    def __init__(self) -> None:
        memory = memoryview(mmap.mmap(-1, 16))
        self._last, self._several_until = memory[:8].cast("q"), memory[8:].cast("d")

    def record(self, organization_id: int) -> None:
        """Take note of one that comes."""
        last = self._last[0]
        if last != organization_id:
            self._last[0] = organization_id
            if last:
                self._several_until[0] = time.monotonic() + _CONTENTION_SECONDS

    def is_contended(self, longer: float = 0.0) -> bool:
        """Return whether more than one came within the last moment, or so many seconds longer."""
        return time.monotonic() < self._several_until[0] + longer


class QueueTimeoutError(TimeoutError):
    """Nothing became free in time; ``own`` tells that the organization's own requests hold it."""

    def __init__(self, *, own: bool) -> None:
        super().__init__("no turn came in time")
        self.own_organization = own


@dataclass(frozen=True, slots=True)
class LeaseKind:
    """What a connection is taken for."""

    bulk: bool = False
    """These take long: half of the connections is not for them."""
    exclusive: bool = False
    """It locks the whole organization: one at a time, for a second would wait with a connection."""
    collection: str = ""
    """What of the organization it locks besides, if anything: again one at a time."""


READ = WRITE = LeaseKind()
_CONTENTION_SECONDS = 0.01
"""How long organizations that came after each other count as coming at once."""
_CAP_EXEMPT_SECONDS = 0.25
"""How long a caller waits at most for the sake of others, where its organization has free ones."""
COMERS = ContentionSignal()
"""Of organizations whose callers have presented a valid key."""
_MAX_EMPTY_QUEUES = 100
"""Organizations whose empty shares are kept: most requests come from one that was there before."""


@dataclass(slots=True, eq=False)
class _Waiter(Generic[T]):
    organization_id: int
    kind: LeaseKind
    deadline: float
    lease: "asyncio.Future[T]"


@dataclass(slots=True)
class _OrganizationQueue(Generic[T]):
    """What an organization holds, and who of it stands in line, the first to come first."""

    leased: int = 0
    bulk_leases: int = 0
    exclusive_leases: int = 0
    locked_collections: set[str] = field(default_factory=set)
    waiters: "deque[_Waiter[T]]" = field(default_factory=deque)

    def count(self, use: LeaseKind, one: int) -> None:
        self.leased += one
        if use is not READ:
            self.bulk_leases += one * use.bulk
            self.exclusive_leases += one * use.exclusive
        if use.collection:
            (self.locked_collections.add if one > 0 else self.locked_collections.discard)(
                use.collection
            )


class FairQueue(Generic[T]):
    """Things that are taken and given back, by callers that wait for them in line.

    An organization has all but one of them at most, unless there is only one; half of them for
    bulk. While others come too, one for which callers wait in line has an eighth, unless they have
    waited for a while: what each holds slows the others down. Organizations in line are served in
    turn, each one's callers in the order in which they came. Everyone waits equally long at most,
    so one timer serves all of them: one each would cost more than the rest of the queue.
    """

    def __init__(
        self, things: Iterable[T], seconds: float, comers: ContentionSignal = COMERS
    ) -> None:
        self._contention = comers
        self._free = list(things)
        self._seconds = seconds
        self._max_leases = max(1, len(self._free) - 1)
        self._max_bulk_leases = max(1, len(self._free) // 2)
        self._max_contended_leases = max(1, len(self._free) // 8)
        self._queues: dict[int, _OrganizationQueue[T]] = {}
        self._rotation: dict[int, None] = {}
        """Organizations in line, the one whose turn is next first."""
        self._timer: asyncio.TimerHandle | None = None
        self._is_dispatch_scheduled = False

    async def acquire(self, organization_id: int, use: LeaseKind) -> T:
        """What was given back last; raises NoTurnError when nothing becomes free in time."""
        share = self._queues.get(organization_id)
        if share is None:
            share = self._queues[organization_id] = _OrganizationQueue()
        self._contention.record(organization_id)
        # Where callers wait, most find that theirs hold all they may: there is no more to look at.
        if self._free and share.leased < self._max_leases:
            held_back = bool(share.waiters) and self._contention.is_contended()
            if self._is_allowed(share, use, held_back=held_back):
                share.count(use, 1)
                return self._free.pop()
            self._schedule_dispatch()
        loop = asyncio.get_running_loop()
        until, turn = loop.time() + self._seconds, loop.create_future()
        # Written with its type, it takes several times as long to make.
        waiter: _Waiter[T] = _Waiter(organization_id, use, until, turn)
        share.waiters.append(waiter)
        self._rotation.setdefault(organization_id)
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._expire)
        try:
            return await waiter.lease
        except asyncio.CancelledError:
            self._cancel(waiter)
            raise

    def release(self, thing: T, organization_id: int, use: LeaseKind) -> None:
        """Hand the thing to whose turn it is."""
        share = self._queues[organization_id]
        if use is READ and share.waiters and self._can_hand_over(waiter := share.waiters[0]):
            # Most often: the next of the same organization, and nobody else is there.
            self._remove(waiter)
            waiter.lease.set_result(thing)
            return
        share.count(use, -1)
        if len(self._queues) > _MAX_EMPTY_QUEUES:
            self._drop_if_empty(organization_id)
        self._free.append(thing)
        if self._rotation:
            self._dispatch()

    def _can_hand_over(self, waiter: _Waiter[T]) -> bool:
        """Whether it is the turn of the first in an organization's line when another one leaves."""
        return (
            waiter.kind is READ
            and len(self._rotation) == 1
            and not waiter.lease.done()
            and not self._contention.is_contended()
        )

    def leased(self) -> int:
        """How many are taken."""
        return sum(share.leased for share in self._queues.values())

    def waiting(self) -> int:
        """How many callers stand in line."""
        return sum(len(share.waiters) for share in self._queues.values())

    def queue_lengths(self) -> list[tuple[int, int]]:
        """How many callers of each organization stand in line, without those of which none does."""
        return [(one, len(self._queues[one].waiters)) for one in self._rotation]

    def _dispatch(self) -> None:
        """Give what is free to those whose turn it is, and look again for who is held back."""
        while self._rotation and self._free and (waiter := self._next_waiter()):
            waiter.lease.set_result(self._free.pop())
        if self._rotation and self._free:
            self._schedule_dispatch()

    def _schedule_dispatch(self) -> None:
        """Hand out once more in a moment what others were not let have for the sake of others."""
        if not self._is_dispatch_scheduled and self._contention.is_contended():
            self._is_dispatch_scheduled = True
            asyncio.get_running_loop().call_later(_CONTENTION_SECONDS, self._dispatch_again)

    def _dispatch_again(self) -> None:
        self._is_dispatch_scheduled = False
        self._dispatch()

    def _is_allowed(self, share: _OrganizationQueue[T], use: LeaseKind, *, held_back: bool) -> bool:
        if share.leased >= (self._max_contended_leases if held_back else self._max_leases):
            return False
        return use is READ or not (
            (use.bulk and share.bulk_leases >= self._max_bulk_leases)
            or (use.exclusive and share.exclusive_leases)
            or use.collection in share.locked_collections
        )

    def _next_waiter(self) -> _Waiter[T] | None:
        """Whose turn it is, who then holds it, and whose organization goes to the end."""
        late = math.inf
        if self._contention.is_contended():
            late = asyncio.get_running_loop().time() + self._seconds - _CAP_EXEMPT_SECONDS
        for organization_id in self._rotation:
            share = self._queues[organization_id]
            if share.leased >= self._max_leases:
                continue
            for waiter in share.waiters:
                # Who was canceled leaves the line a moment later.
                if not waiter.lease.done() and self._is_allowed(
                    share, waiter.kind, held_back=waiter.deadline > late
                ):
                    self._remove(waiter)
                    if self._rotation.pop(organization_id, True) is None:
                        self._rotation[organization_id] = None
                    share.count(waiter.kind, 1)
                    return waiter
        return None

    def _cancel(self, waiter: _Waiter[T]) -> None:
        """See to what someone held or waited for who is not there any more."""
        turn = waiter.lease
        if turn.done() and not turn.cancelled() and not turn.exception():
            self.release(turn.result(), waiter.organization_id, waiter.kind)
        elif waiter.organization_id in self._queues:
            self._remove(waiter)
            self._drop_if_empty(waiter.organization_id)

    def _remove(self, waiter: _Waiter[T]) -> None:
        """Take a caller out of its line."""
        line = self._queues[waiter.organization_id].waiters
        if line and line[0] is waiter:
            line.popleft()
        elif waiter in line:
            line.remove(waiter)
        if not line:
            self._rotation.pop(waiter.organization_id, None)

    def _drop_if_empty(self, organization_id: int) -> None:
        """Keep nothing of an organization that neither holds nor waits."""
        share = self._queues[organization_id]
        if not share.leased and not share.waiters:
            del self._queues[organization_id]

    def _expire(self) -> None:
        """End the wait of those whose time is over, and see to the next one's."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for organization_id in list(self._rotation):
            share = self._queues[organization_id]
            while share.waiters and share.waiters[0].deadline <= now:
                waiter = share.waiters[0]
                self._remove(waiter)
                if not waiter.lease.done():
                    waiter.lease.set_exception(QueueTimeoutError(own=share.leased > 0))
            self._drop_if_empty(organization_id)
        firsts = [self._queues[one].waiters[0].deadline for one in self._rotation]
        self._timer = loop.call_at(min(firsts), self._expire) if firsts else None
