"""Load generator: keep-alive connections, each with one request under way.

It parses only the status and length of a response, because it shares the processor with the server
that it measures: it takes about 20 microseconds per request.
"""

import asyncio
import re
import statistics
import time
from array import array
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from math import inf
from typing import Final, cast

_LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_SILENCE_SECONDS: Final = 30


@dataclass(frozen=True, slots=True)
class Request:
    """Request to any contestant."""

    method: str
    path: str
    body: bytes = b""
    content_type: str = "application/json"
    headers: Sequence[str] = ()
    """Header lines."""

    def encoded(self, key: str = "") -> bytes:
        """Return the bytes to send, with an API key unless it is empty."""
        lines = [f"{self.method} {self.path} HTTP/1.1", "Host: 127.0.0.1", *self.headers]
        if key:
            lines.append(f"Authorization: Bearer {key}")
        if self.body:
            lines += [f"Content-Type: {self.content_type}", f"Content-Length: {len(self.body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


@dataclass
class Measured:
    """Results of a run of load; times in seconds."""

    seconds: float = 0.0
    latencies: "array[float]" = field(default_factory=lambda: array("d"))
    failures: int = 0
    first_failure: str = ""

    @property
    def per_second(self) -> float:
        """Return the responses per second."""
        return len(self.latencies) / self.seconds

    def percentile(self, percent: int) -> float:
        """Return a percentile of the latencies."""
        if len(self.latencies) == 1:
            return self.latencies[0]
        return statistics.quantiles(self.latencies, n=100, method="inclusive")[percent - 1]


async def run(
    port: int,
    requests: Sequence[Sequence[bytes]],
    seconds: float,
    *,
    once: bool = False,
    measured: Measured | None = None,
) -> Measured:
    """Send each connection's requests again and again for some seconds, and await all responses.

    With `once` every request is sent once, without a time limit. A given `measured` can be read
    during the run. Raise TimeoutError if a response is missing, and ConnectionError if a connection
    ends early.
    """
    measured = measured or Measured()
    loop = asyncio.get_running_loop()
    started = time.perf_counter()
    until = inf if once else started + seconds
    callers = [_Caller(iter(own) if once else cycle(own), until, measured) for own in requests]
    for caller in callers:
        await loop.create_connection(lambda caller=caller: caller, "127.0.0.1", port)  # type: ignore[misc]
    async with asyncio.timeout(seconds + _SILENCE_SECONDS):
        await asyncio.gather(*(caller.done for caller in callers))
    measured.seconds = time.perf_counter() - started
    return measured


@asynccontextmanager
async def beside(port: int, requests: Sequence[bytes], interval: float) -> AsyncIterator[None]:
    """Send the requests in turn, one every ``interval`` seconds, while the context is open.

    Raise ConnectionError at the end if a response is not 200.
    """
    is_over = asyncio.Event()

    async def send() -> None:
        for request in cycle(requests):
            await ask(port, request)
            with suppress(TimeoutError):
                await asyncio.wait_for(is_over.wait(), interval)
                return

    task = asyncio.create_task(send())
    try:
        yield
    finally:
        is_over.set()
        await task


async def ask(port: int, request: bytes) -> bytes:
    """Return the body of one response; raise ConnectionError unless its status is 200."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        body = await reader.readexactly(int(length[1]) if length else 0)
    finally:
        writer.close()
    if head[9:12] != b"200":
        raise ConnectionError(f"{request[:80]!r}: {head[:15]!r} {body[:500]!r}")
    return body


class _Caller(asyncio.Protocol):
    """Connection that sends the next request when the last response is complete."""

    def __init__(self, requests: Iterator[bytes], until: float, measured: Measured) -> None:
        self.done = asyncio.get_running_loop().create_future()
        self._requests = requests
        self._until = until
        self._measured = measured
        self._buffer = bytearray()
        self._expected_bytes = 0
        self._sent = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one, but no subclass
        self._next(time.perf_counter())

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._expected_bytes:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            length = _LENGTH.search(self._buffer, 0, end + 2)
            self._expected_bytes = end + 4 + (int(length[1]) if length else 0)
        if len(self._buffer) >= self._expected_bytes:
            self._answered()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exc or ConnectionError("the connection ended early"))

    def _answered(self) -> None:
        now = time.perf_counter()
        self._measured.latencies.append(now - self._sent)
        if not self._buffer.startswith((b"200", b"201"), 9):
            self._measured.failures += 1
            self._measured.first_failure = self._measured.first_failure or str(self._buffer[:600])
        self._buffer.clear()
        self._expected_bytes = 0
        self._next(now)

    def _next(self, now: float) -> None:
        request = next(self._requests, None) if now < self._until else None
        if request is None:
            self.done.set_result(None)
            self._transport.close()
        else:
            self._sent = time.perf_counter()
            self._transport.write(request)
