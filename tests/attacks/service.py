"""Service under attack: `selvedge serve` on a database of its own, watched from outside."""

import asyncio
import re
import threading
import time
import urllib.request
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

import asyncpg
import psutil

from tests.attacks.bystander import PATIENCE
from tests.support.processes import Running, executed
from tests.support.receivers import LOOPBACK
from tests.support.time_limits import limit

WORKERS: Final = 2
_MB: Final = 2**20
_LONGEST: Final = re.compile(r"^selvedge_event_loop_longest_hold_seconds (\S+)", re.MULTILINE)
_SAMPLE_SECONDS: Final = 0.2


_SESSIONS: Final = """
select pid from pg_stat_activity
where application_name = 'selvedge' and datname = current_database()
"""
_STORED: Final = "select pg_database_size(current_database())"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the service, in MB."""

    workers: float
    """Resident memory of all workers together."""
    sessions: float
    """Private memory of all its PostgreSQL sessions."""
    stored: float
    """Size of the database."""
    logged: float
    """Size of the log."""


class Service:
    """Processes of the service, its database sessions, its log and its metrics."""

    def __init__(self, process: Running, watcher: asyncpg.Connection) -> None:
        self.process = process
        self.port = urlsplit(process.base_url).port or 0
        self._log_bytes = 0
        self._watcher = watcher
        threading.Thread(target=self._read_log, daemon=True).start()

    def _read_log(self) -> None:
        log = self.process.stdout
        for line in log:
            self._log_bytes += len(line)

    def workers(self) -> set[int]:
        """Return the process ids of the workers."""
        return {each.pid for each in self.process.workers()}

    def worker_memory(self) -> float:
        """Return the resident memory of all workers together, in MB."""
        return sum(_memory(pid, "rss") for pid in self.workers())

    async def sizes(self) -> Sizes:
        """Return the present sizes."""
        rows = await self._watcher.fetch(_SESSIONS)
        sessions = sum(_memory(row["pid"], "uss") for row in rows)
        stored: int = await self._watcher.fetchval(_STORED)
        return Sizes(self.worker_memory(), sessions, stored / _MB, self._log_bytes / _MB)

    async def longest_hold(self) -> float:
        """Return the longest hold of an event loop in the last minute, in seconds.

        It is infinite if the service does not answer within PATIENCE.
        """
        match = _LONGEST.search(await asyncio.to_thread(self._metrics))
        return float(match[1]) if match else inf

    def _metrics(self) -> str:
        """Return the metrics as soon as the service answers again; empty if it does not."""
        deadline = time.monotonic() + limit(PATIENCE)
        while time.monotonic() < deadline:
            with suppress(OSError):
                address = f"{self.process.base_url}/metrics"
                with urllib.request.urlopen(address, timeout=limit(PATIENCE)) as answer:
                    return str(answer.read().decode())
            time.sleep(0.2)
        return ""

    async def largest_memory(self, stop: asyncio.Event) -> float:
        """Return the maximum memory of all workers together until `stop` is set, in MB."""
        largest = 0.0
        while not stop.is_set():
            largest = max(largest, self.worker_memory())
            await asyncio.sleep(_SAMPLE_SECONDS)
        return largest


def _memory(pid: int, kind: str) -> float:
    """Return a process's memory of a kind, in MB; 0 if it has ended."""
    try:
        process = psutil.Process(pid)
        memory = process.memory_info() if kind == "rss" else process.memory_full_info()
        return float(getattr(memory, kind)) / _MB
    except psutil.NoSuchProcess:
        return 0.0


@asynccontextmanager
async def service(dsn: str, files: int | None) -> AsyncIterator[Service]:
    """Serve that database until the context is left."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="selvedge-attacks-")))
        settings = {"WORKERS": str(WORKERS), "LOG_LEVEL": "info"}
        settings |= {"WEBHOOK_PRIVATE_ADDRESSES": LOOPBACK}
        serving = executed(folder, "serve", files, DATABASE_URL=dsn, **settings)
        process = await asyncio.to_thread(stack.enter_context, serving)
        watcher = await asyncpg.connect(dsn)
        stack.push_async_callback(watcher.close)
        made = Service(process, watcher)
        while len(made.workers()) < WORKERS:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.1)
        yield made
