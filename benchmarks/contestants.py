"""Contestants: servers that are measured over HTTP, on one database and the same cores."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import Final
from urllib.parse import parse_qs, urlsplit

import psutil

from benchmarks import interpreters
from benchmarks.interpreters import INSTALLED

_HERE: Final = Path(__file__).parent
_PEERS: Final = _HERE / "peers"
_START_SECONDS: Final = 60
_STOP_SECONDS: Final = 20
_CONNECTIONS: Final = 8
"""Size of Selvedge's connection pool by default on two cores, shared by its workers."""

TITLES: Final = {
    "selvedge": "Selvedge",
    "base": "Selvedge of another checkout",
    "fastapi": "FastAPI + asyncpg + pydantic",
    "litestar": "Litestar + asyncpg + msgspec",
    "fastify": "Fastify + pg",
    "pgbench": "pgbench, same statements",
    "bare": "aiohttp, same bytes, no work",
}
BASE: Final = "BENCH_BASE"
"""Environment variable that names the folder of the other checkout."""
OURS: Final = ("selvedge", "base")
PEERS: Final = ("fastapi", "litestar", "fastify")


@dataclass(frozen=True, slots=True)
class Contestant:
    """Server that answers the scenarios on a port."""

    name: str
    """One of TITLES; `@` and an interpreter follow unless it is that of this process."""
    port: int
    process: psutil.Process

    @property
    def is_ours(self) -> bool:
        """Return whether it is Selvedge."""
        return interpreters.kind_of(self.name) in OURS

    def cpu_seconds(self) -> float:
        """Return the processor time of the process and its children so far, in seconds."""
        return tree_seconds(self.process)


def tree_seconds(root: psutil.Process) -> float:
    """Return the processor time of a process and its descendants so far, in seconds.

    Ended descendants are included. The root is read first, so that none is counted twice; if one
    ends during the sum, the sum starts again.
    """
    while True:
        total = _seconds(root)
        try:
            return total + sum(map(_seconds, root.children(recursive=True)))
        except psutil.NoSuchProcess:
            continue


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


@contextmanager
def contestant(name: str, dsn: str, answers: Path, *, workers: int = 1) -> Iterator[Contestant]:
    """Start a contestant that speaks HTTP; `answers` is the folder of the responses of `bare`."""
    port = _free_port()
    kind, interpreter = interpreters.kind_of(name), interpreters.of(name)
    python = str(interpreter.service)
    command = {
        "selvedge": [python, "-m", "service", "serve"],
        "base": [python, "-m", "service", "serve"],
        "bare": [python, "-m", "benchmarks.bare", str(answers), str(port)],
        "fastapi": _uvicorn(interpreter.peers, "fastapi_app", port),
        "litestar": _uvicorn(interpreter.peers, "litestar_app", port),
        "fastify": ["node", str(INSTALLED / "fastify" / "server.js")],
    }[kind]
    environment = {
        **os.environ,
        **_environment(dsn, port),
        "WORKERS": str(workers),
        "POOL_SIZE": str(_CONNECTIONS // workers),
    }
    folder = os.environ[BASE] if kind == "base" else None
    if folder is not None and not Path(folder, "service").is_dir():
        # Python would run the installed package, which is this checkout.
        raise FileNotFoundError(f"{folder} is no checkout of Selvedge")
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, cwd=folder
    ) as process:
        try:
            _wait(port, process)
            yield Contestant(name, port, psutil.Process(process.pid))
        finally:
            process.terminate()
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def peers_are_installed() -> bool:
    """Return whether Node.js and the packages of `make peers` are installed."""
    return shutil.which("node") is not None and (INSTALLED / ".installed").exists()


def _uvicorn(python: Path, module: str, port: int) -> list[str]:
    """Return the command of one worker without access log; uvicorn[standard] brings uvloop."""
    options = ["--port", str(port), "--no-access-log", "--log-level", "warning"]
    return [
        str(python),
        "-m",
        "uvicorn",
        "--app-dir",
        str(_PEERS),
        f"{module}:app",
        *options,
    ]


def _environment(dsn: str, port: int) -> dict[str, str]:
    """Return the variables of the database: a URL for Selvedge, libpq's for the peers."""
    parts = urlsplit(dsn)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return {
        "DATABASE_URL": dsn,
        "PGHOST": query.get("host", parts.hostname or ""),
        "PGPORT": query.get("port", str(parts.port or 5432)),
        "PGUSER": parts.username or "postgres",
        "PGPASSWORD": parts.password or "",
        "PGDATABASE": parts.path.lstrip("/"),
        "PORT": str(port),
        "LOG_LEVEL": "warning",
        "SQL_FOLDER": str(_PEERS / "sql"),
        "NODE_ENV": "production",
    }


def _free_port() -> int:
    """Return a free port that the system gives to nobody by itself.

    A port of the system's choice may be another process's by the time that the contestant binds it,
    and a connection to it may even be to itself: then the contestant seems to listen too soon.
    """
    while True:
        port = SystemRandom().randrange(10_000, 32_768)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"{process.args!r} did not start")
