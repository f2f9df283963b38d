"""Handlers of computed documents: what a style lacks in a channel, and the passport of an SKU."""

from collections.abc import Callable
from typing import Any

from aiohttp import web

from service.database.connections import Connection
from service.errors import CollectedErrors
from service.handlers.parameters import path_values
from service.http.context import caller_of, database
from service.http.envelope import ApiResponse, success, tagged
from service.listing.query_reader import QueryReader
from service.records.path_keys import resolve
from service.resources.assortment import products
from service.resources.assortment.passports import Passports

_LANGUAGE = "language"
_LARGEST_ID = 2**63 - 1


@tagged
async def read_completeness(resource: products.Completeness, request: web.Request) -> ApiResponse:
    """Return what a style lacks; raise ApiError with all errors of path and query."""
    return await _read(resource, request, _channel)


@tagged
async def read_passport(resource: Passports, request: web.Request) -> ApiResponse:
    """Return the passport of an SKU; raise ApiError with all errors of path and query."""
    return await _read(resource, request, _language)


async def _read(
    resource: products.Completeness | Passports,
    request: web.Request,
    read_query: Callable[[web.Request], Any],
) -> ApiResponse:
    caller = caller_of(request)
    with CollectedErrors() as errors:
        path = errors.of(path_values, request, resource)
        query = errors.of(read_query, request)

    async def read(connection: Connection) -> bytes:
        [record_id] = await resolve(connection, caller.organization_id, path)
        return await resource.read(connection, caller, record_id, query)

    return success(await database(request).read(read, caller.organization_id))


def _language(request: web.Request) -> str | None:
    """Return the code of a language; None for that of the organization."""
    reader = QueryReader(request.query.items())
    reader.only(_LANGUAGE)
    language = reader.text(_LANGUAGE)
    reader.raise_errors()
    return language


def _channel(request: web.Request) -> products.Channel:
    """Return the parameter that names the channel, and its value."""
    reader = QueryReader(request.query.items())
    reader.only(*products.CHANNEL)
    channel_id = reader.integer(products.CHANNEL_ID, 0, 1, _LARGEST_ID)
    key = reader.text(products.CHANNEL_KEY)
    if not reader.texts.keys() & {*products.CHANNEL}:
        reader.fail_required(products.CHANNEL_ID)
    if {*products.CHANNEL} <= reader.texts.keys():
        reader.fail_beside(products.CHANNEL_KEY, products.CHANNEL)
    reader.raise_errors()
    return (products.CHANNEL_ID, channel_id) if key is None else (products.CHANNEL_KEY, key)
