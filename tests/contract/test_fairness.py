"""Fairness tests: no organization keeps another one from being served (contract, Shares)."""

import asyncio
from typing import Any

import pytest
from aiohttp.test_utils import TestServer

from service.app import create_app
from service.settings import Settings
from service.shares.body_scheduler import BodyScheduler
from tests.support import rows
from tests.support.api import Api

pytestmark = pytest.mark.contract("Shares")

GROUPS = "/api/groups"


async def test_requests_beyond_the_share_get_429_and_others_are_served(
    aiohttp_client: Any, api: Api, other_api: Api, shared_dsn: str, shared_connection: Any
) -> None:
    settings = Settings.from_environment({"CALLER_REQUESTS": "2", "LOG_LEVEL": "warning"})
    client = await aiohttp_client(TestServer(create_app(settings, shared_dsn)))
    location = (await api.post(GROUPS, {"name": "Winter"})).headers["Location"]
    api, other = [Api(client, each.key) for each in (api, other_api)]
    patch = [{"op": "replace", "path": "/name", "value": "Spring"}]
    async with shared_connection.transaction():
        await shared_connection.execute(
            "select id from style_group where organization_id = $1 for update", api.organization_id
        )
        waiting = [asyncio.create_task(api.patch(location, patch)) for _ in range(2)]
        await rows.wait_for_waiters(shared_dsn, 2)
        refused = await api.get(GROUPS)
        assert (refused.status, refused.json["code"]) == (429, "too_many_requests")
        assert refused.headers["Retry-After"] == "1"
        assert (await other.get(GROUPS)).status == 200
        async with client.get("/readyz") as ready:
            assert ready.status == 200
    assert [answer.status for answer in await asyncio.gather(*waiting)] == [200, 200]
    assert (await api.get(GROUPS)).status == 200


async def test_large_bodies_are_validated_in_a_turn_of_their_own(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the pause after a body would not include the time of its validation."""
    enter, entries = BodyScheduler.enter, list[bool]()

    async def recorded(self: Any, organization_id: int, *, again: bool = False) -> None:
        entries.append(again)
        await enter(self, organization_id, again=again)

    monkeypatch.setattr(BodyScheduler, "enter", recorded)
    refused = await api.post("/api/colors", [{"colorNote": "x" * 2000}] * 1000)
    assert (refused.status, entries) == (400, [False, True])
