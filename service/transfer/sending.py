"""Requests of an import: what is sent, kept until it is answered, and read from the answer."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from service.client import Client, Detail, FailureError, ForbiddenError, Outcome
from service.client.collections import How
from service.transfer.asking import Asked, ask
from service.transfer.errors import TransferError
from service.transfer.files import Line, Source
from service.transfer.known import Known
from service.transfer.nested import nested_ids
from service.transfer.rejects import Rejects
from service.transfer.translating import Translated

_ITEM: Final = re.compile(r"^\[[0-9]+\]\.?")
AT_ONCE: Final = 4
"""Requests under way, where the order allows several."""
_REFUSED: Final = (400, 413)
"""What requests that hold too much, or what is no JSON to the service, are answered."""
AS_BEFORE: Final = "as before"
"""The outcome of lines that came in earlier and have not changed since."""


@dataclass(frozen=True, slots=True)
class Options:
    """How an import goes on."""

    match: bool = False
    """Records are found by their own keys, as far as they have one."""
    skip: bool = False
    """What is rejected is left out; else it stops there."""
    dry_run: bool = False
    """Nothing is written: everything is only tried."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that is ready to be sent."""

    line: Line
    name: str
    translated: Translated


@dataclass
class Sender:
    """Sends one file's lines; several requests at once where their order does not matter."""

    client: Client
    source: Source
    known: Known
    rejects: Rejects
    options: Options
    run: str
    """Goes into the keys of requests that are to be carried out in every run."""
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

    async def send(self, how: How, match: str | None, entries: list[Entry]) -> None:
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

    async def _in_turn(self, how: How, match: str | None, entries: list[Entry]) -> None:
        try:
            await self._send(how, match, entries)
        finally:
            self._turns.release()

    async def _send(self, how: How, match: str | None, entries: list[Entry]) -> None:
        name = self.source.collection.name
        asked = Asked(
            name,
            how,
            match,
            [entry.translated.item for entry in entries],
            [entry.name for entry in entries],
            [entry.line.digest.hex() for entry in entries],
        )
        places = [entry.line.number for entry in entries]
        key = asked.key(f"{self.source.path.name} {places} {self.run if match else ''}")
        try:
            outcomes = await ask(self.client, self.known, asked, key, dry_run=self.options.dry_run)
        except FailureError as error:
            if error.status not in _REFUSED:
                raise _explained(error) from error
            await self._part(how, match, entries, error)
            return
        await self._take(entries, outcomes, key)

    async def _part(
        self, how: How, match: str | None, entries: list[Entry], error: FailureError
    ) -> None:
        """Send in two what was refused as a whole, down to the line that is to blame."""
        if len(entries) == 1:
            self.counts["failed"] += 1
            self.reject(entries[0].line, error.details)
            return
        half = len(entries) // 2
        await self._send(how, match, entries[:half])
        await self._send(how, match, entries[half:])

    async def _take(self, entries: list[Entry], outcomes: list[Outcome], key: str) -> None:
        """Keep, count and tell what became of the entries."""
        done = list[tuple[Entry, Any]]()
        for entry, found in zip(entries, outcomes, strict=True):
            outcome = _judged(entry, found, self)
            is_new = not outcome.is_replayed or outcome.outcome == "failed"
            self.counts[outcome.outcome if is_new else AS_BEFORE] += 1
            if outcome.outcome == "failed":
                self.reject(entry.line, outcome.details)
            elif outcome.id is not None or self.options.dry_run:
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


def _judged(entry: Entry, outcome: Outcome, sender: Sender) -> Outcome:
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
    if is_keyless and {one.type for one in left} == {"conflict.duplicate"}:
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
    if isinstance(error, ForbiddenError) and error.type == "forbidden.scope":
        return TransferError("the key may only read: issue one with --scope write")
    return error
