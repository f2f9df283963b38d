"""Sync: upserts of another system's records by own key, and deletes of records that it lacks."""

import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from .errors import Detail, FailureError, TooManyMissingError
from .options import WriteMode
from .queries import Filter
from .records import Document, Form, Outcome, Page

_T = TypeVar("_T")
Items: TypeAlias = Iterable[_T] | AsyncIterable[_T]
"""Items of any iterable, or of an asynchronous one such as a database cursor."""
_LISTED_IDS: Final = 2_000
"""Maximum number of ids in one query.

Ids of 15 digits fit into the request line of 32 KiB; queries with longer ids are divided.
"""
_DELETED_IDS: Final = 200
"""Maximum number of ids in one delete, which every collection takes."""
_PAGE_SIZE: Final = 100
_TOO_LONG: Final = "validation_error.too_long"
"""Error type of a list with a next page whose query is too long for a cursor."""
_URI_TOO_LONG: Final = 414
"""Status of the service, or of a proxy with a lower limit, for a request line that is too long."""
_INDEX: Final = re.compile(r"^\[([0-9]{1,4})\]", re.ASCII)


class SyncedCollection(Protocol):
    """Calls of ``Collection`` that a sync makes."""

    @property
    def name(self) -> str:
        """Path below ``/api``."""

    def pages(self, *, filters: Sequence[Filter], page_size: int) -> AsyncIterator[Page[Any]]:
        """Yield the pages of a list."""

    async def write(
        self,
        records: Sequence[Form],
        mode: WriteMode,
        *,
        match: str | None,
        skip: bool,
        dry_run: bool,
    ) -> list[Outcome]:
        """Write records in one request; return their outcomes."""

    async def delete_each(self, records: Sequence[Document], *, dry_run: bool) -> list[Outcome]:
        """Delete those of the records that can be deleted; return their outcomes."""


@dataclass
class Sync:
    """Sync of one collection: upserts by own key, then deletes of the records that were not sent.

    The caller exhausts ``upsert``, then passes the result of ``missing`` to ``delete``. The ids of
    the outcomes are stored, so that only the other records are listed: one query, of any number of
    pages, for each 2,000 live records that were sent, more if it is too long. Every method that
    calls the service raises SelvedgeError if a call fails.
    """

    collection: SyncedCollection
    match: str | None
    """Field with the own key; None for part collections, of which nothing is deleted."""
    merge: bool = False
    """Whether upserts merge into stored records instead of replacing them."""
    size: int = 200
    """Maximum number of records in a request of ``upsert``."""
    dry_run: bool = False
    """Whether upserts and deletes are dry runs."""
    failed: list[Form] = field(default_factory=list)
    """Records that were sent and failed."""
    _live_ids: set[int] = field(default_factory=set)
    """Ids of the stored records that were sent and stay."""
    _deleted_ids: set[int] = field(default_factory=set)
    """Ids of the stored records that were sent as deleted. They stay live in a dry run."""
    _new: int = 0
    """Number of records that only a real run creates: a dry run has no ids of them."""

    async def upsert(self, records: Items[Form]) -> AsyncIterator[Outcome]:
        """Write the records, ``size`` in each request; yield their outcomes in the same order.

        Failed records are left out of the write and have the outcome ``failed``. Indexes in the
        fields of errors are those of all records.
        """
        start, items = 0, list[Form]()
        async for record in each(records):
            items.append(record)
            if len(items) == self.size:
                async for outcome in self._write(items, start):
                    yield outcome
                start, items = start + len(items), []
        if items:
            async for outcome in self._write(items, start):
                yield outcome

    async def _write(self, items: Sequence[Form], start: int) -> AsyncIterator[Outcome]:
        """Write the records of one request, of which the first is record ``start`` of all."""
        mode: WriteMode = "merge" if self.merge else "replace"
        for outcome in await self.collection.write(
            items, mode, match=self.match, skip=True, dry_run=self.dry_run
        ):
            if outcome.outcome == "failed":
                self.failed.append(outcome.record)
            self.collect(outcome)
            yield replace(outcome, details=shifted(outcome.details, start))

    def collect(self, outcome: Outcome) -> None:
        """Add the stored record of an outcome to those that were sent, so that it is not missing.

        Ignore outcomes ``failed`` and ``absent``. The last outcome of a record counts. A record
        that is sent as deleted is ``unchanged`` if it was deleted before.
        """
        if outcome.outcome in ("failed", "absent"):
            return
        if outcome.id is None:
            self._new += 1
        elif outcome.outcome == "deleted" or outcome.record.get("state") == "deleted":
            self._live_ids.discard(int(outcome.id))
            self._deleted_ids.add(int(outcome.id))
        else:
            self._live_ids.add(int(outcome.id))
            self._deleted_ids.discard(int(outcome.id))

    async def missing(self, at_most: float) -> list[Document]:
        """Return the live records with an own key that were not sent.

        Records with the key of a failed record are not missing. If a failed record has no key, or
        an object or a list as key, return none, because it may be any record. Return none for part
        collections. Raise TooManyMissingError if the missing records are more than the share
        ``at_most`` of these and the sent ones together; failed and deleted ones do not count.
        """
        keys = {_scalar(record.get(self.match or "")) for record in self.failed}
        if self.match is None or None in keys:
            return []
        ids, unsent = sorted(self._live_ids), list[Document]()
        for start in range(0, max(len(ids), 1), _LISTED_IDS):
            chunk, following = ids[start : start + _LISTED_IDS], ids[start + _LISTED_IDS :][:1]
            low, high = chunk[0] if start else 0, following[0] if following else None
            unsent += await self._unsent(low, high, chunk)
        missing = [
            record
            for record in unsent
            if _scalar(record[self.match]) not in keys
            and int(record["id"]) not in self._deleted_ids
        ]
        total = len(ids) + self._new + len(missing)
        if len(missing) > at_most * total:
            raise TooManyMissingError(self.collection.name, len(missing), total, at_most)
        return missing

    async def delete(self, records: Sequence[Document]) -> AsyncIterator[Outcome]:
        """Delete records, 200 in each transaction; yield an outcome for each.

        It is ``deleted``, ``failed`` (in use) or ``absent`` (gone).
        """
        for start in range(0, len(records), _DELETED_IDS):
            chunk = records[start : start + _DELETED_IDS]
            for outcome in await self.collection.delete_each(chunk, dry_run=self.dry_run):
                yield outcome

    async def _unsent(self, low: int, high: int | None, ids: Sequence[int]) -> list[Document]:
        """Return the live records with an own key and another id than ``ids``.

        Their ids are from ``low`` to below ``high``, or without an end if it is None. A query that
        is too long for a cursor or a request line is divided.
        """
        filters = [Filter(str(self.match), "isNull", False), Filter("id", "ge", low)]
        filters += [] if high is None else [Filter("id", "lt", high)]
        filters += [Filter("id", "notIn", ids)] if ids else []
        try:
            pages = self.collection.pages(filters=filters, page_size=_PAGE_SIZE)
            return [record async for page in pages for record in page.records]
        except FailureError as error:
            is_too_long = error.type == _TOO_LONG or error.status == _URI_TOO_LONG
            if not is_too_long or len(ids) < 2:
                raise
        middle = ids[len(ids) // 2]
        lower = [id_ for id_ in ids if id_ < middle]
        upper = [id_ for id_ in ids if id_ >= middle]
        return await self._unsent(low, middle, lower) + await self._unsent(middle, high, upper)


def _scalar(value: Any) -> str | None:
    """Return an own key as a text; None for None, an object or a list."""
    return None if value is None or isinstance(value, dict | list) else str(value)


async def each(items: Items[_T]) -> AsyncIterator[_T]:
    """Yield the items of either kind of iterable."""
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


def shifted(details: Iterable[Detail], start: int) -> tuple[Detail, ...]:
    """Return errors of a request with the indexes of all records, of which it begins at one."""

    def index(match: re.Match[str]) -> str:
        return f"[{start + int(match[1])}]"

    return tuple(
        replace(detail, field=detail.field and _INDEX.sub(index, detail.field))
        for detail in details
    )
