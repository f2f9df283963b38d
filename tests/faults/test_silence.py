"""PostgreSQL that no longer answers, on a connection that stays open."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from service.database import connection_pool
from service.database.connections import Connection, Database
from service.errors import ApiError
from tests.faults.proxy import Link, Moment, Proxy, Trap
from tests.support.time_limits import scaled, within

pytestmark = pytest.mark.contract("Outages")

SECONDS = scaled(0.5)


@pytest.fixture
async def proxy(dsn: str) -> AsyncIterator[Proxy]:
    """Yield a proxy before the session's server."""
    made = Proxy(dsn)
    yield made
    await made.close()


@pytest.mark.parametrize(
    ("step", "moment", "code", "stored"),
    [
        (0, Moment.BEFORE, "server_error.unavailable", 0),
        (1, Moment.BEFORE, "server_error.unavailable", 0),
        (1, Moment.ANSWERED, "server_error.unavailable", 0),
        (None, Moment.BEFORE, "server_error.outcome_unknown", 0),
        (None, Moment.ANSWERED, "server_error.outcome_unknown", 1),
    ],
)
async def test_silence_ends(
    proxy: Proxy,
    monkeypatch: pytest.MonkeyPatch,
    step: int | None,
    moment: Moment,
    code: str,
    stored: int,
) -> None:
    """Check that the wait is bounded, the response true, and the next caller served."""
    monkeypatch.setattr(connection_pool, "SILENCE_SECONDS", SECONDS)
    served = Database(await proxy.open(), 1)

    async def add(connection: Connection) -> None:
        await connection.execute("select from language")
        await connection.execute("insert into language (name, code) values ('Silence', 'xx')")

    async def count(connection: Connection) -> int:
        return int(await connection.fetchval("select count(*) from language where code = 'xx'"))

    async def forever(_: Link) -> None:
        await asyncio.Event().wait()

    assert await served.read(count, 1) == 0
    trap = Trap(step, moment, forever)
    proxy.arm(trap)
    async with within(4 * SECONDS):
        with pytest.raises(ApiError) as raised:
            await served.write(add, 1)
        assert raised.value.code == code
        assert await served.read(count, 1) == stored
    await served.close()
    assert trap.task is not None
    trap.task.cancel()
