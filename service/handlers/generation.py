"""Generation handlers: writes that find out themselves which records they make."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from aiohttp import web

from service.batches.batch import Batch, ItemErrors
from service.database.connections import Connection
from service.errors import CollectedErrors
from service.handlers import write_options
from service.handlers.outcomes import Row, outcomes_of, response
from service.handlers.parameters import idempotent_request, refuse_preconditions
from service.handlers.request_items import BulkBody, many_items
from service.handlers.write_options import DRY_RUN, WriteParameters
from service.handlers.write_requests import WriteRequest, bulk_error_counts, respond
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
Maker: TypeAlias = Callable[[Batch, WriteOptions], Awaitable[list[Row]]]
"""Makes the records of a batch and returns the outcomes."""


async def generate(resource: SkuGeneration, request: web.Request, raw: bytes) -> ApiResponse:
    """Make the missing SKUs of the styles of a body; return an outcome for each pair."""
    kind = LeaseKind(bulk=True, collection=StyleSkus.name)
    return await _respond(resource, request, raw, resource.generate, kind)


async def allocate(resource: BarcodeAllocations, request: web.Request, raw: bytes) -> ApiResponse:
    """Allocate barcodes; return an outcome for each number."""
    return await _respond(resource, request, raw, resource.allocate, LeaseKind(bulk=True))


async def _respond(
    resource: WritableResource, request: web.Request, raw: bytes, make: Maker, kind: LeaseKind
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
        items = replace(items, is_bulk=False)  # no preference changes the response
        work = partial(_make, make)
        return await respond(WriteRequest(request, options, idempotency, items, kind, work))


async def _make(make: Maker, write_request: WriteRequest, connection: Connection) -> ApiResponse:
    """Return the response with the outcomes of the records that are made."""
    request, options = write_request.request, write_request.options
    batch = Batch.of(connection, caller_of(request), write_request.items, request[REQUEST_ID])
    rows = await make(batch, options)
    return response(rows, outcomes_of(rows), options)
