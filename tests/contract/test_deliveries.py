"""Tests of deliveries to receivers of webhooks (contract, Deliveries)."""

import asyncio
import time
from typing import Any

import pytest
from aiohttp import web

from service.webhooks import batches, delivery
from tests.support.api import Api
from tests.support.inserted_rows import execute
from tests.support.receivers import (
    HOOKS,
    Arrival,
    TestReceiver,
    eventually,
    make,
    receiving,
    settled,
    state_of,
    subscribe,
)
from tests.support.time_limits import until

pytestmark = pytest.mark.contract("Deliveries")


def failing(times: int, status: int = 500, **headers: str) -> Any:
    """Return an answer that fails so many times, then takes everything."""
    left = [times]

    def answer(_: Arrival) -> web.Response:
        left[0] -= 1
        return web.Response(status=status if left[0] >= 0 else 200, headers=headers)

    return answer


async def test_changes_arrive_as_the_feed_has_them(sender_api: Api, receiver: TestReceiver) -> None:
    webhook = await subscribe(sender_api, receiver)
    await make(sender_api, 2)
    await until(lambda: bool(receiver.arrivals))
    await make(sender_api)
    state = await settled(sender_api, webhook)
    feed = (await sender_api.get("/api/changes")).data
    assert receiver.entries == feed
    first = receiver.arrivals[0].json
    members = [first[name] for name in ("type", "webhookId", "fromN", "toN")]
    assert members == ["changes", webhook["id"], 1, 1]
    assert isinstance(first["epoch"], int)
    assert receiver.arrivals[0].headers["content-type"] == "application/json"
    assert (state["position"], state["failures"], state["lastError"]) == (2, 0, None)
    assert state["lastSuccessAt"] > feed[-1]["at"]


async def test_long_transactions_are_split_in_order(
    sender_api: Api, receiver: TestReceiver
) -> None:
    webhook = await subscribe(sender_api, receiver, state="paused")
    for _ in range(2):
        await make(sender_api, 150)
    await make(sender_api)
    await sender_api.patch(f"{HOOKS}/{webhook['id']}", {"state": "active"})
    await settled(sender_api, webhook)
    assert [len(arrival.json["entries"]) for arrival in receiver.arrivals] == [100, 50, 100, 50, 1]
    numbers = [(arrival.json["fromN"], arrival.json["toN"]) for arrival in receiver.arrivals]
    assert numbers == [(1, 1), (1, 1), (2, 2), (2, 2), (3, 3)]
    assert len({arrival.id for arrival in receiver.arrivals}) == 5
    feed = (await sender_api.get("/api/changes", {"limit": "1000"})).data
    assert receiver.entries == feed


async def test_only_chosen_collections_arrive_with_documents(
    sender_api: Api, receiver: TestReceiver
) -> None:
    webhook = await subscribe(sender_api, receiver, collections=["item-categories"], documents=True)
    await make(sender_api, 3)
    [category] = await make(sender_api, 1, "/api/item-categories")
    state = await settled(sender_api, webhook)
    assert state["position"] == 2
    [entry] = receiver.entries
    assert entry["recordId"] == category
    assert entry["document"] == (await sender_api.get(f"/api/item-categories/{category}")).data


async def test_documents_that_are_too_long_come_in_several_messages(
    sender_api: Api, receiver: TestReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MAX_MESSAGE_BYTES", 1000)
    webhook = await subscribe(sender_api, receiver, documents=True)
    ids = await make(sender_api, 20)
    await settled(sender_api, webhook)
    assert [entry["recordId"] for entry in receiver.entries] == ids
    assert len(receiver.arrivals) > 3


@pytest.mark.contract("Budgets")
async def test_a_document_longer_than_a_page_arrives_alone_and_whole(
    sender_api: Api, receiver: TestReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contract, Deliveries: `document` is null for deleted records alone."""
    monkeypatch.setattr("service.feed.change_feed.MAX_PAGE_BYTES", 1)
    monkeypatch.setattr("service.records.resource.MAX_PAGE_BYTES", 1)
    webhook = await subscribe(sender_api, receiver, documents=True)
    ids = await make(sender_api, 3)
    await settled(sender_api, webhook)
    groups = [(await sender_api.get(f"/api/groups/{group}")).data for group in ids]
    messages = [arrival.json["entries"] for arrival in receiver.arrivals]
    assert [[entry["document"] for entry in entries] for entries in messages] == [
        [group] for group in groups
    ]


async def test_a_repeat_has_the_same_id_and_body(
    sender_api: Api, receiver: TestReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "retry_seconds", lambda *_: 0.01)
    receiver.answer = lambda _: web.Response(status=500)
    webhook = await subscribe(sender_api, receiver)
    await make(sender_api, 2)
    state = await eventually(sender_api, webhook, lambda state: state["failures"] > 1)
    receiver.answer = failing(1)
    assert state["lastError"] == "The receiver answered 500."
    await make(sender_api, 3)
    state = await settled(sender_api, webhook)
    first, *repeats, last = receiver.arrivals
    assert {(arrival.id, arrival.raw) for arrival in repeats} == {(first.id, first.raw)}
    assert (last.json["fromN"], last.id == first.id) == (2, False)
    assert (state["failures"], state["lastError"]) == (0, None)
    assert receiver.entries == (await sender_api.get("/api/changes")).data


async def test_retry_after_is_honored(sender_api: Api, receiver: TestReceiver) -> None:
    throttle, times = failing(1, 429, **{"Retry-After": "1"}), list[float]()

    def answer(arrival: Arrival) -> Any:
        times.append(time.monotonic())
        return throttle(arrival)

    receiver.answer = answer
    webhook = await subscribe(sender_api, receiver)
    await make(sender_api)
    await settled(sender_api, webhook)
    assert len(times) == 2
    assert times[1] - times[0] >= 0.9


async def test_gone_pauses(sender_api: Api, receiver: TestReceiver) -> None:
    receiver.answer = failing(1, 410)
    webhook = await subscribe(sender_api, receiver)
    await make(sender_api)
    state = await eventually(sender_api, webhook, lambda state: state["state"] == "paused")
    assert (state["position"], state["lastError"]) == (0, "The receiver answered 410.")
    entry = (await sender_api.get("/api/audit")).data[-1]
    assert (entry["actor"], entry["action"]) == ("service", "webhook.updated")
    assert (entry["target"], entry["details"]) == (f"webhook:{webhook['id']}", {"state": "paused"})
    await make(sender_api)
    await sender_api.patch(f"{HOOKS}/{webhook['id']}", {"state": "active"})
    await settled(sender_api, webhook)
    assert [entry["n"] for entry in receiver.entries] == [1, 2]


async def test_what_expires_is_told_once(
    sender_api: Api, receiver: TestReceiver, sending: tuple[str, Api]
) -> None:
    webhook = await subscribe(sender_api, receiver, state="paused")
    for _ in range(4):
        await make(sender_api)
    await sender_api.get("/api/changes")
    (dsn, _), id_ = sending, sender_api.organization_id
    await execute(dsn, "delete from change where n <= 2 and organization_id = $1", id_)
    await execute(dsn, "update change_feed set cleared_n = 2 where organization_id = $1", id_)
    await sender_api.patch(f"{HOOKS}/{webhook['id']}", {"state": "active"})
    await settled(sender_api, webhook)
    expired, *rest = [arrival.json for arrival in receiver.arrivals]
    assert (expired["type"], expired["resumeFrom"], "entries" in expired) == ("expired", 2, False)
    assert (expired["fromN"], expired["toN"]) == (1, 2)
    assert [entry["n"] for entry in receiver.entries] == [3, 4]
    assert {message["type"] for message in rest} == {"changes"}


async def test_after_a_restore_it_goes_on_at_the_end(
    sender_api: Api, receiver: TestReceiver, sending: tuple[str, Api]
) -> None:
    webhook = await subscribe(sender_api, receiver, state="paused")
    await make(sender_api)
    await sender_api.get("/api/changes")
    later = "update change_feed set epoch = epoch + 1 where organization_id = $1"
    await execute(sending[0], later, sender_api.organization_id)
    await sender_api.patch(f"{HOOKS}/{webhook['id']}", {"state": "active"})
    await settled(sender_api, webhook)
    [expired] = [arrival.json for arrival in receiver.arrivals]
    assert (expired["type"], expired["resumeFrom"]) == ("expired", 1)
    await make(sender_api)
    await settled(sender_api, webhook)
    assert [entry["n"] for entry in receiver.entries] == [2]


async def test_rewind_sends_again(sender_api: Api, receiver: TestReceiver) -> None:
    webhook = await subscribe(sender_api, receiver)
    for _ in range(3):
        await make(sender_api)
    await settled(sender_api, webhook)
    receiver.arrivals.clear()
    await sender_api.post(f"{HOOKS}/{webhook['id']}/rewind", {"n": 1})
    await until(lambda: len(receiver.entries) == 2)
    assert [entry["n"] for entry in receiver.entries] == [2, 3]


async def test_a_cursor_within_a_transaction_sends_the_rest_of_it(
    sender_api: Api, receiver: TestReceiver
) -> None:
    webhook = await subscribe(sender_api, receiver, state="paused")
    await make(sender_api, 5)
    page = await sender_api.get("/api/changes", {"limit": "2"})
    body = {"cursor": page.json["pagination"]["cursor"]}
    await sender_api.post(f"{HOOKS}/{webhook['id']}/rewind", body)
    await sender_api.patch(f"{HOOKS}/{webhook['id']}", {"state": "active"})
    await settled(sender_api, webhook)
    assert receiver.entries == (await sender_api.get("/api/changes")).data[2:]


async def test_a_slow_receiver_delays_no_other(sender_api: Api, receiver: TestReceiver) -> None:
    async with receiving() as slow:
        slow.held_up = asyncio.Event()
        blocked = await subscribe(sender_api, slow)
        prompt = await subscribe(sender_api, receiver)
        for _ in range(3):
            await make(sender_api)
            await settled(sender_api, prompt)
        slow.held_up.set()
        await settled(sender_api, blocked)
    assert slow.entries == receiver.entries


async def test_a_lease_of_a_killed_worker_goes_on(
    sender_api: Api, receiver: TestReceiver, sending: tuple[str, Api]
) -> None:
    """Its lease expires by itself; what it had on its way is sent again under the same id."""
    webhook = await subscribe(sender_api, receiver, state="paused")
    await make(sender_api)
    await sender_api.get("/api/changes")
    started = time.monotonic()
    await execute(
        sending[0],
        "update webhook set state = 'active', lease = 7, batch_from_n = 1, batch_n = 1,"
        " batch_id = 0, lease_until = now() + interval '1 s'"
        " where organization_id = $1",
        sender_api.organization_id,
    )
    await make(sender_api)
    await settled(sender_api, webhook)
    assert time.monotonic() - started >= 0.9
    assert [(a.json["fromN"], a.json["toN"]) for a in receiver.arrivals] == [(1, 1), (2, 2)]


async def test_a_test_message(sender_api: Api, receiver: TestReceiver) -> None:
    webhook = await subscribe(sender_api, receiver, state="paused")
    path = f"{HOOKS}/{webhook['id']}/test"
    answer = await sender_api.post(path, None)
    assert answer.data == {"delivered": True, "status": 204, "error": None}
    receiver.answer = failing(1, 503)
    failed = await sender_api.post(path, None)
    error = "The receiver answered 503."
    assert failed.data == {"delivered": False, "status": 503, "error": error}
    first, second = receiver.arrivals
    assert first.json["type"] == "test"
    assert "entries" not in first.json
    assert first.id != second.id
    assert (await state_of(sender_api, webhook))["failures"] == 0
