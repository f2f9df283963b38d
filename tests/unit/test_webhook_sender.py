"""Tests of the webhook sender: a wake is not lost, lists take a share of time, tries back off."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest

from service.webhooks import delivery, webhook_sender
from service.webhooks.webhook_sender import WebhookSender


class SlowDatabase:
    """Database in which each poll takes a time, during which ``meanwhile`` is called."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.meanwhile: Any = lambda: None

    async def poll(self, *_: object) -> list[int]:
        await asyncio.sleep(self.seconds)
        self.meanwhile()
        return []


def sender_of(database: SlowDatabase) -> WebhookSender:
    """Return a sender whose poller does not run."""
    used: Any = database
    outgoing: Any = SimpleNamespace(lookups=SimpleNamespace(close=lambda: None))
    sender = WebhookSender(used, outgoing)
    sender._poller.stop()
    return sender


@pytest.mark.contract("Deliveries")
async def test_a_wake_during_a_list_is_not_lost() -> None:
    """The statement may not see the new subscription yet."""
    database = SlowDatabase(0.05)
    sender = sender_of(database)
    database.meanwhile = lambda: sender.wake(7)
    await sender._list_active()
    assert sender._active == {7}
    database.meanwhile = lambda: None
    sender._next_list = 0.0
    await sender._list_active()
    assert not sender._active
    await sender.stop()


async def test_lists_take_a_twentieth_of_the_time_at_most() -> None:
    sender = sender_of(SlowDatabase(0.5))
    started = time.monotonic()
    await sender._list_active()
    ended = time.monotonic()
    assert sender._next_list - ended >= 0.95 * webhook_sender._SHARE * 0.5
    assert sender._next_list - ended <= webhook_sender._SHARE * (ended - started)
    await sender.stop()


@pytest.mark.contract("Deliveries")
@pytest.mark.parametrize(
    ("failures", "retry_after", "low", "high"),
    [
        (1, None, 0.9, 1.1),
        (2, None, 1.8, 2.2),
        (5, None, 14, 18),
        (13, None, 3600, 3600),
        (60, None, 3600, 3600),
        (1, 7.0, 7, 7),
        (9, 0.0, 230, 282),
        (1, 90_000.0, 3600, 3600),
    ],
)
def test_tries_come_at_growing_intervals(
    failures: int, retry_after: float | None, low: float, high: float
) -> None:
    assert low <= delivery.retry_seconds(failures, retry_after) <= high
