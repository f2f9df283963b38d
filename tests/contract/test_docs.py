"""The OpenAPI document and its page as they are served."""

from typing import Any

import orjson
import pytest
from aiohttp.test_utils import TestClient

from service import openapi

ASSETS = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png", "start.js"]


async def test_the_document_needs_no_key(client: TestClient[Any, Any]) -> None:
    async with client.get("/openapi.json") as response:
        assert response.status == 200
        assert response.content_type == "application/json"
        assert orjson.loads(await response.read()) == openapi.build()


async def test_the_page_needs_no_key_and_no_other_host(client: TestClient[Any, Any]) -> None:
    async with client.get("/docs") as response:
        assert response.status == 200
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        page = await response.text()
    assert "//" not in page
    assert all(f'"docs/{asset}"' in page for asset in ASSETS)


@pytest.mark.parametrize("asset", ASSETS)
async def test_the_page_finds_its_files(client: TestClient[Any, Any], asset: str) -> None:
    async with client.get(f"/docs/{asset}") as response:
        assert response.status == 200
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert await response.read()


@pytest.mark.parametrize("asset", ["swagger-editor.js", "LICENSE", "..%2f__init__.py", "%00"])
async def test_other_files_stay_where_they_are(client: TestClient[Any, Any], asset: str) -> None:
    async with client.get(f"/docs/{asset}") as response:
        assert response.status == 404
        assert (await response.json())["code"] == "not_found.route"
