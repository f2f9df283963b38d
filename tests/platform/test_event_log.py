"""Tests of the event log: a line of JSON per event, with its cause and remedy."""

import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import orjson
import psutil
import pytest

from service.database import migrations
from service.extras.embedded.postmaster import read_pid_file
from tests.support.databases import fresh_database
from tests.support.processes import kill, reaches_status, running, status, wait_until_gone
from tests.support.time_limits import becomes

pytestmark = pytest.mark.contract("Log")

A_KEY = f"slv_1_1_{'0' * 64}"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[IO[str]]:
    with (tmp_path / "log").open("w+") as file:
        yield file


def _events(log: IO[str]) -> list[dict[str, Any]]:
    """Return the events so far."""
    lines = Path(log.name).read_text().splitlines()
    return [orjson.loads(line) for line in lines if line.startswith("{")]


def _event(log: IO[str], name: str) -> dict[str, Any]:
    """Return the one event of a name, once it is told of."""
    assert becomes(lambda: name in [each["event"] for each in _events(log)])
    [event] = [each for each in _events(log) if each["event"] == name]
    return event


def test_start_stop_and_a_worker_that_died(dsn: str, data_dir: Path, log: IO[str]) -> None:
    with running(data_dir, "serve", None, log, DATABASE_URL=dsn) as service:
        assert reaches_status(f"{service.base_url}/readyz", 200)
        [worker] = service.workers()
        kill([worker])
        died = _event(log, "worker_died")
        assert (died["worker"], died["code"], died["level"]) == (worker.pid, -9, "error")
        assert "memory" in died["message"]
        assert reaches_status(f"{service.base_url}/readyz", 200)
        with urllib.request.urlopen(f"{service.base_url}/metrics") as metrics:
            assert b"\nselvedge_worker_deaths_total 1.0\n" in metrics.read()
        assert service.stop() == 0
    events = {event["event"]: event for event in _events(log)}
    assert [*events] == ["started", "worker_died", "signal_received", "stopped"]
    assert len(_events(log)) == len(events)
    assert events["signal_received"]["signal"] == "SIGTERM"


def test_nothing_stays_behind_who_is_killed(dsn: str, data_dir: Path) -> None:
    """The folder of metrics goes with the last worker, or at the next start."""
    temporary = data_dir.parent / "temporary"
    temporary.mkdir()
    temporary.chmod(0o777)
    settings = {"DATABASE_URL": dsn, "TMPDIR": str(temporary)}
    with running(data_dir, "serve", **settings) as service:
        assert reaches_status(f"{service.base_url}/readyz", 200)
        assert len(list(temporary.iterdir())) == 1
        kill(service.family())
    with running(data_dir, "serve", **settings) as service:
        assert reaches_status(f"{service.base_url}/readyz", 200)
        assert len(list(temporary.iterdir())) == 1
        family = service.family()
        assert service.stop(signal.SIGKILL) == -signal.SIGKILL
        assert wait_until_gone(family) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.thorough
def test_an_embedded_server_that_dies_is_started_again(data_dir: Path, log: IO[str]) -> None:
    with running(data_dir, "run", None, log) as service:
        server = read_pid_file(data_dir / "postgresql")
        assert server is not None
        kill([psutil.Process(server.pid)])
        assert _event(log, "database_ended")["code"] == -9
        assert reaches_status(f"{service.base_url}/readyz", 200)
        assert status(f"{service.base_url}/api/colors", service.keys[0]) == 200


@pytest.mark.contract("Starting", "Health")
def test_serve_migrates_nothing_and_is_not_ready_until_someone_does(
    server_dsn: str, data_dir: Path, log: IO[str]
) -> None:
    empty = fresh_database(server_dsn, "served_empty", "template1")
    with running(data_dir, "serve", None, log, DATABASE_URL=empty) as service:
        message = _event(log, "schema_behind")["message"]
        assert "selvedge migrate" in message
        assert "every request" not in message
        assert _event(log, "started")["message"].endswith(" with 1 worker.")
        assert reaches_status(f"{service.base_url}/healthz", 200)
        assert status(f"{service.base_url}/readyz") == 503
        assert status(f"{service.base_url}/api/colors", A_KEY) == 503
        assert migrations.migrate(empty)
        assert reaches_status(f"{service.base_url}/readyz", 200)
        assert status(f"{service.base_url}/api/colors", A_KEY) == 401
        _event(log, "schema_current")
