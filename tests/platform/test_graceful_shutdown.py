"""Tests of graceful shutdown: accepted requests get responses, later ones are refused."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.api import issue_key
from tests.support.processes import Running, reaches_status, running
from tests.support.time_limits import until, within

pytestmark = pytest.mark.contract("Connections")

_KEEP_SECONDS = 1.0
"""Idle connections are kept for so long, as in docs/deploy/nginx.conf."""
_OUT_SECONDS = 1.0
"""An instance that refused a connection is left out for so long, as there."""
_CALLERS = 2
_BODY = b'{"name":"%d"}'


class _Instance:
    """Instance as a proxy sees it: its address, and idle connections to it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.out_until = 0.0
        self.idle = list[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]]()

    async def connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return an idle connection that the instance has not closed, or else a new one."""
        while self.idle:
            since, reader, writer = self.idle.pop()
            if time.monotonic() - since < _KEEP_SECONDS and not reader.at_eof():
                return reader, writer
            writer.close()
        return await asyncio.open_connection("127.0.0.1", self.port)


class _Proxy:
    """Reverse proxy that sends requests as docs/deploy/nginx.conf has nginx do.

    A refused connection is tried at the next instance. A request that was sent is never repeated.
    """

    def __init__(self, ports: list[int], key: str) -> None:
        self._instances = [_Instance(port) for port in ports]
        self._head = f"Host: here\r\nAuthorization: Bearer {key}\r\n".encode()
        self._turn = 0
        self.answered = 0
        self.failures = list[str]()

    async def send(self, method: bytes, path: bytes, body: bytes = b"", last: bytes = b"") -> None:
        """Send one request to the instance whose turn it is, and count what becomes of it."""
        self._turn += 1
        now = time.monotonic()
        order = sorted(self._instances, key=lambda each: each.out_until > now)
        order[:] = order if self._turn % 2 or order[1].out_until > now else order[::-1]
        for instance in order:
            try:
                reader, writer = await instance.connection()
            except ConnectionRefusedError:
                instance.out_until = now + _OUT_SECONDS
                continue
            await self._exchange(instance, reader, writer, (method, path, body, last))
            return
        self.failures.append("both instances refuse connections")

    async def _exchange(
        self,
        instance: _Instance,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        request: tuple[bytes, bytes, bytes, bytes],
    ) -> None:
        method, path, body, last = request
        length = b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body)
        writer.write(b"%b %b HTTP/1.1\r\n%b%b%b\r\n" % (method, path, self._head, length, last))
        writer.write(body)
        try:
            async with within(20):
                head = await reader.readuntil(b"\r\n\r\n")
                [size] = [
                    int(line.split(b":")[1])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length:")
                ]
                await reader.readexactly(size)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            self.failures.append(f"{method.decode()} {path.decode()}: {error!r}")
            writer.close()
            return
        self.answered += 1
        if not head.startswith(b"HTTP/1.1 20"):
            self.failures.append(head.decode())
        if b"connection: close" in head.lower():
            writer.close()
        else:
            instance.idle.append((time.monotonic(), reader, writer))


@asynccontextmanager
async def _load(proxy: _Proxy) -> AsyncIterator[None]:
    """Send requests until the context is left: writes on kept connections and reads on new ones."""

    async def write(caller: int) -> None:
        for number in range(10**9):
            await proxy.send(b"POST", b"/api/groups", _BODY % (caller * 10**9 + number))

    async def read(_: int) -> None:
        while True:
            await proxy.send(b"GET", b"/api/groups?pageSize=1", last=b"Connection: close\r\n")

    calls = [asyncio.create_task(each(n)) for n in range(_CALLERS) for each in (write, read)]
    try:
        yield
    finally:
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)


@asynccontextmanager
async def _instance(data_dir: Path, dsn: str, port: int = 0) -> AsyncIterator[Running]:
    """Run a ready instance of two workers; the event loop goes on meanwhile."""
    settings = {"DATABASE_URL": dsn, "WORKERS": "2", "PORT": str(port), "LOG_LEVEL": "warning"}
    with ExitStack() as stack:
        start = partial(running, data_dir, "serve", **settings)
        service = await asyncio.to_thread(lambda: stack.enter_context(start()))
        try:
            assert await asyncio.to_thread(reaches_status, f"{service.base_url}/readyz", 200)
            yield service
        finally:
            await asyncio.to_thread(service.stop)


def _port(service: Running) -> int:
    port = urlsplit(service.base_url).port
    assert port is not None
    return port


@pytest.mark.thorough
async def test_a_rolling_restart_fails_no_request(demo_dsn: str, data_dir: Path) -> None:
    key = await issue_key(demo_dsn, 1)
    async with AsyncExitStack() as stack:
        starts = [stack.enter_async_context(_instance(data_dir, demo_dsn)) for _ in range(2)]
        first, second = await asyncio.gather(*starts)
        proxy = _Proxy([_port(first), _port(second)], key)
        async with _load(proxy):
            await until(lambda: proxy.answered > 20)
            assert await asyncio.to_thread(first.stop) == 0
            await stack.enter_async_context(_instance(data_dir, demo_dsn, _port(first)))
            await asyncio.sleep(_OUT_SECONDS)
            answered = proxy.answered
            await until(lambda: proxy.answered > answered + 20)
            assert await asyncio.to_thread(second.stop) == 0
        assert proxy.failures == []
