"""Prism proxy in front of the service: validates requests and responses of any test.

A plugin of pytest, run by hand (CONTRIBUTING.md). Whatever a test calls goes through Prism. It
finds something where an answer is not as the document has it, or where a request succeeds that the
document does not allow.
"""

import os
import socket
import subprocess
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import orjson
import pytest
from aiohttp.test_utils import TestClient
from yarl import URL

from service import openapi
from tests.support.time_limits import limit

_PRISM: Final = os.environ.get("PRISM", "prism")
_SECONDS: Final = 30
#: It has no whole numbers beyond those of JavaScript, and HEAD stands in no document.
_OF_ITS_OWN: Final = ("must be <= 9007199254740991", "Selected route not found")


class Proxies:
    """Prism processes, one per started service, and the violations that they reported."""

    def __init__(self, folder: Path) -> None:
        self.answers: Counter[int] = Counter()
        self.violations: Counter[str] = Counter()
        self._folder = folder
        self._document = folder / "openapi.json"
        self._document.write_bytes(openapi.document())
        self._running: dict[str, tuple[str, subprocess.Popen[bytes]]] = {}

    def before(self, service: str) -> str:
        """Return the address of the proxy before a service; started where there is none yet."""
        if service not in self._running:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            command = (_PRISM, "proxy", self._document, service, "-h", "127.0.0.1", "-p", str(port))
            with (self._folder / f"{port}.log").open("wb") as log:
                process = subprocess.Popen(command, stdout=log, stderr=log)
            self._running[service] = (f"http://127.0.0.1:{port}", process)
            _wait_for(port)
        return self._running[service][0]

    def note(self, method: str, path: str, answer: Any) -> None:
        """Count the violations of a response."""
        self.answers[answer.status] += 1
        for row in orjson.loads(answer.headers.get("sl-violations", "[]")):
            concerns = row["location"][0] == "response" or answer.status < 400
            if concerns and not row["message"].endswith(_OF_ITS_OWN):
                where = ".".join(map(str, row["location"]))
                self.violations[f"{method} {path} {answer.status}: {where}: {row['message']}"] += 1

    def stop(self) -> None:
        """End them all."""
        for _, process in self._running.values():
            process.terminate()
            process.wait(limit(_SECONDS))


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + limit(_SECONDS)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


_PROXIES = pytest.StashKey[Proxies]()


def pytest_configure(config: pytest.Config) -> None:
    """Route requests of tests through a proxy."""
    folder = TemporaryDirectory()
    config.add_cleanup(folder.cleanup)
    proxies = config.stash[_PROXIES] = Proxies(Path(folder.name))
    config.add_cleanup(proxies.stop)
    straight = TestClient._request

    async def request(self: Any, method: str, path: Any, **options: Any) -> Any:
        service, url = str(self.make_url("/")).rstrip("/"), str(self.make_url(path))
        below = url.removeprefix(service)
        if not below.startswith("/api/"):
            return await straight(self, method, path, **options)
        through = URL(proxies.before(service) + below, encoded=True)
        answer = await self.session.request(method, through, **options)
        proxies.note(method, below, answer)
        return answer

    TestClient._request = request  # type: ignore[method-assign]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the violations."""
    proxies = config.stash[_PROXIES]
    violations = proxies.violations
    terminalreporter.write_line(
        f"Prism: {proxies.answers.total()} answers, {violations.total()} violations"
    )
    for violation, count in violations.most_common():
        terminalreporter.write_line(f"{count} times {violation}")
