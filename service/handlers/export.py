"""Export handler: the records that lists show without a filter, as of one moment, as a stream.

Source: contract, Exports.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

import orjson
from aiohttp import web

from service.database.connections import Connection
from service.database.snapshots import SNAPSHOTS
from service.errors import unavailable
from service.feed.numbered_feed import position_headers, read_numbered_state, read_state
from service.handlers import reads
from service.http.context import CALLERS, caller_of, database
from service.http.headers import CSV, NDJSON, X_CHANGES_CURSOR
from service.http.negotiation import accepts_gzip, prefers
from service.http.response_sender import StreamedResponse
from service.listing.properties import SOURCE
from service.listing.query_reader import QueryReader
from service.organizations.caller import Caller
from service.organizations.scopes import READ, require_all
from service.records import reads as export
from service.records.resource import Resource
from service.resources.registry import EXPORTED

_COMPRESSION_LEVEL: Final = 1
"""Level of zlib that is quick: the stream is as fast as the slower of database and compression."""

_OF_SOURCES: Final = {
    name: each for name, each in EXPORTED.items() if SOURCE.name in {*each.properties}
}
"""Collections whose records have a source: parts have none."""


@dataclass(frozen=True, slots=True)
class _ExportRequest:
    """Collections to export, the columns of a CSV table or () for NDJSON, and a source or None."""

    resources: Sequence[Resource]
    columns: tuple[str, ...]
    source: str | None


async def export_records(_: Resource, request: web.Request) -> StreamedResponse:
    """Return the records of the named collections, or of all that the key reads, as a stream.

    The headers have the position of the change feed in the stream's snapshot, which stays open
    until the response has ended. Raise ApiError, before the stream begins, for errors of the query,
    if the feed cannot be read or begun, and if no snapshot can be opened (``Snapshots.open``). A
    later failure, or the deletion of the key, breaks the stream off.
    """
    export_request = _read_request(request)
    is_compressed = accepts_gzip(request)
    headers: dict[str, str] = {
        "Content-Type": f"{CSV}; charset=utf-8" if export_request.columns else NDJSON,
        "Vary": "Accept, Accept-Encoding",
    }
    if is_compressed:
        headers["Content-Encoding"] = "gzip"
    caller = caller_of(request)
    await read_numbered_state(database(request), caller.organization_id, max_unnumbered=0)
    async with AsyncExitStack() as opened:
        snapshot = request.app[SNAPSHOTS].open(caller.organization_id)
        connection = await opened.enter_async_context(snapshot)
        state = await read_state(connection, caller.organization_id)
        if not state.epoch:
            raise unavailable()
        headers |= position_headers(state, caller.organization_id)
        chunks = _chunks(connection, caller, export_request, headers[X_CHANGES_CURSOR])
        if request.transport is not None:
            abort = request.transport.abort
            opened.enter_context(request.app[CALLERS].changes.watch(caller.full_key_id, abort))
        # The snapshot outlives this block, unless an error has ended it.
        resources = opened.pop_all()
    return StreamedResponse(
        _compressed(chunks) if is_compressed else chunks, headers, resources.aclose
    )


def _read_request(request: web.Request) -> _ExportRequest:
    """Return the export request of a query; raise ApiError with all its errors.

    It is for CSV if ``Accept`` prefers that and the query names a single collection with flat
    records; otherwise for NDJSON. A collection that is named twice is exported once.
    """
    reader = QueryReader(request.query.items())
    reader.only("collection", SOURCE.name)
    source = reader.text(SOURCE.name)
    choices = EXPORTED if source is None else _OF_SOURCES
    names = dict.fromkeys(reader.texts.get("collection", choices))
    if not names.keys() <= choices.keys():
        reader.fail_choice(choices, "collection")
    reader.raise_errors()
    resources = [choices[name] for name in names]
    resources = _readable(request, resources, are_named="collection" in reader.texts)
    columns: tuple[str, ...] = ()
    if len(resources) == 1 and prefers(request, CSV, NDJSON):
        columns = reads.columns(resources[0], ())
    return _ExportRequest(resources, columns, source)


def _readable(
    request: web.Request, resources: list[Resource], *, are_named: bool
) -> list[Resource]:
    """Return the resources that the caller may read; raise ApiError if named ones are others."""
    scopes = caller_of(request).scopes
    if are_named:
        require_all(scopes, ((each.scope(READ), ("collection",)) for each in resources))
    return [each for each in resources if scopes.allows(each.scope(READ))]


async def _chunks(
    connection: Connection, caller: Caller, export_request: _ExportRequest, cursor: str
) -> AsyncIterator[bytes]:
    """Yield the lines of all records, collection by collection and by id, a batch at a time.

    CSV has a header line first, NDJSON a last line with ``cursor`` and the number of records.
    """
    columns, source, count = export_request.columns, export_request.source, 0
    if columns:
        yield reads.header(columns)
    for resource in export_request.resources:
        batches = export.batches(connection, caller, resource, source, is_bare=bool(columns))
        async for batch in batches:
            count += batch.records
            lines = batch.lines
            yield reads.rows(lines.removesuffix(b",\n"), columns) if columns else lines
    if not columns:
        yield orjson.dumps({"cursor": cursor, "count": count}) + b"\n"


async def _compressed(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the chunks as one gzip stream, each compressed in a thread."""
    compressor = zlib.compressobj(_COMPRESSION_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS + 16)
    async for chunk in chunks:
        if compressed := await asyncio.to_thread(compressor.compress, chunk):
            yield compressed
    yield compressor.flush()
