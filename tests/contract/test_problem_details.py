"""Tests of problem details, challenges and rate limits of responses (contract, Errors)."""

import asyncio
import re
from typing import Any

import asyncpg
import pytest
from multidict import CIMultiDict

from service.database.errors import refused
from service.shares.fair_queue import READ, FairQueue, QueueTimeoutError
from tests.support import rows
from tests.support.api import Api
from tests.support.openapi_validation import form, is_failure

pytestmark = pytest.mark.contract("Errors")

GROUPS, PROBLEM = "/api/groups", "application/problem+json"
_LIMIT = re.compile(r'"requests";r=(\d+), "bytes";r=(\d+)')


@pytest.mark.parametrize(
    ("accept", "preferred"),
    [
        (PROBLEM, True),
        (f"{PROBLEM}, */*;q=0.8", True),
        (f"application/json;q=0.5, {PROBLEM};q=0.6", True),
        (f"{PROBLEM}, application/json", False),
        (f"{PROBLEM};q=0.5, application/json", False),
        (f"{PROBLEM};q=0.5, application/*", False),
        (f"{PROBLEM};q=0, text/html", False),
        (f"{PROBLEM};q=x", False),
        ("*/*", False),
        ("", False),
    ],
)
async def test_problem_details_are_sent_to_whom_prefers_them(
    accept: str, preferred: bool, shared_api: Api
) -> None:
    answer = await shared_api.get(f"{GROUPS}/x", headers={"Accept": accept})
    assert (answer.headers["Content-Type"] == PROBLEM) is preferred
    if preferred:
        form("common/envelope", "problemWithRows").validate(answer.json)
        assert answer.json["errors"][0]["type"] == "validation_error.invalid_value"
    else:
        is_failure(answer, 400, "validation_error.invalid_value")


async def test_every_line_of_accept_counts(shared_api: Api) -> None:
    lines = [("Accept", "text/html"), ("Accept", f"{PROBLEM.upper()};q=0.9")]
    answer = await shared_api.get(f"{GROUPS}/x", headers=CIMultiDict(lines))
    assert answer.headers["Content-Type"] == PROBLEM


async def test_problem_details_have_what_the_envelope_has(shared_api: Api) -> None:
    items = [{"name": ""}, {"name": "Right"}, {"state": "x"}]
    envelope = await shared_api.post(GROUPS, items)
    problem = await shared_api.post(GROUPS, items, headers={"Accept": PROBLEM})
    form("common/envelope", "problemWithRows").validate(problem.json)
    assert problem.status == problem.json["status"] == envelope.status
    error = envelope.json["error"]
    assert problem.json["code"] == envelope.json["code"]
    assert problem.json["errors"] == error.pop("details")
    assert {name: problem.json[name] for name in error} == error
    unknown = await Api(shared_api.client, "").get(GROUPS, headers={"Accept": PROBLEM})
    assert (unknown.status, unknown.json["title"]) == (401, "Unauthorized")
    assert (await shared_api.get(GROUPS, headers={"Accept": PROBLEM})).status == 200


@pytest.mark.contract("Measurement read")
async def test_the_measurement_read_keeps_its_format(
    shared_api: Api, stored: dict[str, int]
) -> None:
    path = (
        "/api/styles/{styleId}/sample-requests/{sampleRequestId}/measurements/{sizeRangeSizeId}"
    ).format(**stored)
    stranger = Api(shared_api.client, "")
    plain = await stranger.get(path)
    assert (await stranger.get(path, headers={"Accept": PROBLEM})).raw == plain.raw
    assert "errors" not in plain.json


@pytest.mark.contract("Callers")
async def test_challenges_say_why(shared_api: Api, shared_reader: Api, shared_client: Any) -> None:
    async def challenge(method: str = "GET", **headers: str) -> str:
        async with shared_client.request(method, GROUPS, headers=headers) as answer:
            return str(answer.headers["WWW-Authenticate"])

    assert await challenge() == "Bearer"
    assert await challenge(Authorization="Basic eDp5") == "Bearer"
    assert await challenge(Authorization="Bearer ") == "Bearer"
    invalid = 'Bearer error="invalid_token"'
    assert await challenge(Authorization="Bearer slv_1_1_x") == invalid
    assert await challenge(Authorization=f"Bearer Bearer {shared_api.key}") == invalid
    scope = await challenge("DELETE", Authorization=f"Bearer {shared_reader.key}")
    assert scope == 'Bearer error="insufficient_scope", scope="groups:delete"'


@pytest.mark.contract("Shares")
async def test_known_callers_are_told_their_limits(api: Api, demo_dsn: str) -> None:
    limits = (await api.get("/api/me")).data["limits"]
    policy = (
        f'"requests";q={limits["concurrentRequests"]};qu="concurrent-requests", '
        f'"bytes";q={limits["bytesInFlight"]};qu="content-bytes"'
    )
    for path, status in ((GROUPS, 200), (f"{GROUPS}/x", 400), ("/api/nothing", 404)):
        answer = await api.get(path)
        assert answer.status == status
        assert answer.headers["RateLimit-Policy"] == policy
        left = _LIMIT.fullmatch(answer.headers["RateLimit"])
        assert left
        assert int(left[1]) == limits["concurrentRequests"]
        assert int(left[2]) <= limits["bytesInFlight"]
    tag = {"If-None-Match": (await api.get(GROUPS)).headers["ETag"]}
    assert "RateLimit" in (await api.get(GROUPS, headers=tag)).headers
    for path in (GROUPS, "/", "/healthz"):
        assert "RateLimit" not in (await Api(api.client, "").get(path)).headers
    connection = await asyncpg.connect(demo_dsn)
    async with connection.transaction():
        lock = "select from style_group where organization_id = 1 and id = 1 for update"
        await connection.execute(lock)
        patch = [{"op": "replace", "path": "/name", "value": "Spring"}]
        waiting = asyncio.create_task(api.patch(f"{GROUPS}/1", patch))
        await rows.wait_for_waiters(demo_dsn, 1)
        answer = await api.get("/api/me")
        assert answer.headers["RateLimit"].startswith('"requests";r=63,')
    await connection.close()
    assert (await waiting).status == 200


@pytest.mark.contract("Shares")
async def test_retries_wait_for_the_queue() -> None:
    queue = FairQueue([1], timeout_seconds=0.1)
    assert queue.retry_seconds(7) == 1
    lease = await queue.acquire(7, READ)
    waiting = [asyncio.create_task(queue.acquire(7, READ)) for _ in range(3)]
    await asyncio.sleep(0.01)
    queue._queues[7].busy_since -= 4
    assert 4 * 3 <= queue.retry_seconds(7) <= 4 * 3 + 1
    queue._queues[7].busy_since -= 1000
    assert queue.retry_seconds(7) == 30
    errors = await asyncio.gather(*waiting, return_exceptions=True)
    timeouts = [error for error in errors if isinstance(error, QueueTimeoutError)]
    assert [refused(error).headers["Retry-After"] for error in timeouts] == ["30"] * 3
    queue.release(lease, 7, READ)


@pytest.mark.contract("Envelope")
async def test_lists_and_bulk_writes_vary_by_preferences(shared_api: Api) -> None:
    short = await shared_api.get(f"{GROUPS}?name=nobody")
    assert short.headers["Vary"] == "Accept, Prefer"
    for _ in range(2):
        assert (await shared_api.get(GROUPS)).headers["Vary"] == "Accept, Prefer, Accept-Encoding"
    written = await shared_api.post(GROUPS, [{"name": "Knit"}])
    assert written.headers["Vary"] == "Prefer"
    assert "Vary" not in (await shared_api.post(GROUPS, {"name": "Knit"})).headers


@pytest.mark.contract("Callers")
async def test_callers_are_told_who_they_are(
    shared_api: Api, shared_other: Api, shared_reader: Api
) -> None:
    for api, has_features in ((shared_api, True), (shared_other, False), (shared_reader, True)):
        identity = (await api.get("/api/me")).data
        organization, key = map(int, api.key.split("_")[1:3])
        scope = "read" if api is shared_reader else "write"
        own = {"id": key, "name": "tests", "scope": scope, "source": str(key)}
        own["scopes"] = ["read"] if scope == "read" else ["write", "keys:manage", "audit:read"]
        assert identity["key"] == own | {"expiresAt": None}
        features = {"multipleLanguage": has_features, "pro": has_features, "uniqueKeys": False}
        assert identity["organization"]["features"] == features
        assert (identity["organization"]["id"], identity["limits"]["pageSize"]) == (
            organization,
            100,
        )
