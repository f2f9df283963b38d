"""Tests of `docs/connectors`: a copy by each tool equals the lists after writes and restarts.

``TEST_WRITES`` is the least number of random writes that each copy follows.
"""

import asyncio
import os
import re
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final

import asyncpg
import orjson
import pytest
from aiohttp.test_utils import TestClient

from service.feed.change_feed import delete_expired
from service.http.envelope import ApiResponse, success
from tests.connectors.copies import AirbyteCopy, Copy, DltCopy, SingerCopy
from tests.connectors.tools import CONFIGURATIONS, Run
from tests.support import generate
from tests.support.api import Api, issue_key
from tests.support.inserted_rows import execute
from tests.support.replica import walked
from tests.support.sampling import Sample, settle_seed
from tests.support.serving import serving
from tests.support.time_limits import scaled
from tests.support.writers import Writer

pytestmark = pytest.mark.contract("Changes")

WRITES: Final = int(os.environ.get("TEST_WRITES") or "200")
WRITES_PER_ROUND: Final = 1000
ORGANIZATION: Final = 2
CONFIGURED: Final = (".json", ".py", ".yaml")
MOST_LINES: Final = 30
NAMES: Final = re.compile(r'    \{"name": "|\s+[a-z-]+(, [a-z-]+)*[\],}]*$')
COPIES: Final = (DltCopy, SingerCopy, AirbyteCopy)
STORIES: Final = Sample("connectors")([*product(COPIES, ("restarts", "lost changes"))], 1)


def succeeded(result: Run) -> None:
    assert result.status == 0, result.errors + result.output[-2000:]


async def check(copy: Copy) -> None:
    """Raise AssertionError unless the copy has the documents of the lists, and no others."""
    lists = {
        (name, str(key)): copy.plain(orjson.loads(document))
        for (name, key), document in (await walked(copy.api)).items()
    }
    documents = await asyncio.to_thread(copy.documents)
    differing = {key for key in lists.keys() | documents if lists.get(key) != documents.get(key)}
    assert not differing, [(key, lists.get(key), documents.get(key)) for key in [*differing][:2]]


async def interrupted_load(copy: Copy, random: Random) -> None:
    """Kill the first load at a random moment."""
    reached = asyncio.Event()
    delay = scaled(random.uniform(0, 3))
    timer = asyncio.get_running_loop().call_later(delay, reached.set)
    await copy.load(reached)
    timer.cancel()


async def interrupted(copy: Copy, random: Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill the nightly job at a random moment after its first page of the feed."""
    answered, reached = asyncio.Event(), asyncio.Event()
    with monkeypatch.context() as patch:

        def answer(*data: bytes, **options: Any) -> ApiResponse:
            answered.set()
            return success(*data, **options)

        async def wait() -> None:
            await answered.wait()
            await asyncio.sleep(random.uniform(0, 1))
            reached.set()

        patch.setattr("service.feed.changes.success", answer)
        waiting = asyncio.create_task(wait())
        await copy.follow(reached)
        waiting.cancel()
    assert answered.is_set()


async def expire(dsn: str) -> None:
    """Delete all changes as retention does."""
    connection = await asyncpg.connect(dsn)
    async with connection.transaction():
        while await delete_expired(connection, ORGANIZATION, datetime.now(UTC)):
            pass
    await connection.close()


async def restore(dsn: str) -> None:
    """Begin the feed anew, as after a restore from a backup."""
    await execute(dsn, "update change_feed set epoch = epoch + 1")


async def lose_changes(copy: Copy, dsn: str, random: Random) -> None:
    """Lose changes that the copy has not read; raise AssertionError unless the job tells 410."""
    await copy.api.post("/api/groups", {"name": "Madder"})
    await copy.api.get("/api/changes", {"from": "now"})  # numbers it
    await random.choice((expire, restore))(dsn)
    result = await copy.follow()
    assert result.status != 0
    assert "410" in result.errors + result.output


@pytest.mark.parametrize(("tool", "story"), STORIES, ids=lambda part: getattr(part, "name", None))
async def test_a_copy_equals_the_lists(
    tool: type[Copy], story: str, demo_dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After kills of nightly jobs; or after one of the first load, and a loss of changes."""
    monkeypatch.setattr("service.feed.change_feed.MAX_PAGE_BYTES", 20_000)
    random, key = Random(f"{settle_seed()} {tool.name}"), await issue_key(demo_dsn, ORGANIZATION)
    async with serving(demo_dsn) as server, TestClient(server) as client:
        api = Api(client, key)
        copy = tool(tmp_path, api, str(server.make_url("/")).rstrip("/"))
        writer = Writer(api, await generate.references(api), random)
        await api.post("/api/groups", {"name": "Weld"})  # The position 0 is never lost.
        await copy.begin()
        if story == "lost changes":
            await asyncio.gather(writer.write(WRITES // 10), interrupted_load(copy, random))
        _, loaded = await asyncio.gather(writer.write(WRITES // 10), copy.load())
        succeeded(loaded)
        while story == "restarts" and writer.done < WRITES:
            goal = min(writer.done + WRITES_PER_ROUND, WRITES)
            while writer.done < goal:
                await writer.write(10)
            await interrupted(copy, random, monkeypatch)
            await writer.write(10)
            succeeded(await copy.follow())
            await check(copy)
        if story == "lost changes":
            await lose_changes(copy, demo_dsn, random)
            await copy.begin()
            succeeded(await copy.load())
            await check(copy)


@pytest.mark.parametrize("tool", COPIES, ids=lambda copy: copy.name)
def test_a_configuration_is_short(tool: type[Copy]) -> None:
    files = [path for path in (CONFIGURATIONS / tool.name).iterdir() if path.suffix in CONFIGURED]
    # dlt has a program for records and one for a shop.
    for of in [[file] for file in files] if tool is DltCopy else [files]:
        lines = [line for path in of for line in path.read_text().splitlines()]
        # Those of the collections are generated.
        assert 0 < sum(not NAMES.match(line) for line in lines) <= MOST_LINES
