"""Subscription operations of callers, each in the transaction of its request.

The caller commits, logs the change and wakes the worker's sender.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import asyncpg

from service.database.connections import Connection
from service.database.new_ids import next_ids
from service.error_types import ErrorType
from service.errors import ErrorDetail, api_error
from service.feed import feed_parameters as changes
from service.feed.change_feed import assign_sequence_numbers
from service.feed.feed_pages import require_kept
from service.feed.feed_parameters import CURSOR, FeedPosition
from service.limits import MAX_WEBHOOKS, OVERLAP_SECONDS
from service.listing import cursor
from service.resources.registry import CHANGES, WEBHOOKS
from service.webhooks import signing
from service.webhooks.addresses import AddressPolicy

_SQL: Final = WEBHOOKS.statements
NOT_ASSIGNED: Final = "Use a sequence number of the change feed: this one is not assigned yet."
NOT_BESIDE_CURSOR: Final = "Leave this out: the cursor names the position."
EXPIRED: Final = "The changes after it have expired: use 0 for the oldest that are kept."


def _columns(item: Mapping[str, Any]) -> tuple[str, list[str], bool, str]:
    """Return URL, collections, documents and state as statements take them.

    ``item`` is a valid body. Null or no member stands for the default; no collections means all.
    """
    return (
        item["url"],
        item.get("collections") or [],
        item.get("documents") or False,
        item.get("state") or "active",
    )


def url_errors(
    body: Mapping[str, Any], details: Sequence[ErrorDetail], policy: AddressPolicy
) -> list[ErrorDetail]:
    """Return the error of a body's URL that the policy refuses, as a list of one, else [].

    It is [] without a URL and if ``details``, those of the schema, have an error of the URL.
    """
    url, path = body.get("url"), ("url",)
    if not isinstance(url, str) or any(detail.path == path for detail in details):
        return []
    problem = policy.url_problem(url)
    return [ErrorDetail(ErrorType.INVALID_VALUE, path, problem)] if problem else []


async def add(
    connection: Connection, organization_id: int, body: Mapping[str, Any]
) -> tuple[int, bytes]:
    """Insert a subscription that starts at the end of the feed; return its id and secret.

    All committed changes are numbered first, so that none of them is sent. That locks the feed, so
    that concurrent creates count one after the other. Raise ApiError ``too_many_items`` if there
    are MAX_WEBHOOKS already.
    """
    while await assign_sequence_numbers(connection, organization_id):
        pass
    if await connection.fetchval(_SQL["total"].text, organization_id) >= MAX_WEBHOOKS:
        message = f"There are {MAX_WEBHOOKS} webhooks, and no more are allowed: delete one first."
        raise api_error(ErrorType.TOO_MANY_ITEMS, message=message)
    feed = await connection.fetchrow(_SQL["feed"].text, organization_id)
    secret = signing.new_secret()
    (webhook_id,) = await next_ids(connection, "webhook", 1)
    parameters = (webhook_id, *_columns(body), secret, feed["epoch"], feed["last_n"])
    return await connection.fetchval(_SQL["add"].text, organization_id, *parameters), secret


async def lock(connection: Connection, organization_id: int, webhook_id: int) -> dict[str, Any]:
    """Lock and return a subscription; raise ApiError ``not_found`` if it does not exist.

    The lock holds until the transaction ends, and delays statements of a sender.
    """
    row = await connection.fetchrow(_SQL["hold"].text, organization_id, webhook_id)
    if row is None:
        raise api_error(ErrorType.NOT_FOUND, "id")
    return dict(row)


async def update(
    connection: Connection, organization_id: int, webhook_id: int, patch: Mapping[str, Any]
) -> None:
    """Apply a valid merge patch; raise ApiError ``not_found`` for no subscription.

    The position stays. Failures are set to 0 and a retry is due at once, even by an empty patch.
    The caller has checked the URL by ``url_errors``.
    """
    stored = await lock(connection, organization_id, webhook_id)
    columns = _columns({**stored, **patch})
    await connection.execute(_SQL["update"].text, organization_id, webhook_id, *columns)


async def remove(connection: Connection, organization_id: int, webhook_id: int) -> None:
    """Delete a subscription, which the caller has locked by ``lock``."""
    await connection.execute(_SQL["remove"].text, organization_id, webhook_id)


async def rewind(
    connection: Connection, organization_id: int, webhook_id: int, body: Mapping[str, Any]
) -> None:
    """Set the position to ``n`` or ``cursor`` of the body; the change after it is the next to send.

    A sender loses its lease, and what it has under way is forgotten; failures are set to 0. Raise
    ApiError ``gone.changes_expired`` if changes after the position have expired, ``not_found`` for
    no subscription, or the error of a wrong position.
    """
    feed = await connection.fetchrow(_SQL["feed"].text, organization_id)
    if CURSOR in body:
        position = _position_of_cursor(feed, organization_id, body)
    else:
        position = _position_of_number(feed, body["n"])
    columns = (feed["epoch"], position.n, position.collection, position.record_id)
    await connection.execute(_SQL["rewind"].text, organization_id, webhook_id, *columns)


def _position_of_number(feed: asyncpg.Record, n: int) -> FeedPosition:
    """Return the position after transaction ``n``; 0 is before the oldest change that is kept."""
    if n > feed["last_n"]:
        raise api_error(ErrorType.OUT_OF_RANGE, "n", message=NOT_ASSIGNED)
    if 0 < n < feed["cleared_n"]:
        raise api_error(ErrorType.GONE_CHANGES_EXPIRED, "n", message=EXPIRED)
    return FeedPosition(max(n, feed["cleared_n"]))


def _position_of_cursor(
    feed: asyncpg.Record, organization_id: int, body: Mapping[str, Any]
) -> FeedPosition:
    """Return the position of a cursor of the change feed, which may be within a transaction."""
    if "n" in body:
        raise api_error(ErrorType.INVALID_VALUE, "n", message=NOT_BESIDE_CURSOR)
    scope = cursor.scope(changes.PATH, organization_id)
    request = changes.read_request([(CURSOR, body[CURSOR])], CHANGES.resources, scope)
    assert request.after is not None
    require_kept(feed, request, request.after)
    return request.after


async def rotate(
    connection: Connection, organization_id: int, webhook_id: int, body: Mapping[str, Any]
) -> bytes:
    """Store and return a new secret; for ``overlapSeconds`` the former one signs messages, too.

    Without that member it signs for a day. An even earlier one signs no more. Raise ApiError
    ``not_found`` for no subscription.
    """
    seconds = body.get("overlapSeconds")
    overlap = timedelta(seconds=OVERLAP_SECONDS if seconds is None else seconds)
    secret = signing.new_secret()
    parameters = (organization_id, webhook_id, secret, datetime.now(UTC) + overlap)
    await connection.execute(_SQL["rotate"].text, *parameters)
    return secret
