"""Tests of the id map: it belongs to an installation and an organization (contract, Files)."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from service.client import Client
from service.transfer.errors import TransferError
from service.transfer.id_map import locked_map, open_id_map
from service.transfer.map_files import map_file
from tests.client.fault_proxy import start_fault_proxy
from tests.transfer.conftest import ImportFolder, TransferEnvironment, listed
from tests.transfer.test_commands import selvedge

pytestmark = pytest.mark.contract("Files")


def files_of(folder: Path) -> set[Path]:
    return {*folder.iterdir()}


def modes(folder: Path) -> set[int]:
    return {path.stat().st_mode & 0o777 for path in folder.iterdir()}


async def path_of(client: Client, folder: Path) -> Path:
    identity = await client.me()
    return folder / f"ids-{identity.installation_id}-{identity.organization_id}.sqlite3"


async def test_another_address_finds_the_same_map(
    environment: TransferEnvironment, keys: dict[str, str], client: Client, folder: ImportFolder
) -> None:
    folder.write("sub-suppliers.ndjson", {"name": "Trims"}, {"name": "Labels"})
    rejects = folder.path / "rejects.ndjson"
    async with start_fault_proxy(environment.url) as (_, url):
        for address, outcome in ((str(environment.url), "created"), (url, "not sent")):
            ended = await selvedge(
                address, keys["write"], "import", str(folder.path), "--rejects", str(rejects)
            )
            assert ended.code == 0, ended.errors
            assert ended.printed.split() == [*outcome.split(), "sub-suppliers", "2"]
    assert (await path_of(client, folder.path)).exists()


def earlier(folder: Path, address: str, organization_id: int) -> Path:
    """Return a map as a killed earlier release left it: readable by all, with a log."""
    path = folder / f"ids-{address}-{organization_id}.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table record (collection text, name text, id text, digest blob)")
        connection.commit()
    path.chmod(0o644)
    return path


async def test_a_map_of_an_earlier_release_is_taken_over(
    environment: TransferEnvironment, client: Client, tmp_path: Path
) -> None:
    """By an import; a dry run leaves it where it is."""
    url, organization_id = str(environment.url), (await client.me()).organization_id
    old = earlier(tmp_path, f"127.0.0.1-{environment.url.port}", organization_id)
    other = earlier(tmp_path, "other.example.com-443", organization_id)
    new = await path_of(client, tmp_path)
    assert await map_file(client, tmp_path, url, dry_run=True) == old
    assert await map_file(client, tmp_path, url, dry_run=False) == new
    assert files_of(tmp_path) == {new, other, new.with_suffix(".lock")}
    assert new.stat().st_mode & 0o777 == 0o600
    assert await map_file(client, tmp_path, url, dry_run=False) == new


async def test_maps_for_other_addresses_are_refused_with_the_remedy(
    environment: TransferEnvironment, client: Client, tmp_path: Path
) -> None:
    """Only maps of this organization's id count: any of them could belong to this service."""
    url, organization_id = str(environment.url), (await client.me()).organization_id
    new = await path_of(client, tmp_path)
    earlier(tmp_path, "other.example.com-443", organization_id + 1)
    (tmp_path / f"ids-{'0' * 8}-0000-0000-0000-{'1' * 12}-{organization_id}.sqlite3").touch()
    assert await map_file(client, tmp_path, url, dry_run=False) == new
    old = earlier(tmp_path, "10.0.0.7-8080", organization_id)
    for is_dry_run in (True, False):
        with pytest.raises(TransferError, match="rename the one of this service") as refused:
            await map_file(client, tmp_path, url, dry_run=is_dry_run)
        assert old.name in str(refused.value)
        assert new.name in str(refused.value)


async def test_files_of_an_import_and_export_are_private(
    environment: TransferEnvironment, keys: dict[str, str], folder: ImportFolder
) -> None:
    """The maps, rejects and exports, also those that replace public ones."""
    url, key, out = str(environment.url), keys["write"], folder.path / "out"
    out.mkdir()
    (out / "groups.ndjson").touch(0o644)
    rejects = folder.path / "rejects.ndjson"
    rejects.touch(0o644)
    source = folder.path / "in"
    source.mkdir()
    folder.write("in/groups.ndjson", {"name": "Alpine"}, {"name": " "})
    ended = await selvedge(
        url, key, "import", str(source), "--on-error", "skip", "--rejects", str(rejects)
    )
    assert (ended.code, rejects.stat().st_mode & 0o777) == (1, 0o600)
    (source / "groups.ndjson").unlink()
    assert modes(source) == {0o600}
    assert (await selvedge(url, key, "export", str(out), "groups")).code == 0
    assert {path.name for path in out.iterdir()} == {"groups.ndjson", "manifest.json"}
    assert modes(out) == {0o600}


async def test_a_second_import_of_a_folder_is_refused(
    environment: TransferEnvironment, keys: dict[str, str], client: Client, folder: ImportFolder
) -> None:
    """In one line, and before it sends anything; a dry run and another organization's are not."""
    folder.write("groups.ndjson", {"name": "Alpine"})
    command = (str(environment.url), keys["write"], "import", str(folder.path))
    new = await path_of(client, folder.path)
    with locked_map(new):
        ended = await selvedge(*command)
        refused = f"selvedge: another import of {folder.path} is running: wait for its end"
        assert (ended.code, ended.errors.splitlines()[-1]) == (1, refused)
        assert (await selvedge(*command, "--dry-run")).code == 0
        organization_id = (await client.me()).organization_id
        earlier(folder.path, f"127.0.0.1-{environment.url.port}", organization_id)
        with pytest.raises(TransferError, match="another import"):
            await map_file(client, folder.path, str(environment.url), dry_run=False)
        with open_id_map(folder.path / "ids-other.sqlite3", dry_run=False):
            assert not new.exists()
    assert await listed(client, "groups") == []


@pytest.mark.parametrize("suffix", [".sqlite3", ".lock"])
def test_a_planted_link_is_refused(tmp_path: Path, suffix: str) -> None:
    """The mode of its target stays."""
    target, path = tmp_path / "target", tmp_path / "ids.sqlite3"
    target.touch(0o644)
    path.with_suffix(suffix).symlink_to(target)
    with pytest.raises(OSError, match="is a link"), open_id_map(path, dry_run=False):
        pass
    assert target.stat().st_mode & 0o777 == 0o644
