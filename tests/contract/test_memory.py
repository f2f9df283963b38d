"""Memory tests: a request's memory is freed with its response, without garbage collection.

Objects that keep each other are found late: uploads that broke off grew a worker to gigabytes.
"""

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from service.app import create_app
from service.http.connections import Runner
from service.http.envelope import ApiResponse
from service.http.parser_errors import PARSER_LIMITS
from service.http.response_sender import send
from service.limits import MAX_CONNECTIONS
from service.settings import Settings
from tests.support.api import Api
from tests.support.time_limits import until

pytestmark = pytest.mark.contract  # the contract promises nothing about memory

COLORS, COLOR = "/api/colors", "/api/colors/1"
LIVE = {"name": "A color", "state": "active"}
MIB = 2**20


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[weakref.ref[web.Request]]]:
    """The requests that were answered, as long as anything keeps them; nothing is collected."""
    seen = list[weakref.ref[web.Request]]()

    async def noted(request: web.Request, response: ApiResponse) -> None:
        seen.append(weakref.ref(request))
        await send(request, response)

    monkeypatch.setattr("service.http.middleware.send", noted)
    gc.collect()
    gc.freeze()  # the next collection looks at what is new
    gc.disable()
    yield seen
    gc.enable()


REQUESTS: list[tuple[str, str, Any]] = [
    ("GET", COLORS, None),
    ("GET", COLOR, None),
    ("GET", f"{COLORS}?colour=red", None),
    ("GET", f"{COLORS}?cursor=x", None),
    ("GET", f"{COLORS}/{2**62}", None),
    ("POST", COLORS, b"{"),
    ("POST", COLORS, b"[{"),
    ("POST", COLORS, b"[%b1]" % (b"1," * 100_000)),
    ("POST", COLORS, b'[{"name":%b%b}]' % (b"[" * 300, b"]" * 300)),
    ("PUT", COLORS, b"[{"),
    ("PUT", COLORS, [{}, 1]),
    ("PUT", COLORS, [{"id": 2**62, **LIVE}]),
    ("PUT", COLORS, [{"id": 1, **LIVE, "colorGroupIds": [2**62]}]),
    ("PUT", COLOR, {**LIVE, "colorGroupIds": [2**62]}),
    ("PATCH", COLOR, b"["),
    ("PATCH", COLOR, [{"op": "test", "path": "/name", "value": ""}]),
    ("PATCH", COLOR, [{"op": "remove", "path": "/colorGroupIds/99"}]),
    ("PATCH", COLOR, [{"op": "replace", "path": "/name", "value": ""}]),
    ("DELETE", f"{COLORS}?ids=x&ids=x", None),
]


@pytest.mark.parametrize(
    ("method", "path", "body"), REQUESTS, ids=[f"{m} {p} {str(b)[:24]}" for m, p, b in REQUESTS]
)
async def test_an_answered_request_is_gone(
    method: str, path: str, body: Any, shared_api: Api, answered: list[weakref.ref[web.Request]]
) -> None:
    # A connection that stays open keeps its last request until the next one.
    await shared_api.call(method, path, body, headers={"Connection": "close"})
    await until(lambda: answered[0]() is None)


@asynccontextmanager
async def serving(dsn: str, *, cancels: bool) -> AsyncIterator[tuple[str, int]]:
    """Provide the address of a service that cancels, or does not, handlers of gone callers."""
    app = create_app(Settings.from_environment({"LOG_LEVEL": "warning"}), dsn)
    options: dict[str, Any] = {**PARSER_LIMITS, "handler_cancellation": cancels}
    runner = Runner(app, connections=MAX_CONNECTIONS, access_log=None, **options)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield runner.addresses[0]
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("cancels", [False, True])
@pytest.mark.parametrize(
    ("header", "sent"),
    [
        (f"Content-Length: {8 * MIB}", b"x" * MIB),
        ("Transfer-Encoding: chunked", b"80000\r\n" + b"x" * 0x80000 + b"\r\n"),
        ("Transfer-Encoding: chunked", b"80000\r\n" + b"x" * 0x80000 + b"\r\nno length\r\n"),
    ],
)
async def test_an_upload_that_breaks_off_is_gone(
    header: str,
    sent: bytes,
    cancels: bool,
    shared_dsn: str,
    shared_keys: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = list[weakref.ref[web.Request]]()
    monkeypatch.setattr(
        "service.http.request_body.reserve", lambda request, _: begun.append(weakref.ref(request))
    )
    lines = (
        f"POST {COLORS} HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {shared_keys['writer']}",
        "Content-Type: application/json",
        header,
    )
    gc.collect()
    gc.freeze()  # the next collection looks at what is new
    gc.disable()
    try:
        async with serving(shared_dsn, cancels=cancels) as address:
            _, writer = await asyncio.open_connection(*address)
            writer.write("\r\n".join([*lines, "", ""]).encode() + sent)
            await writer.drain()
            await until(lambda: bool(begun))
            writer.close()
            await until(lambda: begun[0]() is None)
    finally:
        gc.enable()
