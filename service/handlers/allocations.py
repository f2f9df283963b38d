"""Allocation handler: gives out barcodes of ranges, all of a request or none."""

from contextlib import nullcontext
from functools import partial
from typing import Final

from aiohttp import web

from service.batches.batch import Batch, ItemErrors, RequestItems
from service.batches.new_ids import placeholder_ids
from service.database.connections import Connection
from service.errors import collect_errors
from service.handlers import write_options
from service.handlers.outcomes import DryRunRollback, response
from service.handlers.parameters import idempotent_request, refuse_preconditions
from service.handlers.request_items import BulkBody, in_body
from service.handlers.write_options import DRY_RUN, WriteParameters, run_write
from service.handlers.writes import bulk_error_counts
from service.http.budgets import reserve_unconditionally
from service.http.context import REQUEST_ID, caller_of
from service.http.envelope import ApiResponse, respond
from service.resources.assortment.barcode_allocations import BarcodeAllocations
from service.shares.fair_queue import LeaseKind
from service.writing.outcomes import WriteOptions

_PARAMETERS: Final[WriteParameters] = {DRY_RUN: ("false", "true")}


async def allocate(resource: BarcodeAllocations, request: web.Request, raw: bytes) -> web.Response:
    """Allocate barcodes; return an outcome for each number."""
    body = BulkBody.of(raw)
    with bulk_error_counts("allocate", body.total_items):
        options, _, _, idempotency, items = collect_errors(
            lambda: write_options.read(request, resource, _PARAMETERS),
            lambda: write_options.check(request, _PARAMETERS),
            lambda: refuse_preconditions(request),
            lambda: idempotent_request(request, raw),
            lambda: _items(resource, body),
        )
        work = partial(_transaction, resource, request, items, options)
        try:
            answer = await run_write(request, idempotency, work, LeaseKind(bulk=True))
        except DryRunRollback as rollback:
            answer = rollback.response
    reserve_unconditionally(request, len(answer.body))
    return respond(answer)


def _items(resource: BarcodeAllocations, body: BulkBody) -> RequestItems:
    """Return the allocations; raise ApiError with all their errors."""
    body.raise_parse_errors()
    details = resource.validator.errors_of_items(body.items, body.raw)
    items = RequestItems(body.items, in_body, details, is_bulk=True)
    ItemErrors(items).raise_any()
    return items


async def _transaction(
    resource: BarcodeAllocations,
    request: web.Request,
    items: RequestItems,
    options: WriteOptions,
    connection: Connection,
) -> ApiResponse:
    """Return the response; raise DryRunRollback with it for a dry run."""
    batch = Batch.of(caller_of(request), items, request[REQUEST_ID])
    with placeholder_ids(connection) if options.dry_run else nullcontext():
        rows = await resource.allocate(connection, batch, options)
    answer = response(rows, rows, options)
    if options.dry_run:
        raise DryRunRollback(answer)
    return answer
