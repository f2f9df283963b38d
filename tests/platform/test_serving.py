"""Tests of `selvedge run` and `selvedge serve`: started, killed, stopped, refused."""

import gzip
import json
import re
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from aiohttp import http_parser

from service import __version__
from tests.support.databases import fresh_database
from tests.support.processes import (
    Running,
    executed,
    kill,
    reaches_status,
    running,
    selvedge,
    status,
    wait_until_gone,
)
from tests.support.temporary_folders import temporary_folder
from tests.support.time_limits import becomes, limit


@pytest.fixture(scope="module")
def served_dsn(server_dsn: str, worker_id: str) -> str:
    """A migrated, empty database."""
    return fresh_database(server_dsn, f"served_{worker_id}")


@pytest.fixture(scope="module")
def served(served_dsn: str) -> Iterator[Running]:
    """A service of two workers on it, which no test stops."""
    with (
        temporary_folder() as folder,
        executed(folder, "serve", DATABASE_URL=served_dsn, WORKERS="2") as service,
    ):
        yield service


@pytest.mark.thorough
@pytest.mark.contract("Starting")
def test_run_brings_demo_data_and_keys_that_stay(data_dir: Path) -> None:
    keys: list[str] = []
    for number in (signal.SIGINT, signal.SIGKILL, signal.SIGKILL, signal.SIGHUP):
        with running(data_dir) as service:
            family = service.family()
            keys = keys or service.keys
            assert service.keys == keys
            key_file = data_dir / "demo-keys"
            assert key_file.read_text().split() == keys
            assert key_file.stat().st_mode & 0o777 == 0o600
            for key in keys:
                assert status(f"{service.base_url}/api/colors?pageSize=3", key) == 200
            *_, shown, last = service.output.splitlines()
            assert f"Bearer {keys[0]}" in shown
            assert last == f"Open {service.base_url}/ in a browser. Ctrl-C stops everything."

            second = selvedge(data_dir, "run")
            assert second.returncode == 1
            assert len(second.stderr.splitlines()) == 1

            assert service.stop(number) == (-number if number == signal.SIGKILL else 0)
            assert wait_until_gone(family) == []
    with running(data_dir) as service:
        assert service.keys == keys


@pytest.mark.thorough
@pytest.mark.contract("Starting")
def test_a_revoked_demo_key_is_replaced(data_dir: Path) -> None:
    with running(data_dir) as service:
        first = service.keys
        assert selvedge(data_dir, "key", "revoke", first[0].split("_")[2]).returncode == 0
    with running(data_dir) as service:
        assert service.keys[0] != first[0]
        assert service.keys[1] == first[1]


def _workers(service: Running) -> list[psutil.Process]:
    """Return both workers, once they are there."""
    assert becomes(lambda: len(service.workers()) == 2)
    return service.workers()


@pytest.mark.contract("Log")
def test_a_dead_worker_is_replaced(served: Running) -> None:
    first = _workers(served)
    kill(first[:1])
    assert first[0] not in _workers(served)
    assert reaches_status(f"{served.base_url}/healthz", 200)


@pytest.mark.contract("Starting", "Outages")
def test_serve_starts_without_its_database(data_dir: Path) -> None:
    away = "postgresql://selvedge@127.0.0.1:1/selvedge"
    with running(data_dir, "serve", DATABASE_URL=away) as service:
        assert reaches_status(f"{service.base_url}/healthz", 200)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{service.base_url}/readyz")
        assert refused.value.code == 503
        message = refused.value.read().decode()
        assert "check that PostgreSQL runs" in message
        assert "127.0.0.1" not in message


@pytest.mark.contract("Connections", "Limits")
def test_connections_stay_open_and_request_lines_may_be_long_up_to_a_limit(served: Running) -> None:
    address = urlsplit(served.base_url)
    assert address.hostname is not None
    with closing(HTTPConnection(address.hostname, address.port)) as connection:
        for path in ("/healthz", "/healthz", f"/api/colors?{'ids=1234567890123456789&' * 1300}"):
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            assert not answer.will_close
            assert answer.status in (200, 401)
    assert status(f"{served.base_url}/api/colors?ids={'1' * 40_000}") == 414
    assert http_parser.HttpRequestParser is not http_parser.HttpRequestParserPy, "the slow one"


@pytest.mark.contract("Connections")
def test_idle_connections_shut_nobody_out(served_dsn: str, data_dir: Path) -> None:
    with ExitStack() as stack:
        service = stack.enter_context(running(data_dir, "serve", 200, DATABASE_URL=served_dsn))
        address = urlsplit(service.base_url)
        for _ in range(500):
            stack.enter_context(socket.create_connection((address.hostname, address.port)))
        for _ in range(20):
            assert status(f"{service.base_url}/readyz") == 200


@pytest.mark.contract("Bad input")
def test_compressed_bodies_leave_the_connection_whatever_is_in_them(
    served: Running, served_dsn: str, data_dir: Path
) -> None:
    """Gzip is taken if it is whole; no other coding is."""
    create = ("organization", "create", "Compressor")
    organization = selvedge(data_dir, *create, DATABASE_URL=served_dsn).stdout.strip()
    issue = ("key", "issue", "--organization", organization, "--scope", "write")
    key = selvedge(data_dir, *issue, DATABASE_URL=served_dsn).stdout.strip()
    address, whole = urlsplit(served.base_url), gzip.compress(b'{"name":"Sent compressed"}')
    assert address.hostname is not None
    with closing(HTTPConnection(address.hostname, address.port, timeout=limit(10))) as connection:
        for coding in ("gzip", "deflate", "br", "zstd", "nonsense"):
            for body in (whole, whole[:-9], b"{}", b""):
                headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
                headers["Authorization"] = f"Bearer {key}"
                connection.request("POST", "/api/groups", body, headers)
                answer = connection.getresponse()
                is_taken = coding == "gzip" and body == whole
                assert (b"Content-Encoding" in answer.read()) is not is_taken
                assert answer.status == (201 if is_taken else 400 if coding == "gzip" else 415)
                assert not answer.will_close


@pytest.mark.contract("Connections")
def test_kept_connections_end_with_a_stop(served_dsn: str, data_dir: Path) -> None:
    """None is reset: whoever asks meanwhile gets an answer that says it is the last.

    The stop waits little for who rests.
    """
    settings = {"DATABASE_URL": served_dsn, "WORKERS": "2", "LOG_LEVEL": "warning"}
    with running(data_dir, "serve", **settings) as service, ExitStack() as stack:
        address = urlsplit(service.base_url)
        assert address.hostname is not None
        connections = [
            HTTPConnection(address.hostname, address.port, timeout=limit(10)) for _ in range(12)
        ]
        for connection in connections:
            stack.callback(connection.close)
        stack.enter_context(socket.create_connection((address.hostname, address.port)))
        assert [_is_last(connection) for connection in connections] == [False] * 12
        service.process.send_signal(signal.SIGTERM)
        while connections:
            connections = [connection for connection in connections if not _is_last(connection)]
            time.sleep(0.05)
        assert service.process.wait(limit(20)) == 0


def _is_last(connection: HTTPConnection) -> bool:
    """Return whether another answer, which has to be a good one, is said to be the last."""
    connection.request("GET", "/healthz")
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200
    return answer.will_close


@pytest.mark.contract("Starting")
def test_a_stop_that_is_delayed_serves_on_and_is_not_ready(served_dsn: str, data_dir: Path) -> None:
    """Balancers take the instance out while new connections are still served."""
    settings = {"DATABASE_URL": served_dsn, "WORKERS": "2"}
    with running(data_dir, "serve", STOP_DELAY="40", **settings) as service:
        assert status(f"{service.base_url}/readyz") == 200
        service.process.send_signal(signal.SIGTERM)
        ready = f"{service.base_url}/readyz"
        assert becomes(lambda: {status(ready) for _ in range(20)} == {503})
        assert {status(f"{service.base_url}/healthz") for _ in range(20)} == {200}
        kill(service.family())
    with running(data_dir, "serve", STOP_DELAY="1", **settings) as service:
        assert service.stop() == 0


@pytest.mark.contract("Starting")
def test_a_stop_is_heard_however_soon_it_comes(data_dir: Path) -> None:
    """A signal before the handlers were installed was lost, and the service ran on."""
    settings = {"DATABASE_URL": "postgresql://selvedge@127.0.0.1:1/selvedge", "WORKERS": "2"}
    with ExitStack() as stack:
        services = []
        for wait in (0, 0.2):
            services.append(stack.enter_context(running(data_dir, "serve", **settings)))
            time.sleep(wait)
            services[-1].process.send_signal(signal.SIGTERM)
        assert [service.process.wait(limit(60)) for service in services] == [0, 0]


def _metrics(service: Running) -> str:
    return _text(f"{service.base_url}/metrics")


def _text(url: str) -> str:
    with urllib.request.urlopen(url) as answer:
        return str(answer.read().decode())


def _counted(service: Running) -> float:
    """Return how many requests for /guides the metrics count; no other test here sends any."""
    return sum(
        float(line.rsplit(" ", 1)[1])
        for line in _metrics(service).splitlines()
        if line.startswith("selvedge_requests_total") and 'route="/guides"' in line
    )


@pytest.mark.contract("Health")
def test_metrics_add_up_over_the_workers(served: Running) -> None:
    for _ in range(20):
        assert status(f"{served.base_url}/guides") == 200
    assert becomes(lambda: _counted(served) == 20)
    text = _metrics(served)
    pids = re.findall(r'^selvedge_process_resident_memory_bytes{pid="(\d+)"}', text, re.MULTILINE)
    assert {int(pid) for pid in pids} == {worker.pid for worker in _workers(served)}
    assert "\nselvedge_event_loop_longest_hold_seconds " in text
    assert "\nselvedge_database_connections_limit 8.0\n" in text
    assert "\nselvedge_database_up 1.0\n" in text
    assert f'version="{__version__}"}} 1.0' in text


@pytest.mark.contract("Versions", "Health")
def test_one_version_of_the_program_is_shown_everywhere(served: Running, data_dir: Path) -> None:
    """That of the interface, in the OpenAPI document, is another."""
    pages = [_text(f"{served.base_url}{path}") for path in ("/healthz", "/metrics", "/")]
    printed = selvedge(data_dir, "--version").stdout
    assert [text for text in (*pages, printed) if __version__ not in text] == []
    document = json.loads(_text(f"{served.base_url}/openapi.json"))
    assert document["info"]["version"] == "1.0.0" != __version__


@pytest.mark.contract("Settings")
@pytest.mark.parametrize(
    "setting",
    ["WORKERS=0", "PORT=none", "HOST=256.0.0.1", "POOL_SIZE=1000", "DATABASE_URL=mysql://x/y"],
)
def test_a_bad_setting_is_refused_in_one_line(
    served_dsn: str, data_dir: Path, setting: str
) -> None:
    name, _, value = setting.partition("=")
    refused = selvedge(data_dir, "serve", **{"DATABASE_URL": served_dsn, name: value})
    assert refused.returncode == 1
    assert refused.stdout == ""
    [line] = [line for line in refused.stderr.splitlines() if "does not run as root" not in line]
    assert value in line or name in line


@pytest.mark.contract("Settings")
def test_a_port_in_use_is_refused_before_anything_is_made(served_dsn: str, data_dir: Path) -> None:
    """The embedded server was started and the demo data loaded before the port was tried."""
    with socket.create_server(("127.0.0.1", 0)) as taken, ThreadPoolExecutor() as pool:
        port = str(taken.getsockname()[1])
        run = pool.submit(selvedge, data_dir, "run", PORT=port)
        serve = pool.submit(selvedge, data_dir, "serve", PORT=port, DATABASE_URL=served_dsn)
        for refused in (run.result(), serve.result()):
            assert refused.returncode == 1
            [line] = refused.stderr.splitlines()
            assert f"port {port}: another program uses it; stop that, or set PORT" in line
    assert not data_dir.exists()


@pytest.mark.contract("Command line")
def test_openapi_is_printed_without_a_database(data_dir: Path) -> None:
    printed = selvedge(data_dir, "openapi")
    assert json.loads(printed.stdout)["openapi"].startswith("3.1")
    assert not data_dir.exists()
