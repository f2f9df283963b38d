"""Lists and reads."""

from sys import getsizeof
from typing import Final, TypeAlias

from aiohttp import web

from service.error_types import ErrorType
from service.errors import api_error
from service.handlers.lru_cache import WeightedLruCache
from service.handlers.parameters import collect_errors, form, only_parameters, path_ids, path_of
from service.http.byte_budget import reserve
from service.http.context import caller, database
from service.http.envelope import pagination, respond, success, success_list
from service.http.etag import etag
from service.http.headers import PREFER
from service.http.media_types import JSON_PATCH
from service.http.prefer import APPLIED, preferences
from service.listing import cursor, parameters
from service.queries import reads
from service.queries.master_record import MasterRecord
from service.queries.resource import ListQuery, Resource

_Asked: TypeAlias = tuple[Resource, tuple[tuple[str, str], ...]]
_REMEMBERED_BYTES: Final = 16 * 2**20
_OBJECT_BYTES: Final = 1024
"""What a question takes beside its texts and values."""


async def list_records(resource: Resource, request: web.Request) -> web.Response:
    """One page of a collection; 304 when the caller has it already (contract, Lists)."""
    tenant = caller(request)
    scope = cursor.scope(request.path, tenant.organization_id)
    if resource.parents:
        parents, asked = collect_errors(
            lambda: path_ids(request, resource, *resource.parents),
            lambda: _asked(resource, request, scope),
        )
    else:
        parents, asked = [], _asked(resource, request, scope)
    page = await database(request).read(
        lambda connection: resource.page(connection, tenant, asked, parents),
        tenant.organization_id,
    )
    reserve(request, len(page.documents))
    following = None if page.last is None else cursor.encode(asked.listing, page.last, scope)
    answer = success_list(page.documents, pagination=pagination(following))
    answer.headers["ETag"] = etag(answer.body)
    if PREFER in request.headers and preferences(request).get("count") == "exact":
        total = await database(request).read(
            lambda connection: resource.count(connection, tenant, asked.listing, parents),
            tenant.organization_id,
        )
        answer.headers.update({"Total-Count": str(total), APPLIED: "count=exact"})
    return respond(answer)


async def read_record(resource: Resource, request: web.Request) -> web.Response:
    """One record, or its writable form, with its tag."""
    tenant = caller(request)
    path, wanted = collect_errors(
        lambda: path_of(request, resource),
        lambda: form(request, offered=isinstance(resource, MasterRecord)),
    )
    document = await database(request).read(
        lambda connection: reads.read(connection, resource, tenant, path, wanted),
        tenant.organization_id,
    )
    reserve(request, len(document))
    headers = {"ETag": etag(document)}
    if isinstance(resource, MasterRecord) and resource.is_patched:
        headers["Accept-Patch"] = JSON_PATCH
    return respond(success(document, headers=headers))


async def read_all(resource: Resource, request: web.Request) -> web.Response:
    """All that hangs on the parents, which is never much, as one list."""
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
    answer = success_list(documents)
    answer.headers["ETag"] = etag(answer.body)
    return respond(answer)


def _asked(resource: Resource, request: web.Request, scope: str) -> ListQuery:
    """What the query asks; a cursor carries its own query and stands alone."""
    cursors = request.query.getall("cursor", [])
    if not cursors:
        return questions((resource, tuple(request.query.items())))
    if len(cursors) > 1:
        message = "Give this parameter once."
        raise api_error(ErrorType.DUPLICATE, "cursor", message=message)
    carried = cursor.decode(cursors[0], resource.properties, scope)
    parameters.check_beside_cursor(list(request.query.items()), resource.properties, carried)
    return resource.compile_list(carried)


def _read(asked: _Asked) -> ListQuery:
    """What a query string asks of a list; raises ApiError with everything that is wrong with it."""
    resource, pairs = asked
    return resource.compile_list(parameters.read(pairs, resource.properties))


def _bytes(asked: _Asked, question: ListQuery) -> int:
    """About what it takes to remember a question."""
    texts = [question.text, *(text for pair in asked[1] for text in pair)]
    values = [value for one in question.parameters if isinstance(one, list) for value in one]
    sizes = sum(map(getsizeof, (*texts, *values, *question.parameters)))
    # The conditions of the listing have each value's place once more.
    return _OBJECT_BYTES + sizes + 8 * len(values)


questions: Final = WeightedLruCache(_read, _bytes, _REMEMBERED_BYTES)
"""Of callers' query strings the latest ones: callers poll."""
