"""Write requests: the transaction of a checked write, its repetitions, and its response."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

from aiohttp import web

from service.batches.batch import ItemErrors, RequestItems
from service.batches.write_set import OrganizationLockError
from service.database.connections import Connection
from service.database.new_ids import placeholder_ids
from service.errors import ApiError, BulkCounts
from service.http.budgets import reserve_unconditionally
from service.http.context import caller_of, database
from service.http.envelope import ApiResponse
from service.idempotency.requests import IdempotentRequest, Work
from service.idempotency.stored_responses import STORED_RESPONSES
from service.shares.fair_queue import WRITE, LeaseKind
from service.writing.late_checks import LateFailuresError
from service.writing.outcomes import WriteOptions


class DryRunRollback(Exception):  # noqa: N818
    """Response of a dry run, raised so that its transaction is rolled back. It is no failure."""

    def __init__(self, response: ApiResponse) -> None:
        super().__init__("dry run")
        self.response = response


async def run_write(
    request: web.Request,
    idempotency: IdempotentRequest | None,
    work: Work,
    lease_kind: LeaseKind = WRITE,
) -> ApiResponse:
    """Return the response of the work, or the stored one of an earlier request with the key.

    The work runs in a transaction, again after a serialization failure or deadlock. A first
    response is stored in the same transaction; errors and dry runs store none. ``idempotency`` is
    None without a key. Raise what ``work``, ``Database.write`` and ``StoredResponses.idempotent``
    raise.
    """
    if idempotency is not None:
        work = request.app[STORED_RESPONSES].idempotent(idempotency, work)
    return await database(request).write(work, caller_of(request).organization_id, lease_kind)


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """Write request that has passed all checks of the request alone, but for those of items."""

    request: web.Request
    options: WriteOptions
    idempotency: IdempotentRequest | None
    items: RequestItems
    """Items, with the errors that the request alone reveals."""
    lease_kind: LeaseKind
    write: Callable[["WriteRequest", Connection], Awaitable[ApiResponse]]
    """Writes the items in a transaction, and returns the response."""
    run: Callable[..., Awaitable[ApiResponse]] = run_write
    """Runs the transaction, as ``run_write`` does."""
    seconds: float | None = None
    """Time that the transaction may take; None for any."""


async def respond(write_request: WriteRequest) -> ApiResponse:
    """Return the response to a write, or the stored one of an earlier request with its key.

    Raise the errors of items without a transaction if all have failed, unless these are skipped.
    Begin again with the lock of the organization if the write turns out to need it, and without the
    entries that fail after they were written: others may depend on them. Each turn leaves out at
    least one, and all of them together have the time of one.
    """
    request, items, options = write_request.request, write_request.items, write_request.options
    if len(items.details) == len(items.items) and not options.skip_failed:
        ItemErrors(items).raise_any()
    began = perf_counter()
    work, kind = partial(_in_transaction, write_request), write_request.lease_kind
    try:
        response = await write_request.run(request, write_request.idempotency, work, kind)
    except DryRunRollback as rollback:
        response = rollback.response
    except OrganizationLockError:
        locking = replace(options, unlocked=False)
        kind = replace(kind, exclusive=True)
        return await respond(replace(write_request, options=locking, lease_kind=kind))
    except LateFailuresError as error:
        others = replace(items, details={**items.details, **error.details})
        left = write_request.seconds and write_request.seconds - (perf_counter() - began)
        return await respond(replace(write_request, items=others, seconds=left))
    reserve_unconditionally(request, len(response.body))
    if items.is_bulk:
        response.headers["Vary"] = "Prefer"
    return response


async def _in_transaction(write_request: WriteRequest, connection: Connection) -> ApiResponse:
    """Return the response to the write; raise DryRunRollback with it at the end of a dry run."""
    is_dry_run = write_request.options.dry_run
    async with asyncio.timeout(write_request.seconds):
        with placeholder_ids(connection) if is_dry_run else nullcontext():
            response = await write_request.write(write_request, connection)
    if is_dry_run:
        raise DryRunRollback(response)
    return response


@contextmanager
def bulk_error_counts(operation: str, total_items: int) -> Iterator[None]:
    """Add operation and number of items in the request to an ApiError of the block."""
    try:
        yield
    except ApiError as error:
        error.bulk = BulkCounts(operation, total_items)
        raise
