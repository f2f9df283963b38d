"""A fair queue: who asks first is served first."""

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """Things that are taken and given back, by callers that wait for them in line.

    Everyone waits equally long at most, so they give up in the order in which they came: one timer
    serves all of them, where one each would cost more than the rest of the queue.
    """

    def __init__(self, things: Iterable[T], seconds: float) -> None:
        self._free = list(things)
        self._seconds = seconds
        self._line: deque[tuple[float, asyncio.Future[T]]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def take(self) -> T:
        """What was given back last; raises TimeoutError when nothing becomes free in time."""
        if self._free:
            return self._free.pop()
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[T] = loop.create_future()
        self._line.append((loop.time() + self._seconds, turn))
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._give_up)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and not turn.exception():
                self.give_back(turn.result())
            raise

    def give_back(self, thing: T) -> None:
        """Hand the thing to the first in line."""
        while self._line:
            _, turn = self._line.popleft()
            if not turn.done():
                turn.set_result(thing)
                return
        self._free.append(thing)

    def _give_up(self) -> None:
        """End the wait of those whose time is over, and see to the next one's."""
        loop = asyncio.get_running_loop()
        self._timer = None
        while self._line:
            until, turn = self._line[0]
            if until > loop.time():
                self._timer = loop.call_at(until, self._give_up)
                return
            self._line.popleft()
            if not turn.done():
                turn.set_exception(TimeoutError("no turn came in time"))
