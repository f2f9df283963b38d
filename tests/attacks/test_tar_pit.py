"""Test of shares among receivers: a tar pit of many organizations delays no other receiver."""

import asyncio

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service.shares.slot_pool import SlotPool
from tests.attacks.attacker import Attacker
from tests.attacks.webhook_scenarios import subscriptions, tar_pit
from tests.support.api import Api, issue_key
from tests.support.receivers import LOOPBACK, make, receiving, settled, subscribe
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Deliveries", "Shares")


async def test_a_tar_pit_delays_no_other(demo_dsn: str) -> None:
    connection = await asyncpg.connect(demo_dsn)
    prepared = {"dsn": demo_dsn, **await subscriptions(connection, 0.3)}
    await connection.close()
    async with (
        serving(demo_dsn, WEBHOOK_PRIVATE_ADDRESSES=LOOPBACK) as server,
        TestClient(server) as client,
        receiving() as receiver,
    ):
        api = Api(client, await issue_key(demo_dsn, 2))
        webhook = await subscribe(api, receiver)
        pit = asyncio.create_task(tar_pit(Attacker(server.port or 0, "", prepared=prepared)))
        await asyncio.sleep(1)
        for _ in range(3):
            await make(api)
            await settled(api, webhook)
        assert not pit.done()
        pit.cancel()
        await asyncio.gather(pit, return_exceptions=True)
    assert len(receiver.entries) == 3


def test_shares_shrink_as_slots_are_taken() -> None:
    """Fifty organizations that want all they can get leave slots to others."""
    slots = SlotPool(256)
    for _ in range(20):
        for organization_id in range(1, 51):
            slots.enter(organization_id)
    assert slots.taken < 256
    assert all(slots.enter(organization_id) for organization_id in (100, 101, 102))
    taken = slots.taken
    slots.leave(100)
    assert slots.taken == taken - 1
    alone = SlotPool(4)
    assert [alone.enter(1), alone.enter(1), alone.enter(2)] == [True, False, True]
