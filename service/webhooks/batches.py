"""Feed batches: entries of the change feed that a subscription gets in one message.

The end of a batch is stored before the batch is sent. Until the receiver acknowledges it by a
status from 200 to 299, each repeat ends there, whatever was committed meanwhile, and so has the
same message id (contract, Deliveries). Another end, and id, comes only with a rewind, an epoch or
filter that changed, changes that expired, a repeat that is beyond the limits of a feed page, or
fan-out at the end of the batch that finds no records anymore.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import asyncpg

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import ApiError
from service.feed.change_entries import entries_json
from service.feed.change_feed import ChangeFeed
from service.feed.feed_pages import ChangePage, document_bytes, first_half
from service.feed.feed_parameters import CURSOR, ChangeFilter, ChangesRequest, FeedPosition
from service.limits import MAX_LIMIT, MAX_MESSAGE_BYTES, MAX_MESSAGE_ENTRIES
from service.organizations.caller import Caller
from service.organizations.scopes import READS_ALL
from service.webhooks.delivery_messages import Message, Span, changes_message, expired_message
from service.webhooks.leases import SQL, Lease

_SortKey: TypeAlias = tuple[int, bool, str, int]


@dataclass(frozen=True, slots=True)
class FeedBatch:
    """Message to send, and the position after it."""

    epoch: int
    """Epoch of the feed, to which ``end`` belongs."""
    from_n: int
    """Sequence number of the message's first transaction; of no use without a message."""
    end: FeedPosition
    """Position to store once the message was delivered, or at once without a message."""
    message: Message | None
    """None if no entry up to ``end`` concerns the subscription."""
    has_more: bool = True
    """Whether the feed may have had entries after ``end`` when it was read."""


class MustNumberError(Exception):
    """Error of a feed whose next changes have no sequence number yet."""


class BatchReader:
    """Reader of the next batch of any subscription; it has no state and writes nothing."""

    def __init__(self, feed: ChangeFeed) -> None:
        self._feed = feed

    async def read(self, connection: Connection, lease: Lease, row: asyncpg.Record) -> FeedBatch:
        """Return the batch after a subscription's position, again if it is not acknowledged yet.

        ``row`` is that of the statement ``leased``, read in the same transaction. A new batch has
        up to MAX_MESSAGE_ENTRIES entries. If changes after the position were deleted, or the feed
        has another epoch or ends before the position, it is the message ``expired``. Raise
        MustNumberError if changes have to be numbered first.
        """
        after = FeedPosition(row["n"], row["within_collection"], row["within_id"])
        is_repeat = row["batch_n"] is not None
        caller = _caller(lease.organization_id)
        try:
            page = await self._page(connection, caller, row, after)
        except ApiError as error:
            if error.code != ErrorType.GONE_CHANGES_EXPIRED:
                raise
            return await _expired(connection, lease, row)
        documents = None
        if row["documents"]:
            page, documents = await self._with_documents(
                connection, caller, page, is_repeat=is_repeat
            )
        if not page.entries:
            return FeedBatch(page.epoch, after.n, page.after, None, page.has_more)
        end = _end_of(page)
        from_n = row["batch_from_n"] or page.entries[0].transaction["n"]
        span = Span(lease.webhook_id, page.epoch, from_n, end.n)
        message = changes_message(span, end, entries_json(self._feed, page, documents))
        has_more = is_repeat or page.has_more or end.collection is not None
        return FeedBatch(page.epoch, from_n, end, message, has_more)

    async def _page(
        self, connection: Connection, caller: Caller, row: asyncpg.Record, after: FeedPosition
    ) -> ChangePage:
        """Return the page after a position, up to the end of a batch that is not acknowledged."""
        end = _stored_end(row)
        limit = MAX_LIMIT if end else MAX_MESSAGE_ENTRIES
        change_filter = ChangeFilter(tuple(row["collections"]), None, limit, row["documents"])
        request = ChangesRequest(change_filter, after, row["epoch"], CURSOR)
        page = await self._feed.read(connection, caller, request)
        if page is None:
            raise MustNumberError
        return _until(page, end) if end else page

    async def _with_documents(
        self, connection: Connection, caller: Caller, page: ChangePage, *, is_repeat: bool
    ) -> tuple[ChangePage, dict[tuple[str, int], bytes] | None]:
        """Return the page with its documents; halve it while they are too long.

        Too long is more than MAX_MESSAGE_BYTES, for a repeat MAX_PAGE_BYTES: documents can have
        grown, and another end would be another id. A single entry is never too long.
        """
        while True:
            documents = await self._feed.documents_of(connection, caller, page.entries)
            is_short = documents is not None and (
                is_repeat or document_bytes(page.entries, documents) <= MAX_MESSAGE_BYTES
            )
            if is_short or len(page.entries) < 2:
                return page, documents or {}
            page = first_half(page, whole_transactions=False)


def _caller(organization_id: int) -> Caller:
    return Caller(organization_id, 0, READS_ALL, multiple_language=False, pro=False)


def _stored_end(row: asyncpg.Record) -> FeedPosition | None:
    """Return the end of the batch that is not acknowledged yet; None if there is none."""
    if row["batch_n"] is None:
        return None
    return FeedPosition(row["batch_n"], row["batch_collection"], row["batch_id"])


def _until(page: ChangePage, end: FeedPosition) -> ChangePage:
    """Return the page up to and including a position, or as it is if it ends before that."""
    if _sort_key(page.after) < _sort_key(end):
        return page
    entries = [entry for entry in page.entries if _sort_key(entry.position) <= _sort_key(end)]
    return replace(page, entries=entries, after=end)


def _end_of(page: ChangePage) -> FeedPosition:
    """Return the position after the last entry; the page's own may be some transactions later."""
    last = page.entries[-1].transaction["n"]
    return page.after if page.after.n == last else FeedPosition(last)


def _sort_key(position: FeedPosition) -> _SortKey:
    """Return the key by which positions sort: a whole transaction comes after its entries."""
    return position.n, position.collection is None, position.collection or "", position.record_id


async def _expired(connection: Connection, lease: Lease, row: Any) -> FeedBatch:
    """Return the message that changes have expired, and the position to go on from.

    It is before the oldest change that is kept. If the subscription's position is of another epoch
    or after the end of the feed, it is the end, as the changes that the receiver lacks are unknown.
    A repeat has another id if more changes have expired meanwhile.
    """
    feed = await connection.fetchrow(SQL["feed"].text, lease.organization_id)
    is_same = feed["epoch"] == row["epoch"] and row["n"] <= feed["last_n"]
    resume_from = feed["cleared_n"] if is_same else feed["last_n"]
    from_n = min(row["n"] + (row["within_collection"] is None), resume_from)
    span = Span(lease.webhook_id, feed["epoch"], from_n, resume_from)
    return FeedBatch(feed["epoch"], from_n, FeedPosition(resume_from), expired_message(span))
