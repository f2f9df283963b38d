"""Tests of what webhooks cost others: writers, idle polls, and receivers beside dead ones."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

import asyncpg
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient
from prometheus_client import REGISTRY

from service.limits import MAX_WEBHOOKS
from service.organizations.key_changes import KeyChanges
from service.webhooks.addresses import NOT_PUBLIC
from service.webhooks.webhook_sender import SENDER, WebhookSender
from tests.support.api import Api, issue_key
from tests.support.inserted_rows import execute
from tests.support.receivers import (
    HOOKS,
    eventually,
    make,
    receiving,
    sending_api,
    settled,
    state_of,
    subscribe,
)
from tests.support.serving import serving
from tests.support.statement_spy import record_statements
from tests.support.time_limits import until

pytestmark = pytest.mark.contract("Deliveries")

#: Statements that are not sent with every request: for API keys and types.
_SOMETIMES: Final = re.compile("secret_sha256|typeinfo")
_IDLE: Final = """
insert into webhook (organization_id, url, collections, documents, state, secret, epoch, n)
select $1, 'https://erp.example.com', '{}', false, 'active', '\\x00', epoch, last_n
from change_feed, generate_series(1, $2::integer) where organization_id = $1
"""


@asynccontextmanager
async def polled_by_hand(dsn: str) -> AsyncIterator[tuple[WebhookSender, Api]]:
    """Serve a database whose sender polls only when the test calls ``_poll``."""
    async with sending_api(dsn) as api:
        sender = cast(Any, api.client.app)[SENDER]
        sender._lists.cancel()
        sender._poller.stop()
        sender._lags[1] = float("inf"), 0.0
        yield sender, api


async def poll(sender: WebhookSender) -> None:
    """Let a sender poll each organization now."""
    sender._next_list = 0.0
    await sender._list_active()
    if sender._active:
        await sender._poller._poll([*sender._active])
    await until(lambda: not sender._poller._handling)


@pytest.fixture
def polled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that is sent on new connections, background tasks but for keys included."""
    sent: list[str] = []
    connect = asyncpg.connect

    async def connect_and_tell(*arguments: Any, **options: Any) -> asyncpg.Connection:
        connection = await connect(*arguments, **options)
        connection.add_query_logger(lambda record: sent.append(record.query))
        return connection

    monkeypatch.setattr(asyncpg, "connect", connect_and_tell)
    monkeypatch.setattr(KeyChanges, "start", lambda _: None)
    return sent


async def test_writers_send_the_same_statements_with_webhooks(
    demo_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write pays nothing for webhooks: it neither reads nor writes them."""
    with record_statements(monkeypatch) as sent:
        async with sending_api(demo_dsn) as api, receiving() as receiver:
            [group] = await make(api)

            async def statements(name: str) -> list[str]:
                sent.clear()
                operation = {"op": "replace", "path": "/name", "value": name}
                assert (await api.patch(f"/api/groups/{group}", [operation])).status == 200
                await make(api, 3)
                return [text for text in sent if not _SOMETIMES.search(text)]

            await statements("first")
            without = await statements("second")
            webhooks = [await subscribe(api, receiver) for _ in range(MAX_WEBHOOKS)]
            assert await statements("third") == without
            assert len(without) > 2
            assert not any("webhook" in text for text in without)
            for webhook in webhooks:
                await settled(api, webhook)
    assert len({arrival.json["webhookId"] for arrival in receiver.arrivals}) == MAX_WEBHOOKS


async def test_idle_webhooks_cost_one_look(demo_dsn: str, polled: list[str]) -> None:
    """A poll sends two statements, however many active webhooks have nothing to be sent."""
    async with polled_by_hand(demo_dsn) as (sender, api):
        await make(api)
        await api.get("/api/changes")
        for more in (1, 19, 380):
            await execute(demo_dsn, _IDLE, 1, more)
            # The first poll also reads whether the database is a cluster.
            await poll(sender)
            await until(lambda: sum("from webhook" in text for text in polled) >= 2)
            polled.clear()
            for _ in range(3):
                await poll(sender)
            # One lists the organizations, once in 5 seconds; the other one looks at theirs.
            # asyncpg tells of a statement in the next turn of the event loop.
            await until(lambda: len(polled) >= 6)
            assert [text.count("from webhook") for text in polled] == [1, 1] * 3
            assert not sender._running
            polled.clear()


async def test_receivers_in_trouble_take_no_turn_of_others(demo_dsn: str) -> None:
    """The first poll after a write starts the deliveries of it, whoever is silent or refuses."""
    async with (
        polled_by_hand(demo_dsn) as (sender, api),
        receiving() as prompt,
        receiving() as silent,
        receiving() as refusing,
    ):
        silent.held_up = asyncio.Event()
        refusing.answer = lambda _: web.Response(status=503)
        for number in range(MAX_WEBHOOKS - 1):
            await subscribe(api, (silent, refusing)[number % 2])
        await subscribe(api, prompt)
        other = Api(api.client, await issue_key(demo_dsn, 2))
        await subscribe(other, prompt)
        for number in range(1, 5):
            await make(api)
            await make(other)
            await poll(sender)
            await until(lambda number=number: len(prompt.acknowledged) == 2 * number)  # type: ignore[misc]
            await until(lambda: len(sender._running) == MAX_WEBHOOKS // 2)
        assert REGISTRY.get_sample_value("selvedge_webhook_deliveries_in_flight")
        silent.held_up.set()
        await until(lambda: not sender._running)


async def test_a_private_address_behind_a_name_is_told_and_not_connected(demo_dsn: str) -> None:
    connections = []
    async with (
        serving(demo_dsn) as server,
        TestClient(server) as client,
        await asyncio.start_server(lambda *ends: connections.append(ends), "127.0.0.1", 0) as own,
    ):
        api = Api(client, await issue_key(demo_dsn, 1))
        url = f"https://localhost:{own.sockets[0].getsockname()[1]}/"
        webhook = (await api.post(HOOKS, {"url": url})).data
        await make(api)
        state = await eventually(api, webhook, lambda state: state["failures"] > 0)
        assert state["lastError"] == NOT_PUBLIC
        tested = await api.post(f"{HOOKS}/{webhook['id']}/test", None)
        assert tested.data == {"delivered": False, "status": None, "error": NOT_PUBLIC}
    assert not connections


async def test_the_lag_is_the_age_of_the_oldest_change_that_lacks(demo_dsn: str) -> None:
    async with polled_by_hand(demo_dsn) as (sender, api), receiving() as receiver:
        receiver.answer = lambda _: web.Response(status=503)
        webhook = await subscribe(api, receiver)
        await make(api)
        connection = await asyncpg.connect(demo_dsn)
        past = datetime.now(UTC) - timedelta(seconds=90)
        await connection.execute("update change set at = $1 where organization_id = 1", past)
        await connection.close()
        await make(api)
        sender._lags.clear()
        await poll(sender)
        await poll(sender)
        await until(lambda: not sender._running)
        lag = (await state_of(api, webhook))["lag"]
        assert lag["transactions"] == 2
        assert 90 <= lag["seconds"] < 1000
        assert 90 <= (REGISTRY.get_sample_value("selvedge_webhook_lag_seconds") or 0) < 1000
