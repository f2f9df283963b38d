"""Write handlers: single and bulk writes, each a batch in one transaction.

Path, query, headers and body are checked without the database first, for all of their errors.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from aiohttp import hdrs, web

from service.batches.batch import Batch, RequestItems
from service.batches.entry import CREATE, EDIT, MERGE, UPSERT, EntryOperation
from service.database.connections import Connection
from service.errors import CollectedErrors
from service.handlers import request_items, write_options
from service.handlers.audit import run_settings
from service.handlers.outcomes import outcomes
from service.handlers.parameters import check_precondition, idempotent_request, path_values
from service.handlers.patch import patch_editor
from service.handlers.write_options import WriteParameters
from service.handlers.write_requests import WriteRequest, bulk_error_counts, respond, run_write
from service.http.context import REQUEST_ID, caller_of
from service.http.envelope import ApiResponse, etag, success, success_list
from service.http.headers import MERGE_PATCH, is_sent_as
from service.organizations.scopes import DELETE, WRITE, require_all
from service.records import supplier_scopes
from service.records.master_record import MasterRecord
from service.records.path_keys import PathId, resolve
from service.records.writable_resource import WritableResource
from service.resources.registry import ORGANIZATIONS
from service.shares.body_scheduler import BODY_SCHEDULER, ENTER_AGAIN_BYTES
from service.shares.fair_queue import LeaseKind
from service.writing.locking import begins_unlocked, locks_organization
from service.writing.outcomes import WriteOptions, WriteResult
from service.writing.writes import write

ItemsReader: TypeAlias = Callable[[WriteOptions], RequestItems]
"""Returns the items of a request.

Raises ApiError for errors of the request as a whole, and of the item of a single write. Errors of
the items of a bulk write are in ``RequestItems.details``.
"""

_BULK_WRITES: Final[Mapping[str, tuple[str, EntryOperation]]] = {
    "bulk_create": ("bulkCreate", CREATE),
    "bulk_replace": ("bulkReplace", UPSERT),
    "bulk_patch": ("bulkMerge", MERGE),
}
"""Form of the body and operation of its items; forms by own key end with ``ByKey``."""


async def create(resource: MasterRecord, request: web.Request, raw: bytes) -> ApiResponse:
    """Create one record, or by an array several."""
    if raw.lstrip().startswith(b"["):
        return await _write_many("bulk_create", resource, request, raw)
    read = partial(request_items.one_item, resource.validators["create"], raw, CREATE)
    return await _write_one(resource, request, raw, lambda _: read())


async def replace(resource: WritableResource, request: web.Request, raw: bytes) -> ApiResponse:
    """Replace one record, or a part of it; the id of the path counts, not that of the body.

    If the path names a master record by its own key, upsert it: without a live record restore the
    deleted one, else create one. A part's path with an own key needs a live record.
    """

    def read(options: WriteOptions) -> RequestItems:
        if isinstance(resource, MasterRecord) and options.path_key is not None:
            return request_items.keyed_item(resource, raw, options.path_key)
        validator = resource.validators["replace"]
        return request_items.one_item(validator, raw, UPSERT, resource.list_name)

    return await _write_one(resource, request, raw, read)


async def patch(resource: WritableResource, request: web.Request, raw: bytes) -> ApiResponse:
    """Apply a JSON Patch (RFC 6902) or merge patch (RFC 7396) to the writable form of a record.

    The Content-Type tells which; ``with_body`` has checked it. The patch is parsed in the first
    round of checks, and applied under the record's lock. The id of the path counts.
    """

    def read(_: WriteOptions) -> RequestItems:
        if is_sent_as(request.headers[hdrs.CONTENT_TYPE], MERGE_PATCH):
            return request_items.one_item(resource.validators["merge"], raw, MERGE)
        return RequestItems([{}], operation=EDIT, edit=patch_editor(resource, raw))

    return await _write_one(resource, request, raw, read)


async def delete(resource: MasterRecord, request: web.Request) -> ApiResponse:
    """Delete one record by id or own key in the path; return it as deleted."""
    items = RequestItems([{}], operation=EntryOperation.DELETE)
    return await _write_one(resource, request, b"", lambda _: items)


async def replace_many(resource: WritableResource, request: web.Request, raw: bytes) -> ApiResponse:
    """Replace or delete (``state`` is ``deleted``) records in bulk; with ``match``, upsert them."""
    return await _write_many("bulk_replace", resource, request, raw)


async def merge_many(resource: WritableResource, request: web.Request, raw: bytes) -> ApiResponse:
    """Merge items into records in bulk (RFC 7396); with ``match``, upsert or delete them."""
    return await _write_many("bulk_patch", resource, request, raw)


async def delete_many(resource: MasterRecord, request: web.Request) -> ApiResponse:
    """Delete records in bulk, by ``ids`` or ``keys``; return them as deleted, or the outcomes."""
    allowed, ids, keys = write_options.named_records(request, resource)

    def read(options: WriteOptions) -> RequestItems:
        if options.match_by_key:
            return request_items.many_keys(resource, keys, options)
        return request_items.many_ids(resource, ids, options)

    with bulk_error_counts("bulk_delete", len(keys or ids)):
        return await _handle(resource, request, b"", allowed, read)


async def _write_one(
    resource: WritableResource, request: web.Request, raw: bytes, read: ItemsReader
) -> ApiResponse:
    """Handle a single write."""
    return await _handle(resource, request, raw, write_options.SINGLE, read)


async def _write_many(
    operation: str, resource: WritableResource, request: web.Request, raw: bytes
) -> ApiResponse:
    """Handle a bulk write whose body lists the items."""
    body = request_items.BulkBody.of(raw)
    if len(raw) > ENTER_AGAIN_BYTES:
        await request.app[BODY_SCHEDULER].enter(caller_of(request).organization_id, again=True)
    takes_keys = operation != "bulk_create"
    allowed = write_options.bulk_by_key(resource) if takes_keys else write_options.BULK
    read = partial(_read_items, operation, resource, body)
    with bulk_error_counts(operation, body.total_items):
        scopes, scope = caller_of(request).scopes, resource.scope(DELETE)
        objects = () if scopes.opens(scope) else body.objects()
        deleted = (index for index, item in objects if item.get("state") == "deleted")
        require_all(scopes, ((scope, (index, "state")) for index in deleted))
        return await _handle(resource, request, raw, allowed, read)


def _read_items(
    operation: str, resource: WritableResource, body: request_items.BulkBody, options: WriteOptions
) -> RequestItems:
    """Return the items of a bulk write."""
    form, of_items = _BULK_WRITES[operation]
    validator = resource.validators[f"{form}ByKey" if options.match_by_key else form]
    return request_items.many_items(resource, validator, body, options, of_items)


async def _handle(
    resource: WritableResource,
    request: web.Request,
    raw: bytes,
    allowed: WriteParameters,
    read: ItemsReader,
) -> ApiResponse:
    """Return the response to a write; raise ApiError with the errors of all checks.

    ``allowed`` are its query parameters; ``read`` returns its items. All that the request alone
    reveals is checked without the database.
    """
    options = write_options.read(request, resource, allowed)
    with CollectedErrors() as errors:
        path = errors.of(path_values, request, resource)
        errors.of(write_options.check, request, allowed)
        errors.of(check_precondition, request, resource)
        idempotency = errors.of(idempotent_request, request, raw)
        items = errors.of(read, options)
    if items.operation is UPSERT:
        if items.is_by_id and begins_unlocked(resource, raw):
            options = dataclasses.replace(options, unlocked=True)
        path = path if items.is_by_id else []
    kind, work = _lease_kind(resource, items, options), partial(_write, resource, path)
    run = run_settings if resource is ORGANIZATIONS else run_write
    return await respond(WriteRequest(request, options, idempotency, items, kind, work, run))


def _lease_kind(
    resource: WritableResource, items: RequestItems, options: WriteOptions
) -> LeaseKind:
    """Return the kind of the connection's lease: exclusive if the write locks the organization.

    A write by own key names its collection, whose writer lock it takes.
    """
    creates = items.operation is CREATE or not items.is_by_id
    return LeaseKind(
        bulk=items.is_bulk,
        exclusive=not options.unlocked and locks_organization(resource, creates=creates),
        collection="" if items.is_by_id else resource.name,
    )


async def _write(
    resource: WritableResource,
    path: Sequence[PathId],
    write_request: WriteRequest,
    connection: Connection,
) -> ApiResponse:
    """Return the response to a write of the record of a path, () without one, or of several."""
    request, items, options = write_request.request, write_request.items, write_request.options
    caller, visible = caller_of(request), None
    if caller.scopes.restricted:
        visible = supplier_scopes.visible(connection, resource, caller, WRITE)
    ids = await resolve(connection, caller.organization_id, path, visible)
    batch = Batch.of(connection, caller, items, request[REQUEST_ID], ids[:-1])
    if ids:
        batch.items[0]["id"] = ids[-1]
    [result] = await write([(resource, batch)], options)
    if options.outcomes_only:
        return outcomes(resource, items, result, options)
    return _documents(write_request, result)


def _documents(write_request: WriteRequest, result: WriteResult) -> ApiResponse:
    """Return the response with the documents of the written records, in request order.

    It is 201 if records were created. A single write has the ``ETag``, and if 201 the ``Location``.
    """
    created = bool(result.created_ids)
    if write_request.items.is_bulk:
        return success_list(result.documents, created=created)
    headers = {"ETag": etag(result.documents)}
    if created:
        root, key = write_request.request.rel_url.raw_path, write_request.options.path_key
        root = root if key is None else root.rpartition("/")[0]
        headers["Location"] = f"{root}/{result.ids[0]}"
    return success(result.documents, created=created, headers=headers)
