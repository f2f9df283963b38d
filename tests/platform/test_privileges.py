"""Tests of privileges: a service that root starts runs as another account.

Whoever else runs these tests sees the same hold of their own account: nothing is opened at all.
"""

import os
import signal
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
import pytest

from service.extras.embedded import postmaster
from service.extras.embedded.access import ROLE, SUPERUSER
from service.extras.privileges.accounts import service_account
from tests.support.processes import Running, executed, kill, running, selvedge, wait_until_gone
from tests.support.temporary_folders import copy_program
from tests.support.time_limits import becomes

_IS_ROOT = os.geteuid() == 0


def _service_uid() -> int:
    uid = service_account().uid
    return os.geteuid() if uid is None else uid


@pytest.fixture
def closed(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that nobody else may enter, with a copy of the code that nobody else may read."""
    home = data_dir.parent / "closed"
    copy_program(home)
    for path in (home, *home.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.chdir(home)
    return home


def _modes(home: Path, among: dict[Path, int] | None = None) -> dict[Path, int]:
    paths = (home, *home.rglob("*")) if among is None else among
    return {path: path.stat().st_mode & 0o7777 for path in paths}


def _get(service: Running, path: str) -> int:
    with urllib.request.urlopen(service.base_url + path) as answer:
        assert answer.read()
        return int(answer.status)


@dataclass(frozen=True, slots=True)
class _Process:
    """Snapshot of a process; sessions of the database come and go."""

    pid: int
    is_database: bool
    listens: bool
    uids: set[int]
    groups: set[int]


def _looked_at(process: psutil.Process) -> _Process:
    listens = any(each.status == psutil.CONN_LISTEN for each in process.net_connections("tcp"))
    status = Path(f"/proc/{process.pid}/status")  # where a system shows all groups
    lines = status.read_text().splitlines() if status.exists() else []
    further = {int(gid) for line in lines if line.startswith("Groups:") for gid in line.split()[1:]}
    return _Process(
        *(process.pid, process.name() == "postgres", listens),
        *({*process.uids()}, {*process.gids()} | further),
    )


def _serving(service: Running) -> list[_Process]:
    """Return the processes that callers' connections or statements get to."""
    inspected = []
    for process in service.family():
        with suppress(psutil.NoSuchProcess, FileNotFoundError):
            inspected.append(_looked_at(process))
    return [each for each in inspected if each.is_database or each.listens]


@pytest.mark.parametrize("embedded", [True, False], ids=["embedded", "DATABASE_URL"])
def test_no_process_that_serves_is_root(data_dir: Path, demo_dsn: str, embedded: bool) -> None:
    """Nor is a worker that takes the place of a dead one."""
    settings = {"WORKERS": "2"} if embedded else {"WORKERS": "2", "DATABASE_URL": demo_dsn}
    start, command = (executed, "run") if embedded else (running, "serve")
    with start(data_dir, command, **settings) as service:
        for _ in range(1 if embedded else 2):
            assert becomes(lambda: len(service.workers()) == 2)
            assert _get(service, "/readyz") == 200
            serving = _serving(service)
            inherited = {0} if _IS_ROOT else set()
            assert {each.pid for each in service.workers()} < {each.pid for each in serving}
            for process in serving:
                assert inherited.isdisjoint(process.uids | process.groups)
                if not process.is_database:
                    assert process.uids == {_service_uid()}
            # Root's own process is there for the rest, and nobody outside gets to it.
            assert (service.process.pid in {each.pid for each in serving}) is not _IS_ROOT
            if not embedded:
                kill(service.workers()[:1])


@pytest.mark.thorough
def test_the_service_and_its_database_have_accounts_apart(data_dir: Path) -> None:
    with running(data_dir) as service:
        assert _get(service, "/readyz") == 200
        serving = _serving(service)
        databases = {uid for each in serving if each.is_database for uid in each.uids}
        services = {uid for each in serving if not each.is_database for uid in each.uids}
        assert services == {_service_uid()}
        assert databases.isdisjoint(services) is _IS_ROOT
        superuser = postmaster.dsn(postmaster.socket_folder(data_dir.resolve()), SUPERUSER)
        with psycopg.connect(superuser) as connection:
            sessions = connection.execute(
                "select distinct usename from pg_stat_activity where application_name = 'selvedge'"
            ).fetchall()
        assert sessions == [(ROLE,)]


@pytest.mark.thorough
def test_a_program_that_others_cannot_read_serves_and_is_closed_again(closed: Path) -> None:
    before = _modes(closed)
    with executed(closed / "data", WORKERS="2") as service:
        for path in ("/readyz", "/docs/swagger-ui.css", "/openapi.json"):
            assert _get(service, path) == 200
        assert (_modes(closed, before) != before) is _IS_ROOT
        assert service.stop() == 0
    assert _modes(closed, before) == before


@pytest.mark.thorough
def test_access_opened_by_a_killed_start_is_closed_by_the_next(closed: Path) -> None:
    before = _modes(closed)
    with executed(closed / "data") as service:
        family = service.family()
        service.stop(signal.SIGKILL)
        assert wait_until_gone(family) == []
    assert selvedge(closed / "data", "organization", "list").returncode == 0
    assert _modes(closed, before) == before


@pytest.mark.thorough
def test_shared_access_stays_open_while_needed(closed: Path) -> None:
    before = _modes(closed)
    with executed(closed / "second") as second:
        with executed(closed / "first") as first:
            opened = _modes(closed, before)
            assert _get(first, "/readyz") == 200
            assert first.stop() == 0
        assert _modes(closed, before) == opened
        assert _get(second, "/docs/swagger-ui.css") == 200
        assert second.stop() == 0
    assert _modes(closed, before) == before
