"""Pending requests: bulk writes stored before they are sent, and resent with the same key.

They are the writes of records by an import that is no dry run. A request is removed once its
outcome is certain: when its outcomes are stored, or it was refused. The next run drops it after 23
hours, and sends rejected lines with a new idempotency key, as their cause may have been mended.
"""

import time
from dataclasses import dataclass
from typing import Any, Final

from service.client import Client, FailureError, Outcome
from service.client.options import WriteMode
from service.error_types import ErrorType
from service.limits import IDEMPOTENCY_HOURS
from service.transfer.id_map import IdMap

_SERVER_ERRORS: Final = 500
_UNDECIDED: Final = (401, 408, 429)
"""Statuses, beside those from 500, that leave open whether an earlier try was carried out."""
_UNDECIDED_TYPES: Final = (ErrorType.FORBIDDEN_SCOPE, ErrorType.CONFLICT_IN_PROGRESS)
_KEY_LIFETIME_SECONDS: Final = (IDEMPOTENCY_HOURS - 1) * 3600.0
"""Maximum age for resending, 23 hours. The service forgets keys after 24 hours.

A request that is sent after that may run twice.
"""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """Bulk write as stored in the id map: its fields are part of the file format.

    ``items``, ``names`` and ``digests`` are those of the same lines, in the same order.
    """

    collection: str
    how: WriteMode
    match: str | None
    """Own key field by which stored records are matched; None for creates and replaces by id."""
    items: list[dict[str, Any]]
    names: list[str]
    """Names of the lines in the id map."""
    digests: list[str]
    """Digests of the lines, in hexadecimal."""
    skip: bool = True
    """Whether failed items are left out; otherwise one of them fails the whole request."""
    asked_at: float | None = None
    """Time of the first try in seconds since 1970; None in maps of earlier releases."""


async def send_pending(
    client: Client, id_map: IdMap, request: PendingRequest, key: str, *, dry_run: bool = False
) -> list[Outcome]:
    """Send a request; return the outcomes of its items in their order.

    It is stored as pending first, and stays so until the caller stores the outcomes with the key
    (``IdMap.store``), or the service refuses it for certain. Without a key it is not stored: a dry
    run, or parts, whose replacement can be repeated. Raise SelvedgeError after the retries.
    """
    if key:
        id_map.add_pending(key, request)
    try:
        return await client.collection(request.collection).write(
            request.items,
            request.how,
            match=request.match,
            skip=request.skip,
            dry_run=dry_run,
            key=key,
        )
    except FailureError as error:
        if _is_decided(error):
            id_map.remove_pending(key)
        raise


async def resend_pending(client: Client, id_map: IdMap) -> None:
    """Resend the pending requests of an interrupted import, one by one, and store their outcomes.

    A request that is refused now or is older than 23 hours is dropped: its lines get a new request.
    Failed items are not stored. Raise SelvedgeError if the outcome of a request stays uncertain.
    """
    for key, fields in id_map.pending_requests():
        request = PendingRequest(**fields)
        if request.asked_at is not None and time.time() - request.asked_at > _KEY_LIFETIME_SECONDS:
            id_map.remove_pending(key)
            continue
        try:
            outcomes = await send_pending(client, id_map, request, key)
        except FailureError as error:
            if not _is_decided(error):
                raise
        else:
            _store_outcomes(id_map, request, outcomes, key)


def _store_outcomes(
    id_map: IdMap, request: PendingRequest, outcomes: list[Outcome], key: str
) -> None:
    rows = zip(request.names, outcomes, request.digests, request.items, strict=True)
    entries = [
        # The ids of nested objects are unknown here. Without a digest this run sends the line
        # again and maps them.
        (name, outcome.id, bytes.fromhex(digest) if _is_flat(item) else None)
        for name, outcome, digest, item in rows
        if outcome.id is not None and outcome.outcome != "failed"
    ]
    id_map.store(request.collection, entries, key)


def _is_decided(error: FailureError) -> bool:
    """Return whether the request was refused for certain, so that no earlier try has written."""
    is_undecided = error.status in _UNDECIDED or error.type in _UNDECIDED_TYPES
    return error.status < _SERVER_ERRORS and not is_undecided


def _is_flat(item: dict[str, Any]) -> bool:
    return not any(isinstance(value, list) and value for value in item.values())
