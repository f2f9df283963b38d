"""`selvedge export`, `import` and `demo files` as commands (contract, Files)."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from typing import NamedTuple

import orjson

from service.client import Client
from service.files import DEMO
from tests.policy.sources import ROOT
from tests.transfer.conftest import Folder, Stage

SECONDS = 60


class Ended(NamedTuple):
    """What a command left."""

    code: int | None
    printed: str
    told: str


async def selvedge(url: str, key: str, *arguments: str) -> Ended:
    """One command, to its end."""
    named = {"SELVEDGE_URL": url, "SELVEDGE_API_KEY": key, "PYTHONPATH": str(ROOT)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "service", *arguments,
        cwd=ROOT, env=os.environ | named, stdout=PIPE, stderr=PIPE,
    )  # fmt: skip
    async with asyncio.timeout(SECONDS):
        printed, told = await process.communicate()
    return Ended(process.returncode, printed.decode(), told.decode())


async def test_records_come_out_as_they_went_in(
    stage: Stage, keys: dict[str, str], client: Client, folder: Folder
) -> None:
    url, key, out = str(stage.url), keys["write"], folder.path / "out"
    folder.write("groups.csv", "id,name,userDefinedId", "7,Alpine,G1", "8,,G2")
    place, rejects = str(folder.path), folder.path / "rejects.ndjson"
    ended = await selvedge(
        url, key, "import", place, "--on-error", "skip", "--rejects", str(rejects)
    )
    assert ended.code == 1
    assert ended.printed.split() == ["created", "rejected", "groups", "1", "1"]
    assert "groups.csv, line 3: name: This field is required" in ended.told
    assert orjson.loads(rejects.read_bytes())["record"] == {"id": "8", "userDefinedId": "G2"}
    ended = await selvedge(url, key, "export", str(out), "groups")
    assert (ended.code, ended.printed.split()) == (0, ["groups", "1"])
    [group] = map(orjson.loads, (out / "groups.ndjson").read_bytes().splitlines())
    assert (group["name"], group["userDefinedId"]) == ("Alpine", "G1")
    manifest = orjson.loads((out / "manifest.json").read_bytes())
    assert manifest["records"] == {"groups": 1}
    since = await client.get("/api/changes", [("cursor", manifest["cursor"])])
    assert since.body["data"] == []


async def test_what_cannot_be_done_is_told_in_a_line(
    stage: Stage, keys: dict[str, str], folder: Folder
) -> None:
    url, place = str(stage.url), str(folder.path)
    folder.write("groups.csv", "name", "Alpine")
    told = [
        await selvedge(url, "secret", "import", place),
        await selvedge("", keys["write"], "import", place),
        await selvedge(url, keys["write"], "export", place, "languages"),
        await selvedge(url, keys["write"], "demo", "files", place),
        await selvedge(url, keys["write"], "import", place, "--rejects", f"{place}/groups.csv"),
    ]
    assert [ended.code for ended in told] == [1] * len(told)
    assert [ended.told.splitlines()[-1].partition(";")[0] for ended in told] == [
        "selvedge: SELVEDGE_API_KEY is no key of a Selvedge",
        "selvedge: SELVEDGE_URL and SELVEDGE_API_KEY name the service and the key",
        "selvedge: languages is no collection",
        f"selvedge: {place} is there already",
        f"selvedge: {place}/groups.csv is to be imported: keep rejects elsewhere",
    ]


async def test_the_demo_files_are_written_to_a_new_folder(folder: Folder) -> None:
    copy = folder.path / "files"
    assert (await selvedge("", "", "demo", "files", str(copy))).code == 0
    assert {path.name for path in copy.iterdir()} == {path.name for path in DEMO.iterdir()}
