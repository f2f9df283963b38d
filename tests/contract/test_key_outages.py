"""Tests of API keys whose look-ups fail or take long, and of look-ups in the background."""

import time
from typing import Any

import asyncpg
import pytest

from service.database.connections import Database
from service.errors import ApiError, unavailable
from service.organizations.caller import Callers
from tests.contract.test_callers import GROUPS
from tests.contract.test_key_look_ups import CountingDatabase
from tests.support.api import Api
from tests.support.clock import Clock
from tests.support.openapi_validation import is_failure
from tests.support.time_limits import until

pytestmark = pytest.mark.contract("Callers")


class AwayDatabase(Database):
    """Database whose look-ups fail if it is away."""

    is_away = False

    async def look_up(self, *given: Any) -> Any:
        if self.is_away:
            raise unavailable()
        return await super().look_up(*given)


async def test_a_known_key_goes_on_for_a_minute_while_look_ups_fail(
    shared_dsn: str, shared_keys: dict[str, str], clock: Clock
) -> None:
    database, key = AwayDatabase(shared_dsn, 1), shared_keys["writer"]
    callers = Callers(database)
    caller = await callers.find(key)
    assert caller is not None
    database.is_away = True
    for seconds in (5.01, 54.9):
        clock.now += seconds
        assert await callers.find(key) == caller
        assert await callers.find(key, fresh=True) == caller
    for unknown in (shared_keys["other"], key[:-1] + ("0" if key[-1] != "0" else "1")):
        with pytest.raises(ApiError):
            await callers.find(unknown)
    clock.now += 0.2
    with pytest.raises(ApiError):
        await callers.find(key)
    database.is_away = False
    assert await callers.find(key) == caller
    await database.close()


async def test_a_known_key_waits_a_second_for_its_look_up(
    demo_dsn: str, api: Api, clock: Clock
) -> None:
    """A revocation is seen as soon as look-ups are answered again."""
    assert (await api.get(GROUPS)).status == 200
    connection = await asyncpg.connect(demo_dsn)
    clock.now += 5.01
    async with connection.transaction():
        await connection.execute("lock table api_key in access exclusive mode")
        await connection.execute("update api_key set revoked_at = now()")
        began = time.monotonic()
        assert (await api.get(GROUPS)).status == 200
        assert time.monotonic() - began > 0.9
    await connection.close()
    is_failure(await api.get(GROUPS), 401, "unauthorized")


async def test_a_key_in_use_is_looked_up_in_the_background(
    shared_dsn: str, shared_keys: dict[str, str], clock: Clock
) -> None:
    """Its callers do not wait for that, and the next look-up is due after another lifetime."""
    database, key = CountingDatabase(shared_dsn, 1), shared_keys["writer"]
    callers = Callers(database)
    caller = await callers.find(key)
    clock.now += 4.5
    for _ in range(5):
        assert await callers.find(key) == caller
    await until(lambda: not callers._refreshing)
    assert database.look_ups == 2
    clock.now += 3.9
    assert await callers.find(key) == caller
    assert (database.look_ups, callers._refreshing) == (2, {})
    await database.close()
