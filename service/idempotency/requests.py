"""The first answer to an Idempotency-Key, kept in the transaction that it tells of.

A caller that does not know what became of its request sends it again with the same key: what was
committed is answered again, what was not is done now (contract, Idempotency).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

import asyncpg
import orjson

from service.database import statements
from service.database.connection_factory import WRITE_SECONDS
from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import api_error
from service.http.api_response import ApiResponse
from service.organizations.caller import Caller

KEPT = timedelta(hours=24)
Work: TypeAlias = Callable[[Connection], Awaitable[ApiResponse]]
"""What is done in a transaction, and what is answered then."""

_SQL = statements.load("idempotency")
#: How long another request's claim of the key is waited for: a free key takes a hundredth of it.
_BRIEFLY = _SQL["wait_at_most"].fill(limit="250ms")
_AS_BEFORE = _SQL["wait_at_most"].fill(limit=f"{WRITE_SECONDS}s")


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """A caller's key and the digest of the request that it stands for."""

    caller: Caller
    key: str
    request_sha256: bytes


async def run_once(connection: Connection, retry: IdempotentRequest, work: Work) -> ApiResponse:
    """The answer of the work, or the one that was given before.

    Raises ``conflict.in_progress`` while another request with the key runs, and
    ``unprocessable.idempotency_key`` when the key stood for another request.
    """
    organization_id, now = retry.caller.organization_id, datetime.now(UTC)
    if not await _claim(connection, retry, now):
        return await _stored(connection, retry)
    answer = await work(connection)
    await connection.execute(
        _SQL["store"].text,
        organization_id,
        retry.key,
        answer.status,
        orjson.dumps(answer.headers).decode(),
        answer.body,
    )
    await connection.execute(_SQL["forget"].text, organization_id, now - KEPT)
    return answer


async def _claim(connection: Connection, retry: IdempotentRequest, now: datetime) -> bool:
    """Whether the key is new, or was old enough to be new again.

    Another transaction's claim is waited for only as long as it takes to tell that it is there.
    """
    await connection.execute(_BRIEFLY)
    try:
        claimed: bool | None = await connection.fetchval(
            _SQL["claim"].text,
            retry.caller.organization_id,
            retry.key,
            retry.request_sha256,
            now,
            now - KEPT,
        )
    except asyncpg.QueryCanceledError:
        raise api_error(
            ErrorType.CONFLICT_IN_PROGRESS,
            message="The first request with this Idempotency-Key still runs.",
        ) from None
    await connection.execute(_AS_BEFORE)
    return bool(claimed)


async def _stored(connection: Connection, retry: IdempotentRequest) -> ApiResponse:
    row = await connection.fetchrow(_SQL["stored"].text, retry.caller.organization_id, retry.key)
    if row["request_sha256"] != retry.request_sha256:
        raise api_error(
            ErrorType.UNPROCESSABLE_IDEMPOTENCY_KEY,
            message="This Idempotency-Key stood for another request.",
        )
    headers = orjson.loads(row["headers"]) | {"Idempotent-Replayed": "true"}
    return ApiResponse(row["status"], row["body"], headers)
