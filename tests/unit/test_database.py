"""Who waits for whom before the database connections."""

import asyncio

from service.database.connections import Connection, Database


async def test_bulk_writes_leave_connections_to_the_others(dsn: str) -> None:
    """As many as there are connections: half of them wait, and a read does not."""
    served, began, done = Database(dsn, 2), asyncio.Event(), asyncio.Event()
    started = list[Connection]()

    async def slow(connection: Connection) -> None:
        started.append(connection)
        began.set()
        await done.wait()

    async def one(connection: Connection) -> int:
        return int(await connection.fetchval("select 1"))

    bulk = [asyncio.create_task(served.write(slow, is_bulk=True)) for _ in range(2)]
    async with asyncio.timeout(5):
        await began.wait()
        assert await served.read(one) == 1
        assert await served.write(one) == 1
        assert len(started) == 1
        done.set()
        await asyncio.gather(*bulk)
    assert len(started) == 2
    await served.close()
