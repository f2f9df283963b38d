"""Organization poller: short statements about one organization at a time, in turn.

Problem: a statement about all organizations asks each shard of a cluster, and waits for its slowest
node. Rejected: a statement for each organization at once, whose number grows with theirs. Chosen: a
statement every GAP_SECONDS or less often, on connections that serve nothing else.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Final, Generic, TypeVar

from service import background
from service.database.connections import Database
from service.errors import ApiError

T = TypeVar("T")

INTERVAL_SECONDS: Final = 0.25
"""Minimum time between two polls of an organization; also the time before the first one."""
GAP_SECONDS: Final = 0.01
"""Minimum time from the end of a poll to the next one, of whichever organization."""
_SHARE: Final = 5
"""The time to the next poll is this many times the time of a poll, up to INTERVAL_SECONDS."""
MAX_DELAY_SECONDS: Final = 8.0
"""Maximum time to the next poll of an organization whose polls fail; it doubles up to that."""


class OrganizationPoller(Generic[T]):
    """Polls organizations in turn, one at a time, as long as there are any.

    ``organization_ids`` returns those to poll. ``look`` reads; it takes a connection and the id by
    its name, ``organization_id``. ``handle`` gets the id and what was read.
    An organization is not polled while its ``handle`` runs, and nobody else waits for that.
    After a failure or a timeout, its polls are delayed, and only those.
    """

    def __init__(
        self,
        database: Database,
        organization_ids: Callable[[], Collection[int]],
        look: Callable[..., Awaitable[T]],
        handle: Callable[[int, T], Awaitable[object]],
    ) -> None:
        self._database = database
        self._organization_ids = organization_ids
        self._look, self._handle = look, handle
        self._next: dict[int, float] = {}
        """Time of the next poll by organization id, by the clock of the event loop."""
        self._delays: dict[int, float] = {}
        """Delays of organizations whose last poll failed."""
        self._handling: dict[int, asyncio.Task[bool]] = {}
        self._task: asyncio.Task[None] | None = None
        self._is_stopped = False

    def start(self) -> None:
        """Start to poll, unless the poller runs or was stopped."""
        if not self._is_stopped and (self._task is None or self._task.done()):
            self._task = background.repeat(self.step, 0, at_once=True)

    def stop(self) -> None:
        """Stop polling for good; what is being handled goes on."""
        self._is_stopped = True
        if self._task is not None:
            self._task.cancel()

    def hasten(self, organization_id: int) -> None:
        """Poll an organization at its next turn, whatever its delay."""
        self._next[organization_id] = 0.0

    async def step(self) -> bool:
        """Wait for the next turn, and poll its organization; return whether there is none left."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        ids = self._organization_ids()
        self._next = {id_: self._next.get(id_, now + INTERVAL_SECONDS) for id_ in ids}
        turns = [(at, id_) for id_, at in self._next.items() if id_ not in self._handling]
        at, organization_id = min(turns, default=(now + INTERVAL_SECONDS, 0))
        if at > now:
            await asyncio.sleep(min(at - now, INTERVAL_SECONDS))
        elif organization_id:
            await asyncio.sleep(await self._poll(organization_id))
        return not self._organization_ids()

    async def _poll(self, organization_id: int) -> float:
        """Poll an organization, set its next turn, and return the seconds to anyone's next one."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        # Set before the poll, so that ``hasten`` counts during it.
        self._next[organization_id] = started + INTERVAL_SECONDS
        try:
            look = partial(self._look, organization_id=organization_id)
            result = await self._database.poll(look, organization_id)
        except ApiError:
            delay = 2 * self._delays.get(organization_id, INTERVAL_SECONDS)
            self._delays[organization_id] = delay = min(delay, MAX_DELAY_SECONDS)
            self._next[organization_id] = loop.time() + delay
            return GAP_SECONDS
        self._delays.pop(organization_id, None)
        handling = background.run(partial(self._handle, organization_id, result))
        self._handling[organization_id] = handling
        handling.add_done_callback(lambda _: self._handling.pop(organization_id))
        return min(max(_SHARE * (loop.time() - started), GAP_SECONDS), INTERVAL_SECONDS)
