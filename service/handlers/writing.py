"""Writes: of one record and in bulk. Every one is a batch in one transaction."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from aiohttp import web

from service.database.connections import Connection
from service.database.shares import Use
from service.failures import ApiError, Bulk
from service.handlers.bodies import BulkBody, many_ids, many_items, one_item
from service.handlers.parameters import (
    guard,
    no_precondition,
    only_parameters,
    path_id,
    retry,
    together,
)
from service.handlers.patch import editor
from service.http.accounts import hold_written
from service.http.answer import Answer
from service.http.context import REQUEST_ID, caller, database
from service.http.envelope import many, respond, success
from service.http.etag import etag
from service.queries import writing
from service.queries.batch import Batch, Item, Sent
from service.queries.master_record import MasterRecord
from service.queries.writing import locks_organization
from service.retries.first_answers import Retry, Work
from service.retries.stored_answers import STORED_ANSWERS

Write: TypeAlias = Callable[[Connection, MasterRecord, Batch], Awaitable[bytes]]


async def create(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """One new record, or with an array as body many."""
    if raw.lstrip().startswith(b"["):
        return await _create_many(resource, request, raw)
    *_, retried, item = together(
        lambda: only_parameters(request),
        lambda: no_precondition(request),
        lambda: retry(request, raw),
        lambda: one_item(resource.create_form, raw),
    )

    async def work(connection: Connection) -> Answer:
        document = await writing.create(connection, resource, _single(request, item))
        headers = {"ETag": etag(document), "Location": f"{request.path}/{item['id']}"}
        return success(document, created=True, headers=headers)

    use = Use(exclusive=locks_organization(resource, creates=True))
    return await _write(request, work, use, retried)


async def _create_many(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    body, form = await BulkBody.read(raw), resource.bulk_create_form
    with _bulk_failures("bulk_create", body.total_items):
        retried, sent = _whole_request(request, raw, lambda: many_items(resource, form, body))
        return await _bulk(resource, request, retried, sent, writing.create, created=True)


async def replace(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """One record in full; its id is the route's, whatever the body says."""
    precondition = guard(request)
    record_id, _, item = together(
        lambda: path_id(request, resource),
        lambda: only_parameters(request),
        lambda: one_item(resource.replace_form, raw),
    )

    async def work(connection: Connection) -> Answer:
        batch = _single(request, item | {"id": record_id})
        return _record(await writing.replace(connection, resource, batch, precondition))

    return await _write(request, work, Use(exclusive=locks_organization(resource)))


async def replace_many(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """Many records in full, those with ``state=deleted`` deleted, all or nothing."""
    body, form = await BulkBody.read(raw), resource.bulk_replace_form
    with _bulk_failures("bulk_replace", body.total_items):
        retried, sent = _whole_request(request, raw, lambda: many_items(resource, form, body))
        return await _bulk(resource, request, retried, sent, writing.replace)


async def patch(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """One record changed by a JSON Patch of its writable form (RFC 6902)."""
    precondition = guard(request)
    record_id, _, edit = together(
        lambda: path_id(request, resource),
        lambda: only_parameters(request),
        lambda: editor(resource, raw),
    )

    async def work(connection: Connection) -> Answer:
        batch = _single(request, {"id": record_id})
        return _record(await writing.patch(connection, resource, batch, precondition, edit))

    return await _write(request, work, Use(exclusive=locks_organization(resource)))


async def delete(resource: MasterRecord, request: web.Request) -> web.Response:
    """One record, as it was deleted."""
    precondition = guard(request)
    record_id, _ = together(
        lambda: path_id(request, resource),
        lambda: only_parameters(request),
    )

    async def work(connection: Connection) -> Answer:
        batch = _single(request, {"id": record_id})
        return _record(await writing.delete(connection, resource, batch, precondition))

    return await _write(request, work, Use(exclusive=locks_organization(resource)))


async def delete_many(resource: MasterRecord, request: web.Request) -> web.Response:
    """Many records, as they were deleted, all or nothing."""
    ids = request.query.getall("ids", [])
    with _bulk_failures("bulk_delete", len(ids)):
        retried, sent = _whole_request(request, b"", lambda: many_ids(resource, ids), "ids")
        return await _bulk(resource, request, retried, sent, writing.delete)


@contextmanager
def _bulk_failures(operation: str, total_items: int) -> Iterator[None]:
    """Add to failures what those of bulk operations tell (contract, Errors)."""
    try:
        yield
    except ApiError as error:
        error.bulk = Bulk(operation, total_items)
        raise


def _whole_request(
    request: web.Request, raw: bytes, items: Callable[[], Sent], *parameters: str
) -> tuple[Retry | None, Sent]:
    """What a bulk write stands for, and its items, if nothing is wrong with the whole."""
    *_, retried, sent = together(
        lambda: only_parameters(request, *parameters),
        lambda: no_precondition(request),
        lambda: retry(request, raw),
        items,
    )
    return retried, sent


async def _bulk(
    resource: MasterRecord,
    request: web.Request,
    retried: Retry | None,
    sent: Sent,
    write: Write,
    *,
    created: bool = False,
) -> web.Response:
    """The answer to a bulk write; no transaction where every item has failed already."""
    batch = Batch.of(caller(request), sent)
    if not batch.items:
        batch.failed.raise_any()

    async def work(connection: Connection) -> Answer:
        batch = Batch.of(caller(request), sent, request[REQUEST_ID])
        return many(await write(connection, resource, batch), created=created)

    use = Use(bulk=True, exclusive=locks_organization(resource, creates=created))
    return await _write(request, work, use, retried)


def _single(request: web.Request, item: Item) -> Batch:
    return Batch.of(caller(request), Sent([item]), request[REQUEST_ID])


def _record(document: bytes) -> Answer:
    return success(document, headers={"ETag": etag(document)})


async def _write(
    request: web.Request, work: Work, use: Use, retried: Retry | None = None
) -> web.Response:
    """The work's answer, or its first one where the caller's Idempotency-Key names it."""
    if retried is not None:
        work = request.app[STORED_ANSWERS].once(retried, work)
    answer = await database(request).write(work, caller(request).organization_id, use)
    hold_written(request, len(answer.body))
    return respond(answer)
