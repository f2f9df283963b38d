"""Writes: of one record and in bulk. Every one is a batch in one transaction."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from aiohttp import web

from service.database.connections import Connection
from service.handlers import patch
from service.handlers.bodies import bulk_operation, many_ids, many_items, one_item
from service.handlers.parameters import (
    PATCH_TYPE,
    body,
    no_precondition,
    only_parameters,
    path_id,
    precondition,
    retry,
    together,
)
from service.http.answer import Answer
from service.http.context import caller, database
from service.http.envelope import many, respond, success
from service.http.etag import Precondition, etag
from service.queries import idempotency
from service.queries import master_record as records
from service.queries.batch import Batch, Item
from service.queries.idempotency import Retry
from service.queries.master_record import MasterRecord

Work: TypeAlias = Callable[[Connection], Awaitable[Answer]]


async def create(resource: MasterRecord, request: web.Request) -> web.Response:
    """One new record, or with an array as body many."""
    raw = await body(request)
    if raw.lstrip().startswith(b"["):
        return await _create_many(resource, request, raw)
    *_, retried, item = together(
        lambda: only_parameters(request),
        lambda: no_precondition(request),
        lambda: retry(request, raw),
        lambda: one_item(resource, resource.create_form, raw),
    )

    async def work(connection: Connection) -> Answer:
        document = await records.create(connection, resource, _single(request, item))
        headers = {"ETag": etag(document), "Location": f"{request.path}/{item['id']}"}
        return success(document, created=True, headers=headers)

    return await _write_once(request, retried, work)


async def _create_many(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    with bulk_operation("bulk_create") as operation:
        retried, items = _checked(
            request,
            raw,
            lambda: many_items(resource, resource.bulk_create_form, raw, operation),
        )

        async def work(connection: Connection) -> Answer:
            documents = await records.create(connection, resource, _bulk(request, items))
            return many(documents, created=True)

        return await _write_once(request, retried, work, is_bulk=True)


async def replace(resource: MasterRecord, request: web.Request) -> web.Response:
    """One record in full; its id is the route's, whatever the body says."""
    raw, wanted = await body(request), precondition(request)
    record_id, _, item = together(
        lambda: path_id(request, resource),
        lambda: only_parameters(request),
        lambda: one_item(resource, resource.replace_form, raw),
    )

    async def work(connection: Connection) -> Answer:
        batch = _single(request, item | {"id": record_id})
        return _record(await records.replace(connection, resource, batch, wanted))

    return await _write(request, work)


async def replace_many(resource: MasterRecord, request: web.Request) -> web.Response:
    """Many records in full, those with ``state=deleted`` deleted, all or nothing."""
    raw = await body(request)
    with bulk_operation("bulk_replace") as operation:
        retried, items = _checked(
            request,
            raw,
            lambda: many_items(resource, resource.bulk_replace_form, raw, operation),
        )

        async def work(connection: Connection) -> Answer:
            batch = _bulk(request, items)
            documents = await records.replace(connection, resource, batch, Precondition())
            return many(documents)

        return await _write_once(request, retried, work, is_bulk=True)


async def patch_record(resource: MasterRecord, request: web.Request) -> web.Response:
    """One record changed by a JSON Patch of its writable form (RFC 6902)."""
    raw, wanted = await body(request, PATCH_TYPE), precondition(request)
    record_id, _, edit = together(
        lambda: path_id(request, resource),
        lambda: only_parameters(request),
        lambda: patch.editor(resource, raw),
    )

    async def work(connection: Connection) -> Answer:
        batch = _single(request, {"id": record_id})
        return _record(await records.patch(connection, resource, batch, wanted, edit))

    return await _write(request, work)


async def delete(resource: MasterRecord, request: web.Request) -> web.Response:
    """One record, as it was deleted."""
    wanted = precondition(request)
    record_id, _ = together(
        lambda: path_id(request, resource),
        lambda: only_parameters(request),
    )

    async def work(connection: Connection) -> Answer:
        batch = _single(request, {"id": record_id})
        return _record(await records.delete(connection, resource, batch, wanted))

    return await _write(request, work)


async def delete_many(resource: MasterRecord, request: web.Request) -> web.Response:
    """Many records, as they were deleted, all or nothing."""
    with bulk_operation("bulk_delete") as operation:
        retried, items = _checked(
            request,
            b"",
            lambda: many_ids(resource, request.query.getall("ids", []), operation),
            "ids",
        )

        async def work(connection: Connection) -> Answer:
            batch = _bulk(request, items, "ids[{}]")
            documents = await records.delete(connection, resource, batch, Precondition())
            return many(documents)

        return await _write_once(request, retried, work, is_bulk=True)


def _checked(
    request: web.Request, raw: bytes, items: Callable[[], list[Item]], *parameters: str
) -> tuple[Retry | None, list[Item]]:
    """What a bulk write stands for and its items, once nothing of the request is wrong."""
    *_, retried, found = together(
        lambda: only_parameters(request, *parameters),
        lambda: no_precondition(request),
        lambda: retry(request, raw),
        items,
    )
    return retried, found


def _single(request: web.Request, item: Item) -> Batch:
    return Batch(caller(request), [item], [0])


def _bulk(request: web.Request, items: list[Item], path: str = "[{}].") -> Batch:
    return Batch(caller(request), items, range(len(items)), path)


def _record(document: bytes) -> Answer:
    return success(document, headers={"ETag": etag(document)})


async def _write(request: web.Request, work: Work, *, is_bulk: bool = False) -> web.Response:
    return respond(await database(request).write(work, is_bulk=is_bulk))


async def _write_once(
    request: web.Request, retried: Retry | None, work: Work, *, is_bulk: bool = False
) -> web.Response:
    """The work's answer, or its first one where the caller's Idempotency-Key names it."""
    if retried is None:
        return await _write(request, work, is_bulk=is_bulk)

    async def once(connection: Connection) -> Answer:
        return await idempotency.once(connection, retried, work)

    return await _write(request, once, is_bulk=is_bulk)
