"""Idempotent writes: runs the work of a write request, once per Idempotency-Key if it has one."""

from aiohttp import web

from service.database.fair_queue import WRITE, LeaseKind
from service.http.api_response import ApiResponse
from service.http.context import caller_of, database
from service.idempotency.requests import IdempotentRequest, Work
from service.idempotency.stored_responses import STORED_RESPONSES


async def run_write(
    request: web.Request,
    idempotency: IdempotentRequest | None,
    work: Work,
    lease_kind: LeaseKind = WRITE,
) -> ApiResponse:
    """Return the response of the work, or the stored one of an earlier request with the key.

    The work runs in a transaction, again after a serialization failure or deadlock. A first
    response is stored in the same transaction; errors and dry runs store none. ``idempotency`` is
    None without a key. Raise what ``work``, ``Database.write`` and ``StoredResponses.idempotent``
    raise.
    """
    if idempotency is not None:
        work = request.app[STORED_RESPONSES].idempotent(idempotency, work)
    return await database(request).write(work, caller_of(request).organization_id, lease_kind)
