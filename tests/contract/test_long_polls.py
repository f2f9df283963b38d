"""Tests of long polls: their keys are checked again, and they make room for others."""

import asyncio

import pytest

from service.http import request_body
from tests.contract.test_budgets import upload
from tests.support.api import Api, issue_key
from tests.support.changes import PATH
from tests.support.inserted_rows import execute
from tests.support.openapi_validation import is_failure
from tests.support.time_limits import within

GROUPS = "/api/groups"


async def now(api: Api) -> str:
    """Return a cursor that only later changes come after."""
    cursor: str = (await api.get(PATH, {"from": "now"})).json["pagination"]["cursor"]
    return cursor


async def end_key(dsn: str, key: str, how: str = "revoked_at") -> None:
    """Revoke the key or let it expire."""
    await execute(dsn, f"update api_key set {how} = now() where id = $1", int(key.split("_")[2]))


@pytest.mark.contract("Callers", "Changes")
@pytest.mark.parametrize("how", ["revoked_at", "expires_at"])
async def test_a_waiting_reader_does_not_outlive_its_key(
    api: Api, shared_dsn: str, how: str
) -> None:
    reader = Api(api.client, await issue_key(shared_dsn, api.organization_id, "read"))
    start = await now(reader)
    seconds = {"changed": "20", "empty": "1"}
    reading = [
        asyncio.create_task(reader.get(PATH, {"cursor": start, "wait": wait}))
        for wait in seconds.values()
    ]
    await asyncio.sleep(0.2)
    await end_key(shared_dsn, reader.key, how)
    async with within(10):
        is_failure(await reading[1], 401, "unauthorized")
        assert (await api.post(GROUPS, {"name": "Knit"})).status == 201
        is_failure(await reading[0], 401, "unauthorized")


@pytest.mark.contract("Callers", "Budgets")
@pytest.mark.parametrize("seconds", [0, 60])
async def test_a_slow_body_does_not_outlive_its_key(
    api: Api, shared_dsn: str, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """A body that is complete within the promised 5 seconds is taken."""
    monkeypatch.setattr(request_body, "KEY_CACHE_SECONDS", seconds)
    writer = Api(api.client, await issue_key(shared_dsn, api.organization_id))
    raw = b'{"name":"Slow"}'
    async with upload(writer, f"Content-Length: {len(raw)}") as body:
        await body.send(raw[:5])
        # The key is known now.
        assert (await writer.get(GROUPS)).status == 200
        await end_key(shared_dsn, writer.key)
        await body.send(raw[5:])
        assert (await body.answer())[0] == (201 if seconds else 401)
