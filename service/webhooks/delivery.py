"""Delivery: sends the batches of a leased subscription, one after the other.

A message may be delivered more than once: if storing a success fails, it is sent again after the
lease has expired. No transaction is open while a message is under way.
Source: contract, Deliveries.
"""

import logging
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final, TypeVar

import asyncpg

from service import background
from service.database.connections import Connection, Database
from service.events import log_event
from service.feed.change_feed import assign_sequence_numbers
from service.feed.feed_parameters import FeedPosition
from service.http import metrics
from service.limits import LEASE_SECONDS, MAX_RETRY_SECONDS
from service.organizations import audit
from service.organizations.audit import Actor, AuditEvent
from service.webhooks.batches import BatchReader, FeedBatch, MustNumberError
from service.webhooks.leases import SQL, Lease
from service.webhooks.outgoing import Outgoing
from service.webhooks.receiver import GONE, Attempt, Receiver
from service.webhooks.signing import active_secrets, signed_headers

T = TypeVar("T")
_JITTER: Final = 0.1
"""Largest deviation from the backoff, up or down, as a share of it."""


def retry_seconds(failures: int, retry_after: float | None = None) -> float:
    """Return the seconds to wait after ``failures`` failed tries in a row, the last one included.

    They are 1 after the first failure and twice as many after each further one, with up to 10 % of
    jitter up or down. A longer ``retry_after``, the seconds of the receiver's ``Retry-After``,
    replaces them. Both are at most MAX_RETRY_SECONDS.
    """
    seconds = 2.0 ** min(failures - 1, 20)
    jittered = seconds * random.uniform(1 - _JITTER, 1 + _JITTER)
    return min(max(jittered, retry_after or 0), MAX_RETRY_SECONDS)


_MAX_BATCHES: Final = 50
"""Maximum number of messages of a delivery. Then its slot is free for other subscriptions."""
_RENEWAL_SECONDS: Final = LEASE_SECONDS / 2.5
"""Interval of renewals of the lease while a response is awaited."""
_EXPIRED: Final = Attempt(GONE, error="The key that created or changed it last has expired.")
_LOG_INTERVAL: Final = timedelta(minutes=1)
"""Minimum time between two lines of the log about failures of a subscription."""


@dataclass(frozen=True, slots=True)
class _Step:
    """Batch to send, and the subscription's row as it was when the batch was read."""

    batch: FeedBatch
    row: asyncpg.Record


class Delivery:
    """Delivery to one subscription for as long as this sender has its lease; for one ``run``."""

    def __init__(
        self, database: Database, outgoing: Outgoing, reader: BatchReader, lease: Lease
    ) -> None:
        self._database, self._outgoing = database, outgoing
        self._reader, self._lease = reader, lease

    async def run(self) -> None:
        """Send up to _MAX_BATCHES messages, fewer if none is left, a try fails or the lease ends.

        After a message up to the end of the feed, changes since then wait for the next poll: if
        each went at once, frequent writes would make as many messages with one change each. The
        lease is released at the end. A failed try is stored, and does not raise.
        Raise ApiError for an outage of the database; then the lease expires.
        """
        done: FeedBatch | None = None
        async with AsyncExitStack() as stack:
            receiver: Receiver | None = None
            for _ in range(_MAX_BATCHES):
                step = await self._next(done)
                if step is None:
                    return
                if receiver is None or receiver.url != step.row["url"]:
                    receiver = await stack.enter_async_context(
                        self._outgoing.receiver(self._lease.organization_id, step.row["url"])
                    )
                is_expired = step.row["key_has_expired"]
                attempt = _EXPIRED if is_expired else await self._post(receiver, step)
                metrics.WEBHOOK_DELIVERIES.labels(attempt.result).inc()
                if attempt.error is not None:
                    await self._fail(receiver, step, attempt)
                    return
                self._log_recovery(receiver, step)
                done = step.batch
                if not done.has_more:
                    break
        await self._write(partial(self._end, done=done))

    async def _next(self, done: FeedBatch | None) -> _Step | None:
        """Store that batch ``done`` was delivered, and return the next one with a message.

        Return None if there is none, or if the subscription was paused or the lease lost; the lease
        is over then. Each transaction scans a limited part of the feed and renews the lease, so
        that it does not expire meanwhile. Changes without a sequence number are numbered first, in
        transactions of their own.
        """
        while True:
            try:
                step = await self._write(partial(self._take, done=done))
                done = None
                if step is None or step.batch.message is not None:
                    return step
            except MustNumberError:
                number = partial(
                    assign_sequence_numbers, organization_id=self._lease.organization_id
                )
                while await self._write(number):
                    pass

    async def _take(self, connection: Connection, done: FeedBatch | None) -> _Step | None:
        """Store that ``done`` was delivered, and return the next batch, in one transaction.

        A batch with a message is stored as sent. One without a message moves the position, and is
        returned if there may be more. Return None if there is nothing more, or the lease is over.
        Raise MustNumberError, which rolls back, if changes have to be numbered first.
        """
        if done is not None and not await self._advance(connection, done, datetime.now(UTC)):
            return None
        row = await connection.fetchrow(SQL["leased"].text, *self._lease.key)
        if row is None:
            await self._lease.execute(connection, "release")
            return None
        batch = await self._reader.read(connection, self._lease, row)
        if batch.message is not None:
            parameters = (batch.from_n, *_columns(batch.end))
            is_held = await self._lease.execute(connection, "dispatch", *parameters)
            return _Step(batch, row) if is_held else None
        await self._advance(connection, batch, None)
        if batch.has_more:
            return _Step(batch, row)
        await self._lease.execute(connection, "release")
        return None

    async def _advance(
        self, connection: Connection, batch: FeedBatch, delivered_at: datetime | None
    ) -> bool:
        """Move the position to the end of a batch, and renew the lease; return False if it is lost.

        With a time of delivery, reset the failures and the last error.
        """
        parameters = (batch.epoch, *_columns(batch.end), delivered_at)
        return await self._lease.execute(connection, "advance", *parameters)

    async def _end(self, connection: Connection, done: FeedBatch | None) -> None:
        """Store that batch ``done`` was delivered, and release the lease."""
        if done is not None:
            await self._advance(connection, done, datetime.now(UTC))
        await self._lease.execute(connection, "release")

    async def _post(self, receiver: Receiver, step: _Step) -> Attempt:
        """Send the message of a batch, signed now; renew the lease until there is a response."""
        message, row = step.batch.message, step.row
        assert message is not None
        signed = (message.id, int(time.time()), message.body)
        headers = signed_headers(*signed, active_secrets(row))
        renew = partial(self._lease.execute, statement="renew")
        renewal = background.repeat(partial(self._write, renew), _RENEWAL_SECONDS)
        try:
            return await receiver.post(message.body, headers)
        finally:
            renewal.cancel()

    async def _fail(self, receiver: Receiver, step: _Step, attempt: Attempt) -> None:
        """Store a failed try with the time of the next, and release the lease.

        Log it, at most once a minute for a subscription. The answer 410, and an expired key,
        pause the subscription, which is always logged.
        """
        is_gone, now = attempt.result == GONE, datetime.now(UTC)
        logged_at = step.row["failure_logged_at"]
        if is_logged := logged_at is None or now - logged_at >= _LOG_INTERVAL:
            logged_at = now
        seconds = retry_seconds(step.row["failures"] + 1, attempt.retry_after)
        parameters = (is_gone, attempt.error, seconds, logged_at)
        recorded = list[audit.Entry]()

        async def store(connection: Connection) -> None:
            recorded.clear()
            if await self._lease.execute(connection, "fail", *parameters) and is_gone:
                organization_id, webhook_id, _ = self._lease.key
                event = AuditEvent("webhook.updated", f"webhook:{webhook_id}", {"state": "paused"})
                entry = await audit.record(connection, organization_id, Actor("service"), event)
                recorded.append(entry)

        await self._write(store)
        for entry in recorded:
            audit.log_head(self._lease.organization_id, entry["n"], entry["hash"])
        if is_gone:
            message = f"The webhook to {receiver.host} is paused: {attempt.error}"
            self._log("webhook_paused", message, receiver, logging.WARNING)
        elif is_logged:
            message = f"A message to {receiver.host} was not delivered: {attempt.error}"
            self._log("webhook_failed", message, receiver, logging.WARNING)

    def _log_recovery(self, receiver: Receiver, step: _Step) -> None:
        """Log that messages are taken again, if a failure was logged since the last success."""
        logged_at, succeeded_at = step.row["failure_logged_at"], step.row["last_success_at"]
        is_logged = logged_at and (succeeded_at is None or logged_at > succeeded_at)
        if step.row["failures"] and is_logged:
            message = f"{receiver.host} takes messages again."
            self._log("webhook_recovered", message, receiver, logging.INFO)

    def _log(self, event: str, message: str, receiver: Receiver, level: int) -> None:
        log_event(
            event,
            message,
            level,
            host=receiver.host,
            webhook=self._lease.webhook_id,
            organization=self._lease.organization_id,
        )

    async def _write(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        return await self._database.write(work, self._lease.organization_id)


def _columns(position: FeedPosition) -> tuple[int, str | None, int]:
    return position.n, position.collection, position.record_id
