"""Tests of the response cache while others write: no response is older than the request for it.

Two servers share a database: one caches responses, the other does not. ``TEST_READS`` sets the
number of cached responses that are compared; ``--log-cli-level=INFO
--log-disable=aiohttp.access`` shows how they were.
"""

import asyncio
import logging
import os
from collections import deque
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import asyncpg
import pytest

from service.batches.change_recorder import record_settings
from service.feed.numbered_feed import read_numbered_state
from service.handlers import response_cache
from service.organizations import caller as organizations_caller
from service.resources.registry import MASTER_RECORDS
from service.routes import collection_path
from tests.support import generate
from tests.support.api import Answer, Api, replacing
from tests.support.cached_servers import Servers, hits, shown
from tests.support.cached_servers import servers as servers  # a fixture
from tests.support.changes import Follower
from tests.support.writers import Writer

pytestmark = pytest.mark.contract("Envelope")

LISTS = [collection_path(resource) for resource in MASTER_RECORDS]
NEWEST_FIRST = "&sort[0].property=id&sort[0].order=desc"
HOT = "/api/colors/1"
READS = int(os.environ.get("TEST_READS", "300"))
LOG: Final = logging.getLogger(__name__)


class CountedApi(Api):
    """Caller that counts its writes, and those that have an answer; it keeps paths of the last."""

    begun = ended = 0

    def __init__(self, api: Api) -> None:
        super().__init__(api.client, api.key)
        self.paths = deque[str](maxlen=8)

    async def call(self, method: str, path: str, *arguments: Any, **options: Any) -> Answer:
        """Return the response to a request."""
        if method == "GET":
            return await super().call(method, path, *arguments, **options)
        self.begun += 1
        self.paths.append(path)
        try:
            return await super().call(method, path, *arguments, **options)
        finally:
            self.ended += 1


@dataclass
class Comparison:
    """Reads of both servers while others write, by what they showed."""

    servers: Servers
    writer: CountedApi
    equal: int = 0
    differing: int = 0
    """Cached reads between uncached ones that differ: they equal one of both."""
    undecided: int = 0
    """Cached reads that equal none of two equal ones, which several writes met."""

    async def read(self, path: str, headers: dict[str, str], times: int) -> None:
        """Read through the cache between reads past it; raise AssertionError if one is stale."""
        fresh, cached = self.servers.fresh, self.servers.cached
        ended = self.writer.ended
        earlier = shown(await fresh.get(path, headers=headers))
        if earlier[0] != 200:
            return
        for _ in range(times):
            reads = (cached.get(path, headers=headers) for _ in range(4))
            answers = [shown(answer) for answer in await asyncio.gather(*reads)]
            ended_later = self.writer.ended
            later = shown(await fresh.get(path, headers=headers))
            for answer in answers:
                if answer not in (earlier, later):
                    # One write leads from the one to the other. A failure has an id of its own.
                    assert self.writer.begun - ended > 1 or answer[0] != 200, path
                    self.undecided += earlier == later
                elif earlier == later:
                    self.equal += 1
                else:
                    self.differing += 1
            earlier, ended = later, ended_later


@pytest.fixture
def slow_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some reads of documents and of the feed wait before they go on with what they have read."""
    random, respond = Random(3), response_cache.ResponseCache.respond

    async def late(result: Awaitable[Any]) -> Any:
        value = await result
        if random.random() < 0.2:
            await asyncio.sleep(random.uniform(0, 0.05))
        return value

    async def respond_late(self: Any, request: Any, handler: Any) -> Any:
        return await respond(self, request, lambda request: late(handler(request)))

    async def state_late(*arguments: Any, **options: Any) -> Any:
        return await late(read_numbered_state(*arguments, **options))

    monkeypatch.setattr(response_cache.ResponseCache, "respond", respond_late)
    monkeypatch.setattr(response_cache, "read_numbered_state", state_late)


@pytest.mark.usefixtures("slow_reads")
async def test_no_response_is_stale_while_others_write(
    servers: Servers, demo_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any list and record, while every kind of write, settings and numbering go on."""
    monkeypatch.setattr(organizations_caller, "KEY_CACHE_SECONDS", 0)
    writer, random, before = CountedApi(servers.fresh), Random(7), hits()
    comparison, is_over, renamed = Comparison(servers, writer), asyncio.Event(), 0

    async def read() -> None:
        while min(hits() - before, comparison.equal) < READS:
            path = some_path(writer.paths or LISTS, random)
            headers = {"Prefer": "count=exact"} if random.random() < 0.2 else {}
            await comparison.read(path, headers, random.randint(1, 12))

    async def write(seed: int) -> None:
        references = await generate.references(writer)
        random_writer = Writer(writer, references, Random(seed))
        while not is_over.is_set():
            await random_writer.write(1)
            await asyncio.sleep(random.uniform(0, 1))
        assert random_writer.done

    async def rename() -> None:
        """A rename is seen by the next read, while others fill the cache with the record."""
        nonlocal renamed
        while not is_over.is_set():
            reading = [asyncio.create_task(read_until(renamed + 10)) for _ in range(3)]
            for _ in range(10):
                renamed += 1
                answer = await writer.patch(HOT, replacing("/name", f"Name {renamed}"))
                assert answer.status == 200, answer.raw
                # A read after every write would find none that began before the write.
                if random.random() < 0.5:
                    assert (await servers.cached.get(HOT)).data["name"] == f"Name {renamed}"
            await asyncio.gather(*reading)
            await asyncio.sleep(random.uniform(0, 2))

    async def read_until(number: int) -> None:
        while renamed < number and not is_over.is_set():
            await servers.cached.get(HOT)

    others = [
        asyncio.create_task(each)
        for each in (
            *(write(1), write(2), rename()),
            change_settings(demo_dsn, writer, is_over, random),
            follow(servers.cached, is_over, random),
        )
    ]
    try:
        await asyncio.gather(*(read() for _ in range(2)))
    finally:
        is_over.set()
        await asyncio.gather(*others)
    LOG.info(
        "%s writes, %s of them read at once; %s cached responses; "
        "compared: %s equal, %s met by a write, %s undecided",
        *(writer.ended, renamed, hits() - before),
        *(comparison.equal, comparison.differing, comparison.undecided),
    )
    assert comparison.undecided <= 1 + READS / 1000


async def change_settings(
    dsn: str, writer: CountedApi, is_over: asyncio.Event, random: Random
) -> None:
    """Change a setting of the organization now and then until the end."""
    connection = await asyncpg.connect(dsn)
    try:
        while not is_over.is_set():
            writer.begun += 1
            async with connection.transaction():
                await connection.execute("update organization set pro = not pro where id = 1")
                await record_settings(connection, 1, is_shown=True)
            writer.ended += 1
            await asyncio.sleep(random.uniform(0, 4))
    finally:
        await connection.close()


async def follow(api: Api, is_over: asyncio.Event, random: Random) -> None:
    """Follow the changes of all collections until the end."""
    follower = Follower(api)
    await follower.begin()
    while not is_over.is_set():
        await follower.entries()
        await asyncio.sleep(random.uniform(0, 0.5))


def some_path(written: Sequence[str], random: Random) -> str:
    """Return the path of a list, or of a record or part in one of its forms.

    Most are of what was just written, for a stale response shows only there.
    """
    if random.random() < 0.3:
        return random.choice(LISTS)
    path = random.choice(written)
    if path.count("/") == len(("", "api", "colors")) - 1:
        return f"{path}?pageSize=10{random.choice(('', NEWEST_FIRST))}"
    return random.choice([path, f"{path}?form=writable", path.rpartition("/")[0]])
