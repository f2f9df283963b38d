"""History handlers: records as they were after a change (contract, History)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, TypeGuard

import orjson
from aiohttp import web

from service.database.connections import Connection
from service.database.statements import load
from service.error_types import ErrorType
from service.errors import CollectedErrors, api_error, unavailable
from service.feed.numbered_feed import FeedState, read_numbered_state
from service.handlers.parameters import path_values
from service.http.context import caller_of, database
from service.http.envelope import ApiResponse, etag, success
from service.http.headers import X_CHANGES_AFTER
from service.listing.parameters import FIELDS
from service.listing.properties import parse_earliest
from service.listing.query_reader import QueryReader
from service.organizations.caller import Caller
from service.organizations.scopes import READ, require
from service.records.parts import RecordPart
from service.records.path_keys import resolve
from service.records.reads import missing_record
from service.records.resource import DocumentRequest, Resource
from service.records.writable_resource import WritableResource
from service.writing import before_images

AT: Final = "at"
_LARGEST: Final = 2**62
_VERSIONS: Final = load("record_versions")
_LAST_BEFORE: Final = load("changes")["last_before"].text


async def read_past(resource: WritableResource, request: web.Request) -> ApiResponse:
    """Return the writable form that a record or part had after a change, named by ``at``.

    Raise ApiError with all errors of path and query, ``not_found`` for what did not exist then, and
    ``gone.changes_expired`` for changes whose versions are not kept.
    """
    caller = caller_of(request)
    with CollectedErrors() as errors:
        path = errors.of(path_values, request, resource)
        moment = errors.of(_moment, request, resource)
    if caller.scopes.restricted:
        # Another supplier may have had the style then.
        require(caller.scopes, resource.scope(READ))
    state = await read_numbered_state(database(request), caller.organization_id, max_unnumbered=0)
    if not state.epoch or (state.unnumbered and not state.is_numbered):
        raise unavailable()

    async def read(connection: Connection) -> tuple[int, bytes]:
        ids = await resolve(connection, caller.organization_id, path)
        n = await _number(connection, caller, state, moment)
        return n, await _form_at(connection, caller, resource, ids, n)

    n, form = await database(request).read(read, caller.organization_id)
    return success(form, headers={"ETag": etag(form), X_CHANGES_AFTER: str(n)})


def has_history(resource: Resource) -> TypeGuard[WritableResource]:
    """Return whether versions of the resource's records are kept, unless a setting says no."""
    return isinstance(resource, WritableResource) and before_images.has_forms(resource)


def _moment(request: web.Request, resource: WritableResource) -> int | datetime:
    """Return the number or time of ``at``; raise ApiError for other values and parameters."""
    reader = QueryReader(request.query.items())
    reader.only(AT, "form", FIELDS)
    if FIELDS in reader.texts:
        message = "Leave this out: a writable form has all fields."
        reader.fail(ErrorType.EXCLUSIVE_PARAMETERS, FIELDS, message=message)
    reader.choice("form", "writable")
    history = database(request).history
    if history is None or resource.feed_name in history:
        message = "History is off here. Leave this out, or ask the operator to turn it on."
        reader.fail(ErrorType.FEATURE_DISABLED, AT, message=message)
    moment = _number_or_time(reader)
    reader.raise_errors()
    return moment


def _number_or_time(reader: QueryReader) -> int | datetime:
    text = reader.single(AT)
    if text is None:
        return 0  # repeated, which is reported
    if text.isascii() and text.isdigit():
        return reader.integer(AT, 0, 0, _LARGEST)
    try:
        return parse_earliest(text)
    except ValueError:
        message = "Use the number of a change, or a time such as 2026-11-20T09:18:00Z."
        reader.fail(ErrorType.INVALID_VALUE, AT, message=message)
    return 0


async def _number(
    connection: Connection, caller: Caller, state: FeedState, moment: int | datetime
) -> int:
    """Return the number of the change after which a record is read.

    That of a time is the last one before it. Raise ``out_of_range`` for one beyond the newest, and
    ``gone.changes_expired`` for a time before the oldest change.
    """
    if isinstance(moment, int):
        if moment > state.last:
            message = f"Use a number up to {state.last}, the newest."
            raise api_error(ErrorType.OUT_OF_RANGE, AT, message=message)
        return moment
    cleared_at = await connection.fetchval(_VERSIONS["cleared_at"].text, caller.organization_id)
    if cleared_at is not None and moment <= cleared_at:
        raise _expired()
    last = await connection.fetchval(_LAST_BEFORE, caller.organization_id, moment)
    return min(int(last or 0), state.last)


async def _form_at(
    connection: Connection,
    caller: Caller,
    resource: WritableResource,
    ids: Sequence[int],
    n: int,
) -> bytes:
    """Return the writable form after a change: that before the next one, else the present one.

    The present one is read first, because a change in between leaves a version of it.
    """
    *parents, record_id = ids
    request = DocumentRequest([record_id], "writables", parents)
    present = (await resource.render(connection, caller, request)).get(record_id)
    row = await connection.fetchrow(
        _VERSIONS["form_at"].text, caller.organization_id, n, *_keys(resource, ids)
    )
    if row is None or row["is_lost"]:
        raise _expired()
    form = present
    if row["is_changed"]:
        form = None if row["form"] is None else row["form"].encode()
    if row["owner_is_changed"] and not _is_owner(row["owner_form"], resource, parents):
        form = None
    if form is None:
        raise await missing_record(connection, resource, caller, ids)
    return form


def _keys(resource: WritableResource, ids: Sequence[int]) -> tuple[str, int, int, str, int]:
    """Return the collection and ids of a record's or part's versions, then those of its owner."""
    name = resource.feed_name
    if not isinstance(resource, RecordPart):
        return name, ids[-1], 0, name, 0
    if not resource.has_several_parts:
        return name, ids[-1], 0, resource.owner.name, ids[-1]
    return name, ids[-2], ids[-1], resource.owner.name, ids[-2]


def _is_owner(form: str | None, resource: WritableResource, parents: Sequence[int]) -> bool:
    """Return whether the owner of a part existed, below the outer parent of the path."""
    if form is None or len(parents) < 2:
        return form is not None
    outer, *_ = resource.parents
    return bool(orjson.loads(form).get(outer) == parents[0])


def _expired() -> Exception:
    message = "What records were then is kept no longer, or was not kept."
    return api_error(ErrorType.GONE_CHANGES_EXPIRED, AT, message=message)
