"""Import sender: sends lines as bulk requests and stores their outcomes (contract, Files)."""

import asyncio
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, Final

from service.client import Client, Detail, FailureError, ForbiddenError, Outcome
from service.client.collections import WriteMode
from service.client.options import MAX_MISSING_SHARE
from service.error_types import ErrorType
from service.transfer.errors import TransferError
from service.transfer.files import Line, Source
from service.transfer.id_map import IdMap
from service.transfer.id_translation import Translated
from service.transfer.missing import FileSync
from service.transfer.nested_ids import nested_ids
from service.transfer.pending import PendingRequest, send_pending
from service.transfer.rejects import Rejects

_ITEM_INDEX: Final = re.compile(r"^\[[0-9]+\]\.?")
MAX_CONCURRENT: Final = 4
"""Maximum number of concurrent requests of a file, for collections without an order; others: 1."""
_SPLITTABLE_STATUSES: Final = (400, 413)
"""Statuses of requests that are too large or malformed as a whole, with no item to blame."""
NOT_SENT: Final = "not sent"
"""Outcome of lines that were imported earlier and have not changed since."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options of an import."""

    match: bool = False
    """Whether lines are matched to records by own key, in collections that have one."""
    skip: bool = False
    """Whether rejected lines are left out; otherwise the first rejected line ends the import."""
    dry_run: bool = False
    """Whether every request is a dry run."""
    merge: bool = False
    """Whether matched lines are merged into their records: fields that a line lacks stay."""
    delete_missing: bool = False
    """Whether live records with an own key that their file lacks are deleted; needs ``match``."""
    at_most: float = MAX_MISSING_SHARE
    """Share from 0 to 1 of a collection's live records that may be missing, and be deleted."""


@dataclass(frozen=True, slots=True)
class ImportEntry:
    """Translated line that is ready to be sent."""

    line: Line
    name: str
    """Name of the line in the id map."""
    translated: Translated
    stage: bytes = b""
    """Stage that sending a part reaches (``part_import.py``); empty for records."""

    @property
    def digest(self) -> bytes:
        """Digest that the id map stores once the service has written the entry."""
        return self.stage + self.line.digest


@dataclass
class Sender:
    """Sender of one file's lines, with concurrent requests if their order does not matter."""

    client: Client
    source: Source
    id_map: IdMap
    rejects: Rejects
    options: ImportOptions
    counts: Counter[str] = field(default_factory=Counter)
    """Number of lines by outcome, which the sender and the importer increase."""
    on_progress: Callable[[list[Line]], object] = len
    """Called with the lines of each request whose outcomes are stored, failed ones included."""
    file_sync: FileSync | None = None
    """Collector of the records that the file has, if missing ones are to be deleted."""

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(1 if self.source.collection.is_ordered else MAX_CONCURRENT)
        self._tasks = set[asyncio.Task[None]]()

    @property
    def stopped(self) -> bool:
        """Whether a line of any file was rejected and nothing more is to be sent."""
        return self.rejects.count > 0 and not self.options.skip

    async def send(self, mode: WriteMode, match: str | None, entries: list[ImportEntry]) -> None:
        """Start a request with the entries, as soon as a request slot is free.

        Its outcomes are stored when its response is there; ``drain`` waits for that and raises its
        error. Requests that start after the import has stopped send nothing.
        """
        await self._slots.acquire()
        task = asyncio.create_task(self._send_in_slot(mode, match, entries))
        self._tasks.add(task)

    async def drain(self) -> None:
        """Wait until all requests have finished, or raise the first error without that."""
        tasks, self._tasks = self._tasks, set()
        await asyncio.gather(*tasks)

    def raise_failures(self) -> None:
        """Raise the error of a finished request, if any, without waiting."""
        for task in [task for task in self._tasks if task.done()]:
            self._tasks.discard(task)
            task.result()

    async def cancel(self) -> None:
        """Cancel unfinished requests and wait for their end. The next run sends them again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _send_in_slot(
        self, mode: WriteMode, match: str | None, entries: list[ImportEntry]
    ) -> None:
        try:
            await self._send(mode, match, entries)
        finally:
            self._slots.release()

    async def _send(self, mode: WriteMode, match: str | None, entries: list[ImportEntry]) -> None:
        """Send entries as one request and store the outcomes.

        A request that failed because of items is repeated as a dry run to find these; one that is
        refused as a whole with 400 or 413 is sent in halves. Raise any other error.
        """
        if self.stopped:
            return
        request = self._pending_request(mode, match, entries)
        key = self._idempotency_key()
        try:
            outcomes = await send_pending(
                self.client, self.id_map, request, key, dry_run=self.options.dry_run
            )
        except FailureError as error:
            if error.failed_items:
                await self._find_failed_lines(request, entries, error)
            elif error.status in _SPLITTABLE_STATUSES:
                await self._split(mode, match, entries, error)
            else:
                raise _as_transfer_error(error) from error
            return
        await self._store_outcomes(entries, self._adjusted(entries, outcomes), key)

    def _idempotency_key(self) -> str:
        """Return the key under which the request is stored until its outcomes are; "" for none."""
        return "" if self.options.dry_run else f"import-{secrets.token_hex(16)}"

    def _pending_request(
        self, mode: WriteMode, match: str | None, entries: list[ImportEntry]
    ) -> PendingRequest:
        """Build the request. A dry run skips failed items, to get the outcome of every item."""
        return PendingRequest(
            self.source.collection.name,
            mode,
            match,
            [entry.translated.item for entry in entries],
            [entry.name for entry in entries],
            [entry.digest.hex() for entry in entries],
            skip=self.options.skip or self.options.dry_run,
            asked_at=time.time(),
        )

    async def _split(
        self, mode: WriteMode, match: str | None, entries: list[ImportEntry], error: FailureError
    ) -> None:
        """Send a request that was refused as a whole in halves, down to the rejected line."""
        if len(entries) == 1:
            self._reject_failed(entries, [_failed(entries[0], error)])
            return
        half = len(entries) // 2
        await self._send(mode, match, entries[:half])
        await self._send(mode, match, entries[half:])

    async def _find_failed_lines(
        self, request: PendingRequest, entries: list[ImportEntry], error: FailureError
    ) -> None:
        """Dry-run a request that failed as a whole, and reject the failed lines.

        Without any, lines whose only errors are those of placeholders are done and the others are
        sent again. If the dry run finds no error at all, raise ``error``.
        """
        request = replace(request, skip=True)
        raw = await send_pending(self.client, self.id_map, request, "", dry_run=True)
        outcomes = self._adjusted(entries, raw)
        if self._reject_failed(entries, outcomes):
            return
        was_refused = [outcome.outcome == "failed" for outcome in raw]
        if not any(was_refused):
            raise _as_transfer_error(error) from error
        done = [*compress(zip(entries, outcomes, strict=True), was_refused)]
        await self._store_outcomes(
            [entry for entry, _ in done], [outcome for _, outcome in done], ""
        )
        rest = [entry for entry, refused in zip(entries, was_refused, strict=True) if not refused]
        if rest:
            await self._send(request.how, request.match, rest)

    def _adjusted(self, entries: list[ImportEntry], outcomes: list[Outcome]) -> list[Outcome]:
        pairs = zip(entries, outcomes, strict=True)
        return [_adjusted(entry, outcome) for entry, outcome in pairs]

    def _reject_failed(self, entries: list[ImportEntry], outcomes: list[Outcome]) -> bool:
        """Reject the lines that failed. Return whether there was any."""
        pairs = zip(entries, outcomes, strict=True)
        failed = [(entry, outcome) for entry, outcome in pairs if outcome.outcome == "failed"]
        for entry, outcome in failed:
            self.counts["failed"] += 1
            self.reject(entry.line, outcome.details)
        return bool(failed)

    async def _store_outcomes(
        self, entries: list[ImportEntry], outcomes: list[Outcome], key: str
    ) -> None:
        """Store and count the outcomes of a request; only failures if these end the import.

        Ids of nested objects are stored first, the records' ids with the removal of the pending
        request last: an interruption in between repeats the request.
        """
        if self._reject_failed(entries, outcomes) and not self.options.skip:
            return
        done = list[tuple[ImportEntry, Any]]()
        for entry, outcome in zip(entries, outcomes, strict=True):
            if outcome.outcome != "failed":
                self._count(entry, outcome)
                if outcome.id is not None or self.options.dry_run:
                    done.append((entry, outcome.id))
        collection = self.source.collection
        records = ((entry.line.document, entry.translated.item, id_) for entry, id_ in done)
        for owner, ids in (await nested_ids(self.client, collection, self.id_map, records)).items():
            self.id_map.store(owner, ids)
        if self.file_sync:
            self.file_sync.collect([record_id for _, record_id in done if record_id is not None])
        mappings = ((entry.name, record_id, entry.digest) for entry, record_id in done)
        self.id_map.store(collection.map_name, mappings, key)
        self.on_progress([entry.line for entry in entries])

    def _count(self, entry: ImportEntry, outcome: Outcome) -> None:  # noqa: ARG002
        """Count the outcome of an entry that did not fail."""
        self.counts[outcome.outcome] += 1

    def reject(self, line: Line, details: Iterable[Detail]) -> None:
        """Reject a line without counting it. Unless such lines are skipped, end the import."""
        if self.file_sync:
            self.file_sync.collect_rejected(line)
        self.rejects.add(self.source, line, details)


def _failed(entry: ImportEntry, error: FailureError) -> Outcome:
    """Return the outcome of an entry whose request was refused as a whole."""
    return Outcome(entry.translated.item, "failed", None, error.details)


def _adjusted(entry: ImportEntry, outcome: Outcome) -> Outcome:
    """Return the outcome with field paths of the line, without the errors of placeholder ids.

    The service reports these as unknown references. An outcome that failed by them alone becomes
    ``created``.
    """
    details = [*_without_item_index(outcome.details)]
    if outcome.outcome != "failed":
        return outcome
    placeholders = entry.translated.placeholders
    remaining = [row for row in details if not _contains_any(row.field, placeholders)]
    if placeholders and not remaining:
        return replace(outcome, outcome="created", details=())
    return replace(outcome, details=tuple(remaining))


def _without_item_index(details: Iterable[Detail]) -> Iterator[Detail]:
    """Yield the details without the item's index in the request."""
    for detail in details:
        field_path = detail.field and _ITEM_INDEX.sub("", detail.field, count=1)
        yield replace(detail, field=field_path)


def _contains_any(path: str | None, descendants: Iterable[str]) -> bool:
    """Return whether any of the descendants is at the path, or at a member below it."""
    return any(each == path or each.startswith(f"{path}.") for each in descendants)


def _as_transfer_error(error: FailureError) -> Exception:
    if isinstance(error, ForbiddenError) and error.type == ErrorType.FORBIDDEN_SCOPE:
        return TransferError("the API key may only read: issue a key with --scope write")
    return error
