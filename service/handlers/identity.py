"""Identity of the caller: its installation, organization, API key and limits."""

from typing import Final

import orjson
from aiohttp import web

from service import limits
from service.database.errors import OrganizationMissingError
from service.handlers.parameters import no_parameters
from service.http.context import caller_of, database
from service.http.envelope import respond, success
from service.records.resource import Resource

_LIMITS: Final[web.AppKey[bytes]] = web.AppKey("limits", bytes)


def prepare(app: web.Application, caller_requests: int) -> None:
    """Render the limits once, as they are the same for all organizations.

    ``caller_requests`` is the admission limit: requests of an organization in a worker.
    """
    shown = {
        "concurrentRequests": caller_requests,
        "bytesInFlight": limits.MAX_BYTES_IN_FLIGHT,
        "bodyBytes": limits.MAX_BODY_BYTES,
        "bodyValues": limits.MAX_VALUES,
        "pageSize": limits.MAX_PAGE_SIZE,
        "changesPageSize": limits.MAX_LIMIT,
        "waitSeconds": limits.MAX_WAIT,
        "idempotencyHours": limits.IDEMPOTENCY_HOURS,
    }
    app[_LIMITS] = b',"limits":' + orjson.dumps(shown) + b"}"


async def read_identity(resource: Resource, request: web.Request) -> web.Response:
    """Return the installation, organization, API key and limits of the caller (contract, Callers).

    Raise ApiError for any query parameter, and for an organization that is not there.
    """
    no_parameters(request)
    caller = caller_of(request)
    statement = resource.statements["identity"].text
    document: str | None = await database(request).read(
        lambda connection: connection.fetchval(statement, caller.organization_id, caller.key_id),
        caller.organization_id,
    )
    if document is None:
        raise OrganizationMissingError
    return respond(success(document.removesuffix("}").encode(), request.app[_LIMITS]))
