"""Changed records: the condition of lists with ``changedSince``, by the change feed.

Source: contract, Lists.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

import asyncpg

from service.database.connections import Connection
from service.database.statements import load
from service.error_types import ErrorType
from service.errors import api_error
from service.feed.change_feed import ChangeFeed
from service.limits import TRANSACTION_SECONDS
from service.listing.list_request import ChangedRecords, ListRequest
from service.organizations.caller import Caller
from service.records.resource import Resource

PARAMETER: Final = "changedSince"
MAX_TRANSACTIONS: Final = 10_000
"""Number of transactions after the position beyond which all records count as changed."""
MAX_ENTRIES: Final = 100_000
"""Number of entries of these transactions beyond which all records count as changed.

Entries by fan-out are not counted.
"""
_LONGEST: Final = timedelta(seconds=TRANSACTION_SECONDS)
MARGIN: Final = 2 * _LONGEST
"""How long before a time a transaction may begin that was committed after it."""
EARLIEST: Final = datetime.min.replace(tzinfo=UTC) + 2 * _LONGEST
_SQL: Final = load("changes")


async def look_up(
    connection: Connection,
    feed: ChangeFeed,
    resource: Resource,
    caller: Caller,
    list_request: ListRequest,
) -> ListRequest:
    """Return the list request with the condition on the records that have changed since its time.

    The request has ``changed_since``. On further pages it also has the feed position ``changed``,
    from the cursor; without one, look up the position of the time. The condition is empty, so that
    all records match, if too much has changed in all collections together (``MAX_TRANSACTIONS``,
    ``MAX_ENTRIES``), or if the feed lacks the collection. An organization without a feed gets the
    request as it is: all records match. Raise ``gone.changes_expired`` if changes since the time
    may have been deleted, or if the cursor's position is of another epoch or lost changes after it.

    Problem: the feed has the times at which transactions began, and numbers them in the order of
    their commits. A transaction that was committed at or after the time began at most
    ``TRANSACTION_SECONDS`` before it. One that began more than twice as long before the time was
    committed before the former began, and has a lower number. Therefore the condition is on
    transactions after one that began so early, found by bisection, and on those without a number.
    It may match records that changed up to twice ``TRANSACTION_SECONDS`` before the time, or, by a
    transaction without a number, even earlier.
    """
    organization_id = caller.organization_id
    changed, since = list_request.changed, list_request.changed_since
    if changed is None:
        assert since is not None
        moment = max(since, EARLIEST) - 2 * _LONGEST
        last = await connection.fetchval(_SQL["last_before"].text, organization_id, moment)
        changed = ChangedRecords(0, last or 0)
    row = await connection.fetchrow(
        _SQL["kept"].text, organization_id, changed.after, MAX_TRANSACTIONS, MAX_ENTRIES
    )
    if row is None:
        return list_request
    if list_request.changed is None:
        _require_complete(row, since)
    elif row["epoch"] != changed.epoch or row["cleared_n"] > changed.after:
        raise api_error(ErrorType.GONE_CHANGES_EXPIRED, "cursor")
    condition = condition_text(feed, resource) if row["is_short"] else ""
    return replace(list_request, changed=ChangedRecords(row["epoch"], changed.after, condition))


def _require_complete(feed: asyncpg.Record, since: datetime | None) -> None:
    """Raise ``gone.changes_expired`` unless all changes committed since a time are surely kept.

    If changes were deleted, the time must be more than twice ``TRANSACTION_SECONDS`` after them.
    """
    cleared_at = feed["cleared_at"]
    if cleared_at is None and feed["cleared_n"]:
        # Cleared by an earlier release. The oldest transaction that is kept began later, or soon
        # before.
        cleared_at = feed["oldest_at"] or datetime.now(UTC)
    if cleared_at is not None and since is not None and since <= cleared_at + 2 * _LONGEST:
        raise api_error(ErrorType.GONE_CHANGES_EXPIRED, PARAMETER)


@cache
def condition_text(feed: ChangeFeed, resource: Resource) -> str:
    """Return the SQL condition on the changed records of a resource's collection.

    They are those that transactions after the number in the slot ``n``, or without a number, have
    changed, and those that show records which these changed. Return "" for a collection that the
    feed does not have: its records may always have changed. A resource has its own one as its
    statement ``changed``.
    """
    changes, collection = _SQL["changes_after"].fill(n="{{n}}"), resource.collection
    if "changed" in resource.statements:
        return resource.statements["changed"].fill(changes=changes, since="{{since}}")
    if collection not in feed.resources:
        return ""
    shown = []
    for cause, statements in feed.fan_out_by_cause.items():
        if collection in statements:
            ids = _SQL["changed_shown_ids"].fill(changes=changes, cause=cause)
            text = statements[collection].text.replace("$2::bigint[]", ids)
            shown.append(_SQL["changed_shown"].fill(shown=text))
    return _SQL["changed_records"].fill(
        collection=collection, changes=changes, shown="\n".join(shown)
    )
