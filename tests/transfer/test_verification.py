"""Tests of `selvedge verify`: files against a service (tools, Files)."""

import asyncio
import csv
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

import orjson
import pytest

from selvedge_client import Client
from selvedge_client.blocking import BlockingClient
from service import schemas
from service.extras.commands import verify
from service.extras.transfer.collections import select_collections, transfer_collections
from service.extras.transfer.errors import TransferError
from service.extras.transfer.export_files import Export
from service.extras.transfer.files import sources
from service.extras.transfer.import_files import ImportOptions
from service.files import DEMO
from service.resources.registry import MASTER_RECORDS
from tests.support.api import issue_key
from tests.support.demo.files import export
from tests.support.sampling import Sample, settle_seed
from tests.transfer.conftest import ImportFolder, TransferEnvironment
from tests.transfer.test_commands import selvedge
from tests.transfer.test_demo_files import records

pytestmark = pytest.mark.contract("Files", "Migration verification")

#: Of 20 planted differences each.
ROUNDS: Final = Sample("planted differences")(range(10), 1)
KEYED: Final = [each.name for each in MASTER_RECORDS if each.own_key]
PARENTS: Final = ["colors", "styles", "sub-suppliers"]
"""Collections whose keys are in those of others, which differ with them."""
RENAMED: Final = ["brands", "colors", "groups", "items", "seasons", "suppliers"]
"""Collections whose records can get another key in the service."""
Lines: TypeAlias = list[dict[str, Any]]


async def different(client: Client, path: Path) -> dict[str, dict[str, Any]]:
    """Return the results of the collections that differ."""
    results = await verify.compare(client, sources(path, transfer_collections()))
    return {each.collection: each.result for each in results if not each.result["isEqual"]}


def lines_of(path: Path) -> Lines:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def missing_line(lines: Lines, index: int, _: str) -> None:
    del lines[index]


def another_line(lines: Lines, index: int, key: str) -> None:
    changed = {"id": -1, key: f"{lines[index][key]}-"} if isinstance(lines[index][key], str) else {}
    lines.append(lines[index] | changed)


def another_key(lines: Lines, index: int, key: str) -> None:
    value = lines[index][key]
    lines[index][key] = value + "\u0301" if isinstance(value, str) else -1


def no_key(lines: Lines, index: int, key: str) -> None:
    lines[index][key] = None


def deleted_line(lines: Lines, index: int, _: str) -> None:
    lines[index]["state"] = "deleted"


CHANGES: Final[tuple[Callable[[Lines, int, str], None], ...]] = (
    *(missing_line, another_line, another_key, no_key, deleted_line),
)


async def plant(
    client: Client, folder: Path, random: Random, name: str
) -> Callable[[], Awaitable[None]]:
    """Make one difference in a collection; return what takes it back."""
    if name in RENAMED and random.random() < 0.5:
        [key] = schemas.key_fields(name)
        stored = random.choice(lines_of(folder / f"{name}.ndjson"))[key]
        renamed = f"{stored} renamed"
        await rename(client, name, key, stored, renamed)
        return lambda: rename(client, name, key, renamed, stored)
    path = folder / f"{name}.ndjson"
    before, lines = path.read_bytes(), lines_of(path)
    random.choice(CHANGES)(lines, random.randrange(len(lines)), schemas.key_fields(name)[0])
    path.write_bytes(b"\n".join(map(orjson.dumps, lines)))

    async def take_back() -> None:
        path.write_bytes(before)

    return take_back


async def rename(client: Client, name: str, key: str, before: str, after: str) -> None:
    item = {key: before, "newKey": after}
    outcomes = await client.collection(name).write([item], "merge", match=key)
    assert [outcome.outcome for outcome in outcomes] == ["updated"]


@pytest.mark.contract("Demo data")
async def test_a_copy_is_equal_and_each_planted_difference_is_found(
    environment: TransferEnvironment, keys: dict[str, str], client: Client, tmp_path: Path
) -> None:
    """An empty organization becomes organization 1 first, and once more, by tables, nothing."""
    folder, after = ImportFolder(tmp_path / "files"), tmp_path / "after"
    shutil.copytree(DEMO, folder.path)
    assert await outcomes(folder, client) == {"created", "updated"}
    await export(str(environment.url), keys["write"], after)
    assert records(after) == records(DEMO)
    await tables_say_the_same(environment, keys["write"], client, tmp_path)
    url, path = str(environment.url), str(folder.path)
    ended = await selvedge(url, keys["read"], "verify", path)
    assert (ended.returncode, ended.stderr) == (0, ""), ended
    titles, *rows = [line.split() for line in ended.stdout.splitlines()]
    kinds = ["missing", "unexpected", "shared", "different"]
    assert titles == ["collection", "files", "service", *kinds, "result"]
    assert {row[0] for row in rows} == {*transfer_collections()}
    records_of, parts = [[row for row in rows if (row[0] in KEYED) is is_] for is_ in (True, False)]
    assert all(row[1] == row[2] and row[3:] == [*"0000", "equal"] for row in records_of)
    assert all(row[2:] == ["-", "0", "-", "-", "0", "equal"] for row in parts)
    for number in ROUNDS:
        random = Random(f"{settle_seed()} {number}")
        others = random.sample(sorted({*KEYED} - {*PARENTS}), 19)
        for names in (others, random.sample(PARENTS, 1)):
            take_back = [await plant(client, folder.path, random, name) for name in names]
            assert {*names} <= (await different(client, folder.path)).keys(), number
            for each in take_back:
                await each()
    assert await different(client, folder.path) == {}
    await contents_are_proved_by_sending_them_again(client, folder)


async def tables_say_the_same(
    environment: TransferEnvironment, key: str, client: Client, root: Path
) -> None:
    """Tables of organization 1 change nothing in its copy, whose own have the same columns."""
    folders = [ImportFolder(root / "tables"), ImportFolder(root / "again")]
    keys = [await issue_key(environment.dsn, 1, "read"), key]
    for folder, of in zip(folders, keys, strict=True):
        async with Client(str(environment.url), of) as caller:
            chosen = select_collections([])
            await Export(caller, folder.path, chosen, int, suffix=".csv").run()
        names = [f"{name}.csv" for name in transfer_collections()]
        assert {path.name for path in folder.path.iterdir()} == {*names, "manifest.json"}
    before = await client.changes.now()
    assert await outcomes(folders[0], client) == {"unchanged"}
    assert await client.changes.now() == before
    for path in DEMO.iterdir():
        first, second = [rows(folder.path / f"{path.stem}.csv") for folder in folders]
        assert first[0] == second[0]
        assert len(first) == len(second) == 1 + len(lines_of(path))


def rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [*csv.reader(file)]


async def contents_are_proved_by_sending_them_again(client: Client, folder: ImportFolder) -> None:
    """Only ``unchanged`` means equal: of records, and of parts."""
    fields = {"groups": "name", "color-swatches": "hex", "items": "unit"}
    for name, field in fields.items():
        path = folder.path / f"{name}.ndjson"
        lines = lines_of(path)
        lines[0][field] = "#123456" if field == "hex" else "Planted"
        path.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    counts = await folder.import_records(client, options=ImportOptions(dry_run=True))
    assert [counts[name].pop("updated") for name in fields] == [1] * 3
    assert {outcome for counted in counts.values() for outcome in counted} == {"unchanged"}
    assert await different(client, folder.path) == {}


async def outcomes(folder: ImportFolder, client: Client) -> set[str]:
    """Import all files; return the outcomes of their lines, none of which is rejected."""
    counts = await folder.import_records(client)
    assert folder.rejected == []
    return {outcome for counted in counts.values() for outcome in counted}


async def test_the_command_names_what_differs(
    environment: TransferEnvironment, keys: dict[str, str], client: Client, folder: ImportFolder
) -> None:
    await client.collection("styles").create({"number": "SV-2", "name": "Vest"})
    folder.write("styles.csv", "id,number,name", "1,SV-1,Coat", "2,SV-2,Vest", "3,,Hat")
    files = [f"1,{n},image,https://example.com/{n}" for n in range(12)]
    folder.write("style-files.csv", "styleId,fileName,category,url", *files)
    command = (str(environment.url), keys["read"], "verify", str(folder.path))
    ended = await selvedge(*command)
    assert ended.returncode == 1
    assert ended.stdout.splitlines() == [
        "collection   files  service  missing  unexpected  shared  different  result",
        "styles       3      1        1        0           0       0          different",
        "style-files  12     0        12       0           0       0          different",
        "styles, missing: SV-1",
        "style-files, missing: "
        + "".join(f"SV-1 / {n}, " for n in (0, 1, 10, 11, 2, 3, 4, 5, 6, 7))
        + "2 more",
    ]
    assert ended.stderr == "selvedge: different: styles, style-files\n"
    (folder.path / "styles.csv").unlink()
    ended = await selvedge(*command)
    message = "a file of styles is needed: styleId of style-files refers to it"
    assert (ended.returncode, ended.stderr) == (1, f"selvedge: {message}\n")


async def test_keys_beyond_a_request_are_compared_by_their_checksum(
    client: Client, folder: ImportFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "MAX_KEYS", 2)
    made = [{"customId": f"B-{n}", "name": "B"} for n in range(3)]
    await client.collection("brands").create_many(made)
    folder.write("brands.ndjson", *made)
    folder.write("groups.ndjson", {"userDefinedId": "G"})
    results = await different(client, folder.path)
    assert [*results] == ["groups"]
    assert results["groups"]["missing"] == ["G"]
    folder.write("brands.ndjson", *made[1:], made[0] | {"customId": "B-4"})
    result = (await different(client, folder.path))["brands"]
    assert (result["expectedCount"], result["actualCount"], result["missing"]) == (3, 3, None)


async def test_references_by_key_name_parents_without_a_file(
    client: Client, folder: ImportFolder
) -> None:
    style = await client.collection("styles").create({"number": "SV-1", "name": "Coat"})
    color = await client.collection("colors").create({"userDefinedId": "NVY", "name": "Navy"})
    ids = {"styleId": style.id, "colorId": color.id}
    await client.collection("style-colors").create(ids)
    line = {"styleId": {"number": "SV-1"}, "colorId": {"userDefinedId": "NVY"}}
    folder.write("style-colors.ndjson", line)
    assert await different(client, folder.path) == {}
    folder.write("style-colors.ndjson", line | {"colorId": color.id})
    with pytest.raises(TransferError, match="a file of colors is needed"):
        await different(client, folder.path)


async def test_the_blocking_client_counts_and_compares(
    environment: TransferEnvironment, keys: dict[str, str], client: Client
) -> None:
    await client.collection("brands").create({"customId": "B", "name": "Brand"})
    counts = await client.migration_counts("brands", "groups")
    assert Counter(row["active"] for row in counts) == {1: 1, 0: 1}
    assert counts[0]["keyChecksum"] == verify.checksum(["B"])

    def compare() -> list[Any]:
        with BlockingClient(str(environment.url), keys["read"]) as blocking:
            assert blocking.migration_counts("brands", "groups") == counts
            with pytest.raises(ValueError, match="1 to 100"):
                blocking.compare_migration([])
            return blocking.compare_migration([{"collection": "brands", "keys": ["B", "C"]}])

    [result] = await asyncio.to_thread(compare)
    assert (result["isEqual"], result["missing"]) == (False, ["C"])
