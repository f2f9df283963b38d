"""Tests of followers of the change feed: client, command and the documented replica."""

import asyncio
import json
import os
import re
import signal
import sqlite3
import sys
from argparse import Namespace
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from selvedge_client import Client, GoneError
from service.extras.commands.follow import _ChangePrinter
from service.extras.commands.outages import client_from_environment
from service.files import GUIDES
from service.listing import cursor as cursors
from service.resources.registry import CHANGES
from tests.client.conftest import ServiceAddress
from tests.client.fault_proxy import Fault, FaultProxy
from tests.policy.sources import ROOT
from tests.support.api import replacing
from tests.support.command_line import run_command
from tests.support.time_limits import limit, until, within

pytestmark = pytest.mark.contract("Changes")

SECONDS = 30


async def taken(pages: AsyncIterator[Any], count: int) -> list[Any]:
    """Return this many entries."""
    entries = list[Any]()
    async with within(SECONDS):
        async for page in pages:
            entries += page.records
            if len(entries) >= count:
                break
    return entries


async def test_the_client_follows_what_comes(selvedge: Client) -> None:
    cursor = await selvedge.changes.now(collections=["groups"], documents=True, limit=1)
    following = asyncio.create_task(taken(selvedge.changes.follow(cursor), 3))
    await asyncio.sleep(0.2)
    groups = await selvedge.collection("groups").create_many([{"name": "A"}, {"name": "B"}])
    await selvedge.collection("colors").create({"name": "Sage"})
    await selvedge.collection("groups").patch(groups[0]["id"], replacing("/name", "C"))
    entries = await following
    assert [entry["recordId"] for entry in entries] == [
        groups[0]["id"],
        groups[1]["id"],
        groups[0]["id"],
    ]
    assert entries[-1]["document"]["name"] == "C"


async def test_the_client_outlasts_what_is_away(proxied: tuple[FaultProxy, Client]) -> None:
    proxy, client = proxied
    cursor = await client.changes.now()
    created = await client.collection("groups").create({"name": "A"})
    proxy.faults += [Fault.CUT_BEFORE, Fault.UNAVAILABLE, Fault.CUT_AMID, Fault.UNKNOWN_OUTCOME] * 4
    [entry] = await taken(client.changes.follow(cursor), 1)
    assert entry["recordId"] == created.id


async def test_an_expired_cursor_raises(selvedge: Client) -> None:
    scope = cursors.scope("/api/changes", 1)
    old = cursors.seal(b"[1,0,[0,null,0],[[],null,100,false]]", scope)
    with pytest.raises(GoneError):
        await taken(selvedge.changes.follow(old), 1)


def environment_of(service_address: ServiceAddress) -> dict[str, str]:
    """Return the environment with the service in it."""
    url, key = str(service_address.url), service_address.writer
    return os.environ | {"SELVEDGE_URL": url, "SELVEDGE_API_KEY": key, "PYTHONPATH": str(ROOT)}


@asynccontextmanager
async def started(service_address: ServiceAddress, *arguments: str) -> AsyncIterator[Process]:
    """Run a program with the service in its environment."""
    given = environment_of(service_address)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, env=given, stdout=PIPE, stderr=PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.contract("Commands of callers")
async def test_the_command_prints_entries_and_where_to_go_on(
    service_address: ServiceAddress, selvedge: Client
) -> None:
    cursor, printed = await selvedge.changes.now(collections=["groups"]), list[int]()
    for _ in range(2):
        created = await selvedge.collection("groups").create({"name": "A"})
        async with started(
            service_address, "-m", "service", "follow", "--since", cursor
        ) as process:
            assert process.stdout
            assert process.stderr
            async with within(SECONDS):
                line = await process.stdout.readline()
                assert line, (await process.stderr.read()).decode()
                printed.append(json.loads(line)["recordId"])
                assert printed[-1] == created.id
                await asyncio.sleep(0.2)
                process.send_signal(signal.SIGINT)
                assert await process.stdout.read() == b""
                errors = (await process.stderr.read()).decode()
            assert await process.wait() == 128 + signal.SIGINT
        match = re.fullmatch(r"continue with --since (\S+)\n", errors)
        assert match, errors
        cursor = match[1]


@pytest.mark.contract("Commands of callers")
async def test_the_command_waits_for_the_service_at_the_start(
    proxied: tuple[FaultProxy, Client],
    service_address: ServiceAddress,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    proxy, client = proxied
    proxy.faults += [Fault.UNAVAILABLE, Fault.CUT_BEFORE] * 6
    monkeypatch.setattr("random.uniform", lambda *_: 0)  # the backoff
    printer = _ChangePrinter(Namespace(since="now", collection=["groups"], documents=False))
    monkeypatch.setenv("SELVEDGE_URL", str(client._url))
    monkeypatch.setenv("SELVEDGE_API_KEY", service_address.writer)
    printing = asyncio.create_task(printer.print_changes(client_from_environment()))
    try:
        await until(lambda: printer.cursor is not None or printing.done(), SECONDS)
        assert not printing.done(), printing
    finally:
        printing.cancel()
    assert proxy.faults == []
    assert capsys.readouterr().err.startswith(f"waiting for {client._url}: 503 http.503")


@pytest.mark.contract("Commands of callers")
async def test_the_command_refuses_a_filter_beside_a_cursor(
    service_address: ServiceAddress,
) -> None:
    """The cursor carries its own: the filter would be ignored."""
    given = environment_of(service_address)
    for option in (("--documents",), ("--collection", "groups")):
        command = ("follow", "--since", "a-cursor", *option)
        ended = await asyncio.to_thread(run_command, command, given)
        assert ended.returncode == 1
        assert "leave them out, or use --since now" in ended.stderr


_parsed = cache(json.loads)


def replica(path: Path) -> Any:
    """Return the records of the copy; None if it has no tables yet.

    A document is parsed once however often the copy is read.
    """
    copy = sqlite3.connect(path)
    try:
        rows = copy.execute("select collection, id, document from record").fetchall()
    except sqlite3.OperationalError:
        return None
    finally:
        copy.close()
    return {(name, record_id): _parsed(document) for name, record_id, document in rows}


def documented_program(folder: Path) -> Path:
    """Write the program of the guide."""
    text, program = (GUIDES / "replica.md").read_text(encoding="utf-8"), folder / "replica.py"
    [source] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    program.write_text(source, encoding="utf-8")
    return program


async def test_the_replica_of_the_documentation_stays_equal(
    service_address: ServiceAddress, selvedge: Client, tmp_path: Path
) -> None:
    program, copy = documented_program(tmp_path), tmp_path / "copy.sqlite"
    groups = selvedge.collection("groups")
    for round_ in range(2):
        async with started(service_address, str(program), str(copy)) as process:
            created = await groups.create_many([{"name": f"{round_} {n}"} for n in range(5)])
            await groups.delete(created[0]["id"])
            charts = selvedge.collection("measurement-charts")
            [chart, *_] = [record async for record in charts.records()]
            await charts.write([{"styleId": chart["styleId"], "unit": f"{round_}"}], "merge")
            expected = await walked(selvedge)
            async with within(SECONDS):
                while replica(copy) != expected:
                    assert process.returncode is None
                    await asyncio.sleep(0.2)
        await groups.delete(created[1]["id"])


async def test_the_replica_of_the_documentation_is_never_empty(
    service_address: ServiceAddress, selvedge: Client, tmp_path: Path
) -> None:
    """A replica without a valid cursor reloads: readers see the old copy, then the new one."""
    program, path = documented_program(tmp_path), tmp_path / "copy.sqlite"
    expected = await walked(selvedge)
    async with started(service_address, str(program), str(path)):
        await until(lambda: replica(path) == expected, SECONDS)
    gone = cursors.seal(b"[1,0,[0,null,0],[[],null,100,true]]", cursors.scope("/api/changes", 1))
    with closing(sqlite3.connect(path, timeout=limit(SECONDS))) as copy, copy:
        copy.execute("update state set cursor = ?", (gone,))
        copy.execute("update stored set document = '{}' where collection = 'styles'")
    async with started(service_address, str(program), str(path)) as process, within(SECONDS):
        while (records := replica(path)) != expected:
            assert process.returncode is None
            assert records is not None
            assert records.keys() == expected.keys()
            await asyncio.sleep(0.1)


async def walked(selvedge: Client) -> dict[tuple[str, Any], Any]:
    """Return the records that the lists show."""
    return {
        (name, record[resource.key]): record
        for name, resource in CHANGES.resources.items()
        async for record in selvedge.collection(name).records(page_size=100)
    }
