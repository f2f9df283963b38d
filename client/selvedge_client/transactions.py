"""Transactions over collections: entries collected by a program and sent as one request."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Final, Self, TypedDict, Unpack
from uuid import uuid4

from .errors import FailureError, is_too_large
from .options import require_known
from .records import Document, Form, Outcome, outcome_of, shifted
from .transport import IDEMPOTENCY_KEY, Request, Transport, encoded

MAX_ENTRIES: Final = 10_000
"""Entries of one request."""
_MAX_BYTES: Final = 24 * 2**20
"""Bytes of the entries of one request, if the caller allows several."""


class TransactionOptions(TypedDict, total=False):
    """Options of ``Client.transaction``; flags are off by default."""

    skip: bool
    """Write the other entries if some fail. By default one failed entry fails the transaction."""
    dry_run: bool
    """Return the outcomes, and write nothing."""
    splits: bool
    """Send several transactions, in the order of the entries, if they are too large for one."""
    key: str | None
    """Idempotency key; by default a new one. With ``splits`` it must be left out."""


class EntryMethods(ABC):
    """Methods that add entries: each takes the collection and the item of a bulk write."""

    def upsert(self, collection: str, item: Form) -> None:
        """Replace the record of the id or own key, else restore or create one; replace a part."""
        self.add(collection, "upsert", item)

    def merge(self, collection: str, item: Form) -> None:
        """Merge the item into the record or part; without a record create one."""
        self.add(collection, "merge", item)

    def create(self, collection: str, item: Form) -> None:
        """Create a record."""
        self.add(collection, "create", item)

    def delete(self, collection: str, item: Form) -> None:
        """Delete the record of the id or own key."""
        self.add(collection, "delete", item)

    @abstractmethod
    def add(self, collection: str, operation: str, item: Form) -> None:
        """Add an entry. Raise TypeError or ValueError for an item that is no JSON object."""


class Transaction(EntryMethods):
    """Transaction: an asynchronous context that sends its entries when it is left.

    An exception within the context sends nothing. Items have an ``id`` or the own key. Raise
    ValueError for ``splits`` with a ``key``.
    """

    def __init__(self, transport: Transport, **options: Unpack[TransactionOptions]) -> None:
        require_known(options, TransactionOptions)
        if options.get("splits") and options.get("key"):
            raise ValueError("several transactions cannot share a key: leave out key or splits")
        self._transport, self._options = transport, options
        self._entries = list[tuple[str, Form]]()
        self._lines = list[bytes]()
        self._outcomes = list[tuple[str, Outcome]]()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        type_: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if type_ is None:
            await self.send()

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def outcomes(self) -> list[tuple[str, Outcome]]:
        """Collections and outcomes of the entries that were sent, in their order."""
        return self._outcomes

    def add(self, collection: str, operation: str, item: Form) -> None:
        """Add an entry, as ``EntryMethods.add`` says."""
        entry = {"collection": collection, "operation": operation, "item": item}
        line = encoded(entry)
        self._entries.append((collection, item))
        self._lines.append(line + b"\n")

    async def send(self) -> list[tuple[str, Outcome]]:
        """Send the entries so far; return their collections and outcomes, in their order.

        Without entries send nothing. With ``skip`` failed entries have the outcome ``failed``;
        without, raise FailureError, and nothing of the request is written. With ``splits`` earlier
        requests stay.
        """
        entries, lines = self._entries, self._lines
        self._entries, self._lines = [], []
        start, sent = 0, len(self._outcomes)
        while start < len(entries):
            end = self._end(lines, start) if self._options.get("splits") else len(entries)
            await self._send(entries, lines, start, end)
            start = end
        return self._outcomes[sent:]

    def _end(self, lines: Sequence[bytes], start: int) -> int:
        end, size = start, 0
        while end < min(len(lines), start + MAX_ENTRIES):
            size += len(lines[end])
            if end > start and size > _MAX_BYTES:
                break
            end += 1
        return end

    async def _send(
        self, entries: Sequence[tuple[str, Form]], lines: Sequence[bytes], start: int, end: int
    ) -> None:
        """Send the entries from ``start`` to below ``end``; halves if they are too large."""
        dry_run, headers = self._options.get("dry_run", False), dict[str, str]()
        if not dry_run:
            headers[IDEMPOTENCY_KEY] = self._options.get("key") or str(uuid4())
        query = [("onError", "skip")] * self._options.get("skip", False)
        query += [("dryRun", "true")] * dry_run
        body, media_type = b"".join(lines[start:end]), "application/x-ndjson"
        request = Request("POST", "/api/transaction", query, body, media_type, headers)
        try:
            response = await self._transport.send(request)
        except FailureError as error:
            if not (is_too_large(error) and self._options.get("splits")) or end - start < 2:
                error.details = shifted(error.details, start)
                raise
            middle = (start + end) // 2
            await self._send(entries, lines, start, middle)
            await self._send(entries, lines, middle, end)
            return
        replayed = "Idempotent-Replayed" in response.headers
        for (collection, item), row in zip(entries[start:end], response.body["data"], strict=True):
            outcome = outcome_of(item, _without_place(row), is_replayed=replayed)
            details = shifted(outcome.details, start)
            self._outcomes.append((collection, replace(outcome, details=details)))


def _without_place(row: Mapping[str, object]) -> Document:
    return {name: value for name, value in row.items() if name not in ("index", "collection")}
