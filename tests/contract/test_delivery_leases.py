"""Tests of who delivers: one sender at a time, and none whose webhook was changed meanwhile."""

import asyncio
from typing import Any, TypeAlias

import pytest

from tests.support.api import Api
from tests.support.receivers import (
    HOOKS,
    TestReceiver,
    eventually,
    make,
    receiving,
    sending_api,
    settled,
    state_of,
    subscribe,
)
from tests.support.time_limits import until

pytestmark = pytest.mark.contract("Deliveries")

UnderWay: TypeAlias = tuple[Api, TestReceiver, dict[str, Any], asyncio.Event]


@pytest.fixture
async def under_way(sender_api: Api, receiver: TestReceiver) -> UnderWay:
    """Deliver two transactions, and leave a third one on its way until ``held_up`` is set."""
    webhook = await subscribe(sender_api, receiver)
    for _ in range(2):
        await make(sender_api)
        await settled(sender_api, webhook)
    receiver.held_up, receiver.arrivals = asyncio.Event(), []
    await make(sender_api)
    await eventually(sender_api, webhook, lambda state: state["lag"]["transactions"] == 1)
    await until(lambda: receiver.waiting == 1)
    return sender_api, receiver, webhook, receiver.held_up


async def test_of_two_senders_one_delivers(
    sender_api: Api, receiver: TestReceiver, sending: tuple[str, Api]
) -> None:
    webhook = await subscribe(sender_api, receiver)
    async with sending_api(sending[0]):
        for _ in range(20):
            await make(sender_api)
            await asyncio.sleep(0.02)
        await settled(sender_api, webhook)
        feed = (await sender_api.get("/api/changes")).data
    delivered = [entry for arrival in receiver.arrivals for entry in arrival.json["entries"]]
    assert delivered == feed


async def test_a_rewind_outdates_what_is_on_its_way(under_way: UnderWay) -> None:
    """The acknowledgment of it does not move the position."""
    api, receiver, webhook, held_up = under_way
    rewound = await api.post(f"{HOOKS}/{webhook['id']}/rewind", {"n": 0})
    assert rewound.data["position"] == 0
    held_up.set()
    await settled(api, webhook)
    assert [(a.json["fromN"], a.json["toN"]) for a in receiver.arrivals] == [(3, 3), (1, 3)]


async def test_a_paused_webhook_sends_no_more(under_way: UnderWay) -> None:
    """The message on its way counts if it is acknowledged."""
    api, receiver, webhook, held_up = under_way
    path = f"{HOOKS}/{webhook['id']}"
    await api.patch(path, {"state": "paused"})
    await make(api)
    held_up.set()
    state = await eventually(api, webhook, lambda state: state["position"] == 3)
    assert (state["state"], state["lag"]["transactions"]) == ("paused", 1)
    await asyncio.sleep(0.2)
    assert len(receiver.arrivals) == 1
    await api.patch(path, {"state": "active"})
    await settled(api, webhook)
    assert [arrival.json["fromN"] for arrival in receiver.arrivals] == [3, 4]


async def test_a_deleted_webhook_sends_no_more(under_way: UnderWay) -> None:
    api, receiver, webhook, held_up = under_way
    assert (await api.delete(f"{HOOKS}/{webhook['id']}")).status == 200
    held_up.set()
    other = await subscribe(api, receiver)
    await make(api)
    await settled(api, other)
    ids = [arrival.json["webhookId"] for arrival in receiver.arrivals]
    assert ids == [webhook["id"], other["id"]]


async def test_a_new_url_gets_what_the_former_one_did_not_take(under_way: UnderWay) -> None:
    api, receiver, webhook, held_up = under_way
    async with receiving() as new:
        await api.patch(f"{HOOKS}/{webhook['id']}", {"url": new.url})
        await make(api)
        held_up.set()
        await settled(api, webhook)
        assert (await state_of(api, webhook))["url"] == new.url
        assert [arrival.json["fromN"] for arrival in receiver.arrivals] == [3]
        assert [arrival.json["fromN"] for arrival in new.arrivals] == [4]
