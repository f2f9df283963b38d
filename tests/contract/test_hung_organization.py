"""Tests of an organization whose statements get no answer: others are served as before."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service.http.context import CALLERS, DATABASE
from tests.support.api import Answer, Api, issue_key
from tests.support.databases import demo_database
from tests.support.hung_organization import HUNG, HungOrganization, hung_organization, until_served
from tests.support.openapi_validation import is_failure
from tests.support.serving import serving
from tests.support.time_limits import until, within

pytestmark = pytest.mark.plain_postgresql  # tests/cluster stops a node itself

GROUPS: Final = "/api/groups"
OTHER: Final = 2


@pytest.fixture(scope="module")
async def hung(server_dsn: str, worker_id: str) -> AsyncIterator[HungOrganization]:
    """An organization that may hang; each test lets it go on."""
    dsn = demo_database(server_dsn, f"hung_{worker_id}")
    async with hung_organization(dsn) as hung:
        yield hung


@asynccontextmanager
async def callers_of_both(dsn: str) -> AsyncIterator[tuple[Any, Api, Api]]:
    """Serve a caller of the organization that may hang, and one of another; yield the app, too."""
    async with serving(dsn) as server, TestClient(server) as client:
        apis = [Api(client, await issue_key(dsn, id_)) for id_ in (HUNG, OTHER)]
        for api in apis:
            assert (await api.get(GROUPS)).status == 200
        yield server.app, apis[0], apis[1]


async def call_again_and_again(
    call: Callable[[], Any], until_set: asyncio.Event, answers: list[Answer]
) -> None:
    """Append the answers of calls, one after the other."""
    while not until_set.is_set():
        answers.append(await call())
        await asyncio.sleep(0.02)


@pytest.mark.contract("Outages", "Shares", "Callers")
async def test_a_hung_organization_gets_503_and_others_are_served(
    hung: HungOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has more callers than the worker has connections; the others look their key up again."""
    monkeypatch.setattr("service.organizations.caller.KEY_CACHE_SECONDS", 1)
    async with callers_of_both(hung.dsn) as (app, away, other):
        over, refused, served = asyncio.Event(), list[Answer](), list[Answer]()
        await hung.hang()
        running = [
            asyncio.create_task(call_again_and_again(call, over, refused))
            for call in (lambda: away.get(GROUPS), lambda: away.post(GROUPS, {"name": "Away"}))
            for _ in range(4)
        ]
        running += [
            asyncio.create_task(call_again_and_again(call, over, served))
            for call in (lambda: other.get(GROUPS), lambda: other.post(GROUPS, {"name": "There"}))
        ]
        await until(lambda: len(refused) > 20 and len(served) > 20)
        over.set()
        async with within(15):
            await asyncio.gather(*running)
        assert {answer.status for answer in served} == {200, 201}
        for answer in refused:
            is_failure(answer, 503, "server_error.unavailable")
            assert answer.headers["Retry-After"] == "1"
        await until(lambda: not app[DATABASE].queue.leased())
        await hung.resume()
        await until_served(away)
        assert (await away.post(GROUPS, {"name": "Back"})).status == 201
        assert not app[DATABASE]._stalls.stalled


@pytest.mark.contract("Callers")
async def test_new_callers_of_a_hung_organization_delay_no_look_up(hung: HungOrganization) -> None:
    async with callers_of_both(hung.dsn) as (_, away, other):
        keys = [await issue_key(hung.dsn, HUNG) for _ in range(5)]
        others = [await issue_key(hung.dsn, OTHER) for _ in range(5)]
        await hung.hang()
        waiting = [asyncio.create_task(Api(away.client, key).get(GROUPS)) for key in keys]
        for key in others:
            assert (await Api(other.client, key).get(GROUPS)).status == 200
        async with within(10):
            for answer in await asyncio.gather(*waiting):
                is_failure(answer, 503, "server_error.unavailable")
        await hung.resume()


@pytest.mark.contract("Callers")
async def test_last_uses_of_others_are_written(hung: HungOrganization) -> None:
    async with callers_of_both(hung.dsn) as (app, away, other):
        await hung.hang()
        async with within(20):
            await app[CALLERS].last_used.write()
        await hung.resume()
        connection = await asyncpg.connect(hung.dsn)
        used = await connection.fetch(
            "select organization_id, last_used_at from api_key where id = any($1)",
            [int(caller.key.split("_")[2]) for caller in (away, other)],
        )
        await connection.close()
    assert {row["organization_id"] for row in used if row["last_used_at"]} == {OTHER}
