"""Pages of the change feed, and the positions at which a feed can be read (contract, Changes)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import asyncpg

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.limits import MAX_BATCH_BYTES, MAX_TRANSACTION_ENTRIES, byte_size
from service.listing.changes import AFTER, CURSOR, EPOCH, ChangesRequest, FeedPosition


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """Change of one record by one transaction."""

    transaction: asyncpg.Record
    """Row of the outbox: ``n``, ``at``, ``api_key_id``, ``request_id`` and more."""
    collection: str
    record_id: int
    """Stored id of the record."""
    operation: str
    """``created``, ``updated`` or ``deleted``."""


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Entries in feed order, with the position to continue from."""

    entries: Sequence[ChangeEntry]
    after: FeedPosition
    has_more: bool
    epoch: int


def first_half(page: ChangePage, *, whole_transactions: bool) -> ChangePage:
    """Return about the first half of a page, with ``whole_transactions`` up to the end of one.

    A single transaction stays whole then.
    """
    entries = page.entries[: len(page.entries) // 2]
    if whole_transactions:
        divided = page.entries[len(entries)].transaction["n"]
        entries = [entry for entry in entries if entry.transaction["n"] < divided]
        if not entries:
            entries = [entry for entry in page.entries if entry.transaction["n"] == divided]
    last = entries[-1]
    position = FeedPosition(last.transaction["n"], last.collection, last.record_id)
    if whole_transactions:
        position = FeedPosition(position.n)
    has_more = page.has_more or len(entries) < len(page.entries)
    return replace(page, entries=entries, after=position, has_more=has_more)


def require_kept(feed: asyncpg.Record, request: ChangesRequest, after: FeedPosition) -> None:
    """Raise ``gone.changes_expired`` unless the feed can continue after a request's position.

    The number 0 stands for the oldest entry, and is never too old.
    """
    if request.epoch is not None and request.epoch != feed["epoch"]:
        name = EPOCH if request.position_name == AFTER else CURSOR
        raise api_error(ErrorType.GONE_CHANGES_EXPIRED, name)
    if not request.position_name or (request.position_name == AFTER and not after.n):
        return
    is_available = after.n >= feed["cleared_n"] + (after.collection is not None)
    if not is_available or after.n > feed["last_n"]:
        raise api_error(ErrorType.GONE_CHANGES_EXPIRED, request.position_name)


def too_many_entries() -> ApiError:
    """Return the error of a transaction that is too large for a page of whole transactions."""
    message = (
        f"The next transaction has more than {MAX_TRANSACTION_ENTRIES:,} entries, or more than "
        f"{byte_size(MAX_BATCH_BYTES)} of documents. Follow the feed by cursors."
    )
    return api_error(ErrorType.OUT_OF_RANGE, AFTER, message=message)
