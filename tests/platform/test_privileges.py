"""What root starts serves as somebody else, and leaves no folder as it was not before.

Whoever else runs these tests sees the same hold of their own account: nothing is opened at all.
"""

import os
import shutil
import signal
import urllib.request
from pathlib import Path

import psutil
import psycopg
import pytest

from service import files
from service.embedded import postmaster
from service.embedded.access import ROLE, SUPERUSER
from service.privileges.accounts import service_account
from tests.support.processes import Running, running, selvedge, wait_until_gone

_IS_ROOT = os.geteuid() == 0


@pytest.fixture
def closed(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that nobody else may enter, with a copy of the code that nobody else may read."""
    home = data_dir.parent / "closed"
    for folder in (files.SQL.parent / "service", files.SQL, files.SCHEMAS, files.MIGRATIONS):
        shutil.copytree(folder, home / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
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


def _serving(service: Running) -> list[psutil.Process]:
    """Return the processes that callers' connections or statements get to."""
    return [
        process
        for process in service.family()
        if process.name() == "postgres"
        or any(one.status == psutil.CONN_LISTEN for one in process.net_connections("tcp"))
    ]


def _groups(process: psutil.Process) -> set[int]:
    """Return all groups of a process, the supplementary ones too where the system shows them."""
    status = Path(f"/proc/{process.pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    further = [line.split()[1:] for line in lines if line.startswith("Groups:")]
    return {*process.gids(), *(int(group) for groups in further for group in groups)}


@pytest.mark.parametrize("embedded", [True, False], ids=["embedded", "DATABASE_URL"])
def test_no_process_that_serves_is_root(data_dir: Path, demo_dsn: str, embedded: bool) -> None:
    command, settings = ("run", {}) if embedded else ("serve", {"DATABASE_URL": demo_dsn})
    with running(data_dir, command, WORKERS="2", **settings) as service:
        assert _get(service, "/readyz") == 200
        serving = _serving(service)
        assert set(service.workers()) < set(serving)
        expected = (service_account().uid, 0) if _IS_ROOT else (os.geteuid(), None)
        for process in serving:
            assert expected[1] not in {*process.uids(), *_groups(process)}
            if process.name() != "postgres":
                assert set(process.uids()) == {expected[0]}
        # Root's keeps the rest, and nobody outside gets to it.
        assert (psutil.Process(service.process.pid) in serving) is not _IS_ROOT


def test_the_service_and_its_database_have_accounts_apart(data_dir: Path) -> None:
    with running(data_dir) as service:
        databases = {each.uids().real for each in _serving(service) if each.name() == "postgres"}
        services = {each.uids().real for each in service.workers()}
        assert databases.isdisjoint(services) is _IS_ROOT
        superuser = postmaster.dsn(postmaster.socket_folder(data_dir.resolve()), SUPERUSER)
        assert _get(service, "/readyz") == 200
        with psycopg.connect(superuser) as connection:
            sessions = connection.execute(
                "select distinct usename from pg_stat_activity where application_name = 'selvedge'"
            ).fetchall()
        assert sessions == [(ROLE,)]


def test_a_program_that_others_cannot_read_serves_and_is_closed_again(closed: Path) -> None:
    before = _modes(closed)
    with running(closed / "data", WORKERS="2") as service:
        for path in ("/readyz", "/docs/swagger-ui.css", "/openapi.json"):
            assert _get(service, path) == 200
        assert (_modes(closed, before) != before) is _IS_ROOT
        assert service.stop() == 0
    assert _modes(closed, before) == before


def test_what_a_killed_start_opened_is_closed_after_the_next(closed: Path) -> None:
    before = _modes(closed)
    with running(closed / "data") as service:
        family = service.family()
        service.stop(signal.SIGKILL)
        assert wait_until_gone(family) == []
    assert selvedge(closed / "data", "organization", "list").returncode == 0
    assert _modes(closed, before) == before


def test_what_one_opened_stays_open_while_another_needs_it(closed: Path) -> None:
    before = _modes(closed)
    with running(closed / "second") as second:
        with running(closed / "first") as first:
            opened = _modes(closed, before)
            assert _get(first, "/readyz") == 200
            assert first.stop() == 0
        assert _modes(closed, before) == opened
        assert _get(second, "/docs/swagger-ui.css") == 200
        assert second.stop() == 0
    assert _modes(closed, before) == before


def test_a_worker_that_dies_is_replaced_by_one_that_is_not_root(
    data_dir: Path, demo_dsn: str
) -> None:
    with running(data_dir, "serve", DATABASE_URL=demo_dsn) as service:
        assert _get(service, "/readyz") == 200
        [worker] = service.workers()
        worker.kill()
        assert wait_until_gone([worker]) == []
        assert _get(service, "/readyz") == 200
        assert {each.uids().effective for each in service.workers()} == {
            service_account().uid if _IS_ROOT else os.geteuid()
        }
