"""Change feed: outbox of an organization's changes, numbered on read (contract, Changes).

A change is an outbox row: all records that one transaction changed. Each of them is an entry, as is
each record that fan-out finds. Writers insert changes without a sequence number. Readers number the
committed ones under the feed's lock, so that numbers have no gaps and a numbered change is
complete. An organization has no feed until somebody numbers its changes for the first time.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Any, Final, NamedTuple, TypeAlias

import asyncpg
import orjson

from service.batches.change_recorder import SETTINGS, UPDATED
from service.database.connections import Connection
from service.database.statements import Statement, load
from service.feed import feed_pages
from service.feed.feed_pages import ChangeEntry, ChangePage
from service.feed.feed_parameters import ChangeFilter, ChangesRequest, FeedPosition
from service.feed.supplier_changes import scanned, shown_to, visible_transactions
from service.limits import MAX_PAGE_BYTES
from service.organizations.caller import Caller
from service.organizations.scopes import ANY
from service.records.parts import RecordPart
from service.records.resource import Resource, shown_in

NUMBERING_BATCH: Final = 1000
"""Maximum number of transactions to number or delete in one call."""
MAX_TRANSACTIONS: Final = 10_000
"""Maximum number of transactions that one page scans; with a filter it may find no entry there."""
MAX_CAUSES: Final = 50
"""Maximum number of transactions with causes on one page; each fan-out takes statements."""

_MAX_EXPIRED: Final = 20_000
"""Maximum number of entries of several changes whose versions are deleted in one call."""

_FanOut: TypeAlias = tuple[Statement, list[int]]
"""Statement that finds the records that show others, and the ids of those others."""

_SQL: Final = load("changes")
_VERSIONS: Final = load("record_versions")
_PAGE: Final = _SQL["page"].bind(span=str(MAX_TRANSACTIONS))
_FAN_OUT: Final = _SQL["shown"]


@dataclass(frozen=True, slots=True)
class FeedHead:
    """Last sequence number of an organization's feed, and whether it is behind."""

    last: int
    is_behind: bool
    """Whether there are committed changes without a number."""


class _FeedReading(NamedTuple):
    """Reading of one organization's feed: its connection, filter and caller."""

    connection: Connection
    organization_id: int
    filter: ChangeFilter
    caller: Caller


class ChangeFeed(Resource):
    """Change feed over the given resources.

    ``resources`` has them by collection: each whose changes the outbox has. ``parts`` are the parts
    of their records: a change of a part fans out like one of a record. ``fan_out_by_cause`` has the
    statements that find the records that show a cause, by cause, then by collection. They run when
    a page is read, so they find the records that show it then.
    """

    name, _scope_name = "changes", ANY

    def __init__(self, resources: Iterable[Resource], *, parts: Iterable[RecordPart] = ()) -> None:
        super().__init__()
        self.resources = {resource.collection: resource for resource in resources}
        self.fan_out_by_cause: dict[str, Mapping[str, Statement]] = {
            **{resource.name: resource.shown_in for resource in self.resources.values()},
            SETTINGS: shown_in(load("settings")),
        }
        for part in parts:
            self.fan_out_by_cause |= part.fan_outs

    async def read(
        self,
        connection: Connection,
        caller: Caller,
        request: ChangesRequest,
        *,
        is_numbered: bool = False,
    ) -> ChangePage | None:
        """Return the entries after a position; None if changes must be numbered first.

        That is so if the organization has no feed yet, or if changes are committed without a number
        and no numbered ones follow the position. If ``request.after`` is None, it is the end of the
        feed: the page is empty. With ``is_numbered`` the caller has just numbered the changes:
        those committed since then are left to the next page. A page may be short, or empty, and
        have more. Raise ``gone.changes_expired`` as ``feed_pages.require_kept`` does. If whole
        transactions are requested, raise ``out_of_range`` if the first one with entries has more
        than ``MAX_TRANSACTION_ENTRIES``.
        """
        reading = _FeedReading(connection, caller.organization_id, request.filter, caller)
        after = request.after
        rows = await self._transactions(reading, after)
        if not rows:
            return None
        feed = rows[0]
        must_number = feed["is_behind"] and not is_numbered
        if after is None:
            empty_page = ChangePage([], FeedPosition(feed["last_n"]), False, feed["epoch"])
            return None if must_number else empty_page
        feed_pages.require_kept(feed, request, after)
        if after.n < feed["cleared_n"]:
            after = FeedPosition(feed["cleared_n"])
            rows = await self._transactions(reading, after)
        transactions = _numbered(rows)
        if must_number and not transactions and feed["last_n"] <= after.n:
            return None
        return await self._page(reading, after, feed, transactions)

    async def documents_of(
        self, connection: Connection, caller: Caller, entries: Sequence[ChangeEntry]
    ) -> dict[tuple[str, int], bytes] | None:
        """Return current documents of live records by collection and stored id.

        Return None if those of several entries, counted for each, exceed ``MAX_PAGE_BYTES``.
        """
        ids_by_collection: dict[str, dict[int, None]] = {}
        for entry in entries:
            ids_by_collection.setdefault(entry.collection, {})[entry.record_id] = None
        documents = dict[tuple[str, int], bytes]()
        for collection, ids in ids_by_collection.items():
            resource = self.resources[collection]
            rendered = await feed_pages.live_documents(connection, caller, resource, [*ids])
            if rendered is None:
                return None
            documents |= {(collection, id_): text for id_, text in rendered.items()}
        is_long = feed_pages.document_bytes(entries, documents) > MAX_PAGE_BYTES
        return None if is_long and len(entries) > 1 else documents

    async def _transactions(
        self, reading: _FeedReading, after: FeedPosition | None
    ) -> list[asyncpg.Record]:
        """Return a row per transaction that may have entries; [] if there is no feed.

        Without such transactions, return the feed's row alone.
        """
        condition, parameters = self._condition(reading.filter)
        text = _PAGE.fill(condition=condition)
        first = after.last_complete + 1 if after else 0
        limit = scanned(reading.caller, reading.filter) if after else 0
        rows = await reading.connection.fetch(
            text, reading.organization_id, first, limit, *parameters
        )
        return list(rows)

    def _condition(self, change_filter: ChangeFilter) -> tuple[str, list[Any]]:
        """Return the SQL condition of the filter, and its parameters."""
        if change_filter.request_id is not None:
            condition, others = self._condition(replace(change_filter, request_id=None))
            of_request = _SQL["of_request"].fill(number=str(4 + len(others)))
            return f"{condition}\n{of_request}", [*others, change_filter.request_id]
        if not change_filter.collections:
            return "", []
        collections = [*change_filter.collections]
        fan_outs = self.fan_out_by_cause.items()
        causes = [cause for cause, shown_in in fan_outs if shown_in.keys() & {*collections}]
        parameters: list[Any] = [collections, causes]
        if change_filter.record_id is None:
            return _SQL["touching"].text, parameters
        return _SQL["touching_record"].text, [*parameters, str(change_filter.record_id)]

    async def _page(
        self,
        reading: _FeedReading,
        after: FeedPosition,
        feed: asyncpg.Record,
        transactions: Sequence[asyncpg.Record],
    ) -> ChangePage:
        """Return the page of the transactions' entries, with fan-outs.

        Its position is after the last transaction, or within it if it was cut; of whole ones, the
        one that does not fit is left out. If all of the span was read, it is the span's end.
        """
        connection, _, change_filter, caller = reading
        limit = change_filter.limit
        whole_transactions = change_filter.whole_transactions
        entries, fan_outs, position = list[ChangeEntry](), 0, after
        for row in await visible_transactions(connection, caller, self.resources, transactions):
            max_entries = limit - len(entries)
            if max_entries <= 0 or fan_outs >= MAX_CAUSES:
                return ChangePage(entries, position, True, feed["epoch"])
            if not entries:
                max_entries = change_filter.max_first_entries
            more = await self._entries(reading, row, after.begin_of(row["n"]), max_entries)
            if len(more) > max_entries:
                page = ChangePage(entries, position, True, feed["epoch"])
                if whole_transactions:
                    return feed_pages.require_entries(page)
                return feed_pages.extended(page, more[:max_entries])
            entries += more
            fan_outs += row["causes"] is not None
            position = FeedPosition(row["n"])
        if feed_pages.covers_span(transactions, scanned(caller, change_filter)):
            position = FeedPosition(max(position.n, _span_end(after, feed)))
        has_more = feed["is_behind"] or position.n < feed["last_n"]
        return ChangePage(entries, position, has_more, feed["epoch"])

    async def _entries(
        self, reading: _FeedReading, row: Mapping[str, Any], begin: FeedPosition, max_entries: int
    ) -> list[ChangeEntry]:
        """Return up to ``max_entries`` + 1 entries of a transaction, after position ``begin``.

        They are sorted by collection, then by id. One more shows that the page must be cut.
        """
        change_filter = reading.filter
        records: dict[str, dict[str, list[int]]] = orjson.loads(row["records"])
        fan_out = self._fan_out(row["causes"])
        entries = list[ChangeEntry]()
        for collection in sorted({*records, *fan_out}):
            if collection < str(begin.collection) or not change_filter.has(collection):
                continue
            first = begin.id_within(collection)
            operations = dict.fromkeys(
                await self._shown_ids(
                    reading, collection, fan_out.get(collection, ()), first, max_entries + 1
                ),
                UPDATED,
            )
            for operation, ids in records.get(collection, {}).items():
                operations |= dict.fromkeys(ids, operation)
            entries += [
                ChangeEntry(row, collection, id_, operations[id_])
                for id_ in sorted(operations)
                if id_ > first and change_filter.record_id in (None, id_)
            ]
            if len(entries) > max_entries:
                break
        return entries[: max_entries + 1]

    async def _shown_ids(
        self,
        reading: _FeedReading,
        collection: str,
        fan_outs: Iterable[_FanOut],
        first: int,
        most: int,
    ) -> set[int]:
        """Return up to ``most`` ids after ``first`` for each fan-out: of records showing causes."""
        ids = set[int]()
        for statement, causes in fan_outs:
            shown = shown_to(reading.caller, self.resources[collection], statement)
            rows = await reading.connection.fetch(
                _FAN_OUT.fill(shown=shown),
                reading.organization_id,
                *(causes, first, most, reading.filter.record_id),
            )
            ids.update(row["id"] for row in rows)
        return ids

    def _fan_out(self, causes: str | None) -> dict[str, list[_FanOut]]:
        """Return the statements that find the records showing the causes, by collection."""
        result: dict[str, list[_FanOut]] = {}
        for cause, ids in orjson.loads(causes or "{}").items():
            for collection, statement in self.fan_out_by_cause.get(cause, {}).items():
                result.setdefault(collection, []).append((statement, ids))
        return result


def _span_end(after: FeedPosition, feed: asyncpg.Record) -> int:
    """Return the number of the last transaction that a page after a position scans."""
    last: int = feed["last_n"]
    return min(after.last_complete + MAX_TRANSACTIONS, last)


def _numbered(rows: list[asyncpg.Record]) -> list[asyncpg.Record]:
    """Return the rows with a transaction: without any, there is a row of the feed alone."""
    return rows if rows[0]["n"] is not None else []


async def assign_sequence_numbers(connection: Connection, organization_id: int) -> bool:
    """Assign sequence numbers to up to ``NUMBERING_BATCH`` committed changes.

    A change that was committed before another one was inserted gets the lower number. Insert the
    organization's feed if it has none, and lock it until the end of the caller's transaction.
    Return whether there may be more.
    """
    feed = await connection.fetchrow(_SQL["lock"].text, organization_id)
    if feed is None:
        await connection.execute(_SQL["begin"].text, organization_id, secrets.randbits(53))
        feed = await connection.fetchrow(_SQL["lock"].text, organization_id)
    last = feed["last_n"]
    rows = await connection.fetch(_SQL["number"].text, organization_id, last, NUMBERING_BATCH)
    if rows:
        await connection.execute(_SQL["advance"].text, organization_id, last + len(rows))
    return len(rows) == NUMBERING_BATCH


async def delete_expired(connection: Connection, organization_id: int, before: datetime) -> bool:
    """Delete up to ``NUMBERING_BATCH`` numbered changes whose transactions began before a time.

    Return whether there may be more. Only the feed's beginning is deleted, up to the first later
    transaction, so that it has no gap. Lock it until the end of the caller's transaction.
    """
    feed = await connection.fetchrow(_SQL["lock"].text, organization_id)
    if feed is None:
        return False
    oldest = await connection.fetch(
        _SQL["oldest"].text, organization_id, feed["cleared_n"], NUMBERING_BATCH
    )
    expired, has_more = _expired(oldest, before)
    if expired:
        last_n, latest = expired[-1]["n"], max(row["at"] for row in expired)
        await connection.execute(_VERSIONS["expire"].text, organization_id, 0, last_n)
        await connection.execute(_SQL["clear"].text, organization_id, last_n)
        await connection.execute(_SQL["clear_up_to"].text, organization_id, last_n, latest)
    return has_more


async def delete_expired_versions(
    connection: Connection, organization_id: int, before: datetime
) -> bool:
    """Delete the versions of up to ``NUMBERING_BATCH`` numbered changes that began before a time.

    Return whether there may be more. The changes stay.
    """
    if await connection.fetchrow(_SQL["lock"].text, organization_id) is None:
        return False
    text = _SQL["oldest_with_versions"].text
    oldest = await connection.fetch(text, organization_id, NUMBERING_BATCH)
    expired, has_more = _expired(oldest, before)
    if expired:
        numbers = (expired[0]["n"], expired[-1]["n"])
        await connection.execute(_VERSIONS["expire"].text, organization_id, *numbers)
        await connection.execute(_VERSIONS["mark_expired"].text, organization_id, *numbers)
    return has_more


def _expired(
    oldest: Sequence[asyncpg.Record], before: datetime
) -> tuple[list[asyncpg.Record], bool]:
    """Return the first changes that began before a time, and whether more may follow.

    They have ``_MAX_EXPIRED`` entries, or are one: each may have versions.
    """
    expired, entries = list[asyncpg.Record](), 0
    for row in takewhile(lambda row: row["at"] < before, oldest):
        entries += row["entries"]
        if expired and entries > _MAX_EXPIRED:
            return expired, True
        expired.append(row)
    return expired, len(expired) == NUMBERING_BATCH


async def feed_heads(connection: Connection, organization_ids: list[int]) -> dict[int, FeedHead]:
    """Return the heads of feeds, by organization id; those without a feed have none."""
    rows = await connection.fetch(_SQL["heads"].text, organization_ids)
    return {organization_id: FeedHead(*head) for organization_id, *head in rows}
