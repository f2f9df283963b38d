"""Another organization's light reads, and readiness, while the service is under attack."""

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
from tests.support.waiting import within

PATIENCE: Final = 30
"""Seconds after which an answer does not count as one any more."""
_PATHS: Final = (
    "/api/colors?pageSize=10",
    "/api/groups?pageSize=5",
    "/api/style-relations?pageSize=10",
    "/api/languages",
)
_INTERVAL_SECONDS: Final = 0.05
_READS_PER_READINESS: Final = 4


@dataclass
class Seen:
    """What the witness was answered."""

    seconds: list[float] = field(default_factory=list)
    reads: Counter[str] = field(default_factory=Counter)
    """Light reads by status."""
    readiness: Counter[str] = field(default_factory=Counter)
    """Answers of /readyz by status."""

    @property
    def median(self) -> float:
        """Of the seconds until an answer, or the end of waiting for it."""
        return statistics.median(self.seconds)

    @property
    def worst(self) -> float:
        """The longest of them."""
        return max(self.seconds)

    @property
    def unserved(self) -> int:
        """How many light reads were not answered by 200."""
        return self.reads.total() - self.reads["200"]

    @property
    def unready(self) -> int:
        """How many times /readyz was not 200."""
        return self.readiness.total() - self.readiness["200"]


async def watch(port: int, key: str, stop: asyncio.Event) -> Seen:
    """What was seen until `stop` was set; each request is on a connection of its own.

    They are sent one after the other at fixed intervals, however long the answers take: who waits
    for one before he asks again sees less the worse it gets.
    """
    seen = Seen()
    messages = [Request("GET", path).encoded(key) for path in _PATHS]

    async def read(message: bytes) -> None:
        started = time.perf_counter()
        seen.reads[await _status(port, message)] += 1
        seen.seconds.append(time.perf_counter() - started)

    async def ask() -> None:
        seen.readiness[await _status(port, Request("GET", "/readyz").encoded())] += 1

    async with asyncio.TaskGroup() as group:
        for number in count():
            group.create_task(read(messages[number % len(messages)]))
            if number % _READS_PER_READINESS == 0:
                group.create_task(ask())
            if await _is_set_within(stop, _INTERVAL_SECONDS):
                break
    return seen


async def _is_set_within(stop: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()
    return stop.is_set()


async def _status(port: int, message: bytes) -> str:
    """The status of the answer to a message sent on a new connection."""
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
