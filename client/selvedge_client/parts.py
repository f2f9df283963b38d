"""Part client: reads, replaces and patches one part of a record (contract, Parts)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .collections import api_path, form_query, write_headers
from .records import Form
from .transport import JSON_PATCH, Request, Transport


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a part, and its entity tag for ``If-Match``."""

    data: Any
    """List of entries, or an object. In the writable form decimal numbers are strings."""
    etag: str | None


class Part:
    """Part at a path below ``/api``.

    Every method raises SelvedgeError if its call fails. Calls are retried like those of
    ``Collection``, writes with the idempotency key ``key`` or a new one. With ``if_match`` a write
    raises PreconditionFailedError unless it is the part's present entity tag.
    """

    def __init__(self, transport: Transport, path: Sequence[str | int]) -> None:
        self._transport = transport
        self._path = api_path(path)

    async def read(self, *, writable: bool = False, at: int | datetime | None = None) -> Content:
        """Return the part, or its writable form, in which decimal values keep their digits.

        With ``at`` it is the writable form after that change, by number or by a time.
        """
        query = form_query(at, writable=writable)
        return await self._content(Request("GET", self._path, query))

    async def replace(
        self, content: Any, *, if_match: str | None = None, key: str | None = None
    ) -> Content:
        """Replace the whole part. Return its new content as ``read`` does.

        Entries are matched to stored ones by id, without an id by their content. Stored entries
        that are left out are removed, or deactivated if they are needed elsewhere.
        """
        headers = write_headers(if_match, key)
        return await self._content(Request("PUT", self._path, body=content, headers=headers))

    async def dry_run(self, content: Any) -> None:
        """Raise the error that ``replace`` without ``if_match`` would raise; write nothing."""
        await self._transport.send(Request("PUT", self._path, [("dryRun", "true")], body=content))

    async def patch(
        self, changes: Sequence[Form], *, if_match: str | None = None, key: str | None = None
    ) -> Content:
        """Apply a JSON Patch (RFC 6902) to the writable form of the part. Return its new content.

        Only measurement charts and the measured values of one size take patches. Raise FailureError
        (405) for other parts.
        """
        headers = write_headers(if_match, key)
        return await self._content(
            Request("PATCH", self._path, body=[*changes], media_type=JSON_PATCH, headers=headers)
        )

    async def _content(self, request: Request) -> Content:
        response = await self._transport.send(request)
        return Content(response.body["data"], response.headers.get("ETag"))
