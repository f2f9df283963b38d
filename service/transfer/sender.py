"""Requests of an import: what is sent, kept until it is answered, and read from the answer."""

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
from service.client.collections import How
from service.error_types import ErrorType
from service.transfer.errors import TransferError
from service.transfer.files import Line, Source
from service.transfer.id_map import IdMap
from service.transfer.id_translation import Translated
from service.transfer.nested_ids import nested_ids
from service.transfer.pending import PendingRequest, send_pending
from service.transfer.rejects import Rejects

_ITEM: Final = re.compile(r"^\[[0-9]+\]\.?")
AT_ONCE: Final = 4
"""Requests under way, where the order allows several."""
_REFUSED: Final = (400, 413)
"""What requests that hold too much, or what is no JSON to the service, are answered."""
AS_BEFORE: Final = "as before"
"""The outcome of lines that came in earlier and have not changed since."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How an import goes on."""

    match: bool = False
    """Records are found by their own keys, as far as they have one."""
    skip: bool = False
    """What is rejected is left out; else nothing of its request is written, and it stops there."""
    dry_run: bool = False
    """Nothing is written: everything is only tried."""


@dataclass(frozen=True, slots=True)
class ImportEntry:
    """A line that is ready to be sent."""

    line: Line
    name: str
    translated: Translated


@dataclass
class Sender:
    """Sends one file's lines; several requests at once where their order does not matter."""

    client: Client
    source: Source
    known: IdMap
    rejects: Rejects
    options: ImportOptions
    counts: Counter[str] = field(default_factory=Counter)
    tell: Callable[[list[Line]], object] = len
    """Is told of lines that are done."""

    def __post_init__(self) -> None:
        self._turns = asyncio.Semaphore(1 if self.source.collection.in_order else AT_ONCE)
        self._under_way = set[asyncio.Task[None]]()

    @property
    def stopped(self) -> bool:
        """Whether something was rejected, and nothing more is to be sent."""
        return self.rejects.count > 0 and not self.options.skip

    async def send(self, how: How, match: str | None, entries: list[ImportEntry]) -> None:
        """Begin a request with the entries; returns when there is room for another."""
        await self._turns.acquire()
        task = asyncio.create_task(self._in_turn(how, match, entries))
        self._under_way.add(task)

    async def settled(self) -> None:
        """Wait for the answers to all that was sent; raises what went wrong with any."""
        under_way, self._under_way = self._under_way, set()
        await asyncio.gather(*under_way)

    def raise_failures(self) -> None:
        """Raise what went wrong with a request that is over."""
        for task in [one for one in self._under_way if one.done()]:
            self._under_way.discard(task)
            task.result()

    async def abandon(self) -> None:
        """Let go of what is under way, which the next run asks again; nothing where all is done."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _in_turn(self, how: How, match: str | None, entries: list[ImportEntry]) -> None:
        try:
            await self._send(how, match, entries)
        finally:
            self._turns.release()

    async def _send(self, how: How, match: str | None, entries: list[ImportEntry]) -> None:
        """Send entries as one request, or in two where one holds too much."""
        if self.stopped:
            return
        asked, key = self._asked(how, match, entries), f"import-{secrets.token_hex(16)}"
        try:
            outcomes = await send_pending(
                self.client, self.known, asked, key, dry_run=self.options.dry_run
            )
        except FailureError as error:
            if error.failed_items:
                await self._explain(asked, entries, error)
            elif error.status in _REFUSED:
                await self._part(how, match, entries, error)
            else:
                raise _explained(error) from error
            return
        await self._take(entries, self._judged(entries, outcomes), key)

    def _asked(self, how: How, match: str | None, entries: list[ImportEntry]) -> PendingRequest:
        """Return the request; a rehearsal asks for the outcome of every item."""
        return PendingRequest(
            self.source.collection.name,
            how,
            match,
            [entry.translated.item for entry in entries],
            [entry.name for entry in entries],
            [entry.line.digest.hex() for entry in entries],
            skip=self.options.skip or self.options.dry_run,
            asked_at=time.time(),
        )

    async def _part(
        self, how: How, match: str | None, entries: list[ImportEntry], error: FailureError
    ) -> None:
        """Send in two what was refused as a whole, down to the line that is to blame."""
        if len(entries) == 1:
            self._reject_failed(entries, [_failed(entries[0], error)])
            return
        half = len(entries) // 2
        await self._send(how, match, entries[:half])
        await self._send(how, match, entries[half:])

    async def _explain(
        self, asked: PendingRequest, entries: list[ImportEntry], error: FailureError
    ) -> None:
        """Rehearse a request of which nothing was written, to learn which lines are to blame.

        Lines that fail because their record is as it should be are done; the others go again.
        """
        asked = replace(asked, skip=True)
        raw = await send_pending(self.client, self.known, asked, "", dry_run=True)
        outcomes = self._judged(entries, raw)
        if self._reject_failed(entries, outcomes):
            return
        was_refused = [outcome.outcome == "failed" for outcome in raw]
        if not any(was_refused):
            raise _explained(error) from error
        done = [*compress(zip(entries, outcomes, strict=True), was_refused)]
        await self._take([entry for entry, _ in done], [outcome for _, outcome in done], "")
        rest = [entry for entry, refused in zip(entries, was_refused, strict=True) if not refused]
        if rest:
            await self._send(asked.how, asked.match, rest)

    def _judged(self, entries: list[ImportEntry], outcomes: list[Outcome]) -> list[Outcome]:
        pairs = zip(entries, outcomes, strict=True)
        return [_judged(entry, outcome, self) for entry, outcome in pairs]

    def _reject_failed(self, entries: list[ImportEntry], outcomes: list[Outcome]) -> bool:
        """Reject the lines that failed; whether there was any."""
        failed = [
            pair for pair in zip(entries, outcomes, strict=True) if pair[1].outcome == "failed"
        ]
        for entry, outcome in failed:
            self.counts["failed"] += 1
            self.reject(entry.line, outcome.details)
        return bool(failed)

    async def _take(self, entries: list[ImportEntry], outcomes: list[Outcome], key: str) -> None:
        """Keep, count and tell what became of the entries; nothing but failures where one stops."""
        if self._reject_failed(entries, outcomes) and not self.options.skip:
            return
        done = list[tuple[ImportEntry, Any]]()
        for entry, outcome in zip(entries, outcomes, strict=True):
            if outcome.outcome != "failed":
                self.counts[outcome.outcome] += 1
                if outcome.id is not None or self.options.dry_run:
                    done.append((entry, outcome.id))
        collection = self.source.collection
        pairs = ((entry.line.document, entry.translated.item, one) for entry, one in done)
        for owner, ids in (await nested_ids(self.client, collection, self.known, pairs)).items():
            self.known.keep(owner, ids)
        kept = ((entry.name, one, entry.line.digest) for entry, one in done)
        self.known.keep(collection.name, kept, key)
        self.tell([entry.line for entry in entries])

    def reject(self, line: Line, details: Iterable[Detail]) -> None:
        """Put a line aside; unless such are to be left out, it is the end."""
        self.rejects.add(self.source, line, details)


def _failed(entry: ImportEntry, error: FailureError) -> Outcome:
    """Return the outcome of an entry whose request was refused as a whole."""
    return Outcome(entry.translated.item, "failed", None, error.details)


def _judged(entry: ImportEntry, outcome: Outcome, sender: Sender) -> Outcome:
    """The outcome, with fields as the line has them, and without what only the manner is to blame.

    A rehearsal refers to records that are not made. A pair that is there already is what it was
    to be, where records are matched.
    """
    details = [*_of_line(outcome.details)]
    if outcome.outcome != "failed":
        return outcome
    unmade = entry.translated.unmade
    left = [one for one in details if not _leads_to(one.field, unmade)]
    if unmade and not left:
        return replace(outcome, outcome="created", details=())
    is_keyless = sender.options.match and not sender.source.collection.key_fields
    if is_keyless and {one.type for one in left} == {ErrorType.CONFLICT_DUPLICATE}:
        return replace(outcome, outcome="unchanged", details=())
    return replace(outcome, details=tuple(left))


def _of_line(details: Iterable[Detail]) -> Iterator[Detail]:
    """Without the item's place in the request."""
    for one in details:
        yield replace(one, field=one.field and _ITEM.sub("", one.field, count=1))


def _leads_to(path: str | None, places: Iterable[str]) -> bool:
    """Whether a place is at the path or below it."""
    return any(place == path or place.startswith(f"{path}.") for place in places)


def _explained(error: FailureError) -> Exception:
    if isinstance(error, ForbiddenError) and error.type == ErrorType.FORBIDDEN_SCOPE:
        return TransferError("the key may only read: issue one with --scope write")
    return error
