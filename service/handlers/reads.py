"""Read handlers: pages of lists, single records, and all records of a parent.

All of them send an entity tag, and their bytes count in the byte budget (``tagged``).
"""

from collections.abc import Sequence
from functools import partial
from sys import getsizeof
from typing import Final, TypeAlias

from aiohttp import hdrs, web

from service.database.connections import Connection
from service.errors import collect_errors
from service.handlers import tables
from service.handlers.lru_cache import WeightedLruCache
from service.handlers.parameters import document_form, path_values, record_path
from service.handlers.response_cache import RESPONSE_CACHE
from service.handlers.selection import selected
from service.http.api_response import ApiResponse
from service.http.context import caller_of, database
from service.http.envelope import pagination, success, success_list
from service.http.etag import etag
from service.http.headers import LINK, PREFER
from service.http.media_types import ACCEPT_PATCH, CSV, JSON
from service.http.negotiation import prefers
from service.http.prefer import APPLIED, preferences
from service.http.tagged_reads import tagged
from service.http.web_links import next_page_link
from service.listing import cursor, parameters
from service.organizations.caller import Caller
from service.queries import changed_since, reads
from service.queries.path_keys import PathId, resolve
from service.queries.resource import DocumentPage, ListQuery, Resource
from service.queries.writable_resource import WritableResource
from service.resources.registry import CHANGES

_QueryKey: TypeAlias = tuple[Resource, tuple[tuple[str, str], ...]]
"""Cache key of a list query: the resource and the query's parameters."""
_CACHE_BYTES: Final = 16 * 2**20
"""Maximum bytes of a process's cached list queries."""
_OBJECT_BYTES: Final = 1024
"""Estimated bytes of a list query without its texts and values."""


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
        path, query = collect_errors(
            partial(path_values, request, resource, *resource.parents),
            partial(_list_query, resource, request, scope),
        )
    counts = PREFER in request.headers and preferences(request).get("count") == "exact"
    headers: dict[str, str] = {hdrs.VARY: "Accept, Prefer"}
    if query.list_request.is_first_page:
        headers |= await request.app[RESPONSE_CACHE].position_headers(caller.organization_id)

    async def read(connection: Connection) -> tuple[ListQuery, DocumentPage]:
        parents = await resolve(connection, caller.organization_id, path)
        complete = query
        if query.list_request.changed_since is not None:
            complete = await _with_changed(resource, connection, caller, query)
        page = await resource.page(connection, caller, complete, parents, counts=counts)
        return complete, page

    query, page = await database(request).read(read, caller.organization_id)
    if counts:
        headers |= {"Total-Count": str(page.total), APPLIED: "count=exact"}
    next_cursor = None
    if page.last is not None:
        next_cursor = query.cursors.write(page.last, scope)
        headers[LINK] = next_page_link(request, next_cursor)
    fields = query.list_request.fields
    if prefers(request, CSV, JSON) and (names := tables.columns(resource, fields)):
        table = tables.header(names) + tables.rows(page.documents, names)
        return ApiResponse(200, table, {**headers, hdrs.CONTENT_TYPE: f"{CSV}; charset=utf-8"})
    documents = await selected(request, page.documents, fields)
    return success_list(documents, pagination=pagination(next_cursor), headers=headers)


@tagged
async def read_record(resource: Resource, request: web.Request) -> ApiResponse:
    """Return one record, or its writable form, deleted or not.

    The entity tag is that of the returned document, without the envelope, for preconditions of
    writes. With ``fields`` it is that of the selected members, which does not meet an ``If-Match``.
    Raise ApiError with all errors of path and query, ``not_found``, or ``forbidden.organization``
    for another organization's record of a collection that reveals these.
    """
    caller = caller_of(request)
    path, (form_name, fields) = collect_errors(
        lambda: record_path(request, resource),
        lambda: document_form(
            request, resource, has_writable=isinstance(resource, WritableResource)
        ),
    )

    async def read(connection: Connection) -> bytes:
        ids = await resolve(connection, caller.organization_id, path)
        return await reads.read_document(connection, resource, caller, ids, form_name)

    document = await database(request).read(read, caller.organization_id)
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
    path, (_, fields) = collect_errors(
        lambda: path_values(request, resource, *resource.parents),
        lambda: document_form(request, resource, has_writable=False),
    )

    async def read(connection: Connection) -> bytes:
        parents = await resolve(connection, caller.organization_id, path)
        return await reads.read_all(connection, resource, caller, parents)

    documents = await database(request).read(read, caller.organization_id)
    return success_list(await selected(request, documents, fields))


async def _with_changed(
    resource: Resource, connection: Connection, caller: Caller, query: ListQuery
) -> ListQuery:
    """Return the list query, which has ``changedSince``, restricted to what has changed."""
    return resource.compile_list(
        await changed_since.look_up(connection, CHANGES, resource, caller, query.list_request)
    )


def _list_query(resource: Resource, request: web.Request, scope: str) -> ListQuery:
    """Return the compiled list query of the request; raise ApiError with all its errors.

    Queries by ``cursor`` are not cached, as each occurs once.
    """
    query = request.query
    if "cursor" not in query:
        return LIST_QUERIES((resource, tuple(query.items())))
    return resource.compile_list(parameters.read_cursor(query.items(), resource.properties, scope))


def _compile(query_key: _QueryKey) -> ListQuery:
    """Compile the list query of a query string; raise ApiError with all its errors."""
    resource, pairs = query_key
    return resource.compile_list(parameters.read_query(pairs, resource.properties))


def _weight(query_key: _QueryKey, list_query: ListQuery) -> int:
    """Return the approximate bytes of a cached list query and its key."""
    texts = [list_query.text, *(text for pair in query_key[1] for text in pair)]
    values = [
        value
        for parameter in list_query.parameters
        if isinstance(parameter, list)
        for value in parameter
    ]
    sizes = sum(map(getsizeof, (*texts, *values, *list_query.parameters)))
    # The conditions of the list request refer to each value once more: one pointer each.
    return _OBJECT_BYTES + sizes + 8 * len(values)


LIST_QUERIES: Final = WeightedLruCache(_compile, _weight, _CACHE_BYTES)
"""LRU cache of a process's compiled list queries: callers repeat the same query strings.

Its key holds no organization, as compiled queries have nothing of one.
"""
