"""Read handlers: lists, single records, and all records below a path."""

from sys import getsizeof
from typing import Final, TypeAlias

from aiohttp import web

from service.error_types import ErrorType
from service.errors import api_error, collect_errors
from service.handlers.lru_cache import WeightedLruCache
from service.handlers.parameters import form, only_parameters, path_ids, path_of
from service.http.byte_budget import reserve
from service.http.context import caller, database
from service.http.envelope import pagination, respond, success, success_list
from service.http.etag import etag
from service.http.headers import PREFER
from service.http.media_types import JSON_PATCH
from service.http.prefer import APPLIED, preferences
from service.listing import cursor, parameters
from service.queries import reads
from service.queries.resource import ListQuery, Resource
from service.queries.writable_resource import WritableResource

_QueryKey: TypeAlias = tuple[Resource, tuple[tuple[str, str], ...]]
"""Cache key of a list query: the resource and the query's parameters."""
_CACHE_BYTES: Final = 16 * 2**20
"""Maximum bytes of the cached list queries."""
_OBJECT_BYTES: Final = 1024
"""Estimated bytes of a list query without its texts and values."""


async def list_records(resource: Resource, request: web.Request) -> web.Response:
    """Return one page of a collection, or 304 if its tag matches (contract, Lists)."""
    tenant = caller(request)
    scope = cursor.scope(request.path, tenant.organization_id)
    if resource.parents:
        parents, list_query = collect_errors(
            lambda: path_ids(request, resource, *resource.parents),
            lambda: _list_query(resource, request, scope),
        )
    else:
        parents, list_query = [], _list_query(resource, request, scope)
    page = await database(request).read(
        lambda connection: resource.page(connection, tenant, list_query, parents),
        tenant.organization_id,
    )
    reserve(request, len(page.documents))
    next_cursor = None if page.last is None else cursor.encode(list_query.listing, page.last, scope)
    response = success_list(page.documents, pagination=pagination(next_cursor))
    response.headers["ETag"] = etag(response.body)
    if PREFER in request.headers and preferences(request).get("count") == "exact":
        total = await database(request).read(
            lambda connection: resource.count(connection, tenant, list_query.listing, parents),
            tenant.organization_id,
        )
        response.headers.update({"Total-Count": str(total), APPLIED: "count=exact"})
    return respond(response)


async def read_record(resource: Resource, request: web.Request) -> web.Response:
    """Return one record, or its writable form, with its entity tag."""
    tenant = caller(request)
    path, form_name = collect_errors(
        lambda: path_of(request, resource),
        lambda: form(request, offered=isinstance(resource, WritableResource)),
    )
    document = await database(request).read(
        lambda connection: reads.read(connection, resource, tenant, path, form_name),
        tenant.organization_id,
    )
    reserve(request, len(document))
    headers = {"ETag": etag(document)}
    if isinstance(resource, WritableResource) and resource.is_patched:
        headers["Accept-Patch"] = JSON_PATCH
    return respond(success(document, headers=headers))


async def read_all(resource: Resource, request: web.Request) -> web.Response:
    """Return all records of the parents as one list; they are few."""
    tenant = caller(request)
    parents, _ = collect_errors(
        lambda: path_ids(request, resource, *resource.parents),
        lambda: only_parameters(request),
    )
    documents = await database(request).read(
        lambda connection: reads.read_all(connection, resource, tenant, parents),
        tenant.organization_id,
    )
    reserve(request, len(documents))
    response = success_list(documents)
    response.headers["ETag"] = etag(response.body)
    return respond(response)


def _list_query(resource: Resource, request: web.Request, scope: str) -> ListQuery:
    """Return the list query of the request; a cursor carries its own query."""
    cursors = request.query.getall("cursor", [])
    if not cursors:
        return questions((resource, tuple(request.query.items())))
    if len(cursors) > 1:
        message = "Give this parameter once."
        raise api_error(ErrorType.DUPLICATE, "cursor", message=message)
    listing = cursor.decode(cursors[0], resource.properties, scope)
    parameters.check_beside_cursor(list(request.query.items()), resource.properties, listing)
    return resource.compile_list(listing)


def _compile(query_key: _QueryKey) -> ListQuery:
    """Compile the list query of a query string; raise ApiError with all its errors."""
    resource, pairs = query_key
    return resource.compile_list(parameters.read(pairs, resource.properties))


def _weight(query_key: _QueryKey, list_query: ListQuery) -> int:
    """Return the approximate bytes of a cached list query."""
    texts = [list_query.text, *(text for pair in query_key[1] for text in pair)]
    values = [
        value
        for parameter in list_query.parameters
        if isinstance(parameter, list)
        for value in parameter
    ]
    sizes = sum(map(getsizeof, (*texts, *values, *list_query.parameters)))
    # The conditions of the listing refer to each value once more: one pointer each.
    return _OBJECT_BYTES + sizes + 8 * len(values)


questions: Final = WeightedLruCache(_compile, _weight, _CACHE_BYTES)
"""LRU cache of compiled list queries: callers repeat the same query strings."""
