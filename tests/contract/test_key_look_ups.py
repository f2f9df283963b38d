"""Tests of look-ups of API keys: how many there are, and who waits for them (contract, Callers)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.database.connections import Database
from service.organizations import caller
from service.organizations.caller import Callers
from service.shares.contention import CONTENTION
from tests.support.clock import Clock

pytestmark = pytest.mark.contract("Callers")


class CountingDatabase(Database):
    """Database that counts look-ups, and those that each waited for."""

    look_ups = 0
    begun = 0

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.overtaken_by: dict[int, int] = {}
        """Number of others that began while the last look-up of a queue waited, by its id."""

    async def look_up(
        self, work: Any, organization_id: int = 0, queue_id: int | None = None
    ) -> Any:
        self.look_ups += 1
        await asyncio.sleep(0.01)
        begun = self.begun

        async def recorded(connection: Any) -> Any:
            self.overtaken_by[queue_id or organization_id] = self.begun - begun
            self.begun += 1
            return await work(connection)

        return await super().look_up(recorded, organization_id, queue_id)


@pytest.fixture
async def counting(shared_dsn: str) -> AsyncIterator[CountingDatabase]:
    database = CountingDatabase(shared_dsn, 1)
    yield database
    await database.close()


async def test_concurrent_look_ups_of_a_key_are_one(
    counting: CountingDatabase, shared_keys: dict[str, str]
) -> None:
    callers, key = Callers(counting), shared_keys["writer"]
    hanging_up = asyncio.create_task(callers.find(key))
    finding = [asyncio.create_task(callers.find(key)) for _ in range(20)]
    await asyncio.sleep(0)
    hanging_up.cancel()
    identified = await asyncio.gather(*finding)
    assert all(caller is not None and caller.organization_id == 1 for caller in identified)
    assert counting.look_ups == 1
    await asyncio.gather(*(callers.find(key, fresh=True) for _ in range(20)))
    assert counting.look_ups == 2


async def test_wrong_keys_cost_few_look_ups(
    counting: CountingDatabase, shared_keys: dict[str, str]
) -> None:
    """An unknown id costs one, and so does a wrong secret: the key may have been rotated."""
    callers, key = Callers(counting), shared_keys["writer"]
    organization_id, key_id, _ = caller.parse(key) or (0, 0, "")
    for _ in range(20):
        unknown = caller.compose(organization_id, key_id + 10**6, caller.new_secret())
        assert await callers.find(unknown) is None
    assert counting.look_ups == 1
    wrong_keys = [caller.compose(organization_id, key_id, caller.new_secret()) for _ in range(3)]
    for wrong in wrong_keys * 20:
        assert await callers.find(wrong) is None
    assert counting.look_ups == 4
    assert await callers.find(key) is not None
    assert counting.look_ups == 4
    more = [caller.compose(organization_id, key_id, caller.new_secret()) for _ in range(20)]
    assert await asyncio.gather(*map(callers.find, more)) == [None] * 20
    assert counting.look_ups <= 6
    for text in (key[:-1], key.upper(), "x" * 9000, key.replace("_", "-")):
        assert await callers.find(text) is None
    assert counting.look_ups <= 6


async def test_unknown_keys_delay_no_known_one(
    counting: CountingDatabase, shared_keys: dict[str, str], clock: Clock
) -> None:
    """A known key that has to be looked up again waits for one of them at most."""
    callers, key = Callers(counting), shared_keys["writer"]
    # Two organizations open both connections.
    await asyncio.gather(*(counting.look_up(lambda on: on.fetchval("select 1"), n) for n in (1, 2)))
    assert await callers.find(key) is not None
    clock.now += 5.01
    unknown_keys = [
        asyncio.create_task(callers.find(caller.compose(1, 10**9 + number, caller.new_secret())))
        for number in range(200)
    ]
    await asyncio.sleep(0)
    assert await callers.find(key) is not None
    assert await asyncio.gather(*unknown_keys) == [None] * 200
    assert counting.overtaken_by[1] <= 1
    assert counting.begun == 204


async def test_a_look_up_that_has_ended_is_joined_by_nobody(
    counting: CountingDatabase, shared_keys: dict[str, str]
) -> None:
    """Not even before the event loop has called off the flight: that took the loop for good."""
    callers, key = Callers(counting), shared_keys["writer"]
    assert await callers.find(key) is not None
    organization_id, key_id, secret = caller.parse(key) or (0, 0, "")
    ended = asyncio.create_task(callers._look_up(organization_id, key_id, was_valid=False))
    await ended
    callers._running[organization_id, key_id, False] = ended, 0.0
    assert await callers.find(caller.compose(organization_id, key_id, secret[::-1])) is None
    callers._end((organization_id, key_id, False), ended)
    assert not callers._running


async def test_unknown_keys_are_no_sign_of_other_organizations(shared_dsn: str) -> None:
    """Several active organizations would get fewer connections each."""
    database = Database(shared_dsn, 4)
    callers = Callers(database)
    await asyncio.sleep(0.05)
    for number in range(1, 20):
        await callers.find(caller.compose(number, 10**9, caller.new_secret()))
        assert not CONTENTION.is_contended()
    await database.close()


async def test_the_cache_of_unknown_keys_has_a_bound(
    counting: CountingDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.organizations.caller.CACHE_SIZE", 10)
    callers = Callers(counting)
    for number in range(1, 30):
        await callers.find(caller.compose(1, 10**9 + number, caller.new_secret()))
    assert len(callers._look_ups) == 10
