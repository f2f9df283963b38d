"""Stored responses: limit on their bytes for each organization, and deletion of expired ones.

A short request can have a long response. Requests with a new key delete some of their
organization's expired responses; a background task (``handlers.retention``) deletes the others.
"""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from math import ceil
from typing import Final

from aiohttp import web

from service.database import statements
from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import api_error
from service.http import metrics
from service.http.envelope import ApiResponse
from service.idempotency.requests import RETENTION, IdempotentRequest, Work, run_once
from service.limits import MAX_STORED_BYTES

_KEY_BYTES: Final = 512
"""Estimated bytes of a stored key besides the body of its response."""
_CACHE_SECONDS: Final = 60
"""Time between two measurements of an organization's size."""
_CACHE_SIZE: Final = 10_000
"""Maximum number of organizations whose sizes are cached."""

_SQL = statements.load("stored_answers")
_FORGET = statements.load("idempotency")["forget"]


@dataclass(slots=True)
class _StoredSize:
    """Size of an organization's stored responses: measured, plus those of this worker since.

    Expired ones do not count. Each key counts once, however often its transaction was rolled back
    and retried.
    """

    expires_at: float
    """Time of the next measurement, by the monotonic clock."""
    bytes: int
    retry_after: int
    """Seconds from the measurement until the oldest response expires, at least 1."""
    added: dict[str, int] = field(default_factory=dict)
    """Bytes of the responses since the measurement, by key; included in ``bytes``."""

    def add(self, key: str, size: int) -> None:
        """Count the response of a key, in place of an earlier one of the same key."""
        self.bytes += size - self.added.get(key, 0)
        self.added[key] = size


class StoredResponses:
    """Stored responses as one worker sees them: it limits each organization's to ``max_bytes``.

    A size is measured at most once a minute, not at every write, unless more than 10,000
    organizations write. Meanwhile other workers' responses do not count, so each worker may exceed
    the limit by the responses of a minute.
    """

    def __init__(self, max_bytes: int = MAX_STORED_BYTES) -> None:
        self._max_bytes = max_bytes
        self._sizes: dict[int, _StoredSize] = {}

    def idempotent(self, request: IdempotentRequest, work: Work) -> Work:
        """Return work that runs ``work`` once per key, and otherwise returns its stored response.

        It raises the errors of ``run_once``. It also raises ApiError ``too_many_requests``, before
        it runs ``work``, if the organization's stored responses have reached the limit of bytes;
        then ``Retry-After`` is the time from the last measurement until the oldest expires. A
        stored response is returned all the same.
        """
        return partial(run_once, request=request, work=partial(self._limited, request, work))

    async def _limited(
        self, request: IdempotentRequest, work: Work, connection: Connection
    ) -> ApiResponse:
        size = await self._size(connection, request.caller.organization_id)
        if size.bytes >= self._max_bytes:
            message = "Stored responses use all of their space; leave the Idempotency-Key out."
            headers = {"Retry-After": str(size.retry_after)}
            raise api_error(ErrorType.TOO_MANY_REQUESTS, message=message, headers=headers)
        response = await work(connection)
        size.add(request.key, _KEY_BYTES + len(response.body))
        return response

    async def _size(self, connection: Connection, organization_id: int) -> _StoredSize:
        size = self._sizes.get(organization_id)
        if size is None or size.expires_at <= time.monotonic():
            self._sizes.pop(organization_id, None)
            size = await _measure(connection, organization_id)
            while len(self._sizes) >= _CACHE_SIZE:
                del self._sizes[next(iter(self._sizes))]
            self._sizes[organization_id] = size
            metrics.STORED_BYTES.set(max(size.bytes for size in self._sizes.values()))
        return size


STORED_RESPONSES: web.AppKey[StoredResponses] = web.AppKey("stored_responses", StoredResponses)


async def _measure(connection: Connection, organization_id: int) -> _StoredSize:
    now = datetime.now(UTC)
    row = await connection.fetchrow(_SQL["weight"].text, organization_id, now - RETENTION)
    retry_after = (row["oldest"] + RETENTION - now).total_seconds() if row["oldest"] else 0
    size = row["bytes"] + row["keys"] * _KEY_BYTES
    return _StoredSize(time.monotonic() + _CACHE_SECONDS, size, max(1, ceil(retry_after)))


async def organizations(connection: Connection, after: int) -> list[int]:
    """Return up to 100 ids of organizations above ``after``, in order; [] at the end.

    Organizations without stored responses are included.
    """
    return [row["id"] for row in await connection.fetch(_SQL["organizations"].text, after)]


async def delete_expired(connection: Connection, organization_id: int) -> bool:
    """Delete up to 100 of an organization's expired keys; return whether any was deleted.

    If so, there may be more. Keys that another transaction has locked are skipped.
    """
    status = await connection.execute(_FORGET.text, organization_id, datetime.now(UTC) - RETENTION)
    return int(status.split()[1]) > 0
