"""How PostgreSQL and the way to it can fail, and what callers are told of it (contract, Errors)."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import asyncpg

from service.database import incidents
from service.database.fair_queue import QueueTimeoutError
from service.error_types import ErrorType
from service.errors import ApiError, api_error

#: Failures that say "try the same again": none of them leaves anything behind.
RETRYABLE = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.InvalidCachedStatementError,
    asyncpg.OutdatedSchemaCacheError,
)
#: Failures of the connection or the server, not of the statement.
LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    # A server that shuts down says so between two statements too, which asyncpg does not expect.
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
#: Failures of a server that is there but will not do this now.
REFUSED = (
    asyncpg.QueryCanceledError,
    asyncpg.LockNotAvailableError,
    asyncpg.InsufficientResourcesError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.InsufficientPrivilegeError,
)
#: Failures inside a server that is there, or of a node behind it: here nothing was done either.
BROKEN = (asyncpg.InternalServerError, asyncpg.PostgresIOError)
TOO_MANY_REQUESTS: Final = "Too many requests of this organization at once; try again soon."


def is_of_no_more_use(kind: type[BaseException]) -> bool:
    """Whether a failure leaves a connection that is gone, or whose answer may still come.

    The coordinator of a cluster says 08006 of a node behind it, and is itself still there.
    """
    if issubclass(kind, asyncpg.ConnectionFailureError):
        return False
    return issubclass(kind, (*LOST, asyncio.CancelledError))


def refused(error: BaseException, what: str = "read") -> ApiError:
    """What a failure before the commit of a ``read`` or ``write`` means; its cause is logged.

    429 where the organization's own requests are what was waited for, else 503.
    """
    if isinstance(error, QueueTimeoutError) and error.own_organization:
        return too_many_requests()
    if isinstance(error, (*REFUSED, *BROKEN)):
        incidents.report(error, what)
    return unavailable()


def schema_is_behind() -> ApiError:
    """503: the database has not what this release of the service works on."""
    incidents.BEHIND.open(incidents.SCHEMA_IS_BEHIND)
    return unavailable(incidents.SCHEMA_IS_BEHIND)


def outcome_unknown() -> ApiError:
    """503 without ``Retry-After``: the connection was lost while committing."""
    message = "The connection was lost while committing; read the records before retrying."
    return api_error(ErrorType.SERVER_ERROR_OUTCOME_UNKNOWN, message=message)


def unavailable(reason: str = "The service is unavailable; try again soon.") -> ApiError:
    """503 with ``Retry-After``: the database is away or overloaded, and nothing was done."""
    return api_error(
        ErrorType.SERVER_ERROR_UNAVAILABLE, message=reason, headers={"Retry-After": "1"}
    )


def too_many_requests() -> ApiError:
    """429 with ``Retry-After``: the organization's share is used up, and nothing was done."""
    headers = {"Retry-After": "1"}
    return api_error(ErrorType.TOO_MANY_REQUESTS, message=TOO_MANY_REQUESTS, headers=headers)


@contextmanager
def own_locks() -> Iterator[None]:
    """Tell of 429 where a statement's time runs out on locks: those are the organization's own."""
    try:
        yield
    except asyncpg.QueryCanceledError as error:
        raise too_many_requests() from error
