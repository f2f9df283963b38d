"""Tests of the embedded server's life cycle: one owner, stopped on every exit."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import psutil
import psycopg
import pytest

from service.extras.embedded import (
    DataDirInUseError,
    EmbeddedServer,
    EmbeddedServerError,
    postmaster,
    running_server,
)
from service.extras.privileges.accounts import service_account
from tests.support.processes import kill, wait_until_gone
from tests.support.temporary_folders import CLUSTERS

pytestmark = pytest.mark.contract("Embedded server")

_OWNER = """
import sys, time
from pathlib import Path
from service.extras.embedded import postmaster
from service.extras.embedded import EmbeddedServer
from tests.support import temporary_folders
if sys.argv[2] == "outlived":
    postmaster._libc = None  # as on a system where children do not notice
with EmbeddedServer(Path(sys.argv[1])):
    print("ready", flush=True)
    time.sleep(60)
"""


def _owner(data_dir: Path, kind: str) -> subprocess.Popen[str]:
    """Start a process that owns the server; return once it is ready."""
    command = [sys.executable, "-c", _OWNER, str(data_dir), kind]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def _postmasters(data_dir: Path) -> list[psutil.Process]:
    """Return the server processes that no other one is the parent of."""
    processes = postmaster.processes(data_dir / "postgresql")
    numbers = {process.pid for process in processes}
    tops = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # a backend that just ended
            if process.ppid() not in numbers:
                tops.append(process)
    return tops


def _one(dsn: str, query: str) -> object:
    with psycopg.connect(dsn) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def test_data_stays_and_no_process_does(data_dir: Path) -> None:
    with EmbeddedServer(data_dir) as server:
        with psycopg.connect(server.dsn) as connection:
            connection.execute("create table kept as select 42 as answer")
        assert len(_postmasters(data_dir)) == 1
    assert wait_until_gone(_postmasters(data_dir)) == [], "what writes the log ends last"
    with EmbeddedServer(data_dir) as server:
        assert _one(server.dsn, "select answer from kept") == 42


def test_the_cluster_knows_letters_beyond_ascii_whatever_the_locale(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CLUSTERS)
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("PGPORT", "1")
    with EmbeddedServer(data_dir) as server:
        assert _one(server.dsn, "select 'ÄRMELLÄNGE Ω' ilike 'ärmellänge ω'") is True
        assert _one(server.dsn, "show server_encoding") == "UTF8"


def test_only_the_servers_account_and_the_services_reach_the_socket(data_dir: Path) -> None:
    with EmbeddedServer(data_dir):
        assert (data_dir / "postgresql").stat().st_mode & 0o077 == 0
        socket_folder = (data_dir / "run").stat()
        # Root's service passes through by its group, which nobody else is in.
        assert socket_folder.st_mode & 0o777 == (0o700 if service_account().gid is None else 0o710)
        assert service_account().gid in (None, socket_folder.st_gid)


def test_a_long_path_moves_the_socket_and_nothing_else(data_dir: Path) -> None:
    deep = data_dir / ("a folder, " * 12) / "data"
    with EmbeddedServer(deep) as server:
        assert _one(server.superuser_dsn, "show data_directory") == str(
            deep.resolve() / "postgresql"
        )
        moved = postmaster.socket_folder(deep.resolve())
        assert moved.is_dir()
    assert not moved.exists()


def test_another_version_is_refused(data_dir: Path) -> None:
    with EmbeddedServer(data_dir, postgres_version=16) as server:
        assert str(_one(server.dsn, "show server_version")).startswith("16.")
    with (
        pytest.raises(EmbeddedServerError, match="PostgreSQL 16, not 18"),
        EmbeddedServer(data_dir),
    ):
        pass


@pytest.mark.parametrize("kind", ["followed", "outlived"])
def test_the_owner_is_killed_twice_and_the_next_start_works(data_dir: Path, kind: str) -> None:
    for _ in range(2):
        owner = _owner(data_dir, kind)
        left = _postmasters(data_dir)
        owner.kill()
        owner.communicate()
        with EmbeddedServer(data_dir) as server:
            assert _one(server.dsn, "select 1") == 1
            assert wait_until_gone(left) == []
            assert len(_postmasters(data_dir)) == 1
    assert wait_until_gone(_postmasters(data_dir)) == [], "what writes the log ends last"


def test_a_killed_postmaster_leaves_no_backend_in_the_way(data_dir: Path) -> None:
    owner = _owner(data_dir, "outlived")
    [left] = _postmasters(data_dir)
    kill([left])
    owner.kill()
    owner.communicate()
    with EmbeddedServer(data_dir) as server:
        assert _one(server.dsn, "select 1") == 1


def test_an_unfinished_cluster_is_made_again(data_dir: Path) -> None:
    """An exception stops the server, too."""
    unfinished = data_dir / "postgresql.unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")
    with pytest.raises(KeyError, match="1"), EmbeddedServer(data_dir) as server:
        raise KeyError(_one(server.dsn, "select 1"))
    assert not unfinished.exists()
    assert wait_until_gone(_postmasters(data_dir)) == [], "what writes the log ends last"


@pytest.mark.contract("Command line")
def test_a_command_uses_the_server_at_work_or_starts_one(data_dir: Path) -> None:
    """A second owner is refused in one line."""
    with running_server(data_dir) as dsn:
        assert _one(dsn, "select 1") == 1
    assert wait_until_gone(_postmasters(data_dir)) == [], "what writes the log ends last"
    with EmbeddedServer(data_dir) as server:
        with running_server(data_dir) as dsn:
            assert dsn == server.dsn
            assert _one(dsn, "select 1") == 1
        with pytest.raises(DataDirInUseError) as caught, EmbeddedServer(data_dir):
            pass
        assert "\n" not in str(caught.value)
        assert _one(server.dsn, "select 1") == 1


def test_the_cause_of_a_failed_start_is_in_the_message(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EmbeddedServer(data_dir):
        pass
    (data_dir / "postgresql" / "global" / "pg_control").write_bytes(b"")
    with pytest.raises(
        EmbeddedServerError, match=r"PANIC:.*pg_control.*\(see .*\.log\)$"
    ) as caught:
        EmbeddedServer(data_dir).__enter__()
    assert "\n" not in str(caught.value)
    full = "initdb: error: could not write: No space left on device"
    failed = subprocess.CalledProcessError(
        1, "initdb", stderr=f"{full}\ninitdb: removing contents\n"
    )
    monkeypatch.setattr(postmaster, "initialize", Mock(side_effect=failed))
    with pytest.raises(EmbeddedServerError, match=full):
        EmbeddedServer(data_dir / "other").__enter__()


def test_a_restart_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError(28, "No space left on device")

    server = EmbeddedServer(tmp_path)
    monkeypatch.setattr(server, "_process", SimpleNamespace(poll=lambda: 1, pid=0))
    monkeypatch.setattr(server, "_start", fail)
    with pytest.raises(EmbeddedServerError, match="No space left on device"):
        server.tend()
