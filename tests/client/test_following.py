"""Changes are followed by the client, the command and the replica of the documentation."""

import asyncio
import json
import os
import re
import signal
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from service.client import Client, GoneError
from service.listing import cursor as cursors
from service.resources.registry import CHANGES
from tests.client.between import Between, Fault
from tests.client.conftest import Place
from tests.policy.sources import ROOT
from tests.support.api import replacing
from tests.support.waiting import limit, until, within

pytestmark = pytest.mark.contract("Changes")

SECONDS = 30


async def taken(pages: AsyncIterator[Any], count: int) -> list[Any]:
    """So many entries."""
    found = list[Any]()
    async with within(SECONDS):
        async for page in pages:
            found += page.records
            if len(found) >= count:
                break
    return found


async def test_the_client_follows_what_comes(selvedge: Client) -> None:
    cursor = await selvedge.changes.now(collections=["groups"], documents=True, limit=1)
    following = asyncio.create_task(taken(selvedge.changes.follow(cursor), 3))
    await asyncio.sleep(0.2)
    groups = await selvedge.collection("groups").create_many([{"name": "A"}, {"name": "B"}])
    await selvedge.collection("colors").create({"name": "Sage"})
    await selvedge.collection("groups").patch(groups[0]["id"], replacing("/name", "C"))
    entries = await following
    assert [one["recordId"] for one in entries] == [
        groups[0]["id"],
        groups[1]["id"],
        groups[0]["id"],
    ]
    assert entries[-1]["document"]["name"] == "C"


async def test_the_client_outlasts_what_is_away(between: tuple[Between, Client]) -> None:
    cut, client = between
    cursor = await client.changes.now()
    created = await client.collection("groups").create({"name": "A"})
    cut.faults += [Fault.CUT_BEFORE, Fault.UNAVAILABLE, Fault.CUT_AMID, Fault.UNKNOWN_OUTCOME] * 4
    [entry] = await taken(client.changes.follow(cursor), 1)
    assert entry["recordId"] == created.id


async def test_the_client_tells_of_a_cursor_that_is_gone(selvedge: Client) -> None:
    scope = cursors.scope("/api/changes", 1)
    old = cursors.seal(b"[1,0,[0,null,0],[[],null,100,false]]", scope)
    with pytest.raises(GoneError):
        await taken(selvedge.changes.follow(old), 1)


@asynccontextmanager
async def started(place: Place, *arguments: str) -> AsyncIterator[Process]:
    """A program with the service in its environment."""
    named = {"SELVEDGE_URL": str(place.url), "SELVEDGE_API_KEY": place.writer}
    named["PYTHONPATH"] = str(ROOT)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, env=os.environ | named, stdout=PIPE, stderr=PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.contract("Command line")
async def test_the_command_prints_entries_and_where_to_go_on(
    place: Place, selvedge: Client
) -> None:
    cursor, printed = await selvedge.changes.now(collections=["groups"]), list[int]()
    for _ in range(2):
        created = await selvedge.collection("groups").create({"name": "A"})
        async with started(place, "-m", "service", "follow", "--since", cursor) as process:
            assert process.stdout
            assert process.stderr
            async with within(SECONDS):
                printed.append(json.loads(await process.stdout.readline())["recordId"])
                assert printed[-1] == created.id
                await asyncio.sleep(0.2)
                process.send_signal(signal.SIGINT)
                assert await process.stdout.read() == b""
                told = (await process.stderr.read()).decode()
            assert await process.wait() == 128 + signal.SIGINT
        found = re.fullmatch(r"continue with --since (\S+)\n", told)
        assert found, told
        cursor = found[1]


def held(path: Path) -> Any:
    """What the copy holds; None where it has no tables yet."""
    copy = sqlite3.connect(path)
    try:
        rows = copy.execute("select collection, id, document from record").fetchall()
    except sqlite3.OperationalError:
        return None
    finally:
        copy.close()
    return {(name, one): json.loads(document) for name, one, document in rows}


async def test_the_replica_of_the_documentation_stays_equal(
    place: Place, selvedge: Client, tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "replica.md").read_text(encoding="utf-8")
    program, copy = tmp_path / "replica.py", tmp_path / "copy.sqlite"
    [source] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    program.write_text(source, encoding="utf-8")
    groups = selvedge.collection("groups")
    for round_ in range(2):
        async with started(place, str(program), str(copy)) as process:
            created = await groups.create_many([{"name": f"{round_} {n}"} for n in range(5)])
            await groups.delete(created[0]["id"])
            async with within(SECONDS):
                while held(copy) != await walked(selvedge):
                    assert process.returncode is None
                    await asyncio.sleep(0.2)
        await groups.delete(created[1]["id"])


async def test_the_replica_of_the_documentation_is_never_empty(
    place: Place, selvedge: Client, tmp_path: Path
) -> None:
    """Where its cursor is gone it loads everything anew: readers see the old copy, then the new."""
    text = (ROOT / "docs" / "replica.md").read_text(encoding="utf-8")
    program, path = tmp_path / "replica.py", tmp_path / "copy.sqlite"
    [source] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    program.write_text(source, encoding="utf-8")
    expected = await walked(selvedge)
    async with started(place, str(program), str(path)):
        await until(lambda: held(path) == expected, SECONDS)
    gone = cursors.seal(b"[1,0,[0,null,0],[[],null,100,true]]", cursors.scope("/api/changes", 1))
    with closing(sqlite3.connect(path, timeout=limit(SECONDS))) as copy, copy:
        copy.execute("update state set cursor = ?", (gone,))
        copy.execute("update stored set document = '{}' where collection = 'styles'")
    async with started(place, str(program), str(path)) as process, within(SECONDS):
        while (records := held(path)) != expected:
            assert process.returncode is None
            assert records is not None
            assert records.keys() == expected.keys()
            await asyncio.sleep(0.01)


async def walked(selvedge: Client) -> dict[tuple[str, Any], Any]:
    """What the lists show."""
    return {
        (name, record["id"]): record
        for name in CHANGES.resources
        async for record in selvedge.collection(name).records(page_size=100)
    }
