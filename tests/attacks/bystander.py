"""Bystander: light reads of another organization, and readiness, during an attack."""

import asyncio
import statistics
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from benchmarks.load import Request
from tests.attacks.attacker import NONE, read_status
from tests.support.time_limits import within

PATIENCE: Final = 30
"""Seconds after which a response counts as missing."""
_PATHS: Final = (
    "/api/colors?pageSize=10",
    "/api/groups?pageSize=5",
    "/api/style-relations?pageSize=10",
    "/api/languages",
)
_INTERVAL_SECONDS: Final = 0.05
_READS_PER_READINESS: Final = 4


@dataclass
class Record:
    """Responses to the bystander."""

    seconds: list[float] = field(default_factory=list)
    reads: Counter[str] = field(default_factory=Counter)
    """Number of light reads by status."""
    readiness: Counter[str] = field(default_factory=Counter)
    """Number of responses of /readyz by status."""

    @property
    def median(self) -> float:
        """Return the median of the seconds until a response or its time limit."""
        return statistics.median(self.seconds)

    @property
    def worst(self) -> float:
        """Return the longest time until a response or its time limit, in seconds."""
        return max(self.seconds)

    @property
    def unserved(self) -> int:
        """Return the number of light reads whose status was not 200."""
        return self.reads.total() - self.reads["200"]

    @property
    def unready(self) -> int:
        """Return the number of responses of /readyz whose status was not 200."""
        return self.readiness.total() - self.readiness["200"]


async def watch(port: int, key: str, stop: asyncio.Event) -> Record:
    """Read until `stop` is set; each request is on a connection of its own.

    Requests are sent at fixed intervals. A bystander that waits for one response before it sends
    the next request would see less the worse it gets.
    """
    record = Record()
    messages = [Request("GET", path).encoded(key) for path in _PATHS]

    async def read(message: bytes) -> None:
        started = time.perf_counter()
        record.reads[await _status(port, message)] += 1
        record.seconds.append(time.perf_counter() - started)

    async def check_readiness() -> None:
        record.readiness[await _status(port, Request("GET", "/readyz").encoded())] += 1

    async with asyncio.TaskGroup() as group:
        for number in count():
            group.create_task(read(messages[number % len(messages)]))
            if number % _READS_PER_READINESS == 0:
                group.create_task(check_readiness())
            if await _is_set_within(stop, _INTERVAL_SECONDS):
                break
    return record


async def _is_set_within(stop: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()
    return stop.is_set()


async def _status(port: int, message: bytes) -> str:
    """Return the status of the response to a message sent on a new connection."""
    try:
        async with within(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(message)
                return await read_status(reader)
            finally:
                writer.transport.abort()
    except (OSError, asyncio.IncompleteReadError):  # TimeoutError is an OSError
        return NONE
