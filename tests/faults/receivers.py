"""Receivers of webhooks in trouble: they refuse, wait, say nothing, or go away and come back."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any, Final

from aiohttp import web

from tests.support.receivers import Arrival, TestReceiver

KINDS: Final = ("refusing", "slow", "away", "silent")
_TROUBLE: Final = 0.3
"""Share of messages that meet trouble, while it lasts."""
_REFUSALS: Final = (500, 429, 503, 302)
_AWAY_SECONDS: Final = 0.5


class TroubledReceiver(TestReceiver):
    """Receiver with one kind of trouble, until ``is_over`` is set."""

    def __init__(self, kind: str, random: Random) -> None:
        super().__init__()
        self.is_over = asyncio.Event()
        self._kind = kind
        self._random = random

    async def receive(self, request: web.Request) -> web.Response:
        """Handle a message; keep it with the status that it was answered with."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        raw = await request.read()
        response = await self._response()
        self.arrivals.append(Arrival(headers, raw, response.status))
        return response

    async def _response(self) -> web.Response:
        if self.is_over.is_set() or self._random.random() > _TROUBLE:
            return web.Response(status=204)
        if self._kind == "refusing":
            status = self._random.choice(_REFUSALS)
            return web.Response(status=status, headers={"Retry-After": "0", "Location": "/"})
        if self._kind == "slow":
            await asyncio.sleep(self._random.uniform(0.1, 1))
        elif self._kind == "silent":
            # The sender gives up, and tries again later.
            await self.is_over.wait()
        return web.Response(status=204)

    def check(self, feed: list[Any]) -> None:
        """Raise unless each change arrived once, in order, but for repeats of a message's id."""
        raw_by_id: dict[str, bytes] = {}
        position = 0
        for arrival in self.acknowledged:
            if arrival.id in raw_by_id:
                assert arrival.raw == raw_by_id[arrival.id]
                continue
            raw_by_id[arrival.id] = arrival.raw
            entries = arrival.json["entries"]
            assert entries == feed[position : position + len(entries)], arrival.id
            position += len(entries)
        assert position == len(feed)


@asynccontextmanager
async def troubled(kind: str, random: Random) -> AsyncIterator[TroubledReceiver]:
    """Run a receiver on the loopback interface, always on the same port."""
    receiver = TroubledReceiver(kind, random)
    runner, port = await _serve(receiver, 0)
    receiver.url = f"http://127.0.0.1:{port}/hook"
    goes = _come_and_go if kind == "away" else _stay
    running = asyncio.create_task(goes(receiver, runner, port))
    try:
        yield receiver
    finally:
        receiver.is_over.set()
        await (await running).cleanup()


async def _serve(receiver: TroubledReceiver, port: int) -> tuple[web.AppRunner, int]:
    app = web.Application()
    app.router.add_post("/hook", receiver.receive)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, reuse_address=True).start()
    return runner, runner.addresses[0][1]


async def _stay(receiver: TroubledReceiver, runner: web.AppRunner, _: int) -> web.AppRunner:
    await receiver.is_over.wait()
    return runner


async def _come_and_go(
    receiver: TroubledReceiver, runner: web.AppRunner, port: int
) -> web.AppRunner:
    """Close the receiver's port now and then, until the trouble is over; return the last runner."""
    while not receiver.is_over.is_set():
        await asyncio.sleep(_AWAY_SECONDS)
        await runner.cleanup()
        await asyncio.sleep(_AWAY_SECONDS)
        runner, _ = await _serve(receiver, port)
    return runner
