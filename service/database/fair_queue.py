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


class Comers:
    """Whether organizations come one after the other, or several at once.

    To any of the processes forked from this one: they share the machine, and the database.
    """

    def __init__(self) -> None:
        memory = memoryview(mmap.mmap(-1, 16))
        self._last, self._several_until = memory[:8].cast("q"), memory[8:].cast("d")

    def see(self, organization_id: int) -> None:
        """Take note of one that comes."""
        last = self._last[0]
        if last != organization_id:
            self._last[0] = organization_id
            if last:
                self._several_until[0] = time.monotonic() + _AT_ONCE_SECONDS

    def are_several(self, longer: float = 0.0) -> bool:
        """Return whether more than one came within the last moment, or so many seconds longer."""
        return time.monotonic() < self._several_until[0] + longer


class NoTurnError(TimeoutError):
    """Nothing became free in time; ``own`` tells that the organization's own requests hold it."""

    def __init__(self, *, own: bool) -> None:
        super().__init__("no turn came in time")
        self.own = own


@dataclass(frozen=True, slots=True)
class Use:
    """What a connection is taken for."""

    bulk: bool = False
    """These take long: half of the connections is not for them."""
    exclusive: bool = False
    """It locks the whole organization: one at a time, for a second would wait with a connection."""
    turn: str = ""
    """What of the organization it locks besides, if anything: again one at a time."""


READ = WRITE = Use()
_AT_ONCE_SECONDS = 0.01
"""How long organizations that came after each other count as coming at once."""
_HELD_BACK_SECONDS = 0.25
"""How long a caller waits at most for the sake of others, where its organization has free ones."""
COMERS = Comers()
"""Of organizations whose callers have presented a valid key."""
_KEPT = 100
"""Organizations whose empty shares are kept: most requests come from one that was there before."""


@dataclass(slots=True, eq=False)
class _Waiter(Generic[T]):
    organization_id: int
    use: Use
    until: float
    turn: "asyncio.Future[T]"


@dataclass(slots=True)
class _Share(Generic[T]):
    """What an organization holds, and who of it stands in line, the first to come first."""

    held: int = 0
    bulk: int = 0
    exclusive: int = 0
    turns: set[str] = field(default_factory=set)
    line: "deque[_Waiter[T]]" = field(default_factory=deque)

    def count(self, use: Use, one: int) -> None:
        self.held += one
        if use is not READ:
            self.bulk += one * use.bulk
            self.exclusive += one * use.exclusive
        if use.turn:
            (self.turns.add if one > 0 else self.turns.discard)(use.turn)


class Shares(Generic[T]):
    """Things that are taken and given back, by callers that wait for them in line.

    An organization has all but one of them at most, unless there is only one; half of them for
    bulk. While others come too, one for which callers wait in line has an eighth, unless they have
    waited for a while: what each holds slows the others down. Organizations in line are served in
    turn, each one's callers in the order in which they came. Everyone waits equally long at most,
    so one timer serves all of them: one each would cost more than the rest of the queue.
    """

    def __init__(self, things: Iterable[T], seconds: float, comers: Comers = COMERS) -> None:
        self._comers = comers
        self._free = list(things)
        self._seconds = seconds
        self._most = max(1, len(self._free) - 1)
        self._most_bulk = max(1, len(self._free) // 2)
        self._most_beside = max(1, len(self._free) // 8)
        self._shares: dict[int, _Share[T]] = {}
        self._rotation: dict[int, None] = {}
        """Organizations in line, the one whose turn is next first."""
        self._timer: asyncio.TimerHandle | None = None
        self._looks_again = False

    async def take(self, organization_id: int, use: Use) -> T:
        """What was given back last; raises NoTurnError when nothing becomes free in time."""
        share = self._shares.get(organization_id)
        if share is None:
            share = self._shares[organization_id] = _Share()
        self._comers.see(organization_id)
        # Where callers wait, most find that theirs hold all they may: there is no more to look at.
        if self._free and share.held < self._most:
            held_back = bool(share.line) and self._comers.are_several()
            if self._may(share, use, held_back=held_back):
                share.count(use, 1)
                return self._free.pop()
            self._plan_to_look_again()
        loop = asyncio.get_running_loop()
        until, turn = loop.time() + self._seconds, loop.create_future()
        # Written with its type, it takes several times as long to make.
        waiter: _Waiter[T] = _Waiter(organization_id, use, until, turn)
        share.line.append(waiter)
        self._rotation.setdefault(organization_id)
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._give_up)
        try:
            return await waiter.turn
        except asyncio.CancelledError:
            self._leave(waiter)
            raise

    def give_back(self, thing: T, organization_id: int, use: Use) -> None:
        """Hand the thing to whose turn it is."""
        share = self._shares[organization_id]
        if use is READ and share.line and self._succeeds(waiter := share.line[0]):
            # Most often: the next of the same organization, and nobody else is there.
            self._remove(waiter)
            waiter.turn.set_result(thing)
            return
        share.count(use, -1)
        if len(self._shares) > _KEPT:
            self._forget(organization_id)
        self._free.append(thing)
        if self._rotation:
            self._hand_out()

    def _succeeds(self, waiter: _Waiter[T]) -> bool:
        """Whether it is the turn of the first in an organization's line when another one leaves."""
        return (
            waiter.use is READ
            and len(self._rotation) == 1
            and not waiter.turn.done()
            and not self._comers.are_several()
        )

    def held(self) -> int:
        """How many are taken."""
        return sum(share.held for share in self._shares.values())

    def waiting(self) -> int:
        """How many callers stand in line."""
        return sum(len(share.line) for share in self._shares.values())

    def lines(self) -> list[tuple[int, int]]:
        """How many callers of each organization stand in line, without those of which none does."""
        return [(one, len(self._shares[one].line)) for one in self._rotation]

    def _hand_out(self) -> None:
        """Give what is free to those whose turn it is, and look again for who is held back."""
        while self._rotation and self._free and (waiter := self._next()):
            waiter.turn.set_result(self._free.pop())
        if self._rotation and self._free:
            self._plan_to_look_again()

    def _plan_to_look_again(self) -> None:
        """Hand out once more in a moment what others were not let have for the sake of others."""
        if not self._looks_again and self._comers.are_several():
            self._looks_again = True
            asyncio.get_running_loop().call_later(_AT_ONCE_SECONDS, self._look_again)

    def _look_again(self) -> None:
        self._looks_again = False
        self._hand_out()

    def _may(self, share: _Share[T], use: Use, *, held_back: bool) -> bool:
        if share.held >= (self._most_beside if held_back else self._most):
            return False
        return use is READ or not (
            (use.bulk and share.bulk >= self._most_bulk)
            or (use.exclusive and share.exclusive)
            or use.turn in share.turns
        )

    def _next(self) -> _Waiter[T] | None:
        """Whose turn it is, who then holds it, and whose organization goes to the end."""
        late = math.inf
        if self._comers.are_several():
            late = asyncio.get_running_loop().time() + self._seconds - _HELD_BACK_SECONDS
        for organization_id in self._rotation:
            share = self._shares[organization_id]
            if share.held >= self._most:
                continue
            for waiter in share.line:
                # Who was canceled leaves the line a moment later.
                if not waiter.turn.done() and self._may(
                    share, waiter.use, held_back=waiter.until > late
                ):
                    self._remove(waiter)
                    if self._rotation.pop(organization_id, True) is None:
                        self._rotation[organization_id] = None
                    share.count(waiter.use, 1)
                    return waiter
        return None

    def _leave(self, waiter: _Waiter[T]) -> None:
        """See to what someone held or waited for who is not there any more."""
        turn = waiter.turn
        if turn.done() and not turn.cancelled() and not turn.exception():
            self.give_back(turn.result(), waiter.organization_id, waiter.use)
        elif waiter.organization_id in self._shares:
            self._remove(waiter)
            self._forget(waiter.organization_id)

    def _remove(self, waiter: _Waiter[T]) -> None:
        """Take a caller out of its line."""
        line = self._shares[waiter.organization_id].line
        if line and line[0] is waiter:
            line.popleft()
        elif waiter in line:
            line.remove(waiter)
        if not line:
            self._rotation.pop(waiter.organization_id, None)

    def _forget(self, organization_id: int) -> None:
        """Keep nothing of an organization that neither holds nor waits."""
        share = self._shares[organization_id]
        if not share.held and not share.line:
            del self._shares[organization_id]

    def _give_up(self) -> None:
        """End the wait of those whose time is over, and see to the next one's."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for organization_id in list(self._rotation):
            share = self._shares[organization_id]
            while share.line and share.line[0].until <= now:
                waiter = share.line[0]
                self._remove(waiter)
                if not waiter.turn.done():
                    waiter.turn.set_exception(NoTurnError(own=share.held > 0))
            self._forget(organization_id)
        firsts = [self._shares[one].line[0].until for one in self._rotation]
        self._timer = loop.call_at(min(firsts), self._give_up) if firsts else None
