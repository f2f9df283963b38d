"""Organization poller: short statements about one organization at a time, or about all of them.

Problem: a statement about all organizations asks each shard of a cluster, and waits for its slowest
node. Statements for each of them cost plain PostgreSQL more, the more organizations there are.
Chosen: on a cluster a statement for one organization after the other, every GAP_SECONDS or less
often; on plain PostgreSQL one for all of them in each interval. Connections for polls serve nothing
else. Without turns a node that hangs stops the long polls and webhooks of all organizations
(``tests/contract/test_polls_in_turn.py``).
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import Final, Generic, TypeVar

from service import background
from service.database.connections import Connection, Database
from service.database.database_state import has_citus
from service.errors import ApiError

T = TypeVar("T")

INTERVAL_SECONDS: Final = 0.25
"""Minimum time between two polls of an organization; also the time before the first one."""
GAP_SECONDS: Final = 0.01
"""Minimum time from the end of a poll to the next one, of whichever organizations."""
_SHARE: Final = 5
"""The time to the next poll is this many times the time of a poll, up to INTERVAL_SECONDS."""
MAX_DELAY_SECONDS: Final = 8.0
"""Maximum time to the next poll of an organization whose polls fail; it doubles up to that."""


class OrganizationPoller(Generic[T]):
    """Polls organizations as long as there are any: in turn on a cluster, else together.

    ``organization_ids`` returns those to poll. ``look`` reads; it takes a connection and the ids by
    their name, ``organization_ids``, and returns what it read by id. ``handle`` gets an id and what
    was read, unless there is nothing.
    An organization is not polled while its ``handle`` runs, and nobody else waits for that.
    After a failure or a timeout, the organizations of the poll are polled alone until that
    succeeds. Polls that fail again are delayed, and only those.
    """

    def __init__(
        self,
        database: Database,
        organization_ids: Callable[[], Collection[int]],
        look: Callable[..., Awaitable[Mapping[int, T]]],
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
        self._is_cluster: bool | None = None
        """Whether the database is a cluster; None before the first poll."""
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
            await asyncio.sleep(await self._poll(self._group(organization_id)))
        return not self._organization_ids()

    def _group(self, organization_id: int) -> list[int]:
        """Return the organizations to poll together with one whose turn it is.

        On plain PostgreSQL it takes the turns of all others, so that these stay together.
        """
        if self._is_cluster is not False or organization_id in self._delays:
            return [organization_id]
        return [id_ for id_ in self._next if not (id_ in self._handling or id_ in self._delays)]

    async def _poll(self, organization_ids: list[int]) -> float:
        """Poll organizations, set their next turns, and return the seconds to anyone's next one."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        # Set before the poll, so that ``hasten`` counts during it.
        self._next.update(dict.fromkeys(organization_ids, started + INTERVAL_SECONDS))
        try:
            look = partial(self._results, organization_ids=organization_ids)
            results = await self._database.poll(look, organization_ids[0])
        except ApiError:
            for id_ in organization_ids:
                delay = 2 * self._delays.get(id_, INTERVAL_SECONDS)
                self._delays[id_] = delay = min(delay, MAX_DELAY_SECONDS)
                self._next[id_] = loop.time() + delay
            return GAP_SECONDS
        for id_ in organization_ids:
            self._delays.pop(id_, None)
        for id_, result in results.items():
            self._handling[id_] = handling = background.run(partial(self._handle, id_, result))
            handling.add_done_callback(partial(self._on_handled, id_))
        return min(max(_SHARE * (loop.time() - started), GAP_SECONDS), INTERVAL_SECONDS)

    async def _results(
        self, connection: Connection, organization_ids: list[int]
    ) -> Mapping[int, T]:
        if self._is_cluster is None:
            self._is_cluster = await has_citus(connection)
        return await self._look(connection, organization_ids=organization_ids)

    def _on_handled(self, organization_id: int, _: "asyncio.Task[bool]") -> None:
        del self._handling[organization_id]
