"""Tests of who delivers: one sender at a time, and none whose webhook was changed meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

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


@asynccontextmanager
async def under_way(dsn: str) -> AsyncIterator[tuple[Api, TestReceiver, dict[str, Any]]]:
    """Deliver two transactions, and leave a third one on its way until ``held_up`` is set."""
    async with sending_api(dsn) as api, receiving() as receiver:
        webhook = await subscribe(api, receiver)
        for _ in range(2):
            await make(api)
            await settled(api, webhook)
        receiver.held_up, receiver.arrivals = asyncio.Event(), []
        await make(api)
        await eventually(api, webhook, lambda state: state["lag"]["transactions"] == 1)
        await until(lambda: receiver.waiting == 1)
        yield api, receiver, webhook


async def test_of_two_senders_one_delivers(demo_dsn: str) -> None:
    async with sending_api(demo_dsn) as api, sending_api(demo_dsn), receiving() as receiver:
        webhook = await subscribe(api, receiver)
        for _ in range(30):
            await make(api)
            await asyncio.sleep(0.02)
        await settled(api, webhook)
        feed = (await api.get("/api/changes")).data
    delivered = [entry for arrival in receiver.arrivals for entry in arrival.json["entries"]]
    assert delivered == feed


async def test_a_rewind_outdates_what_is_on_its_way(demo_dsn: str) -> None:
    """The acknowledgment of it does not move the position."""
    async with under_way(demo_dsn) as (api, receiver, webhook):
        rewound = await api.post(f"{HOOKS}/{webhook['id']}/rewind", {"n": 0})
        assert rewound.data["position"] == 0
        assert receiver.held_up is not None
        receiver.held_up.set()
        await settled(api, webhook)
        assert [(a.json["fromN"], a.json["toN"]) for a in receiver.arrivals] == [(3, 3), (1, 3)]


async def test_a_paused_webhook_sends_no_more(demo_dsn: str) -> None:
    """The message on its way counts if it is acknowledged."""
    async with under_way(demo_dsn) as (api, receiver, webhook):
        path = f"{HOOKS}/{webhook['id']}"
        await api.patch(path, {"state": "paused"})
        await make(api)
        assert receiver.held_up is not None
        receiver.held_up.set()
        state = await eventually(api, webhook, lambda state: state["position"] == 3)
        assert (state["state"], state["lag"]["transactions"]) == ("paused", 1)
        await asyncio.sleep(0.6)
        assert len(receiver.arrivals) == 1
        await api.patch(path, {"state": "active"})
        await settled(api, webhook)
        assert [arrival.json["fromN"] for arrival in receiver.arrivals] == [3, 4]


async def test_a_deleted_webhook_sends_no_more(demo_dsn: str) -> None:
    async with under_way(demo_dsn) as (api, receiver, webhook):
        assert (await api.delete(f"{HOOKS}/{webhook['id']}")).status == 200
        assert receiver.held_up is not None
        receiver.held_up.set()
        other = await subscribe(api, receiver)
        await make(api)
        await settled(api, other)
        assert [arrival.json["webhookId"] for arrival in receiver.arrivals] == [
            webhook["id"],
            other["id"],
        ]


async def test_a_new_url_gets_what_the_former_one_did_not_take(demo_dsn: str) -> None:
    async with under_way(demo_dsn) as (api, receiver, webhook), receiving() as new:
        await api.patch(f"{HOOKS}/{webhook['id']}", {"url": new.url})
        await make(api)
        assert receiver.held_up is not None
        receiver.held_up.set()
        await settled(api, webhook)
        assert (await state_of(api, webhook))["url"] == new.url
        assert [arrival.json["fromN"] for arrival in receiver.arrivals] == [3]
        assert [arrival.json["fromN"] for arrival in new.arrivals] == [4]
