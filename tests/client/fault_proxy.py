"""Fault proxy: cuts connections between the client and the service, or answers 503."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum, auto
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
from yarl import URL

_OF_THE_HOP = frozenset({"Host", "Content-Length", "Transfer-Encoding", "Connection"})
_OF_REQUESTS = _OF_THE_HOP | {"Content-Encoding"}
"""Headers of requests that are not forwarded; aiohttp has unpacked their bodies."""


class Fault(Enum):
    """Fault that one request suffers."""

    CUT_BEFORE = auto()
    """The connection ends before the service hears of it."""
    CUT_AFTER = auto()
    """It is carried out, and the answer is lost."""
    CUT_AMID = auto()
    """It is carried out, and half of the answer arrives."""
    UNAVAILABLE = auto()
    """503 with Retry-After: nothing was done."""
    UNKNOWN_OUTCOME = auto()
    """It is carried out, and answered by 503 without Retry-After."""


class FaultProxy:
    """Forwards requests; the next ones suffer the ``faults``, one each."""

    def __init__(self, service: URL, session: aiohttp.ClientSession) -> None:
        self.faults: list[Fault | None] = []
        self.carried_out: list[str] = []
        """Method and status of what reached the service."""
        self._service, self._session = service, session

    async def handle(self, request: web.Request) -> web.StreamResponse:
        fault = self.faults.pop(0) if self.faults else None
        body = await request.read()
        if fault is Fault.CUT_BEFORE:
            return _cut(request)
        if fault is Fault.UNAVAILABLE:
            return web.Response(status=503, headers={"Retry-After": "0"}, text="Come back.")
        answer, raw = await self._forward(request, body)
        if fault is Fault.CUT_AFTER:
            return _cut(request)
        if fault is Fault.CUT_AMID:
            half = web.StreamResponse(headers={"Content-Length": str(len(raw))})
            await half.prepare(request)
            await half.write(raw[: len(raw) // 2])
            return _cut(request)
        if fault is Fault.UNKNOWN_OUTCOME:
            return web.Response(status=503, text="Who knows.")
        headers = {name: text for name, text in answer.headers.items() if name not in _OF_THE_HOP}
        return web.Response(status=answer.status, headers=headers, body=raw)

    async def _forward(self, request: web.Request, body: bytes) -> Any:
        url = URL(f"{str(self._service).rstrip('/')}{request.raw_path}", encoded=True)
        headers = {name: text for name, text in request.headers.items() if name not in _OF_REQUESTS}
        async with self._session.request(
            request.method, url, data=body or None, headers=headers
        ) as answer:
            self.carried_out.append(f"{request.method} {answer.status}")
            return answer, await answer.read()


def _cut(request: web.Request) -> web.Response:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


@asynccontextmanager
async def start_fault_proxy(service: URL) -> AsyncIterator[tuple[FaultProxy, str]]:
    """Start a proxy before a service; yield it and its address."""
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        proxy = FaultProxy(service, session)
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", proxy.handle)
        async with TestServer(app) as server:
            yield proxy, str(server.make_url("/"))
