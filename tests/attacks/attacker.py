"""Attacker: connections that send without pause or never do, and the responses by status."""

import asyncio
import re
import socket
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from benchmarks.load import Request

NONE: Final = "none"
"""Status of a connection that ends before its response."""
_LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CHUNK: Final = 2**16
_PAUSE_SECONDS: Final = 0.02
"""Time before another connection, where the last one failed."""


@dataclass
class Attacker:
    """Caller with a key that sends until it is stopped."""

    port: int
    key: str
    scale: float = 1.0
    """Size of the attack; tests take less than 1."""
    prepared: dict[str, Any] = field(default_factory=dict)
    """Records and keys that the scenario has prepared."""
    answers: Counter[str] = field(default_factory=Counter)
    """Number of responses by status."""
    random: Random = field(default_factory=lambda: Random(1))

    def some(self, number: int) -> int:
        """Return a number at this scale, at least 1."""
        return max(1, round(number * self.scale))

    def message(self, method: str, path: str, body: bytes = b"", **options: Any) -> bytes:
        """Return a request with the key, as bytes."""
        return Request(method, path, body, **options).encoded(self.key)

    async def send(
        self, connections: int, messages: Iterator[bytes], *, hang_up: float | None = None
    ) -> None:
        """Send one message after the other, on so many connections that share them.

        With `hang_up` a connection ends that many seconds after a message, answered or not.
        """
        async with asyncio.TaskGroup() as group:
            for _ in range(connections):
                group.create_task(self._send(messages, hang_up))

    async def _send(self, messages: Iterator[bytes], hang_up: float | None) -> None:
        while True:
            try:
                async with self._connection() as (reader, writer):
                    await self._converse(reader, writer, messages, hang_up)
            except (OSError, asyncio.IncompleteReadError):
                self.answers[NONE] += 1
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _converse(
        self,
        reader: StreamReader,
        writer: StreamWriter,
        messages: Iterator[bytes],
        hang_up: float | None,
    ) -> None:
        for message in messages:
            writer.write(message)
            if hang_up is None:
                self.answers[await read_status(reader)] += 1
            else:
                await writer.drain()
                await asyncio.sleep(hang_up)
                return

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    async def hold(self, connections: int, message: bytes = b"", *, takes: bool = True) -> None:
        """Keep so many connections open after sending a message; replace each that ends.

        Unless it `takes` them, nothing is read of the answers, and little fits on their way.
        """
        async with asyncio.TaskGroup() as group:
            for number in range(connections):
                group.create_task(self._hold(message, takes))
                # All at once would have the kernel drop some and try again a second later.
                await asyncio.sleep(_PAUSE_SECONDS if number % 100 == 99 else 0)

    async def _hold(self, message: bytes, takes: bool) -> None:
        loop = asyncio.get_running_loop()
        while True:
            with socket.socket() as connection:
                connection.setblocking(False)
                if not takes:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                try:
                    await loop.sock_connect(connection, ("127.0.0.1", self.port))
                    await loop.sock_sendall(connection, message)
                    if not takes:
                        await asyncio.Event().wait()
                    while await loop.sock_recv(connection, _CHUNK):
                        pass
                except OSError:
                    pass
            self.answers[NONE] += 1
            await asyncio.sleep(_PAUSE_SECONDS)


async def read_status(reader: StreamReader) -> str:
    """Read the next response whole and return its status."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = _LENGTH.search(head)
    left = int(length[1]) if length else 0
    while left:
        read = await reader.read(min(left, _CHUNK))
        if not read:
            raise asyncio.IncompleteReadError(b"", left)
        left -= len(read)
    return head[9:12].decode()
