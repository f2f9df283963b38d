"""Sync: the records of another system as the whole truth, with deletes of what it no longer has."""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from .errors import InvalidError, TooManyMissingError
from .queries import Filter
from .records import Document, Form, Outcome

if TYPE_CHECKING:
    from .collections import Collection, WriteMode

_LISTED_IDS: Final = 2_000
"""Ids of one query, which fit into the request line of 32 KiB."""
_DELETED_IDS: Final = 200
"""Ids of one delete."""
_PAGE_SIZE: Final = 100
_TOO_LONG: Final = "validation_error.too_long"
"""Error of a query that fits into no cursor although it has a next page."""


@dataclass
class Sync:
    """Sync of one collection: upserts by own key, then deletes of the records that were not sent.

    It remembers the ids of the outcomes while it runs, so that the service lists only the records
    beyond them: one query for 2,000 records that were sent.
    """

    collection: "Collection[Any]"
    match: str | None
    """Field with the own key; None for parts of records, which have no records to delete."""
    merge: bool = False
    size: int = 200
    dry_run: bool = False
    sent_ids: set[int] = field(default_factory=set)
    """Ids of the live records that were sent."""
    failed: list[Form] = field(default_factory=list)
    """Records that were sent and failed."""

    async def upsert(self, records: Iterable[Form]) -> AsyncIterator[Outcome]:
        """Write the records, ``size`` in each request; yield their outcomes in the same order."""
        mode: WriteMode = "merge" if self.merge else "replace"
        remaining = iter(records)
        while items := [*islice(remaining, self.size)]:
            for outcome in await self.collection.write(
                items, mode, match=self.match, skip=True, dry_run=self.dry_run
            ):
                if outcome.outcome == "failed":
                    self.failed.append(outcome.record)
                elif outcome.outcome not in ("deleted", "absent") and outcome.id is not None:
                    self.sent_ids.add(int(outcome.id))
                yield outcome

    async def missing(self, at_most: float) -> list[Document]:
        """Return the live records with an own key that were not sent.

        Records with the key of a failed one are not missing. If such a key is a reference, no
        record is. Raise TooManyMissingError if they are more than this share of the live records.
        """
        keys = {_scalar(record.get(self.match or "")) for record in self.failed}
        if self.match is None or None in keys:
            return []
        ids, unsent = sorted(self.sent_ids), list[Document]()
        for start in range(0, max(len(ids), 1), _LISTED_IDS):
            chunk, following = ids[start : start + _LISTED_IDS], ids[start + _LISTED_IDS :][:1]
            low, high = chunk[0] if start else 0, following[0] if following else None
            unsent += await self._unsent(low, high, chunk)
        missing = [record for record in unsent if _scalar(record[self.match]) not in keys]
        total = len(ids) + len(missing)
        if len(missing) > at_most * total:
            raise TooManyMissingError(self.collection.name, len(missing), total, at_most)
        return missing

    async def delete(self, records: Sequence[Document]) -> AsyncIterator[Outcome]:
        """Delete records; yield their outcomes, ``absent`` if another caller was faster."""
        for start in range(0, len(records), _DELETED_IDS):
            chunk = records[start : start + _DELETED_IDS]
            for outcome in await self.collection.delete_found(chunk, dry_run=self.dry_run):
                yield outcome

    async def _unsent(self, low: int, high: int | None, ids: Sequence[int]) -> list[Document]:
        """Return the records with ids from ``low`` to below ``high`` that are not among ``ids``."""
        filters = [Filter(str(self.match), "isNull", False), Filter("id", "ge", low)]
        filters += [] if high is None else [Filter("id", "lt", high)]
        filters += [Filter("id", "notIn", ids)] if ids else []
        try:
            pages = self.collection.pages(filters=filters, page_size=_PAGE_SIZE)
            return [record async for page in pages for record in page.records]
        except InvalidError as error:
            if error.type != _TOO_LONG or len(ids) < 2:
                raise
        middle = ids[len(ids) // 2]
        lower = [id_ for id_ in ids if id_ < middle]
        upper = [id_ for id_ in ids if id_ >= middle]
        return await self._unsent(low, middle, lower) + await self._unsent(middle, high, upper)


def _scalar(value: Any) -> str | None:
    """Return a key as a text; None for a reference by an object."""
    return None if value is None or isinstance(value, dict | list) else str(value)
