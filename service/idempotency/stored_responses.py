"""What is stored for safe retries stays within bounds: in bytes while it is kept, and in time.

A short request can have a long answer, and whoever stops writing never comes to clear anything.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from math import ceil
from typing import Final

from aiohttp import web

from service.database import statements
from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import api_error
from service.http.api_response import ApiResponse
from service.idempotency.requests import KEPT, IdempotentRequest, Work, run_once

MAX_MIB: Final = 1024
"""Of one organization's answers, kept at a time."""
_KEY_BYTES: Final = 512
"""What a key takes beside its answer."""
_WEIGHED_SECONDS: Final = 60
_REMEMBERED: Final = 10_000

_SQL = statements.load("stored_answers")
_FORGET = statements.load("idempotency")["forget"]


@dataclass(slots=True)
class _Weight:
    """What an organization has stored: as it was weighed, and what this worker stored since."""

    until: float
    bytes: int
    retry_after: int
    """Seconds until the first of it is cleared."""


class StoredResponses:
    """The weight of each organization's stored answers, as one worker knows it.

    Weighed once a minute and not at every write: what other workers store in between is not seen
    before, so that all together may exceed the bound by as much each, and no more.
    """

    def __init__(self, most: int = MAX_MIB * 2**20) -> None:
        self._most = most
        self._known: dict[int, _Weight] = {}

    def once(self, retry: IdempotentRequest, work: Work) -> Work:
        """The work, done at the key's first request and answered from what is stored at others.

        It raises ``too_many_requests`` where there is no room to store an answer.
        """
        return partial(run_once, retry=retry, work=partial(self._bounded, retry, work))

    async def _bounded(
        self, retry: IdempotentRequest, work: Work, connection: Connection
    ) -> ApiResponse:
        weight = await self._weight(connection, retry.caller.organization_id)
        if weight.bytes >= self._most:
            message = "Too much is stored for safe retries; leave the Idempotency-Key out."
            headers = {"Retry-After": str(weight.retry_after)}
            raise api_error(ErrorType.TOO_MANY_REQUESTS, message=message, headers=headers)
        answer = await work(connection)
        weight.bytes += _KEY_BYTES + len(answer.body)
        return answer

    async def _weight(self, connection: Connection, organization_id: int) -> _Weight:
        known = self._known.get(organization_id)
        if known is None or known.until <= time.monotonic():
            self._known.pop(organization_id, None)
            known = await _weigh(connection, organization_id)
            while len(self._known) >= _REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[organization_id] = known
        return known


STORED_RESPONSES: web.AppKey[StoredResponses] = web.AppKey("stored_answers", StoredResponses)


async def _weigh(connection: Connection, organization_id: int) -> _Weight:
    now = datetime.now(UTC)
    row = await connection.fetchrow(_SQL["weight"].text, organization_id, now - KEPT)
    wait = (row["oldest"] + KEPT - now).total_seconds() if row["oldest"] else 0
    size = row["bytes"] + row["keys"] * _KEY_BYTES
    return _Weight(time.monotonic() + _WEIGHED_SECONDS, size, max(1, ceil(wait)))


async def organizations(connection: Connection, after: int) -> list[int]:
    """The ids of the next organizations after one."""
    return [row["id"] for row in await connection.fetch(_SQL["organizations"].text, after)]


async def delete_expired(connection: Connection, organization_id: int) -> bool:
    """Clear old keys of an organization, as many as take no time; whether there may be more."""
    done = await connection.execute(_FORGET.text, organization_id, datetime.now(UTC) - KEPT)
    return int(done.split()[1]) > 0
