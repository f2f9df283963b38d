"""Tests of what operators see of deliveries: log, metrics, pauses (contract, Deliveries)."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web
from prometheus_client import REGISTRY

from service.webhooks import delivery
from tests.support.api import Api, issue_key
from tests.support.inserted_rows import execute
from tests.support.receivers import HOOKS, TestReceiver, eventually, make, settled, subscribe
from tests.support.time_limits import until

pytestmark = pytest.mark.contract("Deliveries", "Log", "Health")


def counted(result: str) -> float:
    """Return the number of tries with a result."""
    name, labels = "selvedge_webhook_deliveries_total", {"result": result}
    return REGISTRY.get_sample_value(name, labels) or 0.0


def statuses(*codes: int) -> Callable[[Any], web.Response]:
    """Return an answer with one status after the other; the last one stays."""
    left = [*codes]
    return lambda _: web.Response(status=left.pop(0) if len(left) > 1 else left[0])


async def test_failures_are_logged_once_in_a_minute(
    sender_api: Api,
    receiver: TestReceiver,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(delivery, "retry_seconds", lambda *_: 0.01)
    before = {result: counted(result) for result in ("rejected", "gone", "delivered")}
    caplog.set_level(logging.INFO, "service")
    receiver.answer = statuses(500, 503, 204, 500, 204)
    webhook = await subscribe(sender_api, receiver)
    for _ in range(2):
        await make(sender_api)
        await settled(sender_api, webhook)
    receiver.answer = statuses(410)
    await make(sender_api)
    await until(lambda: counted("gone") > before["gone"])
    await until(lambda: "webhook_paused" in str([vars(each) for each in caplog.records]))
    lines = [
        (record.event, record.getMessage(), record.facts)  # type: ignore[attr-defined]
        for record in caplog.records
        if getattr(record, "event", "").startswith("webhook_")
    ]
    events = [event.removeprefix("webhook_") for event, _, _ in lines]
    assert events == ["created", "failed", "recovered", "paused"]
    assert {facts["host"] for _, _, facts in lines[1:]} == {"127.0.0.1"}
    assert "The receiver answered 500." in lines[1][1]
    gained = {result: counted(result) - count for result, count in before.items()}
    assert gained == {"rejected": 3, "gone": 1, "delivered": 2}


async def test_an_expired_key_pauses(
    sender_api: Api, receiver: TestReceiver, sending: tuple[str, Api]
) -> None:
    webhook = await subscribe(sender_api, receiver)
    await make(sender_api)
    await settled(sender_api, webhook)
    key = await issue_key(sending[0], sender_api.organization_id, "write", "audit:read")
    other, key_id = Api(sender_api.client, key), int(sender_api.key.split("_")[2])
    await execute(sending[0], "update api_key set expires_at = now() where id = $1", key_id)
    await make(other)
    state = await eventually(other, webhook, lambda state: state["state"] == "paused")
    expired = "The key that created or changed it last has expired."
    assert (state["position"], state["lastError"]) == (1, expired)
    assert (await other.get("/api/audit")).data[-1]["actor"] == "service"
    await other.patch(f"{HOOKS}/{webhook['id']}", {"state": "active"})
    await settled(other, webhook)
    assert [entry["n"] for entry in receiver.entries] == [1, 2]
