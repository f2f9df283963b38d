"""The changes of an organization in their order: numbered, read and cleared (contract, Changes).

Writers leave what they changed without a number. Whoever reads numbers what has been committed,
under a lock of the feed's own, so that numbers have no gap and what has one is complete.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Any, Final, TypeAlias

import asyncpg
import orjson

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.errors import api_error
from service.listing.changes import ChangeFilter, FeedPosition
from service.organizations.caller import Caller
from service.queries.change_recorder import SETTINGS, UPDATED
from service.queries.resource import MAX_PAGE_BYTES, Resource, shown_in

NUMBERING_BATCH: Final = 1000
"""Transactions that are numbered or cleared at a time."""
MAX_TRANSACTIONS: Final = 10_000
"""Transactions that one page looks through."""
MAX_CAUSES: Final = 50
"""Causes that one page unfolds: each takes a statement."""

_Shown: TypeAlias = tuple[Statement, list[int]]
"""What finds records, and the ids of what they show."""

_SQL: Final = load("changes")


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """That a transaction changed a record."""

    transaction: asyncpg.Record
    collection: str
    record: int
    operation: str


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Entries in their order, and where to go on from."""

    entries: Sequence[ChangeEntry]
    after: FeedPosition
    has_more: bool
    epoch: int


@dataclass(frozen=True, slots=True)
class FeedHead:
    """How far an organization's changes were numbered when it was looked."""

    organization_id: int
    last: int
    is_behind: bool
    """Whether something has no number yet."""


class ChangeFeed(Resource):
    """The changes of the given resources, their parts being parts of them."""

    name = "changes"

    def __init__(self, resources: Iterable[Resource], *, parts: Iterable[Resource] = ()) -> None:
        super().__init__()
        self.resources = {resource.name: resource for resource in resources}
        self._causes: dict[str, Mapping[str, Statement]] = {
            **{one.name: one.shown_in for one in (*self.resources.values(), *parts)},
            SETTINGS: shown_in(load("settings")),
        }

    async def read(
        self,
        connection: Connection,
        caller: Caller,
        wanted: ChangeFilter,
        after: FeedPosition | None,
        epoch: int | None,
        *,
        is_numbered: bool = False,
    ) -> ChangePage | None:
        """The entries after a place, or from now on; None where changes have to be numbered first.

        What came since they were numbered is for the next page. Raises ``gone.changes_expired``
        where entries after the place were cleared, or where the place is of another epoch.
        """
        rows = await self._transactions(connection, caller.organization_id, wanted, after)
        if not rows:
            return None
        feed = rows[0]
        must_number = feed["is_behind"] and not is_numbered
        if after is None:
            now = ChangePage([], FeedPosition(feed["last_n"]), False, feed["epoch"])
            return None if must_number else now
        _require_kept(feed, after, epoch)
        if after.n < feed["cleared_n"]:
            after = FeedPosition(feed["cleared_n"])
            rows = await self._transactions(connection, caller.organization_id, wanted, after)
        transactions = [row for row in rows if row["n"] is not None]
        if not transactions and must_number and feed["last_n"] <= after.n:
            return None
        return await self._page(connection, caller, wanted, after, feed, transactions)

    async def documents_of(
        self, connection: Connection, caller: Caller, entries: Sequence[ChangeEntry]
    ) -> dict[tuple[str, int], bytes] | None:
        """The documents of the entries' records by collection and id, without what is deleted.

        None where they have too many bytes for a page.
        """
        wanted: dict[str, dict[int, None]] = {}
        for entry in entries:
            wanted.setdefault(entry.collection, {})[entry.record] = None
        found = dict[tuple[str, int], bytes]()
        for name, ids in wanted.items():
            rendered = await self.resources[name].render_live(connection, caller, list(ids))
            if rendered is None:
                return None
            found |= {(name, one): document for one, document in rendered.items()}
        return found if sum(map(len, found.values())) <= MAX_PAGE_BYTES else None

    async def _transactions(
        self,
        connection: Connection,
        organization_id: int,
        wanted: ChangeFilter,
        after: FeedPosition | None,
    ) -> list[asyncpg.Record]:
        """A row for each transaction that may have entries; at least one, once there is a feed."""
        condition, parameters = self._condition(wanted)
        text = _SQL["page"].fill(span=str(MAX_TRANSACTIONS), condition=condition)
        first = after.n + (after.collection is None) if after else 0
        limit = wanted.limit if after else 0
        return list(await connection.fetch(text, organization_id, first, limit, *parameters))

    def _condition(self, wanted: ChangeFilter) -> tuple[str, list[Any]]:
        if not wanted.collections:
            return "", []
        causes = [n for n, shown in self._causes.items() if shown.keys() & {*wanted.collections}]
        parameters: list[Any] = [list(wanted.collections), causes]
        if wanted.record is None:
            return _SQL["touching"].text, parameters
        return _SQL["touching_record"].text, [*parameters, str(wanted.record)]

    async def _page(
        self,
        connection: Connection,
        caller: Caller,
        wanted: ChangeFilter,
        after: FeedPosition,
        feed: asyncpg.Record,
        transactions: Sequence[asyncpg.Record],
    ) -> ChangePage:
        entries, unfolded, place = list[ChangeEntry](), 0, after
        for row in transactions:
            room = wanted.limit - len(entries)
            if room == 0 or unfolded >= MAX_CAUSES:
                return ChangePage(entries, place, True, feed["epoch"])
            begin = after if row["n"] == after.n else FeedPosition(row["n"], "", 0)
            found = await self._entries(connection, caller, wanted, row, begin, room)
            entries += found[:room]
            unfolded += row["causes"] is not None
            if len(found) > room:
                last = entries[-1]
                place = FeedPosition(row["n"], last.collection, last.record)
                return ChangePage(entries, place, True, feed["epoch"])
            place = FeedPosition(row["n"])
        if _is_all(transactions, wanted.limit):
            first = after.n + (after.collection is None)
            place = FeedPosition(max(place.n, min(first + MAX_TRANSACTIONS - 1, feed["last_n"])))
        has_more = place.n < feed["last_n"] or feed["is_behind"]
        return ChangePage(entries, place, has_more, feed["epoch"])

    async def _entries(
        self,
        connection: Connection,
        caller: Caller,
        wanted: ChangeFilter,
        row: asyncpg.Record,
        begin: FeedPosition,
        room: int,
    ) -> list[ChangeEntry]:
        """The entries of a transaction after a place in it, one more than there is room for."""
        records: dict[str, dict[str, list[int]]] = orjson.loads(row["records"])
        shown = self._shown(orjson.loads(row["causes"] or "{}"))
        found = list[ChangeEntry]()
        for name in sorted({*records, *shown}):
            first = begin.record if name == begin.collection else 0
            if name < str(begin.collection) or (
                wanted.collections and name not in wanted.collections
            ):
                continue
            own = {one: what for what, ids in records.get(name, {}).items() for one in ids}
            ids = {one for one in own if one > first}
            for statement, causes in shown.get(name, ()):
                text = _SQL["shown"].fill(shown=statement.text)
                parameters = (causes, first, room + 1, wanted.record)
                rows = await connection.fetch(text, caller.organization_id, *parameters)
                ids.update(row["id"] for row in rows)
            if wanted.record is not None:
                ids &= {wanted.record}
            found += [ChangeEntry(row, name, one, own.get(one, UPDATED)) for one in sorted(ids)]
            if len(found) > room:
                break
        return found[: room + 1]

    def _shown(
        self, causes: Mapping[str, list[int]]
    ) -> dict[str, list[tuple[Statement, list[int]]]]:
        """What finds the records that show the causes, by their collection."""
        found: dict[str, list[_Shown]] = {}
        for cause, ids in causes.items():
            for name, statement in self._causes.get(cause, {}).items():
                found.setdefault(name, []).append((statement, ids))
        return found


async def assign_sequence_numbers(connection: Connection, organization_id: int) -> bool:
    """Number what has been committed, as much as takes no time; whether there may be more."""
    feed = await connection.fetchrow(_SQL["lock"].text, organization_id)
    if feed is None:
        # Begun by whoever comes first; the others wait for it.
        await connection.execute(_SQL["begin"].text, organization_id, secrets.randbits(62))
        feed = await connection.fetchrow(_SQL["lock"].text, organization_id)
    last = feed["last_n"]
    rows = await connection.fetch(_SQL["number"].text, organization_id, last, NUMBERING_BATCH)
    if rows:
        await connection.execute(_SQL["advance"].text, organization_id, last + len(rows))
    return len(rows) == NUMBERING_BATCH


async def delete_expired(connection: Connection, organization_id: int, before: datetime) -> bool:
    """Clear the first changes if they are old, as many as take no time; whether there may be more.

    What is left has no gap: a change that is not old yet keeps those after it.
    """
    feed = await connection.fetchrow(_SQL["lock"].text, organization_id)
    if feed is None:
        return False
    first = await connection.fetch(
        _SQL["oldest"].text, organization_id, feed["cleared_n"], NUMBERING_BATCH
    )
    old = [*takewhile(lambda row: row["at"] < before, first)]
    if old:
        await connection.execute(_SQL["clear"].text, organization_id, old[-1]["n"])
        await connection.execute(_SQL["clear_up_to"].text, organization_id, old[-1]["n"])
    return len(old) == NUMBERING_BATCH


async def heads(connection: Connection, organization_ids: list[int]) -> list[FeedHead]:
    """How far the changes of each organization are numbered."""
    rows = await connection.fetch(_SQL["news"].text, organization_ids)
    return [FeedHead(*row) for row in rows]


def shortened(page: ChangePage) -> ChangePage:
    """The first half of a page."""
    entries = page.entries[: len(page.entries) // 2]
    last = entries[-1]
    place = FeedPosition(last.transaction["n"], last.collection, last.record)
    return replace(page, entries=entries, after=place, has_more=True)


def _require_kept(feed: asyncpg.Record, after: FeedPosition, epoch: int | None) -> None:
    """Raise ``gone.changes_expired`` for a cursor that cannot be gone on from."""
    if epoch is None:
        return
    kept = after.n >= feed["cleared_n"] + (after.collection is not None)
    if not kept or after.n > feed["last_n"] or epoch != feed["epoch"]:
        message = "Start again: take the cursor of now, then read the lists."
        raise api_error(ErrorType.GONE_CHANGES_EXPIRED, "cursor", message=message)


def _is_all(transactions: Sequence[asyncpg.Record], limit: int) -> bool:
    """Whether these are all that there are to look through: there was room for more."""
    return len(transactions) < limit and sum(row["entries"] for row in transactions) < limit
