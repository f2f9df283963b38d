"""Change feed handler: pages of an organization's changes, by long poll if requested.

Source: contract, Changes.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from aiohttp import web

from service.feed import change_feed
from service.feed import feed_parameters as changes
from service.feed.change_entries import entries_json
from service.feed.change_feed import ChangeFeed
from service.feed.feed_pages import ChangeEntry, ChangePage, first_half, too_many_entries
from service.feed.feed_parameters import ChangeFilter, ChangesRequest
from service.feed.long_poll import CHANGE_WAITERS, wait_for
from service.http import metrics
from service.http.budgets import reserve
from service.http.context import CHANGES_SECONDS, caller_of, database
from service.http.envelope import ApiResponse, pagination, success
from service.http.headers import LINK, X_CHANGES_AFTER, X_CHANGES_EPOCH, next_page_link
from service.limits import MAX_BATCH_BYTES
from service.listing import cursor
from service.organizations.scopes import ALL, READ, Scopes, require, require_all


async def read_changes(feed: ChangeFeed, request: web.Request) -> ApiResponse:
    """Return the next page of entries, with documents if requested, and the cursor after it.

    With ``from=now`` the page is empty, and returned at once. The bytes of the body count in the
    byte budget. Raise ApiError with all errors of the query, ``gone.changes_expired``,
    ``out_of_range`` if a whole transaction is too large, or as ``_long_poll`` and ``reserve`` do.
    """
    scope = cursor.scope(changes.PATH, caller_of(request).organization_id)
    changes_request = changes.read_request(request.query.items(), feed.resources, scope)
    page = await _long_poll(feed, request, changes_request)
    documents: Mapping[tuple[str, int], bytes] | None = None
    if changes_request.filter.documents:
        whole_transactions = changes_request.filter.whole_transactions
        page, documents = await _with_documents(
            feed, request, page, whole_transactions=whole_transactions
        )
    _count_late(request, changes_request, page)
    body = entries_json(feed, page, documents)
    reserve(request, len(body))
    next_cursor = changes.encode(changes_request.filter, page.after, page.epoch, scope)
    headers: dict[str, str] = {
        X_CHANGES_AFTER: str(page.after.last_complete),
        X_CHANGES_EPOCH: str(page.epoch),
    }
    if page.has_more:
        headers[LINK] = next_page_link(request, next_cursor)
    shown = pagination(next_cursor, has_more=page.has_more)
    return success(body, pagination=shown, headers=headers)


def _count_late(request: web.Request, changes_request: ChangesRequest, page: ChangePage) -> None:
    """Count a page for a reader who is behind by half of the retention."""
    if changes_request.after and page.entries:
        age = datetime.now(UTC) - page.entries[0].transaction["at"]
        if age.total_seconds() > request.app[CHANGES_SECONDS] / 2:
            metrics.CHANGES_READ_LATE.inc()


async def _long_poll(
    feed: ChangeFeed, request: web.Request, changes_request: ChangesRequest
) -> ChangePage:
    """Return the next page, or an empty one after ``wait`` seconds without changes, if not earlier.

    Raise ApiError as ``wait_for`` does.
    """
    deadline = time.monotonic() + changes_request.wait
    page = await _page(feed, request, changes_request)
    while changes_request.after and not page.entries and not page.has_more:
        remaining_seconds = deadline - time.monotonic()
        if remaining_seconds <= 0:
            break
        if not await wait_for(request, CHANGE_WAITERS, page.after.n, remaining_seconds):
            break
        page = await _page(
            feed, request, replace(changes_request, after=page.after, epoch=page.epoch)
        )
    return page


async def _page(
    feed: ChangeFeed, request: web.Request, changes_request: ChangesRequest
) -> ChangePage:
    """Return the page after a position; if necessary first number all committed changes."""
    caller = caller_of(request)
    organization_id = caller.organization_id
    readable = _readable(feed, caller.scopes, changes_request.filter)
    read = partial(feed.read, caller=caller, request=replace(changes_request, filter=readable))
    page = await database(request).read(read, organization_id)
    if page is None:
        assign_numbers = partial(
            change_feed.assign_sequence_numbers, organization_id=organization_id
        )
        while await database(request).write(assign_numbers, organization_id):
            pass
        page = await database(request).read(partial(read, is_numbered=True), organization_id)
    assert page is not None, "a feed is there once it was numbered"
    return page


def _readable(feed: ChangeFeed, scopes: Scopes, change_filter: ChangeFilter) -> ChangeFilter:
    """Return a filter restricted to the collections that a key may read.

    Raise ApiError ``forbidden.scope`` for others that it names, and for a key that reads none.
    """
    if scopes.allows(f"{ALL}:{READ}"):
        return change_filter
    names = {name: resource.scope(READ) for name, resource in feed.resources.items()}
    needed = ((names[name], ("collection",)) for name in change_filter.collections)
    require_all(scopes, needed, Scopes.opens)
    readable = tuple(name for name, scope in names.items() if scopes.opens(scope))
    if not readable:
        require(scopes, f"{ALL}:{READ}")
    return replace(change_filter, collections=change_filter.collections or readable)


async def _with_documents(
    feed: ChangeFeed, request: web.Request, page: ChangePage, *, whole_transactions: bool
) -> tuple[ChangePage, Mapping[tuple[str, int], bytes]]:
    """Return the page, or its first part, and the documents of its entries.

    The page is halved until these fit into MAX_PAGE_BYTES; a larger document is alone on its page.
    With ``whole_transactions`` a page of a single transaction cannot be halved: its documents are
    read in parts, up to MAX_BATCH_BYTES in all.
    """
    while True:
        documents = await _documents(feed, request, page.entries)
        if documents is not None:
            return page, documents
        half = first_half(page, whole_transactions=whole_transactions)
        if len(half.entries) == len(page.entries):
            return page, await _documents_in_parts(feed, request, page.entries)
        page = half


async def _documents(
    feed: ChangeFeed, request: web.Request, entries: Sequence[ChangeEntry]
) -> dict[tuple[str, int], bytes] | None:
    """Return the documents by (collection, record id); None if several exceed MAX_PAGE_BYTES.

    Records that lists do not show, such as deleted ones, have none.
    """
    caller = caller_of(request)
    return await database(request).read(
        partial(feed.documents_of, caller=caller, entries=entries), caller.organization_id
    )


async def _documents_in_parts(
    feed: ChangeFeed, request: web.Request, entries: Sequence[ChangeEntry]
) -> Mapping[tuple[str, int], bytes]:
    """Return the documents of a single transaction, read in parts of at most MAX_PAGE_BYTES.

    A larger document is a part of its own. Raise ApiError ``out_of_range`` beyond MAX_BATCH_BYTES
    in all.
    """
    documents, size, pending = dict[tuple[str, int], bytes](), 0, [entries]
    while pending:
        part = pending.pop()
        rendered = await _documents(feed, request, part)
        if rendered is None:
            middle = len(part) // 2
            pending += [part[middle:], part[:middle]]
            continue
        documents |= rendered
        size += sum(map(len, rendered.values()))
        if size > MAX_BATCH_BYTES:
            raise too_many_entries()
    return documents
