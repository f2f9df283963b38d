"""Generation handlers: writes that find out themselves which records they make."""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from aiohttp import web

from service.batches.batch import Batch, ItemErrors, RequestItems
from service.database.connections import Connection
from service.database.new_ids import placeholder_ids
from service.errors import CollectedErrors
from service.handlers import write_options
from service.handlers.outcomes import DryRunRollback, Row, outcomes_of, response
from service.handlers.parameters import idempotent_request, refuse_preconditions
from service.handlers.request_items import BulkBody, many_items
from service.handlers.write_options import DRY_RUN, WriteParameters, run_write
from service.handlers.writes import bulk_error_counts
from service.http.budgets import reserve_unconditionally
from service.http.context import REQUEST_ID, caller_of
from service.http.envelope import ApiResponse
from service.organizations.scopes import WRITE, require_all
from service.records.writable_resource import WritableResource
from service.resources.assortment.barcode_allocations import BarcodeAllocations
from service.resources.assortment.barcodes import Barcodes
from service.resources.assortment.sku_generation import RANGE, SkuGeneration
from service.resources.assortment.style_skus import StyleSkus
from service.shares.fair_queue import LeaseKind
from service.writing.outcomes import WriteOptions

_PARAMETERS: Final[WriteParameters] = {DRY_RUN: ("false", "true")}
_Make: TypeAlias = Callable[[Batch, WriteOptions], Awaitable[list[Row]]]
"""Makes the records of a batch and returns the outcomes."""


async def generate(resource: SkuGeneration, request: web.Request, raw: bytes) -> ApiResponse:
    """Make the missing SKUs of the styles of a body; return an outcome for each pair."""
    kind = LeaseKind(bulk=True, collection=StyleSkus.name)
    return await _respond(resource, request, raw, resource.generate, kind)


async def allocate(resource: BarcodeAllocations, request: web.Request, raw: bytes) -> ApiResponse:
    """Allocate barcodes; return an outcome for each number."""
    return await _respond(resource, request, raw, resource.allocate, LeaseKind(bulk=True))


async def _respond(
    resource: WritableResource, request: web.Request, raw: bytes, make: _Make, kind: LeaseKind
) -> ApiResponse:
    body = BulkBody.of(raw)
    [(form, validator)] = resource.validators.items()
    with bulk_error_counts(form, body.total_items):
        options = replace(write_options.read(request, resource, _PARAMETERS), match_by_key=True)
        ranges = (index for index, item in body.objects() if item.get(RANGE) is not None)
        scope = f"{Barcodes.name}:{WRITE}"
        require_all(caller_of(request).scopes, ((scope, (index, RANGE)) for index in ranges))
        with CollectedErrors() as errors:
            errors.of(write_options.check, request, _PARAMETERS)
            errors.of(refuse_preconditions, request)
            idempotency = errors.of(idempotent_request, request, raw)
            items = errors.of(many_items, resource, validator, body, options)
        ItemErrors(items).raise_any()
        work = partial(_transaction, make, request, items, options)
        try:
            answer = await run_write(request, idempotency, work, kind)
        except DryRunRollback as rollback:
            answer = rollback.response
        reserve_unconditionally(request, len(answer.body))
        return answer


async def _transaction(
    make: _Make,
    request: web.Request,
    items: RequestItems,
    options: WriteOptions,
    connection: Connection,
) -> ApiResponse:
    """Return the response; raise DryRunRollback with it for a dry run."""
    batch = Batch.of(connection, caller_of(request), items, request[REQUEST_ID])
    with placeholder_ids(connection) if options.dry_run else nullcontext():
        rows = await make(batch, options)
    answer = response(rows, outcomes_of(rows), options)
    if options.dry_run:
        raise DryRunRollback(answer)
    return answer
