"""Audit handlers: pages of the audit log, and writes that add an entry (contract, Audit)."""

import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any, Final, TypeAlias

import orjson
from aiohttp import web

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import ApiError, CollectedErrors, ErrorDetail, api_error, in_request_order
from service.feed.long_poll import AUDIT_WAITERS, wait_for
from service.handlers.parameters import (
    idempotent_request,
    no_parameters,
    record_path_ids,
    refuse_preconditions,
)
from service.handlers.write_requests import run_write
from service.http.access_log import header_text
from service.http.budgets import reserve
from service.http.context import authenticate, caller_of, database
from service.http.envelope import ApiResponse, pagination, success
from service.http.headers import LINK, next_page_link
from service.idempotency.requests import IdempotentRequest, Work
from service.limits import DEFAULT_LIMIT, MAX_LIMIT, MAX_WAIT
from service.listing import cursor
from service.listing.query_reader import QueryReader
from service.organizations import audit
from service.organizations.audit import Actor, AuditEvent, Entry
from service.records import reads
from service.records.resource import DocumentRequest, Resource
from service.records.writable_resource import FOR_NO_KEY_UPDATE
from service.resources.registry import ORGANIZATIONS
from service.schemas.parsing import parse
from service.schemas.validation import Validator
from service.shares.fair_queue import WRITE, LeaseKind

Audited: TypeAlias = tuple[ApiResponse, AuditEvent | None]
"""Response of a write, and its event if it changed anything."""

Body: TypeAlias = dict[str, Any]

_NOW: Final = -1
"""Position in place of a number: the end of the log."""


async def read_audit(_: Resource, request: web.Request) -> ApiResponse:
    """Return the next page of entries, after up to ``wait`` seconds if there is none before.

    Raise ApiError with all errors of the query, ``gone.changes_expired`` if the entry after the
    cursor has expired, and ``unauthorized`` if the key became invalid during a wait.
    """
    organization_id = caller_of(request).organization_id
    scope = cursor.scope(request.path, organization_id)
    after, limit, wait = _read_request(request.query.items(), scope)
    deadline, starts_now = time.monotonic() + wait, after == _NOW
    while True:
        after, entries = await database(request).read(
            partial(_page, organization_id=organization_id, after=after, limit=limit + 1),
            organization_id,
        )
        remaining_seconds = deadline - time.monotonic()
        if entries or starts_now or remaining_seconds <= 0:
            break
        if not await wait_for(request, AUDIT_WAITERS, after, remaining_seconds):
            break
    shown = entries[:limit]
    body = orjson.dumps(shown)
    reserve(request, len(body))
    position = shown[-1]["n"] if shown else after
    next_cursor = cursor.seal(orjson.dumps([position]), scope)
    has_more = len(entries) > limit
    headers = dict[str, str]()
    if has_more:
        headers[LINK] = next_page_link(request, next_cursor)
    members = pagination(next_cursor, has_more=has_more)
    return success(body, pagination=members, headers=headers)


def _read_request(parameters: Iterable[tuple[str, str]], scope: str) -> tuple[int, int, int]:
    """Return the number after which the page begins, its limit and the seconds to wait.

    The number is 0 for the oldest entry, and _NOW. Raise ApiError with all errors of the query.
    """
    reader = QueryReader(parameters)
    reader.only("cursor", "from", "limit", "wait")
    wait = reader.integer("wait", 0, 0, MAX_WAIT)
    limit = reader.integer("limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    after = _NOW if reader.choice("from", "oldest", "now") == "now" else 0
    if (text := reader.single("cursor")) is not None:
        if "from" in reader.texts:
            reader.fail_beside_cursor("from")
        try:
            [after] = orjson.loads(cursor.unseal(text, scope))
            if type(after) is not int or not 0 <= after < 2**53:
                raise ValueError("no number of an entry")
        except cursor.UNREADABLE:
            reader.fail(ErrorType.INVALID_CURSOR, "cursor")
    reader.raise_errors()
    return after, limit, wait


async def _page(
    connection: Connection, organization_id: int, after: int, limit: int
) -> tuple[int, list[Entry]]:
    """Return the entries after a number, and that number as it is for ``_NOW`` and 0."""
    ends = await audit.ends(connection, organization_id)
    cleared_n, last_n = (ends["cleared_n"], ends["last_n"]) if ends else (0, 0)
    if after == _NOW:
        return last_n, []
    if after and not cleared_n <= after <= last_n:
        raise api_error(ErrorType.GONE_CHANGES_EXPIRED, "cursor")
    return after, await audit.page(connection, organization_id, after, limit)


async def document_of(
    resource: Resource, request: web.Request, connection: Connection, record_id: int
) -> bytes:
    """Return the document of a key or a webhook; raise ApiError ``not_found`` for none."""
    caller = caller_of(request)
    return await reads.read_document(connection, resource, caller, [record_id], "documents")


def actor_of(request: web.Request) -> Actor:
    """Return the key of a request, with the address of its peer."""
    forwarded_for = header_text(request.headers.get("X-Forwarded-For"))
    return Actor(f"key:{caller_of(request).key_id}", request.remote, forwarded_for)


async def run_audited(
    request: web.Request,
    idempotency: IdempotentRequest | None,
    work: Callable[[Connection], Awaitable[Audited]],
    lease_kind: LeaseKind = WRITE,
) -> ApiResponse:
    """Return the response of the work, as ``run_write`` does; add its event to the audit log.

    The work runs in a transaction, which has the entry, too; an error rolls it back. After the
    commit the head of the chain is logged. Raise ApiError ``unauthorized`` if the key was deleted
    since the request began: it leaves nothing.
    """
    await authenticate(request, again=True)
    organization_id, recorded = caller_of(request).organization_id, list[Entry]()

    async def audited(connection: Connection) -> ApiResponse:
        recorded.clear()
        response, event = await work(connection)
        if event is not None:
            actor = actor_of(request)
            recorded.append(await audit.record(connection, organization_id, actor, event))
        return response

    response = await run_write(request, idempotency, audited, lease_kind)
    for entry in recorded:
        audit.log_head(organization_id, entry["n"], entry["hash"])
    return response


def read_administration(
    resource: Resource,
    request: web.Request,
    raw: bytes,
    validator: Validator | None,
    url_errors: Callable[[Body, list[ErrorDetail]], list[ErrorDetail]] = lambda *_: [],
) -> tuple[list[int], IdempotentRequest | None, Body]:
    """Return the ids of the path, the Idempotency-Key and the body of a write without parameters.

    Without a validator the body is {}. ``url_errors`` takes the body and its other errors. Raise
    ApiError with the errors of all of them.
    """

    def read_body() -> Body:
        if validator is None:
            return {}
        body: Body = parse(raw)
        details = validator.errors(body, raw)
        if details := [*details, *url_errors(body, details)]:
            raise ApiError(in_request_order(body, details))
        return body

    with CollectedErrors() as errors:
        path = errors.of(record_path_ids, request, resource)
        errors.of(no_parameters, request)
        errors.of(refuse_preconditions, request)
        idempotency = errors.of(idempotent_request, request, raw)
        body = errors.of(read_body)
    return path, idempotency, body


async def run_settings(
    request: web.Request, idempotency: IdempotentRequest | None, work: Work, lease_kind: LeaseKind
) -> ApiResponse:
    """Run a write of the organization; add the values that it changed to the audit log.

    The organization's row is locked first, so that they are those of this write.
    """
    caller = caller_of(request)
    organization_id = caller.organization_id

    async def audited(connection: Connection) -> Audited:
        lock = ORGANIZATIONS.locks_by_id[FOR_NO_KEY_UPDATE]
        await connection.fetch(lock, organization_id, f"{{{organization_id}}}")
        documents = DocumentRequest([organization_id])
        [before] = (await ORGANIZATIONS.render(connection, caller, documents)).values()
        response = await work(connection)
        values, former = orjson.loads(response.body)["data"], orjson.loads(before)
        event = audit.settings_event(organization_id, former, values)
        return response, event if event.details["changes"] else None

    return await run_audited(request, idempotency, audited, lease_kind)
