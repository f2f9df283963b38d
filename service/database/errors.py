"""Error mapping: failures of PostgreSQL and the network as API errors (contract, Outages)."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from service.database import incidents
from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, api_error, too_many_requests, unavailable
from service.shares.fair_queue import QueueTimeoutError

RETRYABLE = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.InvalidCachedStatementError,
    asyncpg.OutdatedSchemaCacheError,
)
"""Failures that a retry of the same transaction or read can cure; nothing was changed."""
LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    # A server that shuts down says so between two statements, which asyncpg does not expect.
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
"""Failures of the connection or the server; timeouts of the client and of the queue are in it.

Before the commit nothing was changed.
"""
REFUSED = (
    asyncpg.QueryCanceledError,
    asyncpg.LockNotAvailableError,
    asyncpg.InsufficientResourcesError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.InsufficientPrivilegeError,
)
"""Failures of a server that responds, but refuses the statement now.

Before the commit nothing was changed.
"""
ORGANIZATION_KEY = "_organization_fk"
"""End of the names of foreign keys to the organization."""
BROKEN = (asyncpg.InternalServerError, asyncpg.PostgresIOError)
"""Failures inside a server that responds, or of a node behind it.

Before the commit nothing was changed.
"""


VERSION_KEY = "record_version_pk"
"""Primary key of versions: two transactions have changed one record, neither under its lock."""


class OrganizationMissingError(ApiError):
    """503 with ``Retry-After``: the database no longer has the organization of a cached key.

    It has moved to another cell. The middleware drops its cached keys.
    """

    def __init__(self) -> None:
        message = "The organization has moved: send the request again."
        detail = ErrorDetail(ErrorType.SERVER_ERROR_UNAVAILABLE, message=message)
        super().__init__([detail], {"Retry-After": "1"})


def leaves_unusable(error_type: type[BaseException]) -> bool:
    """Return whether an error leaves its connection unusable.

    The connection is lost, or may still receive the response to a canceled statement. A Citus
    coordinator raises 08006 for a worker node; the connection to the coordinator survives.
    """
    if issubclass(error_type, asyncpg.ConnectionFailureError):
        return False
    return issubclass(error_type, (*LOST, asyncio.CancelledError))


def refused(error: BaseException, operation: str = "read") -> ApiError:
    """Return the 429 or 503 of a failure before the commit of a ``read`` or ``write``.

    429 means that the request waited in vain for a connection while its own organization had some;
    everything else is 503. Log the cause of REFUSED and BROKEN; LOST is logged where connections
    are opened.
    """
    if isinstance(error, QueueTimeoutError):
        if error.own_organization:
            return too_many_requests(error.retry_seconds)
        return unavailable(retry_seconds=error.retry_seconds)
    if isinstance(error, (*REFUSED, *BROKEN)):
        incidents.report(error, operation)
    return unavailable()


def schema_is_behind() -> ApiError:
    """Open the incident of a schema behind this release, and return its 503."""
    incidents.SCHEMA_BEHIND.open(incidents.SCHEMA_IS_BEHIND)
    return unavailable(incidents.SCHEMA_IS_BEHIND)


def outcome_unknown() -> ApiError:
    """Return 503 without ``Retry-After``: the commit failed, and may have taken effect."""
    return api_error(ErrorType.SERVER_ERROR_OUTCOME_UNKNOWN)


@contextmanager
def own_locks() -> Iterator[None]:
    """Raise ApiError 429 if a statement of the block exceeds its time limit.

    The block has only statements that wait for locks of requests of the same organization.
    """
    try:
        yield
    except asyncpg.QueryCanceledError as error:
        raise too_many_requests() from error
