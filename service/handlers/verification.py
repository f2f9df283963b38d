"""Handlers of migration verification: counts and keys of one moment."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

import orjson
from aiohttp import hdrs, web

from service.batches.batch import ItemErrors, RequestItems
from service.database.connections import Connection
from service.database.snapshots import SNAPSHOTS
from service.errors import CollectedErrors, unavailable
from service.feed.numbered_feed import position_headers, read_numbered_state, read_state
from service.handlers.parameters import no_parameters
from service.handlers.request_items import BulkBody, in_body, readable_objects
from service.http.budgets import reserve
from service.http.context import caller_of, database
from service.http.envelope import ApiResponse, success
from service.http.headers import NDJSON, is_sent_as
from service.limits import MAX_RECORD_BYTES, MAX_TRANSACTION_VALUES
from service.listing.query_reader import QueryReader
from service.organizations.caller import Caller
from service.resources.migration_verification import MigrationVerification, Row
from service.schemas.parsing import parse, parse_lines
from service.schemas.validation import needs_formats
from service.shares.body_scheduler import BODY_SCHEDULER, ENTER_AGAIN_BYTES

_FORMATS: Final = b"[0.5]\\u0000"
"""Text in place of a long body: its formats are checked, but no size of records."""
_Read = Callable[[Connection, Caller, Any], Awaitable[Row]]


async def count(resource: MigrationVerification, request: web.Request) -> ApiResponse:
    """Return the counts of the named collections, or of all."""
    reader = QueryReader(request.query.items())
    reader.only("collection")
    names = dict.fromkeys(reader.texts.get("collection", resource.collections))
    if not names.keys() <= resource.collections.keys():
        reader.fail_choice(resource.collections, "collection")
    reader.raise_errors()
    with request.app[SNAPSHOTS].share(caller_of(request).organization_id):
        return await _of_one_moment(request, resource.counts, [*names])


async def compare(resource: MigrationVerification, request: web.Request, raw: bytes) -> ApiResponse:
    """Return how the comparisons of a body, an array or lines, differ from what is stored."""
    is_lines = is_sent_as(request.headers[hdrs.CONTENT_TYPE], NDJSON)
    read = partial(parse_lines if is_lines else parse, max_values=MAX_TRANSACTION_VALUES)
    organization_id = caller_of(request).organization_id
    with request.app[SNAPSHOTS].share(organization_id):
        body = BulkBody.of(raw, read)
        if len(raw) > ENTER_AGAIN_BYTES:
            await request.app[BODY_SCHEDULER].enter(organization_id, again=True)
        with CollectedErrors() as errors:
            errors.of(no_parameters, request)
            items = errors.of(_items, resource, body)
        ItemErrors(items).raise_any()
        return await _of_one_moment(request, resource.compare, items.items)


def _items(resource: MigrationVerification, body: BulkBody) -> RequestItems:
    """Return the comparisons with their errors; raise ApiError for those of the body."""
    body.raise_parse_errors()
    checked = body.raw
    if len(body.raw) > MAX_RECORD_BYTES:
        checked = _FORMATS if needs_formats(body.raw) else b""
    details = resource.validator.errors_of_items(body.items, checked)
    for detail in resource.duplicate_errors(readable_objects(enumerate(body.items), details)):
        index, *path = detail.path
        rows = details.setdefault(int(index), [])
        rows.append(type(detail)(detail.type, tuple(path), detail.message))
    return RequestItems(body.items, in_body, details)


async def _of_one_moment(request: web.Request, read: _Read, subjects: Sequence[Any]) -> ApiResponse:
    """Return what is read of each subject in one snapshot, with the feed's position there."""
    caller = caller_of(request)
    await read_numbered_state(database(request), caller.organization_id, max_unnumbered=0)

    async def read_all(connection: Connection) -> tuple[dict[str, str], list[Row]]:
        state = await read_state(connection, caller.organization_id)
        if not state.epoch:
            raise unavailable()
        rows = [await read(connection, caller, subject) for subject in subjects]
        return position_headers(state, caller.organization_id), rows

    headers, rows = await request.app[SNAPSHOTS].read(read_all)
    answer = success(orjson.dumps(rows), headers=headers)
    reserve(request, len(answer.body))
    return answer
