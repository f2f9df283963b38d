"""Fault test of deliveries: receivers, workers and the database fail, and nothing is lost.

The number of changes and of webhooks is small in `make test`; TEST_WEBHOOK_CHANGES and
TEST_WEBHOOKS set others.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from random import Random
from typing import Any, Final

import aiohttp
import asyncpg
import pytest
from aiohttp import web

from tests.support.api import issue_key
from tests.support.processes import Running, kill, running
from tests.support.receivers import LOOPBACK, Arrival, TestReceiver, receiving
from tests.support.time_limits import within

CHANGES: Final = int(os.environ.get("TEST_WEBHOOK_CHANGES") or "80")
WEBHOOKS: Final = int(os.environ.get("TEST_WEBHOOKS") or "6")
_STRIKES: Final = 4
_TROUBLE: Final = 0.3
"""Share of messages that are not acknowledged at once, while the trouble lasts."""


class Trouble:
    """Receivers' trouble: they fail, are busy, or hang up, until it is over."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.is_over = False

    def answer(self, _: Arrival) -> web.Response:
        """Return a failure now and then."""
        if self.is_over or self._random.random() > _TROUBLE:
            return web.Response(status=204)
        status = self._random.choice([500, 429, 503, 302])
        return web.Response(status=status, headers={"Retry-After": "0", "Location": "/"})


@pytest.fixture
def served(demo_dsn: str, tmp_path: Path) -> Iterator[Running]:
    """A service with two workers."""
    settings = {"DATABASE_URL": demo_dsn, "WORKERS": "2", "WEBHOOK_PRIVATE_ADDRESSES": LOOPBACK}
    with ExitStack() as stack:
        log = stack.enter_context((tmp_path / "log").open("w"))
        yield stack.enter_context(running(tmp_path / "data", "serve", None, log, **settings))


@pytest.fixture
async def session(demo_dsn: str) -> AsyncIterator[aiohttp.ClientSession]:
    """A session with a key of organization 1."""
    headers = {"Authorization": f"Bearer {await issue_key(demo_dsn, 1)}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        yield session


async def insist(session: aiohttp.ClientSession, method: str, url: str, body: Any = None) -> Any:
    """Return the data of a request, which is repeated until it succeeds."""
    while True:
        try:
            async with session.request(method, url, json=body) as response:
                if response.status < 300:
                    return (await response.json())["data"]
                assert response.status in (429, 503), await response.text()
        except aiohttp.ClientError:
            pass
        await asyncio.sleep(0.05)


async def strike(served: Running, dsn: str, number: int) -> None:
    """Kill a worker, or every connection to the database."""
    if number % 2:
        workers = served.workers()
        kill(workers[:1])
        return
    connection = await asyncpg.connect(dsn)
    await connection.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid()"
    )
    await connection.close()


def check(receiver: TestReceiver, feed: list[Any]) -> None:
    """Raise unless the receiver has each change once, in order, but for repeats of an id."""
    bodies: dict[str, Any] = {}
    for arrival in receiver.acknowledged:
        message = arrival.json
        assert bodies.setdefault(arrival.id, message) == message
    entries = [entry for message in bodies.values() for entry in message["entries"]]
    assert entries == feed


@pytest.mark.contract("Deliveries")
async def test_nothing_is_lost_whatever_fails(
    served: Running, session: aiohttp.ClientSession, demo_dsn: str
) -> None:
    base = served.base_url.rstrip("/")
    async with AsyncExitStack() as stack:
        troubles = [Trouble(number) for number in range(WEBHOOKS)]
        receivers = [await stack.enter_async_context(receiving()) for _ in troubles]
        for trouble, receiver in zip(troubles, receivers, strict=True):
            receiver.answer = trouble.answer
            await insist(session, "POST", f"{base}/api/webhooks", {"url": receiver.url})
        for number in range(CHANGES):
            groups = [{"name": f"Knit {number}"}] * (1 + number % 3)
            await insist(session, "POST", f"{base}/api/groups", groups)
            if number % (CHANGES // _STRIKES) == 1:
                await strike(served, demo_dsn, number // (CHANGES // _STRIKES))
        for trouble in troubles:
            trouble.is_over = True
        for webhook in await insist(session, "GET", f"{base}/api/webhooks"):
            # The next try may be far away: backoff has grown in the meantime.
            await insist_state(session, f"{base}/api/webhooks/{webhook['id']}")
    feed = await whole_feed(session, f"{base}/api/changes?limit=1000")
    for receiver in receivers:
        check(receiver, feed)


async def whole_feed(session: aiohttp.ClientSession, url: str) -> list[Any]:
    """Return all entries of the feed, in order."""
    feed: list[Any] = []
    last = 0
    while page := await insist(session, "GET", f"{url}&after={last}"):
        feed += page
        last = feed[-1]["n"]
    return feed


async def insist_state(session: aiohttp.ClientSession, url: str) -> None:
    """Wait until a subscription lacks nothing; have it try at once."""
    async with within(60):
        while (await insist(session, "GET", url))["lag"]["transactions"]:
            headers = {"Content-Type": "application/merge-patch+json"}
            async with session.patch(url, data=b"{}", headers=headers):
                pass
            await asyncio.sleep(0.2)
