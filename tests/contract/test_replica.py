"""Replica tests: a copy that follows the feed stays equal, whoever writes (contract, Changes)."""

import asyncio
from argparse import Namespace
from random import Random

import asyncpg
import pytest

from service.extras.commands import administration
from tests.support import generate
from tests.support.api import Api
from tests.support.replica import Replica
from tests.support.sampling import examples, settle_seed
from tests.support.writers import Writer

pytestmark = pytest.mark.contract("Changes")

WRITERS = 3
TIMES = examples(15, 50)


async def switch_settings(dsn: str, times: int) -> None:
    """Change settings as an operator does meanwhile."""
    connection = await asyncpg.connect(dsn)
    for number in range(times):
        pro = number % 2 == 1
        settings = Namespace(id=1, name=None, multiple_language=None, pro=pro, unique_keys=None)
        await administration._set_organization(connection, settings)
        await asyncio.sleep(0.1)
    await connection.close()


async def test_a_copy_stays_equal_whoever_writes(api: Api, other_api: Api, demo_dsn: str) -> None:
    writers = [
        Writer(caller, await generate.references(caller), Random(f"{settle_seed()} {number}"))
        for number in range(WRITERS)
        for caller in (api, other_api)
    ]
    replicas = [
        Replica(api, documents=True, limit=7),
        Replica(api, documents=False),
        Replica(other_api, documents=True, limit=1000),
    ]
    writing = asyncio.gather(
        switch_settings(demo_dsn, 5), *(writer.write(TIMES) for writer in writers)
    )
    await asyncio.gather(*(replica.begin() for replica in replicas))
    while not writing.done():
        await asyncio.gather(*(replica.follow() for replica in replicas))
    await writing
    for replica in replicas:
        await replica.holds()
        assert len(replica.seen) > TIMES
    assert sum(writer.done for writer in writers) > WRITERS * TIMES
