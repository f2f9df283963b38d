"""Tests of the webhook sender: a wake is not lost, lists take a share of time, tries back off."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from service.webhooks import delivery, webhook_sender
from service.webhooks.webhook_sender import WebhookSender
from tests.support.clock import Clock


class PolledDatabase:
    """Database that calls ``meanwhile`` during each poll."""

    meanwhile: Any = staticmethod(lambda: None)

    async def poll(self, *_: object) -> list[int]:
        await asyncio.sleep(0)
        self.meanwhile()
        return []


def sender_of(database: PolledDatabase) -> WebhookSender:
    """Return a sender whose poller does not run."""
    used: Any = database
    outgoing: Any = SimpleNamespace(lookups=SimpleNamespace(close=lambda: None))
    sender = WebhookSender(used, outgoing)
    sender._poller.stop()
    return sender


@pytest.mark.contract("Deliveries")
async def test_a_wake_during_a_list_is_not_lost() -> None:
    """The statement may not see the new subscription yet."""
    database = PolledDatabase()
    sender = sender_of(database)
    database.meanwhile = lambda: sender.wake(7)
    await sender._list_active()
    assert sender._active == {7}
    database.meanwhile = lambda: None
    sender._next_list = 0.0
    await sender._list_active()
    assert not sender._active
    await sender.stop()


@pytest.mark.parametrize(("seconds", "pause"), [(0.0, 5.0), (0.5, 10.0)])
async def test_lists_take_a_twentieth_of_the_time_at_most(
    monkeypatch: pytest.MonkeyPatch, seconds: float, pause: float
) -> None:
    clock, database = Clock(monkeypatch, webhook_sender.__name__), PolledDatabase()
    sender, database.meanwhile = sender_of(database), lambda: setattr(clock, "now", 1000 + seconds)
    await sender._list_active()
    assert sender._next_list == clock.now + pause
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
