"""Identity of the caller: its installation, organization, API key and limits."""

from typing import Final

import orjson
from aiohttp import web

from service.database.errors import OrganizationMissingError
from service.handlers.parameters import no_parameters
from service.http.context import caller_of, database
from service.http.envelope import ApiResponse, success
from service.limits import (
    IDEMPOTENCY_HOURS,
    MAX_BODY_BYTES,
    MAX_BYTES_IN_FLIGHT,
    MAX_LIMIT,
    MAX_PAGE_SIZE,
    MAX_VALUES,
    MAX_WAIT,
)
from service.records.resource import Resource

_LIMITS: Final[web.AppKey[bytes]] = web.AppKey("limits", bytes)


def prepare(app: web.Application, caller_requests: int) -> None:
    """Render the limits once, as they are the same for all organizations.

    ``caller_requests`` is the admission limit: requests of an organization in a worker.
    """
    limits = {
        "concurrentRequests": caller_requests,
        "bytesInFlight": MAX_BYTES_IN_FLIGHT,
        "bodyBytes": MAX_BODY_BYTES,
        "bodyValues": MAX_VALUES,
        "pageSize": MAX_PAGE_SIZE,
        "changesPageSize": MAX_LIMIT,
        "waitSeconds": MAX_WAIT,
        "idempotencyHours": IDEMPOTENCY_HOURS,
    }
    app[_LIMITS] = b',"limits":' + orjson.dumps(limits) + b"}"


async def read_identity(resource: Resource, request: web.Request) -> ApiResponse:
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
    return success(document.removesuffix("}").encode(), request.app[_LIMITS])
