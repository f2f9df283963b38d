"""CORS tests: browsers that call from pages of other origins (contract, Browsers)."""

from collections.abc import AsyncIterator

import pytest
from aiohttp.test_utils import TestClient

from tests.support.api import Api
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Browsers")

GROUPS, APP, OTHER = "/api/groups", "https://app.example.com", "https://other.example.com"
ASKING = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "if-match"}


@pytest.fixture
async def open_api(shared_dsn: str, shared_keys: dict[str, str]) -> AsyncIterator[Api]:
    """A caller of a service that lets pages of two origins call."""
    origins = f"{APP}, http://localhost:3000"
    async with (
        serving(shared_dsn, CORS_ORIGINS=origins, POOL_SIZE="1") as server,
        TestClient(server) as client,
    ):
        yield Api(client, shared_keys["writer"])


async def test_a_browser_asks_without_a_key(open_api: Api) -> None:
    stranger = Api(open_api.client, "")
    for path in (GROUPS, f"{GROUPS}/1", "/api/nothing", "/healthz"):
        for origin in (APP, "http://localhost:3000"):
            answer = await stranger.call("OPTIONS", path, headers=ASKING | {"Origin": origin})
            assert (answer.status, answer.raw) == (204, b"")
            assert answer.headers["Access-Control-Allow-Origin"] == origin
            allowed = answer.headers["Access-Control-Allow-Methods"].split(", ")
            assert {"GET", "POST", "PUT", "PATCH", "DELETE"} <= set(allowed)
            sent = answer.headers["Access-Control-Allow-Headers"].lower().split(", ")
            assert {"authorization", "content-type", "if-match", "idempotency-key"} <= set(sent)
            assert "Access-Control-Allow-Credentials" not in answer.headers
            assert "Origin" in answer.headers["Vary"]


async def test_pages_read_answers_and_failures(open_api: Api) -> None:
    for path, key, status in (
        (f"{GROUPS}/1", open_api.key, 200),
        ("/api/colors?pageSize=100", open_api.key, 200),
        ("/api/nothing", open_api.key, 404),
        (GROUPS, "", 401),
    ):
        answer = await Api(open_api.client, key).get(path, headers={"Origin": APP})
        assert answer.status == status
        assert answer.headers["Access-Control-Allow-Origin"] == APP
        exposed = answer.headers["Access-Control-Expose-Headers"].split(", ")
        expected = {"ETag", "X-Request-Id", "Retry-After", "Location", "Idempotent-Replayed"}
        assert expected <= set(exposed)
    long = await open_api.get("/api/colors?pageSize=100", headers={"Origin": APP})
    assert long.headers["Vary"] == "Accept, Prefer, Accept-Encoding, Origin"
    tag = (await open_api.get(f"{GROUPS}/1")).headers["ETag"]
    headers = {"Origin": APP, "If-None-Match": tag}
    unmodified = await open_api.get(f"{GROUPS}/1", headers=headers)
    assert unmodified.status == 304
    assert unmodified.headers["Access-Control-Allow-Origin"] == APP
    assert unmodified.headers["Vary"] == "Origin"


async def test_other_origins_get_no_cors_headers(open_api: Api) -> None:
    for origin in (OTHER, f"{APP}.evil.example", f"{APP}:8443", "null", APP.upper(), ""):
        for method in ("GET", "OPTIONS"):
            answer = await open_api.call(method, GROUPS, headers=ASKING | {"Origin": origin})
            assert answer.status == (200 if method == "GET" else 405)
            assert not [name for name in answer.headers if name.startswith("Access-Control")]
            assert "Origin" in answer.headers["Vary"]
    assert "Origin" in (await open_api.get(GROUPS)).headers["Vary"]


async def test_by_default_no_page_of_another_origin_may(shared_api: Api) -> None:
    for method, status in (("GET", 200), ("OPTIONS", 405)):
        answer = await shared_api.call(method, GROUPS, headers=ASKING | {"Origin": APP})
        assert answer.status == status
        assert not [name for name in answer.headers if name.startswith("Access-Control")]
        assert "Origin" not in answer.headers.get("Vary", "")
    stranger = await Api(shared_api.client, "").call(
        "OPTIONS", GROUPS, headers=ASKING | {"Origin": APP}
    )
    assert stranger.status == 401
