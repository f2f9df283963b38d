"""Writes: of one record and in bulk. Every one is a batch in one transaction."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

from aiohttp import web

from service.database.connections import Connection
from service.database.fair_queue import LeaseKind
from service.errors import ApiError, BulkCounts
from service.handlers import write_options as switching
from service.handlers.outcomes import DryRunRollback, outcomes
from service.handlers.parameters import (
    collect_errors,
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
Shape: TypeAlias = Callable[[WriteResult], ApiResponse]
"""The answer with the documents of what was written."""


async def create(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """One new record, or with an array as body many."""
    if raw.lstrip().startswith(b"["):
        return await _create_many(resource, request, raw)
    switches, _, retried, item = collect_errors(
        lambda: switching.of_one(request),
        lambda: no_precondition(request),
        lambda: idempotent_request(request, raw),
        lambda: one_item(resource.create_form, raw),
    )

    def shape(written: WriteResult) -> ApiResponse:
        headers = {"ETag": etag(written.documents), "Location": f"{request.path}/{written.ids[0]}"}
        return success(written.documents, created=True, headers=headers)

    work = _work(resource, request, switches, RequestItems([item]), writes.create, shape)
    use = LeaseKind(exclusive=locks_organization(resource, creates=True))
    return await _write(request, work, use, retried)


async def _create_many(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    body, form = await BulkBody.read(raw), resource.bulk_create_form
    with _bulk_failures("bulk_create", body.total_items):
        switches, retried, sent = _whole_request(
            request,
            resource,
            raw,
            switching.manner_of(request, resource),
            partial(many_items, resource, form, body),
        )
        write = writes.create
        return await _bulk(resource, request, switches, retried, sent, write, created=True)


async def replace(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """One record in full, or a part of it; its id is the route's, whatever the body says."""
    precondition = precondition_of(request)
    path, switches, retried, item = collect_errors(
        lambda: path_of(request, resource),
        lambda: switching.of_one(request),
        lambda: idempotent_request(request, raw),
        lambda: one_item(resource.replace_form, raw, resource.list_name),
    )
    write = partial(writes.replace, guard=precondition)
    return await _single(resource, request, switches, retried, path, item, write)


async def replace_many(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """Many records in full, those with ``state=deleted`` deleted; by own keys created as well."""
    manner = switching.manner_of(request, resource, by_key=True)
    if manner.match_by_key:
        form, write = resource.bulk_replace_by_key_form, writes.replace_by_key
    else:
        form, write = resource.bulk_replace_form, writes.replace
    return await _named(resource, request, raw, manner, "bulk_replace", form, write)


async def merge_many(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """Many records changed in part (RFC 7396); by own keys created as well."""
    manner = switching.manner_of(request, resource, by_key=True)
    if manner.match_by_key:
        form, write = resource.bulk_merge_by_key_form, writes.merge_by_key
    else:
        form, write = resource.bulk_merge_form, writes.merge
    return await _named(resource, request, raw, manner, "bulk_patch", form, write)


async def _named(
    resource: MasterRecord,
    request: web.Request,
    raw: bytes,
    manner: WriteOptions,
    operation: str,
    form: Validator,
    write: Write,
) -> web.Response:
    """A bulk write of items that name records, by their ids or own keys."""
    body = await BulkBody.read(raw)
    with _bulk_failures(operation, body.total_items):
        switches, retried, sent = _whole_request(
            request,
            resource,
            raw,
            manner,
            partial(many_items, resource, form, body),
            by_key=True,
        )
        return await _bulk(resource, request, switches, retried, sent, write)


async def patch(resource: MasterRecord, request: web.Request, raw: bytes) -> web.Response:
    """One record changed by a JSON Patch of its writable form (RFC 6902)."""
    precondition = precondition_of(request)
    path, switches, retried, edit = collect_errors(
        lambda: path_of(request, resource),
        lambda: switching.of_one(request),
        lambda: idempotent_request(request, raw),
        lambda: patch_editor(resource, raw),
    )
    write = partial(writes.patch, guard=precondition, edit=edit)
    return await _single(resource, request, switches, retried, path, {}, write)


async def delete(resource: MasterRecord, request: web.Request) -> web.Response:
    """One record, as it was deleted."""
    precondition = precondition_of(request)
    path, switches, retried = collect_errors(
        lambda: path_of(request, resource),
        lambda: switching.of_one(request),
        lambda: idempotent_request(request, b""),
    )
    write = partial(writes.delete, guard=precondition)
    return await _single(resource, request, switches, retried, path, {}, write)


async def delete_many(resource: MasterRecord, request: web.Request) -> web.Response:
    """Many records, as they were deleted."""
    ids = request.query.getall("ids", [])
    with _bulk_failures("bulk_delete", len(ids)):
        switches, retried, sent = _whole_request(
            request,
            resource,
            b"",
            switching.manner_of(request, resource),
            partial(many_ids, resource, ids),
            "ids",
        )
        return await _bulk(resource, request, switches, retried, sent, writes.delete)


@contextmanager
def _bulk_failures(operation: str, total_items: int) -> Iterator[None]:
    """Add to failures what those of bulk operations tell (contract, Errors)."""
    try:
        yield
    except ApiError as error:
        error.bulk = BulkCounts(operation, total_items)
        raise


def _whole_request(
    request: web.Request,
    resource: MasterRecord,
    raw: bytes,
    manner: WriteOptions,
    items: Callable[[WriteOptions], RequestItems],
    *parameters: str,
    by_key: bool = False,
) -> tuple[RequestOptions, IdempotentRequest | None, RequestItems]:
    """What a bulk write stands for, and its items, if nothing is wrong with the whole."""
    switches, _, retried, sent = collect_errors(
        lambda: switching.of_bulk(request, resource, manner, *parameters, by_key=by_key),
        lambda: no_precondition(request),
        lambda: idempotent_request(request, raw),
        lambda: items(manner),
    )
    return switches, retried, sent


async def _bulk(
    resource: MasterRecord,
    request: web.Request,
    switches: RequestOptions,
    retried: IdempotentRequest | None,
    sent: RequestItems,
    write: Write,
    *,
    created: bool = False,
) -> web.Response:
    """The answer to a bulk write; no transaction where nothing is left to do."""
    if len(sent.details) == len(sent.items) and not switches.write_options.skip_failed:
        ItemErrors(sent).raise_any()

    def shape(written: WriteResult) -> ApiResponse:
        return success_list(written.documents, created=created)

    work = _work(resource, request, switches, sent, write, shape)
    use = LeaseKind(
        bulk=True,
        exclusive=locks_organization(
            resource, creates=created or switches.write_options.match_by_key
        ),
        collection=resource.name if switches.write_options.match_by_key else "",
    )
    return await _write(request, work, use, retried)


async def _single(
    resource: MasterRecord,
    request: web.Request,
    switches: RequestOptions,
    retried: IdempotentRequest | None,
    path: Sequence[int],
    item: Item,
    write: Write,
) -> web.Response:
    """The answer to a write of one stored record, to which the ids of the path lead."""
    *parents, record_id = path
    locate = list_path(resource.list_name) if resource.list_name else body_path
    sent = RequestItems([item | {"id": record_id}], locate, parents=parents)
    work = _work(resource, request, switches, sent, write, _record)
    return await _write(request, work, LeaseKind(exclusive=locks_organization(resource)), retried)


def _record(written: WriteResult) -> ApiResponse:
    return success(written.documents, headers={"ETag": etag(written.documents)})


def _work(
    resource: MasterRecord,
    request: web.Request,
    switches: RequestOptions,
    sent: RequestItems,
    write: Write,
    shape: Shape,
) -> Work:
    """What is done in the transaction; raises Rehearsed at the end of a rehearsal."""

    async def work(connection: Connection) -> ApiResponse:
        batch = Batch.of(caller(request), sent, request[REQUEST_ID])
        written = await write(connection, resource, batch, switches.write_options)
        if not switches.write_options.outcomes_only:
            return shape(written)
        answer = outcomes(resource, sent, written, switches)
        if switches.dry_run:
            raise DryRunRollback(answer)
        return answer

    return work


async def _write(
    request: web.Request, work: Work, use: LeaseKind, retried: IdempotentRequest | None
) -> web.Response:
    """Return the work's answer, or the stored one of an earlier request with the same key."""
    if retried is not None:
        work = request.app[STORED_RESPONSES].idempotent(retried, work)
    try:
        answer = await database(request).write(work, caller(request).organization_id, use)
    except DryRunRollback as rehearsed:
        answer = rehearsed.answer
    reserve_response(request, len(answer.body))
    return respond(answer)
