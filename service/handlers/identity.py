"""Identity of the caller: the installation and the organization of its API key."""

from aiohttp import web

from service.handlers.parameters import no_parameters
from service.http.context import caller, database
from service.http.envelope import respond, success
from service.queries.resource import Resource


async def read_identity(resource: Resource, request: web.Request) -> web.Response:
    """Return the installation and the organization of the API key (contract, Callers)."""
    no_parameters(request)
    organization_id = caller(request).organization_id
    statement = resource.statements["identity"].text
    document: str = await database(request).read(
        lambda connection: connection.fetchval(statement, organization_id), organization_id
    )
    return respond(success(document.encode()))
