"""Tests of the webhook sender: a wake is not lost, polls take a share of time, tries back off."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest

from service.webhooks import backoff, webhook_sender
from service.webhooks.webhook_sender import WebhookSender


class SlowDatabase:
    """Database whose every look-up takes a time, during which ``meanwhile`` is called."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.meanwhile: Any = lambda: None

    async def look_up(self, _: object) -> bool:
        await asyncio.sleep(self.seconds)
        self.meanwhile()
        return True


@pytest.mark.contract("Deliveries")
async def test_a_wake_during_a_poll_is_not_lost() -> None:
    database: Any = SlowDatabase(0.1)
    outgoing: Any = SimpleNamespace(lookups=SimpleNamespace(close=lambda: None))
    sender = WebhookSender(database, outgoing)
    database.meanwhile = sender.wake
    await sender._poll()
    assert sender._next_poll <= time.monotonic()
    await sender.stop()


async def test_polls_take_a_twentieth_of_the_time_at_most() -> None:
    database: Any = SlowDatabase(0.05)
    outgoing: Any = SimpleNamespace(lookups=SimpleNamespace(close=lambda: None))
    sender = WebhookSender(database, outgoing)
    started = time.monotonic()
    await sender._poll()
    ended = time.monotonic()
    assert sender._next_poll - ended >= 0.95 * webhook_sender._SHARE * 0.05
    assert sender._next_poll - ended <= webhook_sender._SHARE * (ended - started)
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
        (9, 0.0, 0, 0),
        (1, 90_000.0, 3600, 3600),
    ],
)
def test_tries_come_at_growing_intervals(
    failures: int, retry_after: float | None, low: float, high: float
) -> None:
    assert low <= backoff.retry_seconds(failures, retry_after) <= high
