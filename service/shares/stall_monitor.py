"""Stall monitor: refuses work of organizations that get no answer while others do.

Problem: on a cluster a node that hangs keeps connections open and answers nothing. The coordinator
cannot even cancel a statement there, so PostgreSQL's time limits do not hold, and organizations of
that node take the connections of all others. Rejected: a short timeout of each statement, which
would end long writes. Chosen: organizations whose statements take long are probed.
``tests/cluster/test_node_hung.py`` and ``tests/contract/test_hung_organization.py`` show it.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from service import background
from service.errors import ApiError, unavailable
from service.events import log_event

PROBE_SECONDS: Final = 0.5
"""Timeout of a probe."""
_SHORT_SECONDS: Final = 0.25
"""Timeout of a probe while another organization is stalled: often its node has more of them."""
_TRUST_SECONDS: Final = 1.0
"""Time after an answer, or after a failed probe of a stalled organization, without a probe."""
_MAX_ENTRIES: Final = 1000
"""Maximum number of stalled organizations, and of those that have answered."""
_CONTROLS: Final = 3
"""Maximum number of other organizations that are probed to tell a stall from an outage."""


class StallMonitor:
    """Stalled organizations: those without an answer to probes before and after another one's.

    ``probe`` executes a statement that reads one row of an organization. It takes the id and a
    timeout, and raises ApiError without an answer in time. ``end_leases`` gets the id of each
    organization that is found stalled. A stall ends by the first answer to a probe. The id 0 stands
    for the service's own work, which belongs to no node: it is never stalled.
    """

    def __init__(
        self, probe: Callable[[int, float], Awaitable[None]], end_leases: Callable[[int], None]
    ) -> None:
        self._probe, self._end_leases = probe, end_leases
        self.stalled: dict[int, float] = {}
        """By organization id: time of ``time.monotonic`` of the next probe."""
        self._answered: dict[int, float] = {}
        """Time of the last known answer by organization id, the latest one last."""
        self._probes: dict[int, asyncio.Task[bool]] = {}
        self._lock = asyncio.Lock()

    def answered(self, organization_id: int) -> None:
        """Record that a short statement about the organization was answered."""
        if not organization_id:
            return
        self._answered.pop(organization_id, None)
        while len(self._answered) >= _MAX_ENTRIES:
            del self._answered[next(iter(self._answered))]
        self._answered[organization_id] = time.monotonic()

    def suspect(self, organization_id: int) -> None:
        """Probe the organization in the background, unless it was probed or has answered lately."""
        now = time.monotonic()
        if (
            organization_id
            and organization_id not in self._probes
            and now >= self._answered.get(organization_id, -_TRUST_SECONDS) + _TRUST_SECONDS
            and now >= self.stalled.get(organization_id, now)
        ):
            probe = background.run(partial(self._examine, organization_id))
            self._probes[organization_id] = probe
            probe.add_done_callback(lambda _: self._probes.pop(organization_id))

    async def require_answers(self, organization_id: int, *, wait: bool = True) -> None:
        """Raise ApiError 503 if the organization is stalled.

        Start a probe if one is due. With ``wait``, wait for its result, for PROBE_SECONDS at most.
        """
        if organization_id not in self.stalled:
            return
        self.suspect(organization_id)
        probe = self._probes.get(organization_id)
        if wait and probe is not None:
            await asyncio.wait([probe], timeout=PROBE_SECONDS)
        if organization_id in self.stalled:
            raise unavailable()

    async def _examine(self, organization_id: int) -> None:
        """Find out whether the organization is stalled; one examination runs at a time."""
        async with self._lock:
            seconds = _SHORT_SECONDS if self.stalled else PROBE_SECONDS
            if await self._answers(organization_id, seconds):
                if self.stalled.pop(organization_id, None) is not None:
                    message = "The organization's statements are answered again."
                    log_event("organization_answers", message, organization=organization_id)
            elif organization_id in self.stalled:
                self.stalled[organization_id] = time.monotonic() + _TRUST_SECONDS
            # A worker or database that had just stood still answers the second time.
            elif await self._another_answers(organization_id, seconds) and not await self._answers(
                organization_id, seconds
            ):
                self._open(organization_id)

    async def _answers(self, organization_id: int, seconds: float) -> bool:
        """Return whether the organization answers in time, and record it."""
        try:
            await self._probe(organization_id, seconds)
        except ApiError:
            return False
        self.answered(organization_id)
        return True

    async def _another_answers(self, organization_id: int, seconds: float) -> bool:
        """Return whether one of the others answers that have answered last.

        Without one the whole database is slow or away, or a lock holds up everyone.
        """
        others = [each for each in reversed(self._answered) if each != organization_id]
        for other in others[:_CONTROLS]:
            if await self._answers(other, seconds):
                return True
            self._answered.pop(other, None)
        return False

    def _open(self, organization_id: int) -> None:
        """Begin the organization's stall: its requests are refused, and those that run end."""
        while len(self.stalled) >= _MAX_ENTRIES:
            del self.stalled[next(iter(self.stalled))]
        self.stalled[organization_id] = time.monotonic() + _TRUST_SECONDS
        message = (
            "The database does not answer for the organization, but for others: its requests get"
            " 503. On a cluster check its node."
        )
        log_event("organization_stalled", message, logging.ERROR, organization=organization_id)
        self._end_leases(organization_id)
