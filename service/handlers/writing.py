"""Writes: of one record and in bulk. Every one is a batch in one transaction."""

from aiohttp import web

from service import envelope, patch
from service.bodies import bulk_operation, many_ids, many_items, one_item
from service.context import caller, database
from service.etag import Precondition, etag
from service.handlers.parameters import (
    PATCH_TYPE,
    body,
    no_precondition,
    only_parameters,
    path_id,
    precondition,
)
from service.queries import records
from service.queries.batch import Batch, Item
from service.queries.records import MasterRecord


def _single(request: web.Request, item: Item) -> Batch:
    return Batch(caller(request), [item], [0])


def _bulk(request: web.Request, items: list[Item], path: str = "[{}].") -> Batch:
    return Batch(caller(request), items, range(len(items)), path)


def _record(document: bytes) -> web.Response:
    return envelope.success(document, headers={"ETag": etag(document)})


async def create(resource: MasterRecord, request: web.Request) -> web.Response:
    """One new record, or with an array as body many."""
    raw = await body(request)
    if raw.lstrip().startswith(b"["):
        return await _create_many(resource, request, raw)
    item = one_item(resource, resource.create_form, raw)
    document = await database(request).write(
        lambda connection: records.create(connection, resource, _single(request, item))
    )
    headers = {"ETag": etag(document), "Location": f"{request.path}/{item['id']}"}
    return envelope.success(document, created=True, headers=headers)


async def _create_many(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    with bulk_operation("bulk_create") as operation:
        no_precondition(request)
        items = many_items(resource, resource.bulk_create_form, raw, operation)
        documents = await database(request).write(
            lambda connection: records.create(connection, resource, _bulk(request, items))
        )
    return envelope.success(b"[%b]" % documents, created=True)


async def replace(resource: MasterRecord, request: web.Request) -> web.Response:
    """One record in full; its id is the route's, whatever the body says."""
    record_id, wanted = path_id(request, resource), precondition(request)
    item = one_item(resource, resource.replace_form, await body(request)) | {"id": record_id}
    return _record(
        await database(request).write(
            lambda connection: records.replace(connection, resource, _single(request, item), wanted)
        )
    )


async def replace_many(resource: MasterRecord, request: web.Request) -> web.Response:
    """Many records in full, those with ``state=deleted`` deleted, all or nothing."""
    raw = await body(request)
    with bulk_operation("bulk_replace") as operation:
        no_precondition(request)
        items = many_items(resource, resource.bulk_replace_form, raw, operation)
        documents = await database(request).write(
            lambda connection: records.replace(
                connection, resource, _bulk(request, items), Precondition()
            )
        )
    return envelope.success(b"[%b]" % documents)


async def patch_record(resource: MasterRecord, request: web.Request) -> web.Response:
    """One record changed by a JSON Patch of its writable form (RFC 6902)."""
    record_id, wanted = path_id(request, resource), precondition(request)
    edit = patch.editor(resource, await body(request, PATCH_TYPE))
    return _record(
        await database(request).write(
            lambda connection: records.patch(
                connection, resource, _single(request, {"id": record_id}), wanted, edit
            )
        )
    )


async def delete(resource: MasterRecord, request: web.Request) -> web.Response:
    """One record, as it was deleted."""
    only_parameters(request)
    item, wanted = {"id": path_id(request, resource)}, precondition(request)
    return _record(
        await database(request).write(
            lambda connection: records.delete(connection, resource, _single(request, item), wanted)
        )
    )


async def delete_many(resource: MasterRecord, request: web.Request) -> web.Response:
    """Many records, as they were deleted, all or nothing."""
    only_parameters(request, "ids")
    with bulk_operation("bulk_delete") as operation:
        no_precondition(request)
        items = many_ids(resource, request.query.getall("ids", []), operation)
        documents = await database(request).write(
            lambda connection: records.delete(
                connection, resource, _bulk(request, items, "ids[{}]"), Precondition()
            )
        )
    return envelope.success(b"[%b]" % documents)
