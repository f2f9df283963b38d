"""Tests of `selvedge dump` and `selvedge restore`: complete, and feed cursors expire."""

import os
import subprocess
from argparse import Namespace
from pathlib import Path

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service.extras.commands import CommandError, dump, dump_file
from service.extras.embedded.postmaster import installation
from service.settings import Settings
from tests.support import rows
from tests.support.api import Api
from tests.support.databases import fresh_database
from tests.support.openapi_validation import is_failure
from tests.support.processes import selvedge
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Command line", "Changes")

FEED, ME = "/api/changes", "/api/me"


@pytest.fixture(autouse=True)
def _programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folder of the programs of the tests' own server: other versions would refuse it."""
    if "TEST_DATABASE_SERVER" not in os.environ:
        version = int(os.environ.get("TEST_POSTGRES_VERSION") or "18")
        monkeypatch.setenv("PATH", str(installation(version) / "bin"), prepend=":")


def _modes(folder: Path) -> dict[str, int]:
    return {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir()}


async def test_dumps_are_restored_and_cursors_expire(
    api: Api, demo_dsn: str, server_dsn: str, data_dir: Path, tmp_path: Path
) -> None:
    start = (await api.get(FEED)).json["pagination"]["cursor"]
    await api.post("/api/groups", {"name": "Before"})
    cursor = (await api.get(FEED, {"cursor": start})).json["pagination"]["cursor"]
    file, broken = tmp_path / "demo.dump", tmp_path / "broken.dump"
    dumped = selvedge(data_dir, "dump", str(file), DATABASE_URL=demo_dsn)
    assert dumped.returncode == 0, dumped.stderr
    assert _modes(tmp_path) == {"demo.dump": 0o600}
    for command, reason in (("dump", "exists already"), ("restore", "is not empty")):
        refused = selvedge(data_dir, command, str(file), DATABASE_URL=demo_dsn)
        assert (refused.returncode, refused.stdout) == (1, "")
        [line] = refused.stderr.splitlines()
        assert reason in line

    fresh = fresh_database(server_dsn, f"restored_{os.getpid()}", "template1")
    broken.write_bytes(file.read_bytes()[:-20_000])
    for attempt, code in ((broken, 1), (file, 0)):
        restored = selvedge(data_dir, "restore", str(attempt), DATABASE_URL=fresh)
        assert restored.returncode == code, restored.stderr
    assert await rows.dump(fresh) == await rows.dump(demo_dsn)
    connection = await asyncpg.connect(fresh)
    assert await connection.fetchval("select count(*) from pg_stats where tablename = 'style'")
    await connection.close()
    async with serving(fresh) as server, TestClient(server) as client:
        restored_api = Api(client, api.key)
        ended = await restored_api.get(FEED, {"cursor": cursor})
        is_failure(ended, 410, "gone.changes_expired")
        assert (await restored_api.get(FEED)).status == 200
        assert (await restored_api.get(ME)).data == (await api.get(ME)).data
    assert (await api.get(FEED, {"cursor": cursor})).status == 200
    recovered = selvedge(data_dir, "restore", "--recovered", DATABASE_URL=demo_dsn)
    assert recovered.returncode == 0, recovered.stderr
    is_failure(await api.get(FEED, {"cursor": cursor}), 410, "gone.changes_expired")


@pytest.mark.thorough
async def test_only_a_copy_is_another_installation(
    api: Api, demo_dsn: str, server_dsn: str, data_dir: Path, tmp_path: Path
) -> None:
    original, file = (await api.get(ME)).data, tmp_path / "demo.dump"
    for arguments, is_same in (((), True), (("--copy",), False)):
        recovered = selvedge(data_dir, "restore", "--recovered", *arguments, DATABASE_URL=demo_dsn)
        assert recovered.returncode == 0, recovered.stderr
        assert ((await api.get(ME)).data == original) is is_same
    assert selvedge(data_dir, "dump", str(file), DATABASE_URL=demo_dsn).returncode == 0
    fresh = fresh_database(server_dsn, f"copy_{os.getpid()}", "template1")
    restored = selvedge(data_dir, "restore", str(file), "--copy", DATABASE_URL=fresh)
    assert restored.returncode == 0, restored.stderr
    async with serving(fresh) as server, TestClient(server) as client:
        copy = (await Api(client, api.key).get(ME)).data
    assert copy["installation"] not in [
        original["installation"],
        (await api.get(ME)).data["installation"],
    ]
    assert copy["organization"] == original["organization"]


def test_only_an_old_schema_is_no_failure(
    server_dsn: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last check of a restore; an outage just before it is a failure."""
    monkeypatch.setattr(dump_file, "end_cursors", lambda *_, **__: None)
    recovered = Namespace(recovered=True, copy=False)
    empty = fresh_database(server_dsn, f"old_schema_{os.getpid()}", "template1")
    dump.restore(Settings.from_environment({"DATABASE_URL": empty}), recovered)
    assert "Next: the schema is older than this release" in capsys.readouterr().out
    away = Settings.from_environment({"DATABASE_URL": "postgresql://postgres@127.0.0.1:1/selvedge"})
    with pytest.raises(CommandError, match="the database cannot be reached"):
        dump.restore(away, recovered)


def test_a_dump_of_a_newer_postgresql_leads_to_the_copy() -> None:
    """The sentence of pg_restore alone does not say why, nor what to do."""
    script = 'echo "pg_restore: error: unsupported version (1.16) in file header" >&2; exit 1'
    with (
        subprocess.Popen(["sh", "-c", script], stderr=subprocess.PIPE) as process,
        pytest.raises(CommandError, match=r"unsupported version .*`selvedge copy`"),
    ):
        dump_file._require_success(process)
