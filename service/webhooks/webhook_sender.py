"""Webhook sender: polls for subscriptions with undelivered changes, and delivers to them.

Problem: subscriptions are many, most have nothing to send, and writers must not pay for them.
Rejected: a task for each subscription, which polls for itself, and notifications by writers.
Chosen: one poll of each worker for the subscriptions of all organizations, as for long polls. The
pause after a poll is 0.25 s, or at least 20 times as long as a slow poll took. Without any active
subscription there is a poll every 5 s. By leases one worker at a time delivers to a subscription.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from aiohttp import web

from service import background
from service.database.connections import Connection, Database
from service.http import metrics
from service.http.context import DATABASE
from service.resources.registry import CHANGES
from service.webhooks import leases
from service.webhooks.batches import BatchReader
from service.webhooks.delivery import Delivery
from service.webhooks.leases import SQL
from service.webhooks.outgoing import OUTGOING, Outgoing
from service.webhooks.slot_pool import SlotPool

INTERVAL_SECONDS: Final = 0.25
"""Minimum time from the end of a poll to the begin of the next."""
_IDLE_SECONDS: Final = 5
"""Time between two polls while there is no active subscription, or after a failed poll."""
_SHARE: Final = 20
"""The pause after a poll is at least this many times as long as the poll."""
_LAG_SECONDS: Final = 15
"""Minimum time between two measurements of the largest lag, for the metrics."""
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
        self._next_poll = self._next_lag = 0.0
        self._polls = background.repeat(self._poll, INTERVAL_SECONDS)

    def wake(self) -> None:
        """Let this worker poll at the next interval: a subscription may be new or active again."""
        self._next_poll = 0.0

    async def stop(self) -> None:
        """Stop polls, then cancel the deliveries that do not end within _STOP_SECONDS.

        The leases of canceled deliveries expire. Name look-ups of the worker are closed, too.
        """
        self._polls.cancel()
        if self._running:
            await asyncio.wait(self._running.values(), timeout=_STOP_SECONDS)
        for task in self._running.values():
            task.cancel()
        self._outgoing.lookups.close()

    async def _poll(self) -> None:
        """Start the deliveries that are due and set the next poll; do nothing before its time."""
        started = time.monotonic()
        if started < self._next_poll:
            return
        self._next_poll = started + _IDLE_SECONDS
        is_active = await self._database.look_up(self._start_due)
        ended = time.monotonic()
        # A wake during the poll has set it to 0: the poll may have missed the subscription.
        if is_active and self._next_poll:
            self._next_poll = ended + _SHARE * (ended - started)
        metrics.WEBHOOK_IN_FLIGHT.set(self._slots.taken)

    async def _start_due(self, connection: Connection) -> bool:
        """Start the deliveries that are due, as far as there are slots.

        Organizations take turns. Return whether any of them has an active subscription.
        """
        rows = await connection.fetch(SQL["due"].text, 2 * _SLOTS)
        for organization_id, webhook_id in rows:
            key = (organization_id, webhook_id)
            if key not in self._running and self._slots.enter(organization_id):
                task = background.run(partial(self._deliver, *key))
                self._running[key] = task
                task.add_done_callback(partial(self._on_done, key))
        if time.monotonic() >= self._next_lag:
            self._next_lag = time.monotonic() + _LAG_SECONDS
            metrics.WEBHOOK_LAG.set(await connection.fetchval(SQL["largest_lag"].text) or 0)
        return bool(rows) or bool(await connection.fetchval(SQL["any_active"].text))

    async def _deliver(self, organization_id: int, webhook_id: int) -> None:
        """Deliver to a subscription, unless ``leases.claim`` returns no lease."""
        claim = partial(leases.claim, organization_id=organization_id, webhook_id=webhook_id)
        lease = await self._database.write(claim, organization_id)
        if lease is not None:
            await Delivery(self._database, self._outgoing, self._reader, lease).run()

    def _on_done(self, key: tuple[int, int], _: "asyncio.Task[bool]") -> None:
        del self._running[key]
        self._slots.leave(key[0])


SENDER: Final[web.AppKey[WebhookSender]] = web.AppKey("webhook_sender", WebhookSender)


async def run_sender(app: web.Application) -> AsyncIterator[None]:
    """Run the worker's sender, under the key SENDER, for as long as the application runs."""
    app[SENDER] = sender = WebhookSender(app[DATABASE], app[OUTGOING])
    yield
    await sender.stop()
