"""Parts of records: what is read and replaced below a record, as a whole (contract, Parts)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from service.client.collections import api_path, write_headers
from service.client.records import Document
from service.client.transport import JSON_PATCH, Request, Transport


@dataclass(frozen=True, slots=True)
class Content:
    """What is in a part, and the tag that ``If-Match`` guards it with."""

    data: Any
    """A list of entries, or an object; in the writable form measured values are texts."""
    etag: str | None


class Part:
    """The part at a path below ``/api``.

    Every method raises SelvedgeError. Reads and writes are tried again, as those of records are.
    """

    def __init__(self, transport: Transport, path: Sequence[str | int]) -> None:
        self._transport = transport
        self._path = api_path(path)

    async def read(self, *, writable: bool = False) -> Content:
        """What is in it; or the form of it that is written, where values keep their digits."""
        wanted = [("form", "writable")] if writable else []
        return await self._content(Request("GET", self._path, wanted))

    async def replace(
        self, content: Any, *, if_match: str | None = None, key: str | None = None
    ) -> Content:
        """The part with new content; entries with ids stay themselves."""
        headers = write_headers(if_match, key)
        return await self._content(Request("PUT", self._path, body=content, headers=headers))

    async def dry_run(self, content: Any) -> None:
        """Check whether ``replace`` would succeed; nothing is written."""
        await self._transport.send(Request("PUT", self._path, [("dryRun", "true")], body=content))

    async def patch(
        self, changes: Sequence[Document], *, if_match: str | None = None, key: str | None = None
    ) -> Content:
        """The part changed by a JSON Patch of its writable form; measured values have it."""
        headers = write_headers(if_match, key)
        return await self._content(
            Request("PATCH", self._path, body=[*changes], media_type=JSON_PATCH, headers=headers)
        )

    async def _content(self, request: Request) -> Content:
        answer = await self._transport.send(request)
        return Content(answer.body["data"], answer.headers.get("ETag"))
