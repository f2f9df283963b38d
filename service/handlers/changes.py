"""The changes of an organization, for who keeps a copy of its records (contract, Changes)."""

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import orjson
from aiohttp import web

from service.handlers.long_poll import CHANGE_WAITERS
from service.http.authentication import authenticate
from service.http.byte_budget import reserve
from service.http.context import ADMISSION, caller, database
from service.http.envelope import pagination, respond, success
from service.listing import changes, cursor
from service.listing.changes import ChangesRequest
from service.queries import change_feed
from service.queries.change_feed import ChangeFeed, ChangePage

_MICROSECONDS = "%Y-%m-%dT%H:%M:%S.%fZ"


async def read_changes(known: ChangeFeed, request: web.Request) -> web.Response:
    """The next entries, waited for if the caller wants that, and the cursor to go on with."""
    scope = cursor.scope(request.path, caller(request).organization_id)
    reading = changes.read(list(request.query.items()), known.resources, scope)
    page = await _awaited(known, request, reading)
    documents: Mapping[tuple[str, int], bytes] | None = None
    if reading.filter.documents:
        page, documents = await _with_documents(known, request, page)
    body = _written(known, page, documents)
    reserve(request, len(body))
    following = changes.encode(reading.filter, page.after, page.epoch, scope)
    return respond(success(body, pagination=pagination(following, has_more=page.has_more)))


async def _awaited(known: ChangeFeed, request: web.Request, reading: ChangesRequest) -> ChangePage:
    """Return the next page, or an empty one after `wait` seconds without changes.

    Raise ``unauthorized`` if the key was revoked or expired during the wait.
    """
    until = time.monotonic() + reading.wait
    page = await _page(known, request, reading)
    organization_id = caller(request).organization_id
    while reading.after and not page.entries and not page.has_more:
        left = until - time.monotonic()
        if left <= 0:
            break
        with request.app[ADMISSION].exempt(organization_id):
            is_more = await request.app[CHANGE_WAITERS].wait(organization_id, page.after.n, left)
        await authenticate(request, again=True)
        if not is_more:
            break
        page = await _page(known, request, replace(reading, after=page.after, epoch=page.epoch))
    return page


async def _page(known: ChangeFeed, request: web.Request, reading: ChangesRequest) -> ChangePage:
    """The page after a place, of changes that are numbered for it if there is need."""
    tenant = caller(request)
    organization_id = tenant.organization_id
    read = partial(
        known.read,
        caller=tenant,
        wanted=reading.filter,
        after=reading.after,
        epoch=reading.epoch,
    )
    page = await database(request).read(read, organization_id)
    if page is None:
        number = partial(change_feed.assign_sequence_numbers, organization_id=organization_id)
        while await database(request).write(number, organization_id):
            pass
        page = await database(request).read(partial(read, is_numbered=True), organization_id)
    assert page is not None, "a feed is there once it was numbered"
    return page


async def _with_documents(
    known: ChangeFeed, request: web.Request, page: ChangePage
) -> tuple[ChangePage, Mapping[tuple[str, int], bytes]]:
    """The page with its records' documents; it ends early where they are too long for one."""
    tenant = caller(request)
    while True:
        documents = await database(request).read(
            partial(known.documents_of, caller=tenant, entries=page.entries),
            tenant.organization_id,
        )
        if documents is not None:
            return page, documents
        page = change_feed.shortened(page)


def _written(
    known: ChangeFeed, page: ChangePage, documents: Mapping[tuple[str, int], bytes] | None
) -> bytes:
    """The entries as a JSON array; with their documents, null where there is none."""
    times: dict[int, str] = {}
    entries = []
    for entry in page.entries:
        row, name, record = entry.transaction, entry.collection, entry.record
        n = row["n"]
        at = times.get(n) or times.setdefault(n, row["at"].strftime(_MICROSECONDS))
        written = {
            "n": n,
            "at": at,
            "collection": name,
            "recordId": str(record) if known.resources[name].string_ids else record,
            "operation": entry.operation,
            "apiKeyId": row["api_key_id"],
            "requestId": row["request_id"],
        }
        if documents is not None:
            document = documents.get((name, record))
            written["document"] = None if document is None else orjson.Fragment(document)
        entries.append(written)
    return orjson.dumps(entries)
