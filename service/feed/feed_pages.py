"""Pages of the change feed, and the check of positions to continue from (contract, Changes)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import asyncpg

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.feed.feed_parameters import AFTER, CURSOR, EPOCH, ChangesRequest, FeedPosition
from service.limits import MAX_BATCH_BYTES, MAX_PAGE_BYTES, MAX_TRANSACTION_ENTRIES, byte_size
from service.listing.page_sql import batch_page
from service.organizations.caller import Caller
from service.records.rendering import batch_text, documents_by_id
from service.records.resource import Resource


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """Change of one record by one transaction."""

    transaction: Mapping[str, Any]
    """Row of the statement ``page``, with the columns of the transaction in the outbox.

    Among them are ``n``, ``at`` (begin of the transaction), ``api_key_id`` and ``request_id``.
    """
    collection: str
    record_id: int
    """Stored id of the record."""
    operation: str
    """``created``, ``updated`` (also if restored, or by fan-out) or ``deleted``."""

    @property
    def position(self) -> FeedPosition:
        """Position after this entry, within its transaction."""
        return FeedPosition(self.transaction["n"], self.collection, self.record_id)


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Entries by transaction number, collection and record id, with the position after them."""

    entries: Sequence[ChangeEntry]
    """May be empty, also if there is more."""
    after: FeedPosition
    """Position to continue from; it may be later than the last entry."""
    has_more: bool
    """Whether the feed may have entries after the position."""
    epoch: int


def first_half(page: ChangePage, *, whole_transactions: bool) -> ChangePage:
    """Return the first half of the entries of a page, rounded down, with the position after them.

    The page has at least two entries. With ``whole_transactions`` one is enough: return the
    transactions that end within the first half, else the first transaction as a whole. A page of a
    single transaction keeps all of its entries then.
    """
    entries = page.entries[: len(page.entries) // 2]
    if whole_transactions:
        divided = page.entries[len(entries)].transaction["n"]
        entries = [entry for entry in entries if entry.transaction["n"] < divided]
        if not entries:
            entries = [entry for entry in page.entries if entry.transaction["n"] == divided]
    position = entries[-1].position
    if whole_transactions:
        position = FeedPosition(position.n)
    has_more = page.has_more or len(entries) < len(page.entries)
    return replace(page, entries=entries, after=position, has_more=has_more)


def require_entries(page: ChangePage) -> ChangePage:
    """Return the page; raise ApiError if it ends before its first whole transaction."""
    if not page.entries:
        raise too_many_entries()
    return page


def extended(page: ChangePage, entries: Sequence[ChangeEntry]) -> ChangePage:
    """Return the page with further entries, and the position within their transaction."""
    return replace(page, entries=[*page.entries, *entries], after=entries[-1].position)


def covers_span(transactions: Sequence[asyncpg.Record], limit: int) -> bool:
    """Return whether the transactions are all of the scanned span for sure: no limit cut them."""
    return len(transactions) < limit and sum(row["entries"] for row in transactions) < limit


def document_bytes(
    entries: Sequence[ChangeEntry], documents: Mapping[tuple[str, int], bytes]
) -> int:
    """Return the bytes of the entries' documents; each entry of a record shows its document."""
    return sum(len(documents.get((entry.collection, entry.record_id), b"")) for entry in entries)


def require_kept(feed: asyncpg.Record, request: ChangesRequest, after: FeedPosition) -> None:
    """Raise ``gone.changes_expired`` unless the feed can continue after a request's position.

    ``feed`` has ``epoch``, ``cleared_n`` and ``last_n``. A position is lost if it is of another
    epoch, if entries after it were deleted, or if it is beyond the last number. ``after=0`` stands
    for the oldest entry that is kept: it is never too old, but may be of another epoch. A request
    without a position (``from``) has no epoch and is not refused.
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
    """Return the error of a transaction that is too large for a page of whole transactions.

    It has more than ``MAX_TRANSACTION_ENTRIES`` entries, or ``MAX_BATCH_BYTES`` of documents.
    """
    message = (
        f"The next transaction has more than {MAX_TRANSACTION_ENTRIES:,} entries, or more than "
        f"{byte_size(MAX_BATCH_BYTES)} of documents. Follow the feed by cursors."
    )
    return api_error(ErrorType.OUT_OF_RANGE, AFTER, message=message)


async def live_documents(
    connection: Connection, caller: Caller, resource: Resource, ids: list[int]
) -> dict[int, bytes] | None:
    """Return the documents of the ids that lists show by default, by id.

    Return None if several exceed ``MAX_PAGE_BYTES`` together.
    """
    page = batch_page(1, ids, listed=resource.listed)
    text = batch_text(resource.statements["documents"], page.text, MAX_PAGE_BYTES)
    return documents_by_id(await connection.fetchrow(text, caller.organization_id, page.ids))
