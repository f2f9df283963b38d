"""Read handlers: pages of lists, single records, and all records of a parent.

All of them send an entity tag, and their bytes count in the byte budget (``tagged``).
"""

import json
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any, Final

import orjson
from aiohttp import web

from service import csv_lines, schemas
from service.database.connections import Connection
from service.errors import CollectedErrors
from service.feed import changed_since
from service.handlers import history
from service.handlers.parameters import document_form, path_values, selected
from service.handlers.response_cache import RESPONSE_CACHE
from service.http.context import caller_of, database
from service.http.envelope import ApiResponse, etag, pagination, success, success_list, tagged
from service.http.headers import ACCEPT_PATCH, CSV, JSON, LINK, PREFER, next_page_link
from service.http.negotiation import APPLIED, preferences, prefers
from service.listing import cursor, custom_fields, parameters
from service.organizations.caller import Caller
from service.organizations.scopes import READ, require_all
from service.records import reads, supplier_scopes
from service.records.path_keys import PathId, resolve
from service.records.resource import DocumentPage, ListQuery, Resource
from service.records.writable_resource import WritableResource
from service.resources.assortment import effective_prices
from service.resources.assortment.effective_prices import EffectivePrices
from service.resources.registry import CHANGES

_CACHED_LENGTH: Final = 1000
"""Characters of a query string up to which its list query is cached."""


@tagged
async def list_records(resource: Resource, request: web.Request) -> ApiResponse:
    """Return one page of a collection, as JSON, or as CSV of flat records (contract, Lists).

    ``Prefer: count=exact`` adds the header ``Total-Count``. A first page has the headers with the
    position of the change feed. Raise ApiError with all errors of path and query, ``not_found`` for
    a parent that does not exist, ``gone.changes_expired`` for ``changedSince``, or ``out_of_range``
    for a page by number that is too large.
    """
    caller = caller_of(request)
    scope = cursor.scope(request.path, caller.organization_id)
    path: Sequence[PathId] = ()
    if not resource.parents:
        query = _list_query(resource, request, scope)
    else:
        with CollectedErrors() as errors:
            path = errors.of(path_values, request, resource)
            query = errors.of(_list_query, resource, request, scope)
    if named := custom_fields.names(query.list_request):
        needed = ((custom_fields.SCOPE, (name,)) for name in named)
        require_all(caller.scopes, needed)
    if caller.scopes.restricted:
        within = supplier_scopes.condition(resource, caller, READ)
        query = resource.compile_list(replace(query.list_request, within=within))
    counts = PREFER in request.headers and preferences(request).get("count") == "exact"
    headers: dict[str, str] = {"Vary": "Accept, Prefer"}
    if query.list_request.is_first_page:
        headers |= await request.app[RESPONSE_CACHE].position_headers(caller.organization_id)

    async def read(connection: Connection) -> tuple[ListQuery, DocumentPage]:
        parents = await _resolve(connection, resource, caller, path)
        complete = query
        if query.list_request.changed_since is not None:
            changed = await changed_since.look_up(
                connection, CHANGES, resource, caller, query.list_request
            )
            complete = resource.compile_list(changed)
        looked_up = complete
        if named:
            conditions = await custom_fields.look_up(
                connection, caller.organization_id, complete.list_request
            )
            looked_up = resource.compile_list(conditions)
        page = await resource.page(connection, caller, looked_up, parents, counts=counts)
        return complete, page

    query, page = await database(request).read(read, caller.organization_id)
    if counts:
        headers |= {"Total-Count": str(page.total), APPLIED: "count=exact"}
    return await _page_response(resource, request, query, page, headers)


@tagged
async def list_effective_prices(resource: EffectivePrices, request: web.Request) -> ApiResponse:
    """Return one page of effective prices, as JSON or as CSV (contract, Effective prices).

    Raise ApiError with all errors of the query, or for an unknown price list.
    """
    caller = caller_of(request)
    scope = cursor.scope(request.path, caller.organization_id)
    is_cached = "cursor" not in request.query and _is_short(request)
    compile_query = _priced if is_cached else _priced.__wrapped__
    query = compile_query(resource, tuple(request.query.items()), scope, effective_prices.today())

    async def read(connection: Connection) -> DocumentPage:
        values = await resource.price_list_and_day(connection, caller, query.list_request)
        return await resource.page(connection, caller, query, values)

    page = await database(request).read(read, caller.organization_id)
    headers: dict[str, str] = {"Vary": "Accept, Prefer"}
    return await _page_response(resource, request, query, page, headers)


async def _page_response(
    resource: Resource,
    request: web.Request,
    query: ListQuery,
    page: DocumentPage,
    headers: dict[str, str],
) -> ApiResponse:
    """Return the response with a page, as JSON or as CSV."""
    scope, next_cursor = cursor.scope(request.path, caller_of(request).organization_id), None
    if page.last is not None:
        next_cursor = query.cursors.write(page.last, scope)
        headers[LINK] = next_page_link(request, next_cursor)
    fields = query.list_request.fields
    if prefers(request, CSV, JSON) and (names := columns(resource, fields)):
        table = header(names) + rows(page.documents, names)
        return ApiResponse(200, table, {**headers, "Content-Type": f"{CSV}; charset=utf-8"})
    documents = page.documents
    if fields:
        shown = (*fields, *resource.properties.always_shown)
        documents = await selected(request, documents, shown)
    return success_list(documents, pagination=pagination(next_cursor), headers=headers)


@tagged
async def read_record(resource: Resource, request: web.Request) -> ApiResponse:
    """Return one record, or its writable form, deleted or not.

    The entity tag is that of the returned document, without the envelope, for preconditions of
    writes. With ``fields`` it is that of the selected members, which does not meet an ``If-Match``.
    Raise ApiError with all errors of path and query, ``not_found``, or ``forbidden.organization``
    for another organization's record of a collection that reveals these.
    """
    has_writable = isinstance(resource, WritableResource)
    if history.AT in request.query and history.has_history(resource):
        return await history.read_past(resource, request)
    caller = caller_of(request)
    with CollectedErrors() as errors:
        path = errors.of(path_values, request, resource)
        form = errors.of(document_form, request, resource, has_writable=has_writable)
    form_name, fields = form

    async def read(connection: Connection) -> bytes:
        ids = await _resolve(connection, resource, caller, path)
        return await reads.read_document(connection, resource, caller, ids, form_name)

    document = await database(request).read(read, caller.organization_id)
    if fields:
        document = await selected(request, document, fields)
    headers = {"ETag": etag(document)}
    if isinstance(resource, WritableResource) and resource.is_patched:
        headers["Accept-Patch"] = ACCEPT_PATCH
    return success(document, headers=headers)


@tagged
async def read_all(resource: Resource, request: web.Request) -> ApiResponse:
    """Return all records of the parents as one list, ordered by id, without paging.

    Raise ApiError with all errors of path and query, ``not_found`` for a parent that does not
    exist, and ``out_of_range`` for more than MAX_BATCH_BYTES.
    """
    caller = caller_of(request)
    with CollectedErrors() as errors:
        path = errors.of(path_values, request, resource)
        form = errors.of(document_form, request, resource, has_writable=False)

    async def read(connection: Connection) -> bytes:
        parents = await _resolve(connection, resource, caller, path)
        return await reads.read_all(connection, resource, caller, parents)

    documents = await database(request).read(read, caller.organization_id)
    return success_list(await selected(request, documents, form[1]))


def _resolve(
    connection: Connection, resource: Resource, caller: Caller, path: Sequence[PathId]
) -> Awaitable[list[int]]:
    """Return the ids of a path, 0 for a first one that the caller may not know of."""
    visible = None
    if caller.scopes.restricted:
        visible = supplier_scopes.visible(connection, resource, caller, READ)
    return resolve(connection, caller.organization_id, path, visible)


def _list_query(resource: Resource, request: web.Request, scope: str) -> ListQuery:
    """Return the compiled list query of the request; raise ApiError with all its errors.

    Queries by ``cursor`` are not cached, as each occurs once.
    """
    query = request.query
    if "cursor" in query:
        list_request = parameters.read_cursor(query.items(), resource.properties, scope)
        return resource.compile_list(list_request)
    compile_query = compiled if _is_short(request) else compiled.__wrapped__
    return compile_query(resource, tuple(query.items()))


def _is_short(request: web.Request) -> bool:
    return len(request.rel_url.raw_query_string) <= _CACHED_LENGTH


@lru_cache(maxsize=1024)
def compiled(resource: Resource, pairs: tuple[tuple[str, str], ...]) -> ListQuery:
    """Compile the list query of a query string; raise ApiError with all its errors.

    Cached, as callers repeat query strings. A compiled query has nothing of an organization.
    """
    return resource.compile_list(parameters.read_query(pairs, resource.properties))


@lru_cache(maxsize=128)
def _priced(
    resource: EffectivePrices, pairs: tuple[tuple[str, str], ...], scope: str, _today: date
) -> ListQuery:
    """Compile a query of effective prices, which are those of the day unless it names another."""
    return resource.query(pairs, scope)


_EMPTY: Final = "properties"
"""Member that is never a column; in documents that are otherwise flat it is an empty list."""
_SCALARS: Final = frozenset({"integer", "number", "boolean", "string", "null"})


def columns(resource: Resource, fields: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a collection's table, in the order of its documents' members.

    ``fields`` are the selected members, () for all; ``properties`` is left out. Return () if
    another one is neither a scalar nor a list of ids or plain values, and if no column is left:
    then the caller sends JSON.
    """
    members = schemas.definition(resource.name, "document").properties
    names = tuple(name for name in members if name in (fields or members) and name != _EMPTY)
    return names if all(_is_cell(members[name]) for name in names) else ()


def _is_cell(member: schemas.ResolvedSchema) -> bool:
    """Return whether a member is a scalar, or a list of ids or of plain values."""
    types = member.items.types if "array" in member.types else member.types
    return bool(types) and types <= _SCALARS


def header(names: Sequence[str]) -> bytes:
    """Return the first line of a table, with the names of its columns; lines end in CRLF."""
    return _table([names])


def rows(documents: bytes, names: Sequence[str]) -> bytes:
    """Return a line for each of the documents, which commas join, without the header line.

    Null or missing members are empty cells; other values but texts are as in JSON, to the digit.
    """
    records = json.loads(b"[%b]" % documents, parse_float=str)
    return _table([_cell(record.get(name)) for name in names] for record in records)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ";".join(map(str, value))
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _table(lines: Iterable[Sequence[str]]) -> bytes:
    return "".join(map(csv_lines.line, lines)).encode()
