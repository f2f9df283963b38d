"""Tests of polls for long polls and webhooks: together, or one organization at a time."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final
from unittest.mock import AsyncMock

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service.database import organization_poller
from service.database.organization_poller import INTERVAL_SECONDS
from service.webhooks.webhook_sender import _LIST_SECONDS
from tests.support.api import Api, issue_key
from tests.support.changes import PATH, Follower
from tests.support.hung_organization import HUNG, hung_organization, until_served
from tests.support.receivers import LOOPBACK, receiving, subscribe
from tests.support.serving import serving
from tests.support.time_limits import until, within

GROUPS: Final = "/api/groups"
_LOOK: Final = re.compile(r"as is_behind\s+from change_feed|from webhook w\s+join change_feed")
_ALL: Final = re.compile(r"select distinct organization_id from webhook")


async def follow(api: Api) -> "asyncio.Task[Any]":
    """Return a running long poll after the organization's last change."""
    follower = Follower(api)
    await follower.begin()
    return asyncio.create_task(api.get(PATH, {"cursor": follower.cursor, "wait": "25"}))


@asynccontextmanager
async def two_callers(dsn: str) -> AsyncIterator[tuple[Api, Api]]:
    """Serve callers of the organization that may hang, and of another one."""
    async with (
        serving(dsn, WEBHOOK_PRIVATE_ADDRESSES=LOOPBACK) as server,
        TestClient(server) as client,
    ):
        keys = [await issue_key(dsn, id_) for id_ in (HUNG, 2)]
        yield Api(client, keys[0]), Api(client, keys[1])


@pytest.mark.contract("Changes", "Deliveries")
@pytest.mark.parametrize("is_cluster", [False, True])
async def test_organizations_are_polled_four_times_a_second_at_most(
    demo_dsn: str, monkeypatch: pytest.MonkeyPatch, is_cluster: bool
) -> None:
    """However many readers wait. On a cluster a statement is about one organization."""
    looks, lists, connect = list[list[int]](), list[str](), asyncpg.connect
    monkeypatch.setattr(organization_poller, "has_citus", AsyncMock(return_value=is_cluster))

    def tell(record: Any) -> None:
        if _LOOK.search(record.query):
            looks.append(sorted(record.args[0]))
        if _ALL.search(record.query):
            lists.append(record.query)

    async def connect_and_tell(*arguments: Any, **options: Any) -> asyncpg.Connection:
        connection = await connect(*arguments, **options)
        connection.add_query_logger(tell)
        return connection

    monkeypatch.setattr(asyncpg, "connect", connect_and_tell)
    groups = [[1], [2]] if is_cluster else [[1, 2]]
    started = time.monotonic()
    async with serving(demo_dsn) as server, TestClient(server) as client:
        callers = [Api(client, await issue_key(demo_dsn, id_)) for id_ in (1, 2)]
        waiting = [await follow(caller) for caller in callers * 10]
        await until(lambda: all(group in looks for group in groups))
        looks.clear()
        cleared = time.monotonic()
        await until(lambda: all(looks.count(group) >= 4 for group in groups))
        # The first may have been under way; a busy machine lets all of them take longer.
        count = max(map(looks.count, groups))
        assert time.monotonic() - cleared >= (count - 2) * INTERVAL_SECONDS
        assert time.monotonic() - started >= (len(lists) - 1) * _LIST_SECONDS
        assert all(ids in groups for ids in looks)
        for caller in callers:
            await caller.post(GROUPS, {"name": "Knit"})
        async with within(10):
            answers = await asyncio.gather(*waiting)
        assert all(len(answer.data) == 1 for answer in answers)


@pytest.mark.plain_postgresql
@pytest.mark.contract("Shares", "Changes", "Deliveries")
async def test_a_hung_organization_delays_only_its_own_followers(demo_dsn: str) -> None:
    async with (
        hung_organization(demo_dsn) as hung,
        two_callers(hung.dsn) as (away, other),
        receiving() as receiver,
    ):
        await subscribe(away, receiver)
        await subscribe(other, receiver)
        waiting = [await follow(away), await follow(other)]
        await asyncio.sleep(2 * INTERVAL_SECONDS)
        await hung.hang()
        await asyncio.sleep(1)
        for number in range(1, 4):
            assert (await other.post(GROUPS, {"name": f"Knit {number}"})).status == 201
            async with within(2):
                answer = await waiting[1]
            assert [entry["operation"] for entry in answer.data] == ["created"]
            await until(lambda number=number: len(receiver.acknowledged) == number)  # type: ignore[misc]
            waiting[1] = await follow(other)
        assert not waiting[0].done()
        await hung.resume()
        await until_served(away)
        assert (await away.post(GROUPS, {"name": "Back"})).status == 201
        assert (await other.post(GROUPS, {"name": "Last"})).status == 201
        async with within(15):
            assert {len(answer.data) for answer in await asyncio.gather(*waiting)} == {1}
        await until(lambda: len(receiver.acknowledged) == 5)
