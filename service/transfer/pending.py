"""Pending requests: bulk writes that are kept until their answer is, and asked again by the key.

A key is repeated only while its request is unanswered. A refusal may be mended, so the same lines
get a new key in the next run.
"""

import time
from dataclasses import dataclass
from typing import Any, Final

from service.client import Client, FailureError, Outcome
from service.client.collections import How
from service.error_types import ErrorType
from service.transfer.id_map import IdMap

_SERVER_ERRORS: Final = 500
_UNDECIDED: Final = (401, 408, 429)
"""Statuses that say nothing about an earlier try of the request: it may have been carried out."""
_UNDECIDED_TYPES: Final = (ErrorType.FORBIDDEN_SCOPE, ErrorType.CONFLICT_IN_PROGRESS)
_KEPT_SECONDS: Final = 23 * 3600.0
"""The service keeps keys for 24 hours; a request that is asked again later may be done twice."""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A bulk write, as it is kept until its answer is."""

    collection: str
    how: How
    match: str | None
    items: list[dict[str, Any]]
    names: list[str]
    digests: list[str]
    """Of the lines, in hexadecimal."""
    skip: bool = True
    """Whether items that fail are left out; else nothing of the request is written."""
    asked_at: float | None = None
    """When it was sent first, in seconds since 1970; earlier releases did not keep it."""


async def send_pending(
    client: Client, known: IdMap, asked: PendingRequest, key: str, *, dry_run: bool = False
) -> list[Outcome]:
    """Send a request; it is kept until the caller has kept its outcomes."""
    if not dry_run:
        known.begin(key, asked)
    try:
        return await client.collection(asked.collection).write(
            asked.items,
            asked.how,
            match=asked.match,
            skip=asked.skip,
            dry_run=dry_run,
            key=key,
        )
    except FailureError as error:
        if _is_answer(error):
            known.forget(key)
        raise


async def resend_pending(client: Client, known: IdMap) -> None:
    """Ask again what an interrupted import had asked, and keep what became of it.

    Lines of a request that is refused now, or was sent too long ago, are sent anew.
    """
    for key, request in known.unanswered():
        asked = PendingRequest(**request)
        if asked.asked_at is not None and time.time() - asked.asked_at > _KEPT_SECONDS:
            known.forget(key)
            continue
        try:
            outcomes = await send_pending(client, known, asked, key)
        except FailureError as error:
            if not _is_answer(error):
                raise
        else:
            _keep(known, asked, outcomes, key)


def _keep(known: IdMap, asked: PendingRequest, outcomes: list[Outcome], key: str) -> None:
    named = zip(asked.names, outcomes, asked.digests, strict=True)
    kept = [
        # Without the digest a line is sent again, and so are the names of what it holds.
        (name, outcome.id, bytes.fromhex(digest) if _is_flat(item) else None)
        for (name, outcome, digest), item in zip(named, asked.items, strict=True)
        if outcome.id is not None and outcome.outcome != "failed"
    ]
    known.keep(asked.collection, kept, key)


def _is_answer(error: FailureError) -> bool:
    """Return whether the request was decided: refused, with nothing written by an earlier try."""
    is_undecided = error.status in _UNDECIDED or error.type in _UNDECIDED_TYPES
    return error.status < _SERVER_ERRORS and not is_undecided


def _is_flat(item: dict[str, Any]) -> bool:
    return not any(isinstance(value, list) and value for value in item.values())
