"""Write handlers: single and bulk writes, each a batch in one transaction."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

from aiohttp import web

from service.database.connections import Connection
from service.database.fair_queue import LeaseKind
from service.errors import ApiError, BulkCounts, collect_errors
from service.handlers import write_options
from service.handlers.outcomes import DryRunRollback, outcomes
from service.handlers.parameters import (
    idempotent_request,
    no_precondition,
    path_of,
    precondition_of,
)
from service.handlers.patch import patch_editor
from service.handlers.request_items import BulkBody, many_ids, many_items, one_item
from service.handlers.write_options import RequestOptions
from service.http.api_response import ApiResponse
from service.http.byte_budget import reserve_response
from service.http.context import REQUEST_ID, caller, database
from service.http.envelope import respond, success, success_list
from service.http.etag import etag
from service.idempotency.requests import IdempotentRequest, Work
from service.idempotency.stored_responses import STORED_RESPONSES
from service.queries import writes
from service.queries.batch import Batch, Item, ItemErrors, RequestItems, body_path, list_path
from service.queries.locking import locks_organization
from service.queries.master_record import MasterRecord
from service.queries.outcomes import WriteOptions, WriteResult
from service.schemas.validation import Validator

Write: TypeAlias = Callable[[Connection, MasterRecord, Batch, WriteOptions], Awaitable[WriteResult]]
ResponseBuilder: TypeAlias = Callable[[WriteResult], ApiResponse]
"""Builds the response with the documents of a write."""


async def create(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """Create one record, or several if the body is an array."""
    if raw.lstrip().startswith(b"["):
        return await _create_many(resource, request, raw)
    request_options, _, idempotency, item = collect_errors(
        lambda: write_options.of_one(request),
        lambda: no_precondition(request),
        lambda: idempotent_request(request, raw),
        lambda: one_item(resource.create_form, raw),
    )

    def build_response(result: WriteResult) -> ApiResponse:
        headers = {"ETag": etag(result.documents), "Location": f"{request.path}/{result.ids[0]}"}
        return success(result.documents, created=True, headers=headers)

    work = _transaction(
        resource, request, request_options, RequestItems([item]), writes.create, build_response
    )
    lease_kind = LeaseKind(exclusive=locks_organization(resource, creates=True))
    return await _run(request, work, lease_kind, idempotency)


async def _create_many(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    body, form = await BulkBody.read(raw), resource.bulk_create_form
    with _bulk_error_counts("bulk_create", body.total_items):
        request_options, idempotency, request_items = _read_bulk_request(
            request,
            resource,
            raw,
            write_options.write_options_of(request, resource),
            partial(many_items, resource, form, body),
        )
        write = writes.create
        return await _write_bulk(
            resource, request, request_options, idempotency, request_items, write, created=True
        )


async def replace(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """Replace one record, or a part of it; the id of the path counts, not that of the body."""
    precondition = precondition_of(request)
    path, request_options, idempotency, item = collect_errors(
        lambda: path_of(request, resource),
        lambda: write_options.of_one(request),
        lambda: idempotent_request(request, raw),
        lambda: one_item(resource.replace_form, raw, resource.list_name),
    )
    write = partial(writes.replace, precondition=precondition)
    return await _write_one(resource, request, request_options, idempotency, path, item, write)


async def replace_many(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """Replace, delete (``state`` is ``deleted``) or, by own key, upsert records in bulk."""
    options = write_options.write_options_of(request, resource, by_key=True)
    if options.match_by_key:
        form, write = resource.bulk_replace_by_key_form, writes.replace_by_key
    else:
        form, write = resource.bulk_replace_form, writes.replace
    return await _write_by_id_or_key(resource, request, raw, options, "bulk_replace", form, write)


async def merge_many(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """Merge items into records in bulk (RFC 7396); by own key, upsert them."""
    options = write_options.write_options_of(request, resource, by_key=True)
    if options.match_by_key:
        form, write = resource.bulk_merge_by_key_form, writes.merge_by_key
    else:
        form, write = resource.bulk_merge_form, writes.merge
    return await _write_by_id_or_key(resource, request, raw, options, "bulk_patch", form, write)


async def _write_by_id_or_key(
    resource: MasterRecord,
    request: web.Request,
    raw: bytes,
    options: WriteOptions,
    operation: str,
    form: Validator,
    write: Write,
) -> web.Response:
    """Handle a bulk write whose items name records by id or own key."""
    body = await BulkBody.read(raw)
    with _bulk_error_counts(operation, body.total_items):
        request_options, idempotency, request_items = _read_bulk_request(
            request,
            resource,
            raw,
            options,
            partial(many_items, resource, form, body),
            by_key=True,
        )
        return await _write_bulk(
            resource, request, request_options, idempotency, request_items, write
        )


async def patch(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """Apply a JSON Patch to the writable form of one record (RFC 6902)."""
    precondition = precondition_of(request)
    path, request_options, idempotency, edit = collect_errors(
        lambda: path_of(request, resource),
        lambda: write_options.of_one(request),
        lambda: idempotent_request(request, raw),
        lambda: patch_editor(resource, raw),
    )
    write = partial(writes.patch, precondition=precondition, edit=edit)
    return await _write_one(resource, request, request_options, idempotency, path, {}, write)


async def delete(resource: MasterRecord, request: web.Request) -> web.Response:
    """Delete one record; return it as deleted."""
    precondition = precondition_of(request)
    path, request_options, idempotency = collect_errors(
        lambda: path_of(request, resource),
        lambda: write_options.of_one(request),
        lambda: idempotent_request(request, b""),
    )
    write = partial(writes.delete, precondition=precondition)
    return await _write_one(resource, request, request_options, idempotency, path, {}, write)


async def delete_many(resource: MasterRecord, request: web.Request) -> web.Response:
    """Delete records in bulk; return them as deleted."""
    ids = request.query.getall("ids", [])
    with _bulk_error_counts("bulk_delete", len(ids)):
        request_options, idempotency, request_items = _read_bulk_request(
            request,
            resource,
            b"",
            write_options.write_options_of(request, resource),
            partial(many_ids, resource, ids),
            "ids",
        )
        return await _write_bulk(
            resource, request, request_options, idempotency, request_items, writes.delete
        )


@contextmanager
def _bulk_error_counts(operation: str, total_items: int) -> Iterator[None]:
    """Add the counts of a bulk write to its errors (contract, Errors)."""
    try:
        yield
    except ApiError as error:
        error.bulk = BulkCounts(operation, total_items)
        raise


def _read_bulk_request(
    request: web.Request,
    resource: MasterRecord,
    raw: bytes,
    options: WriteOptions,
    items: Callable[[WriteOptions], RequestItems],
    *parameters: str,
    by_key: bool = False,
) -> tuple[RequestOptions, IdempotentRequest | None, RequestItems]:
    """Return options, idempotency and items of a bulk write; raise ApiError with all errors."""
    request_options, _, idempotency, request_items = collect_errors(
        lambda: write_options.of_bulk(request, resource, options, *parameters, by_key=by_key),
        lambda: no_precondition(request),
        lambda: idempotent_request(request, raw),
        lambda: items(options),
    )
    return request_options, idempotency, request_items


async def _write_bulk(
    resource: MasterRecord,
    request: web.Request,
    request_options: RequestOptions,
    idempotency: IdempotentRequest | None,
    request_items: RequestItems,
    write: Write,
    *,
    created: bool = False,
) -> web.Response:
    """Execute a bulk write.

    If all items have failed, start no transaction, unless failed items are skipped.
    """
    options = request_options.write_options
    if len(request_items.details) == len(request_items.items) and not options.skip_failed:
        ItemErrors(request_items).raise_any()

    def build_response(result: WriteResult) -> ApiResponse:
        return success_list(result.documents, created=created)

    work = _transaction(resource, request, request_options, request_items, write, build_response)
    lease_kind = LeaseKind(
        bulk=True,
        exclusive=locks_organization(resource, creates=created or options.match_by_key),
        collection=resource.name if options.match_by_key else "",
    )
    return await _run(request, work, lease_kind, idempotency)


async def _write_one(
    resource: MasterRecord,
    request: web.Request,
    request_options: RequestOptions,
    idempotency: IdempotentRequest | None,
    path: Sequence[int],
    item: Item,
    write: Write,
) -> web.Response:
    """Execute a write of one stored record; ``path`` has the ids of parents and record."""
    *parents, record_id = path
    locate = list_path(resource.list_name) if resource.list_name else body_path
    request_items = RequestItems([item | {"id": record_id}], locate, parents=parents)
    work = _transaction(resource, request, request_options, request_items, write, _record_response)
    return await _run(request, work, LeaseKind(exclusive=locks_organization(resource)), idempotency)


def _record_response(result: WriteResult) -> ApiResponse:
    return success(result.documents, headers={"ETag": etag(result.documents)})


def _transaction(
    resource: MasterRecord,
    request: web.Request,
    request_options: RequestOptions,
    request_items: RequestItems,
    write: Write,
    build_response: ResponseBuilder,
) -> Work:
    """Return the work of the transaction; it raises DryRunRollback at the end of a dry run."""

    async def work(connection: Connection) -> ApiResponse:
        batch = Batch.of(caller(request), request_items, request[REQUEST_ID])
        result = await write(connection, resource, batch, request_options.write_options)
        if not request_options.write_options.outcomes_only:
            return build_response(result)
        response = outcomes(resource, request_items, result, request_options)
        if request_options.dry_run:
            raise DryRunRollback(response)
        return response

    return work


async def _run(
    request: web.Request, work: Work, lease_kind: LeaseKind, idempotency: IdempotentRequest | None
) -> web.Response:
    """Return the work's response, or the stored one of an earlier request with the same key."""
    if idempotency is not None:
        work = request.app[STORED_RESPONSES].idempotent(idempotency, work)
    try:
        response = await database(request).write(work, caller(request).organization_id, lease_kind)
    except DryRunRollback as rollback:
        response = rollback.response
    reserve_response(request, len(response.body))
    return respond(response)
