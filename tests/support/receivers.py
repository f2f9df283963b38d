"""Receiver of webhooks in the test's own process: it keeps what arrives and answers as told."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from tests.support.api import Api, issue_key
from tests.support.serving import serving
from tests.support.time_limits import within

HOOKS: Final = "/api/webhooks"
LOOPBACK: Final = "127.0.0.0/8"
"""Network of the receivers of tests."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Message as it arrived, and the status that it was answered with."""

    headers: dict[str, str]
    raw: bytes
    status: int

    @property
    def id(self) -> str:
        """Id of the message."""
        return self.headers["webhook-id"]

    @property
    def json(self) -> Any:
        """The parsed body."""
        return orjson.loads(self.raw)


@dataclass
class TestReceiver:
    """Receiver that answers each message by ``answer``, which may wait."""

    __test__ = False

    url: str = ""
    arrivals: list[Arrival] = field(default_factory=list)
    held_up: asyncio.Event | None = None
    """If set, answers wait for it."""
    waiting: int = 0
    """Messages that have come and wait for it."""
    answer: Callable[[Arrival], web.Response] = lambda _: web.Response(status=204)

    @property
    def acknowledged(self) -> list[Arrival]:
        """Messages that were answered with 2xx."""
        return [arrival for arrival in self.arrivals if arrival.status < 300]

    @property
    def entries(self) -> list[Any]:
        """Entries of the acknowledged messages, without those of repeats."""
        messages = {arrival.id: arrival.json for arrival in self.acknowledged}
        return [entry for message in messages.values() for entry in message.get("entries", ())]

    async def receive(self, request: web.Request) -> web.Response:
        """Handle a message."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        if self.held_up is not None:
            self.waiting += 1
            await self.held_up.wait()
        response = self.answer(Arrival(headers, raw := await request.read(), 0))
        self.arrivals.append(Arrival(headers, raw, response.status))
        return response


@asynccontextmanager
async def receiving() -> AsyncIterator[TestReceiver]:
    """Run a receiver on the loopback interface."""
    receiver = TestReceiver()
    app = web.Application()
    app.router.add_post("/hook", receiver.receive)
    async with TestServer(app) as server:
        receiver.url = f"http://127.0.0.1:{server.port}/hook"
        yield receiver


@asynccontextmanager
async def sending_api(dsn: str) -> AsyncIterator[Api]:
    """Serve a database with a sender that may send to receivers of tests; give an API client."""
    async with (
        serving(dsn, WEBHOOK_PRIVATE_ADDRESSES=LOOPBACK) as server,
        TestClient(server) as client,
    ):
        yield Api(client, await issue_key(dsn, 1))


async def subscribe(api: Api, receiver: TestReceiver, **fields: Any) -> dict[str, Any]:
    """Return a new subscription of the receiver, with its secret."""
    answer = await api.post(HOOKS, {"url": receiver.url, **fields})
    assert answer.status == 201, answer.raw
    return dict(answer.data)


async def state_of(api: Api, webhook: dict[str, Any]) -> dict[str, Any]:
    """Return the subscription as it is now."""
    return dict((await api.get(f"{HOOKS}/{webhook['id']}")).data)


async def settled(api: Api, webhook: dict[str, Any]) -> dict[str, Any]:
    """Return the subscription once it lacks nothing."""
    return await eventually(api, webhook, lambda state: not state["lag"]["transactions"])


async def eventually(
    api: Api, webhook: dict[str, Any], holds: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """Return the subscription once a condition holds."""
    async with within(20):
        while True:
            state = await state_of(api, webhook)
            if holds(state):
                return state
            await asyncio.sleep(0.05)


async def make(api: Api, count: int = 1, path: str = "/api/groups") -> list[Any]:
    """Create records and return their ids."""
    answer = await api.post(path, [{"name": f"Knit {number}"} for number in range(count)])
    assert answer.status == 201, answer.raw
    return [record["id"] for record in answer.data]
