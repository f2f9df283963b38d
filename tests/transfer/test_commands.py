"""Tests of `selvedge export`, `import` and `demo files` as commands (tools, Files)."""

import asyncio
import fcntl
import os

import orjson
import pytest

from selvedge_client import Client
from service.extras.transfer.collections import transfer_collections
from service.files import DEMO
from tests.support.command_line import CommandResult, run_command
from tests.transfer.conftest import ImportFolder, TransferEnvironment, listed

pytestmark = pytest.mark.contract("Files")


async def selvedge(url: str, key: str, *arguments: str) -> CommandResult:
    """Run one command to its end; the event loop serves it meanwhile."""
    named = {"SELVEDGE_URL": url, "SELVEDGE_API_KEY": key}
    return await asyncio.to_thread(run_command, arguments, os.environ | named)


async def test_records_come_out_as_they_went_in(
    environment: TransferEnvironment, keys: dict[str, str], client: Client, folder: ImportFolder
) -> None:
    url, key, out = str(environment.url), keys["write"], folder.path / "out"
    folder.write("groups.csv", "id,name,userDefinedId", "7,Alpine,G1", "8,,G2")
    directory, rejects = str(folder.path), folder.path / "rejects.ndjson"
    ended = await selvedge(
        url, key, "import", directory, "--on-error", "skip", "--rejects", str(rejects)
    )
    assert ended.returncode == 1
    assert ended.stdout.split() == ["created", "rejected", "groups", "1", "1"]
    assert "groups.csv, line 3: name: This field is required" in ended.stderr
    assert orjson.loads(rejects.read_bytes())["record"] == {"id": "8", "userDefinedId": "G2"}
    ended = await selvedge(url, key, "export", str(out), "groups")
    assert (ended.returncode, ended.stdout.split()) == (0, ["groups", "1"])
    [group] = map(orjson.loads, (out / "groups.ndjson").read_bytes().splitlines())
    assert (group["name"], group["userDefinedId"]) == ("Alpine", "G1")
    manifest = orjson.loads((out / "manifest.json").read_bytes())
    assert manifest["records"] == {"groups": 1}
    since = await client.get("/api/changes", [("cursor", manifest["cursor"])])
    assert since.body["data"] == []


async def test_failures_are_printed_in_one_line(
    environment: TransferEnvironment, keys: dict[str, str], folder: ImportFolder
) -> None:
    url, directory = str(environment.url), str(folder.path)
    folder.write("groups.csv", "name,userDefinedId", "Alpine,A")
    results = [
        await selvedge(url, "secret", "import", directory),
        await selvedge("", keys["write"], "import", directory),
        await selvedge(url, keys["write"], "export", directory, "languages"),
        await selvedge(url, keys["write"], "demo", "files", directory),
        await selvedge(
            url, keys["write"], "import", directory, "--rejects", f"{directory}/groups.csv"
        ),
    ]
    assert [ended.returncode for ended in results] == [1] * len(results)
    assert [ended.stderr.splitlines()[-1].partition(";")[0] for ended in results] == [
        "selvedge: 401 unauthorized: request: Present a valid API key as a bearer token.",
        "selvedge: set SELVEDGE_URL and SELVEDGE_API_KEY: address and key of the service",
        "selvedge: languages is no collection",
        f"selvedge: {directory} exists already: use a new folder",
        f"selvedge: {directory}/groups.csv is a file to import: use another file for --rejects",
    ]


async def test_a_stopped_import_prints_its_counts(
    environment: TransferEnvironment, keys: dict[str, str], folder: ImportFolder
) -> None:
    """And names in files print no control characters."""
    url, directory, name = str(environment.url), str(folder.path), "\x1b]0;owned\x07\x9b31m\u202e"
    sea = {"userDefinedId": "S", "name": "Sea", "groupIds" + name: 1}
    folder.write("groups.ndjson", {"userDefinedId": "A", "name": "Alpine"}, sea)
    for options, ending in (
        (("--dry-run",), "an import stops there, with nothing of that transaction written"),
        ((), "nothing of that transaction was written, and nothing after it was sent"),
    ):
        ended = await selvedge(url, keys["write"], "import", directory, *options)
        assert (ended.returncode, ended.stdout.split()) == (1, ["rejected", "groups", "1"])
        assert f"rejected: 1, and {ending}; the first is groups.ndjson, line 2:" in ended.stderr
        assert "groupIds\\u001b]0;owned\\u0007\\u009b31m\\u202e" in ended.stderr
        assert not {*name} & {*ended.stderr} - {*"]0;owned31m"}


async def test_the_demo_files_are_written_to_a_new_folder(folder: ImportFolder) -> None:
    copy = folder.path / "files"
    assert (await selvedge("", "", "demo", "files", str(copy))).returncode == 0
    assert {path.name for path in copy.iterdir()} == {path.name for path in DEMO.iterdir()}


async def test_tables_come_out_and_go_in(
    environment: TransferEnvironment, keys: dict[str, str], client: Client, folder: ImportFolder
) -> None:
    """Also one of an old spreadsheet, once its encoding is named."""
    url, key, out = str(environment.url), keys["write"], folder.path / "out"
    path = folder.path / "groups.csv"
    path.write_bytes("userDefinedId;Name\r\nG7;Größen\r\n".encode("cp1252"))
    ended = await selvedge(url, key, "import", str(path))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "groups.csv, line 2: no UTF-8: save the file as CSV UTF-8" in ended.stderr
    assert (await selvedge(url, key, "import", str(path), "--encoding", "cp1252")).returncode == 0
    assert (await selvedge(url, key, "export", str(out), "groups", "--csv")).returncode == 0
    assert {path.name for path in out.iterdir()} == {"groups.csv", "manifest.json"}
    assert (out / "groups.csv").stat().st_mode & 0o777 == 0o600
    [group] = await listed(client, "groups")
    table = f"\ufeffid,name,userDefinedId,state\r\n{group['id']},Größen,G7,active\r\n"
    assert (out / "groups.csv").read_bytes().decode() == table


async def test_a_dry_run_names_parts_that_it_could_not_check(
    environment: TransferEnvironment, keys: dict[str, str], folder: ImportFolder
) -> None:
    folder.write(
        "size-ranges.csv",
        "userDefinedId,name,sizes[0].name,sizes[0].isDeactivated",
        "R,Range,S,true",
    )
    ended = await selvedge(
        str(environment.url), keys["write"], "import", str(folder.path), "--dry-run"
    )
    assert ended.stdout.split()[:8] == [
        "created", "checked", "size-ranges", "1", "0", "size-range-sizes", "0", "1",
    ]  # fmt: skip
    assert "cannot check everything that depends on stored data" in ended.stdout


async def test_columns_are_listed_without_a_service() -> None:
    ended = await selvedge("", "", "import", "--columns", "colors")
    assert ended.returncode == 0
    lines = [line.split(maxsplit=1) for line in ended.stdout.splitlines() if line]
    described = {name: " ".join(rest.split()) for name, rest in lines}
    assert described["name"] == "text yes 1 to 1000 characters"
    assert described["translations[0].languageId"] == "whole number yes an id in languages"
    ended = await selvedge("", "", "import", "--columns", "colours")
    assert ended.returncode == 2
    names = ", ".join(sorted(transfer_collections()))
    assert f"colours is no collection; use {names}" in ended.stderr


async def test_wrong_encodings_and_rejects_over_files_are_refused(
    environment: TransferEnvironment, keys: dict[str, str], folder: ImportFolder
) -> None:
    url, directory = str(environment.url), str(folder.path)
    folder.write("groups.csv", "name", "Alpine")
    results = [
        await selvedge(url, keys["write"], "import", directory, "--encoding", "excel"),
        await selvedge(
            url, keys["write"], "import", directory, "--rejects", f"{directory}/groups.ndjson"
        ),
    ]
    assert [ended.stderr.splitlines()[-1] for ended in results] == [
        "selvedge: excel is no text encoding: use one such as cp1252 or utf-16-le",
        f"selvedge: {directory}/groups.csv is a file to import: use another file for --rejects",
    ]


async def test_a_second_import_of_a_folder_is_refused(
    environment: TransferEnvironment, keys: dict[str, str], folder: ImportFolder
) -> None:
    """Unless it is a dry run. No file is written for that."""
    command = (str(environment.url), keys["write"], "import", str(folder.path))
    folder.write("groups.csv", "name,userDefinedId", "Alpine,A")
    descriptor = os.open(folder.path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        ended = await selvedge(*command)
        assert (ended.returncode, "wait for its end" in ended.stderr) == (1, True)
        assert (await selvedge(*command, "--dry-run")).returncode == 0
    finally:
        os.close(descriptor)
    assert (await selvedge(*command)).returncode == 0
    assert [path.name for path in folder.path.iterdir()] == ["groups.csv"]
