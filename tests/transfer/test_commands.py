"""`selvedge export`, `import` and `demo files` as commands (contract, Files)."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from typing import NamedTuple

import orjson
import pytest

from service.client import Client
from service.files import DEMO
from tests.policy.sources import ROOT
from tests.support.waiting import within
from tests.transfer.conftest import Folder, Stage, listed

pytestmark = pytest.mark.contract("Files")

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
    async with within(SECONDS):
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
        "selvedge: 401 unauthorized: request: Present a valid API key as a bearer token.",
        "selvedge: set SELVEDGE_URL and SELVEDGE_API_KEY: address and key of the service",
        "selvedge: languages is no collection",
        f"selvedge: {place} exists already: use a new folder",
        f"selvedge: {place}/groups.csv is a file to import: use another file for --rejects",
    ]


async def test_what_stops_says_what_was_written(
    stage: Stage, keys: dict[str, str], folder: Folder
) -> None:
    """And names in files print no control characters."""
    url, place, name = str(stage.url), str(folder.path), "\x1b]0;owned\x07\x9b31m\u202e"
    folder.write("groups.ndjson", {"name": "Alpine"}, {"name": "Sea", "groupIds" + name: 1})
    for options, ending in (
        (("--dry-run",), "an import stops there, with nothing of that request written"),
        ((), "nothing of that request was written, and nothing after it was sent"),
    ):
        ended = await selvedge(url, keys["write"], "import", place, *options)
        assert (ended.code, ended.printed.split()) == (1, ["rejected", "groups", "1"])
        assert f"rejected: 1, and {ending}; the first is groups.ndjson, line 2:" in ended.told
        assert "groupIds\\u001b]0;owned\\u0007\\u009b31m\\u202e" in ended.told
        assert not {*name} & {*ended.told} - {*"]0;owned31m"}


async def test_the_demo_files_are_written_to_a_new_folder(folder: Folder) -> None:
    copy = folder.path / "files"
    assert (await selvedge("", "", "demo", "files", str(copy))).code == 0
    assert {path.name for path in copy.iterdir()} == {path.name for path in DEMO.iterdir()}


async def test_tables_come_out_and_go_in(
    stage: Stage, keys: dict[str, str], client: Client, folder: Folder
) -> None:
    """Also one of an old spreadsheet, once its encoding is named."""
    url, key, out = str(stage.url), keys["write"], folder.path / "out"
    path = folder.path / "groups.csv"
    path.write_bytes("ID;Name\r\n7;Größen\r\n".encode("cp1252"))
    ended = await selvedge(url, key, "import", str(path))
    assert (ended.code, ended.printed) == (1, "")
    assert "groups.csv, line 2: column Name: no UTF-8: save the file as CSV UTF-8" in ended.told
    assert (await selvedge(url, key, "import", str(path), "--encoding", "cp1252")).code == 0
    assert (await selvedge(url, key, "export", str(out), "groups", "--csv")).code == 0
    assert {one.name for one in out.iterdir()} == {"groups.csv", "manifest.json"}
    assert (out / "groups.csv").stat().st_mode & 0o777 == 0o600
    [group] = await listed(client, "groups")
    table = f"\ufeffid,name,userDefinedId,state\r\n{group['id']},Größen,,active\r\n"
    assert (out / "groups.csv").read_bytes().decode() == table


async def test_a_dry_run_says_which_parts_it_could_not_rehearse(
    stage: Stage, keys: dict[str, str], folder: Folder
) -> None:
    folder.write("size-ranges.csv", "name,sizes[0].name", "Range,S")
    ended = await selvedge(str(stage.url), keys["write"], "import", str(folder.path), "--dry-run")
    assert ended.printed.split()[:8] == [
        "created", "checked", "size-ranges", "1", "0", "size-ranges/sizes", "0", "1",
    ]  # fmt: skip
    assert "but not what depends on stored data" in ended.printed


async def test_columns_are_listed_without_a_service() -> None:
    ended = await selvedge("", "", "import", "--columns", "colors")
    assert ended.code == 0
    lines = [line.split(maxsplit=1) for line in ended.printed.splitlines() if line]
    told = {name: " ".join(rest.split()) for name, rest in lines}
    assert told["name"] == "text yes 1 to 1000 characters"
    assert told["translations[0].languageId"] == "whole number yes an id in languages"
    ended = await selvedge("", "", "import", "--columns", "colours")
    assert ended.code == 2
    assert "colours is no collection; use brands, " in ended.told


async def test_wrong_encodings_and_rejects_over_files_are_told(
    stage: Stage, keys: dict[str, str], folder: Folder
) -> None:
    url, place = str(stage.url), str(folder.path)
    folder.write("groups.csv", "name", "Alpine")
    told = [
        await selvedge(url, keys["write"], "import", place, "--encoding", "excel"),
        await selvedge(url, keys["write"], "import", place, "--rejects", f"{place}/groups.ndjson"),
    ]
    assert [ended.told.splitlines()[-1] for ended in told] == [
        "selvedge: excel is no text encoding: use one such as cp1252 or utf-16-le",
        f"selvedge: {place}/groups.csv is a file to import: use another file for --rejects",
    ]
