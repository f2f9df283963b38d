"""Lists and reads."""

from functools import lru_cache

from aiohttp import web

from service.failures import failed
from service.handlers.parameters import form, path_ids, together
from service.http.context import caller, database
from service.http.envelope import many, pagination, respond, success
from service.http.etag import etag, is_known
from service.listing import cursor, parameters
from service.queries import reading
from service.queries.master_record import MasterRecord
from service.queries.resource import Question, Resource

#: Query strings; the longest are 32 KiB each.
_REMEMBERED = 2048


async def list_records(resource: Resource, request: web.Request) -> web.Response:
    """One page of a collection (specification, List endpoints in general)."""
    tenant = caller(request)
    scope = cursor.scope(request.path, tenant.organization_id)
    parents, asked = together(
        lambda: path_ids(request, resource, *resource.parents),
        lambda: _asked(resource, request, scope),
    )
    page = await database(request).read(
        lambda connection: resource.page(connection, tenant, asked, parents),
        tenant.organization_id,
    )
    following = None if page.last is None else cursor.encode(asked.listing, page.last, scope)
    return respond(many(page.documents, pagination=pagination(following)))


async def read_record(resource: Resource, request: web.Request) -> web.Response:
    """One record, or its writable form; 304 when the caller has it already."""
    tenant = caller(request)
    path, wanted = together(
        lambda: path_ids(request, resource, *resource.parents, resource.key),
        lambda: form(request, offered=isinstance(resource, MasterRecord)),
    )
    document = await database(request).read(
        lambda connection: reading.read(connection, resource, tenant, path, wanted),
        tenant.organization_id,
    )
    headers = {"ETag": etag(document)}
    if is_known(request.headers.get("If-None-Match"), headers["ETag"]):
        return web.Response(status=304, headers=headers)
    return respond(success(document, headers=headers))


def _asked(resource: Resource, request: web.Request, scope: str) -> Question:
    """What the query asks; a cursor carries its own query and stands alone."""
    cursors = request.query.getall("cursor", [])
    if not cursors:
        return _question(resource, tuple(request.query.items()))
    if len(cursors) > 1:
        message = "Give this parameter once."
        raise failed("validation_error.duplicate", "cursor", message=message)
    carried = cursor.decode(cursors[0], resource.properties, scope)
    parameters.check_beside_cursor(list(request.query.items()), resource.properties, carried)
    return resource.question(carried)


@lru_cache(maxsize=_REMEMBERED)
def _question(resource: Resource, pairs: tuple[tuple[str, str], ...]) -> Question:
    """What a query string asks of a list; callers poll, so the latest ones are remembered.

    Raises ApiError with everything that is wrong with it.
    """
    return resource.question(parameters.read(pairs, resource.properties))
