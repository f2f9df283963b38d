"""Webhook sender: polls for subscriptions with undelivered changes, and delivers to them.

Problem: subscriptions are many, most have nothing to send, and writers must not pay for them.
Rejected: a task for each subscription, which polls for itself, and notifications by writers.
Chosen: each worker polls organizations with active subscriptions, as for long polls. It
lists them every 5 s, or after 20 times the time of a slow list: only that asks all shards of a
cluster. By leases one worker at a time delivers to a subscription.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from aiohttp import web

from service import background
from service.database.connections import Connection, Database
from service.database.organization_poller import INTERVAL_SECONDS, OrganizationPoller
from service.http import metrics
from service.http.context import DATABASE
from service.resources.registry import CHANGES
from service.shares.slot_pool import SlotPool
from service.webhooks import leases
from service.webhooks.batches import BatchReader
from service.webhooks.delivery import Delivery
from service.webhooks.leases import SQL
from service.webhooks.outgoing import OUTGOING, Outgoing

_LIST_SECONDS: Final = 5
"""Time between two lists of the organizations that have active subscriptions."""
_SHARE: Final = 20
"""The pause after a list is at least this many times as long as the list took."""
_LAG_SECONDS: Final = 15
"""Minimum time between two measurements of an organization's lag, for the metrics."""
_NEVER: Final = (0.0, 0.0)
"""Time of the next measurement and lag of an organization that was not measured yet."""
_SLOTS: Final = 256
"""Maximum number of deliveries under way in a worker."""
_STOP_SECONDS: Final = 2
"""Time for deliveries to end when the worker stops."""


class WebhookSender:
    """Deliveries of a worker, at most one at a time for a subscription, and _SLOTS in all.

    Polls begin with its creation, which needs a running event loop.
    """

    def __init__(self, database: Database, outgoing: Outgoing) -> None:
        self._database, self._outgoing = database, outgoing
        self._reader = BatchReader(CHANGES)
        self._slots = SlotPool(_SLOTS)
        self._running: dict[tuple[int, int], asyncio.Task[bool]] = {}
        self._active = set[int]()
        """Organizations with active subscriptions, as far as this worker knows."""
        self._woken = set[int]()
        """Organizations of ``wake`` since the begin of the last list."""
        self._next_list = 0.0
        self._lags: dict[int, tuple[float, float]] = {}
        """Time of the next measurement and lag in seconds, by organization id."""
        self._poller = OrganizationPoller(
            database, lambda: self._active, self._due, self._start_deliveries
        )
        self._lists = background.repeat(self._list_active, INTERVAL_SECONDS)

    def wake(self, organization_id: int) -> None:
        """Let this worker poll an organization: a subscription may be new or active again."""
        self._woken.add(organization_id)
        self._active.add(organization_id)
        self._poller.hasten(organization_id)
        self._poller.start()

    async def stop(self) -> None:
        """Stop polls, then cancel the deliveries that do not end within _STOP_SECONDS.

        The leases of canceled deliveries expire. Name look-ups of the worker are closed, too.
        """
        self._lists.cancel()
        self._poller.stop()
        if self._running:
            await asyncio.wait(self._running.values(), timeout=_STOP_SECONDS)
        for task in self._running.values():
            task.cancel()
        self._outgoing.lookups.close()

    async def _list_active(self) -> None:
        """List the organizations to poll, and set the next list; do nothing before its time.

        Those listed before stay if the list fails, as while a node of a cluster is away.
        """
        started = time.monotonic()
        if started < self._next_list:
            return
        self._woken.clear()
        try:
            rows = await self._database.poll(_active)
        finally:
            ended = time.monotonic()
            self._next_list = ended + max(_LIST_SECONDS, _SHARE * (ended - started))
        self._active = {*rows, *self._woken}
        self._lags = {id_: lag for id_, lag in self._lags.items() if id_ in self._active}
        metrics.WEBHOOK_LAG.set(max((lag for _, lag in self._lags.values()), default=0.0))
        self._poller.start()

    async def _due(
        self, connection: Connection, organization_ids: list[int]
    ) -> dict[int, list[int]]:
        """Return the ids of subscriptions that have something to send, by organization id.

        Measure the lags of organizations for which that is due.
        """
        webhook_ids = defaultdict[int, list[int]](list)
        for organization_id, webhook_id in await connection.fetch(
            SQL["due"].text, organization_ids
        ):
            webhook_ids[organization_id].append(webhook_id)
        now = time.monotonic()
        unmeasured = [id_ for id_ in organization_ids if self._lags.get(id_, _NEVER)[0] <= now]
        if unmeasured:
            lags = dict(await connection.fetch(SQL["lags"].text, unmeasured))
            for id_ in unmeasured:
                self._lags[id_] = now + _LAG_SECONDS, lags.get(id_) or 0.0
        return webhook_ids

    async def _start_deliveries(self, organization_id: int, webhook_ids: list[int]) -> None:
        """Start the deliveries of an organization that are due, as far as there are slots."""
        for webhook_id in webhook_ids:
            key = (organization_id, webhook_id)
            if key not in self._running and self._slots.enter(organization_id):
                task = background.run(partial(self._deliver, *key))
                self._running[key] = task
                task.add_done_callback(partial(self._on_done, key))
        metrics.WEBHOOK_IN_FLIGHT.set(self._slots.taken)

    async def _deliver(self, organization_id: int, webhook_id: int) -> None:
        """Deliver to a subscription, unless ``leases.claim`` returns no lease."""
        claim = partial(leases.claim, organization_id=organization_id, webhook_id=webhook_id)
        lease = await self._database.write(claim, organization_id)
        if lease is not None:
            await Delivery(self._database, self._outgoing, self._reader, lease).run()

    def _on_done(self, key: tuple[int, int], _: "asyncio.Task[bool]") -> None:
        del self._running[key]
        self._slots.leave(key[0])
        metrics.WEBHOOK_IN_FLIGHT.set(self._slots.taken)


async def _active(connection: Connection) -> list[int]:
    """Return the ids of all organizations that have active subscriptions."""
    return [row["organization_id"] for row in await connection.fetch(SQL["active"].text)]


SENDER: Final[web.AppKey[WebhookSender]] = web.AppKey("webhook_sender", WebhookSender)


async def run_sender(app: web.Application) -> AsyncIterator[None]:
    """Run the worker's sender, under the key SENDER, for as long as the application runs."""
    app[SENDER] = sender = WebhookSender(app[DATABASE], app[OUTGOING])
    yield
    await sender.stop()
