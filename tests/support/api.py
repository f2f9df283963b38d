"""API client of the tests: keys, requests and responses, checked against the schemas."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import asyncpg
import orjson
from aiohttp.test_utils import TestClient
from multidict import CIMultiDict

from service.organizations import administration

JSON = "application/json"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"


def _media_type(method: str, path: str) -> str:
    """Return the media type of a body: a merge patch for a PATCH of several, or of a webhook."""
    if method == "PATCH" and path.startswith("/api/webhooks/"):
        return MERGE_PATCH
    if method != "PATCH":
        return JSON
    return (
        MERGE_PATCH if path.partition("?")[0].count("/") == len(("api", "colors")) else JSON_PATCH
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """Response: status, headers and the parsed body (None if it is empty)."""

    status: int
    headers: Any
    raw: bytes

    @property
    def json(self) -> Any:
        """The parsed body."""
        return orjson.loads(self.raw) if self.raw else None

    @property
    def data(self) -> Any:
        """The payload of a success."""
        return self.json["data"]

    @property
    def tag(self) -> str:
        """The entity tag of what was answered, whatever it was compressed by on the way.

        Answers around the same data may differ in length by a word, and so in whether they are.
        """
        return str(self.headers["ETag"]).partition("-")[0].rstrip('"') + '"'

    @property
    def details(self) -> list[tuple[str, str | None]]:
        """Type and field of each row of a failure."""
        return [(row["type"], row["field"]) for row in self.json["error"]["details"]]


class Api:
    """Client that sends requests with the key of one organization."""

    def __init__(self, client: TestClient[Any, Any], key: str) -> None:
        self.client = client
        self.key = key

    @property
    def organization(self) -> int:
        """Id of the organization."""
        return int(self.key.split("_")[1])

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Any = None,
        headers: Mapping[str, str] | None = None,
        content_type: str | None = None,
    ) -> Answer:
        """Send one request; a body other than bytes is sent as JSON."""
        sent = CIMultiDict(headers or {})
        sent.setdefault("Authorization", f"Bearer {self.key}")
        if body is not None:
            sent["Content-Type"] = content_type or _media_type(method, path)
            body = body if isinstance(body, bytes) else orjson.dumps(body)
        async with self.client.request(
            method, path, data=body, params=params, headers=sent, skip_auto_headers=["Content-Type"]
        ) as response:
            return Answer(response.status, response.headers, await response.read())

    async def get(self, path: str, params: Any = None, **options: Any) -> Answer:
        """Send a GET request."""
        return await self.call("GET", path, params=params, **options)

    async def post(self, path: str, body: Any, **options: Any) -> Answer:
        """Send a POST request."""
        return await self.call("POST", path, body, **options)

    async def put(self, path: str, body: Any, **options: Any) -> Answer:
        """Send a PUT request."""
        return await self.call("PUT", path, body, **options)

    async def patch(self, path: str, body: Any, **options: Any) -> Answer:
        """Send a PATCH request."""
        return await self.call("PATCH", path, body, **options)

    async def delete(self, path: str, params: Any = None, **options: Any) -> Answer:
        """Send a DELETE request."""
        return await self.call("DELETE", path, params=params, **options)


def replacing(path: str, value: Any) -> list[dict[str, Any]]:
    """Return a patch that replaces one value."""
    return [{"op": "replace", "path": path, "value": value}]


async def exactly(api: Api, path: str) -> Answer:
    """Send a GET of a path exactly as written, which no client library would do."""
    server = api.client.server
    reader, writer = await asyncio.open_connection(server.host, server.port)
    lines = (f"GET {path} HTTP/1.1", f"Host: {server.host}", f"Authorization: Bearer {api.key}")
    writer.write("\r\n".join([*lines, "Connection: close", "", ""]).encode())
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    status, *fields = head.decode().split("\r\n")
    parted = [field.partition(":") for field in fields]
    headers = CIMultiDict([(name, text.strip()) for name, _, text in parted])
    return Answer(int(status.split()[1]), headers, body)


_WRITE: Final = ("write", "keys:manage", "audit:read")


async def issue_key(dsn: str, organization_id: int, *scopes: str) -> str:
    """Create an API key of the organization."""
    connection = await asyncpg.connect(dsn)
    try:
        return await _issue(connection, organization_id, scopes or _WRITE)
    finally:
        await connection.close()


async def issue_keys(connection: asyncpg.Connection, first: int, second: int) -> dict[str, str]:
    """Create keys of an organization, to write and to read, and of another, to write."""
    return {
        "writer": await _issue(connection, first, _WRITE),
        "reader": await _issue(connection, first, ("read",)),
        "other": await _issue(connection, second, _WRITE),
    }


async def _issue(connection: asyncpg.Connection, organization_id: int, grant: Sequence[str]) -> str:
    key = await administration.issue_key(connection, organization_id, name="tests", scopes=grant)
    assert key is not None
    return key
