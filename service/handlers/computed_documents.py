"""Handlers of computed documents: what a style lacks in a channel, and the passport of an SKU."""

from aiohttp import web

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import CollectedErrors
from service.handlers.parameters import record_path
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
    caller = caller_of(request)
    with CollectedErrors() as errors:
        path = errors.of(record_path, request, resource)
        named = errors.of(_channel, request)
    name, channel = named

    async def read(connection: Connection) -> bytes:
        [style_id] = await resolve(connection, caller.organization_id, path)
        if isinstance(channel, int):
            return await resource.read(connection, caller, channel, style_id)
        channel_id = await products.find_channel(connection, caller, name, channel)
        return await resource.read(connection, caller, channel_id, style_id)

    return success(await database(request).read(read, caller.organization_id))


@tagged
async def read_passport(resource: Passports, request: web.Request) -> ApiResponse:
    """Return the passport of an SKU; raise ApiError with all errors of path and query."""
    caller = caller_of(request)
    with CollectedErrors() as errors:
        path = errors.of(record_path, request, resource)
        language = errors.of(_language, request)

    async def read(connection: Connection) -> bytes:
        [record_id] = await resolve(connection, caller.organization_id, path)
        return await resource.read(connection, caller, record_id, language)

    return success(await database(request).read(read, caller.organization_id))


def _language(request: web.Request) -> str | None:
    """Return the code of a language; None for that of the organization."""
    reader = QueryReader(request.query.items())
    reader.only(_LANGUAGE)
    language = _text(reader, _LANGUAGE)
    reader.raise_errors()
    return language


def _text(reader: QueryReader, name: str) -> str | None:
    """Return a text that a statement can take; None without the parameter."""
    text = reader.single(name)
    if text is not None and "\0" in text:
        reader.fail(ErrorType.INVALID_VALUE, name, message="Remove the character U+0000.")
    return text


def _channel(request: web.Request) -> tuple[str, int | str]:
    """Return the parameter that names the channel, and its value."""
    reader = QueryReader(request.query.items())
    reader.only(*products.CHANNEL)
    channel_id = reader.integer(products.CHANNEL_ID, 0, 1, _LARGEST_ID)
    key = _text(reader, products.CHANNEL_KEY)
    if not reader.texts.keys() & {*products.CHANNEL}:
        reader.fail_required(products.CHANNEL_ID)
    if {*products.CHANNEL} <= reader.texts.keys():
        reader.fail_beside(products.CHANNEL_KEY, products.CHANNEL)
    reader.raise_errors()
    return (products.CHANNEL_ID, channel_id) if key is None else (products.CHANNEL_KEY, key)
