"""Tests of a killed node: no torn batch, no lost write, other organizations are served."""

import asyncio
import time
from contextlib import suppress
from itertools import count

import aiohttp

from tests.cluster.callers import GROUPS, readable_again
from tests.cluster.environment import NODE_KILLED, Cluster, stage
from tests.faults.campaign import run
from tests.faults.work import SIZE
from tests.support.api import Api, issue_key
from tests.support.time_limits import scaled, within

ROUNDS = 30
SEED = 4
WRITERS = 6
DEATHS = 12
OTHERS_SECONDS = 5.0
"""How long the slowest request of another node's organization may take during an outage."""


async def test_no_death_of_a_node_tears_a_batch_or_makes_the_service_lie(demo_dsn: str) -> None:
    async with stage(demo_dsn, SEED) as set_up:
        tallies = await run(set_up, ROUNDS, lambda _: None, [NODE_KILLED])
    assert [bad for tally in tallies.values() for bad in tally.bad] == []
    assert sum(tally.rounds for tally in tallies.values()) >= ROUNDS


async def test_acknowledged_writes_are_stored(demo_dsn: str) -> None:
    """Scaling, rule 11: where an insert runs as COPY, a failed commit may pass for a success."""
    async with stage(demo_dsn, SEED) as set_up:
        written = Written()
        over = asyncio.Event()
        writers = [
            asyncio.create_task(write(set_up, written, over))
            for write in (create, update)
            for _ in range(WRITERS // 2)
        ]
        readable = []
        for _ in range(DEATHS):
            await asyncio.sleep(set_up.random.uniform(1, 2))
            await set_up.restart_node()
            readable.append(await readable_again(set_up.api, max(written.sent)))
        over.set()
        await asyncio.gather(*writers)
        await set_up.recover()
        async with set_up.connection() as connection:
            stored = await connection.fetch(
                """select name, count(*) as colors from color
                where organization_id = 1 and starts_with(name, 'key-') group by name"""
            )
            query = "select id, name from style_group where organization_id = 1"
            names = {row["id"]: row["name"] for row in await connection.fetch(query)}
    print(len(written.created), "creates,", written.updates, "updates; readable after", readable)
    sizes = {row["name"]: row["colors"] for row in stored}
    assert len(written.created) > DEATHS
    assert set(sizes.values()) == {SIZE}
    assert set(written.created) <= sizes.keys()
    assert written.updates > DEATHS
    for id_, last in written.updated.items():
        assert last <= int(names[id_]) <= written.sent[id_]


class Written:
    """Names of acknowledged batches; by group, the last acknowledged and the last sent number."""

    def __init__(self) -> None:
        self.created: list[str] = []
        self.updated: dict[int, int] = {}
        self.sent: dict[int, int] = {}
        self.updates = 0


async def create(set_up: Cluster, written: Written, over: asyncio.Event) -> None:
    """Create batches until the end.

    Without a key for retries the batch itself is all that the transaction writes.
    """
    while not over.is_set():
        batch = set_up.workload.creation()
        with suppress(aiohttp.ClientError):
            answer = await set_up.api.call(batch.method, batch.path, batch.body)
            assert answer.status in (201, 503), answer.raw
            if answer.status == 201:
                written.created.append(batch.key)


async def update(set_up: Cluster, written: Written, over: asyncio.Event) -> None:
    """Rename a group of its own until the end, each time to the next number."""
    made = await set_up.api.post(GROUPS, {"name": "0"})
    assert made.status == 201, made.raw
    id_ = made.data["id"]
    for number in count(1):
        if over.is_set():
            return
        written.sent[id_] = number
        patch = [{"op": "replace", "path": "/name", "value": str(number)}]
        with suppress(aiohttp.ClientError):
            answer = await set_up.api.patch(f"{GROUPS}/{id_}", patch)
            assert answer.status in (200, 503), answer.raw
            if answer.status == 200:
                written.updated[id_] = number
                written.updates += 1


async def test_the_others_are_served_meanwhile(demo_dsn: str) -> None:
    async with stage(demo_dsn, SEED) as set_up:
        other = Api(set_up.api.client, await issue_key(demo_dsn, 2))
        assert (await other.get("/api/colors")).status == 200
        await set_up.kill_node()
        try:
            until = time.monotonic() + scaled(10)
            while time.monotonic() < until:
                calls = set_up.api.post(GROUPS, {"name": "Away"}), write_in_time(other)
                away, _ = await asyncio.gather(*calls)
                assert away.status == 503, away.raw
        finally:
            await set_up.start_node()
        async with within(10):
            # There is no event to wait for.
            while (await set_up.api.post(GROUPS, {"name": "Back"})).status != 201:  # noqa: ASYNC110
                await asyncio.sleep(0.1)


async def write_in_time(api: Api) -> None:
    """Write with success; raise TimeoutError at the limit."""
    async with within(OTHERS_SECONDS):
        answer = await api.post(GROUPS, {"name": "There"})
    assert answer.status == 201, answer.raw
