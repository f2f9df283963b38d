"""Idempotent requests: run once per Idempotency-Key; a retry gets the stored response.

The response is stored in the transaction of the request's own changes. If that transaction was not
committed, the retry runs like a first request (contract, Idempotency). So responses to errors and
to dry runs are not stored. Keys belong to the organization, whichever of its API keys sends them.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

import asyncpg
import orjson

from service.database import statements
from service.database.connections import Connection
from service.database.errors import OrganizationMissingError
from service.error_types import ErrorType
from service.errors import api_error
from service.http.envelope import ApiResponse
from service.limits import IDEMPOTENCY_HOURS, WRITE_SECONDS
from service.organizations.caller import Caller

RETENTION = timedelta(hours=IDEMPOTENCY_HOURS)
"""Time for which a key and its response are valid; after it the key is free."""
Work: TypeAlias = Callable[[Connection], Awaitable[ApiResponse]]
"""Function that runs in a transaction and returns the response; an error rolls it back."""

_SQL = statements.load("idempotency")
_SET_CLAIM_TIMEOUT = _SQL["wait_at_most"].fill(limit="250ms")
"""Statement that sets the statement timeout of a claim, 250 ms.

A claim blocks while another transaction has claimed the key. A claim of a free key takes 1/100 of
this time. A move of the organization would block it, too, so its row is locked first.
"""
_SET_DEFAULT_TIMEOUT = _SQL["wait_at_most"].fill(limit=f"{WRITE_SECONDS}s")


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """Caller, Idempotency-Key and digest of a request.

    The digest is the SHA-256 of method, path and query as sent, and of the uncompressed body. Of
    the caller only the organization counts.
    """

    caller: Caller
    key: str
    request_sha256: bytes


async def run_once(connection: Connection, request: IdempotentRequest, work: Work) -> ApiResponse:
    """Run the work and store its response, or return the stored response of the key.

    A stored response has the header ``Idempotent-Replayed: true``. The caller runs this in a
    transaction, and commits it or rolls it back. After the work delete up to 100 expired keys of
    the organization. Raise ApiError ``conflict.in_progress`` if another transaction that has
    claimed the key does not end within 250 ms, and ``unprocessable.idempotency_key`` if the key was
    used for another request.
    """
    organization_id, now = request.caller.organization_id, datetime.now(UTC)
    if not await _claim(connection, request, now):
        return await _stored_response(connection, request)
    response = await work(connection)
    await connection.execute(
        _SQL["store"].text,
        organization_id,
        request.key,
        response.status,
        orjson.dumps(response.headers).decode(),
        response.body,
    )
    await connection.execute(_SQL["forget"].text, organization_id, now - RETENTION)
    return response


async def _claim(connection: Connection, request: IdempotentRequest, now: datetime) -> bool:
    """Insert the key, or take over an expired one; return False if it is stored and valid.

    Raise ApiError ``conflict.in_progress`` if another transaction has claimed the key and does not
    end in time. If that one is rolled back meanwhile, the key is free. Raise
    OrganizationMissingError if the organization has moved. Reset the statement timeout.
    """
    organization_id = request.caller.organization_id
    await connection.defer(_SET_CLAIM_TIMEOUT)
    if await connection.fetchval(_SQL["hold_organization"].text, organization_id) is None:
        raise OrganizationMissingError
    try:
        claimed: bool | None = await connection.fetchval(
            _SQL["claim"].text,
            organization_id,
            request.key,
            request.request_sha256,
            now,
            now - RETENTION,
        )
    except asyncpg.QueryCanceledError:
        raise api_error(ErrorType.CONFLICT_IN_PROGRESS) from None
    await connection.defer(_SET_DEFAULT_TIMEOUT)
    return bool(claimed)


async def _stored_response(connection: Connection, request: IdempotentRequest) -> ApiResponse:
    """Return the stored response, marked as replayed.

    Raise ApiError ``unprocessable.idempotency_key`` if it is that of another request.
    """
    statement = _SQL["stored"].text
    row = await connection.fetchrow(statement, request.caller.organization_id, request.key)
    if row["request_sha256"] != request.request_sha256:
        raise api_error(ErrorType.UNPROCESSABLE_IDEMPOTENCY_KEY)
    headers = orjson.loads(row["headers"]) | {"Idempotent-Replayed": "true"}
    return ApiResponse(row["status"], row["body"], headers)
