"""Import sender: sends lines as bulk requests and stores their outcomes (contract, Files)."""

import asyncio
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from service.client import Client, Detail, FailureError, ForbiddenError, Outcome
from service.client.options import MAX_MISSING_SHARE, WriteMode
from service.error_types import ErrorType
from service.transfer.errors import TransferError
from service.transfer.files import Line, Source
from service.transfer.id_map import IdMap
from service.transfer.id_translation import Translated
from service.transfer.missing import FileSync
from service.transfer.nested_ids import nested_ids
from service.transfer.pending import PendingRequest, send_pending
from service.transfer.rejects import Rejects
from service.transfer.tasks import cancel_all

_ITEM_INDEX: Final = re.compile(r"^\[[0-9]+\]\.?")
MAX_CONCURRENT: Final = 4
"""Maximum number of concurrent requests of a file, for collections without an order; others: 1."""
_SPLITTABLE_STATUSES: Final = (400, 413)
"""Statuses of requests that are too large or malformed as a whole, with no item to blame."""


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
    """Share from 0 to 1 of a collection's live records with an own key that may be deleted."""


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
        """Wait until all requests have finished, or raise the first error without that.

        After an error ``cancel`` ends the others.
        """
        await asyncio.gather(*self._tasks)
        self._tasks.clear()

    def raise_failures(self) -> None:
        """Raise the error of a finished request, if any, without waiting."""
        for task in [task for task in self._tasks if task.done()]:
            self._tasks.discard(task)
            task.result()

    async def cancel(self) -> None:
        """Cancel unfinished requests and wait for their end. The next run sends them again."""
        await cancel_all(self._tasks)

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

        If the dry run finds none, raise ``error``.
        """
        request = replace(request, skip=True)
        outcomes = await send_pending(self.client, self.id_map, request, "", dry_run=True)
        if not self._reject_failed(entries, self._adjusted(entries, outcomes)):
            raise _as_transfer_error(error) from error

    def _adjusted(self, entries: list[ImportEntry], outcomes: list[Outcome]) -> list[Outcome]:
        """Return the outcomes with field paths of the lines.

        A dry run forgives the errors of placeholder ids; other imports have none.
        """
        outcomes = [*map(_with_line_paths, outcomes)]
        if not self.options.dry_run:
            return outcomes
        return [*map(self._without_placeholder_errors, entries, outcomes)]

    def _without_placeholder_errors(self, entry: ImportEntry, outcome: Outcome) -> Outcome:
        """Return the outcome without the unknown references that the line's placeholder ids are.

        An outcome that failed by them alone becomes that of ``_forgiven``.
        """
        placeholders = entry.translated.placeholders
        if outcome.outcome != "failed" or not placeholders:
            return outcome
        remaining = [row for row in outcome.details if not _contains_any(row.field, placeholders)]
        if not remaining:
            return replace(outcome, outcome=self._forgiven(outcome), details=())
        return replace(outcome, details=tuple(remaining))

    def _forgiven(self, outcome: Outcome) -> str:
        """Return the outcome of a real write in place of one that failed by placeholders alone."""
        return "created" if outcome.id is None else "updated"

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
        done = list[tuple[ImportEntry, Outcome]]()
        for entry, outcome in zip(entries, outcomes, strict=True):
            if outcome.outcome != "failed":
                self._count(entry, outcome)
                if outcome.id is not None or outcome.outcome != "absent":
                    done.append((entry, outcome))
        await self._store_nested_ids(done)
        if self.file_sync:
            self.file_sync.collect(outcome for _, outcome in done)
        mappings = ((entry.name, outcome.id, entry.digest) for entry, outcome in done)
        self.id_map.store(self.source.collection.map_name, mappings, key)
        self.on_progress([entry.line for entry in entries])

    async def _store_nested_ids(self, done: list[tuple[ImportEntry, Outcome]]) -> None:
        """Store the ids of objects in records; deleted records have none to refer to."""
        records = [
            (entry.line.document, entry.translated.item, outcome.id)
            for entry, outcome in done
            if outcome.outcome != "deleted"
        ]
        mappings = await nested_ids(
            self.client, self.source.collection, self.id_map, records, dry_run=self.options.dry_run
        )
        for owner, rows in mappings.items():
            self.id_map.store(owner, rows)

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


def _with_line_paths(outcome: Outcome) -> Outcome:
    """Return the outcome with field paths of the line: without the item's index in the request."""
    details = (
        replace(row, field=row.field and _ITEM_INDEX.sub("", row.field, count=1))
        for row in outcome.details
    )
    return replace(outcome, details=tuple(details))


def _contains_any(path: str | None, descendants: Iterable[str]) -> bool:
    """Return whether any of the descendants is at the path, or at a member below it."""
    return any(each == path or each.startswith(f"{path}.") for each in descendants)


def _as_transfer_error(error: FailureError) -> Exception:
    if isinstance(error, ForbiddenError) and error.type == ErrorType.FORBIDDEN_SCOPE:
        return TransferError("the API key may only read: issue a key with --scope write")
    return error
