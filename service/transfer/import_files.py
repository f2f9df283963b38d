"""From files to the service: line by line, in the order of references (contract, Files)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

from service.client import Client, Detail, ForbiddenError, NotFoundError
from service.client.collections import How
from service.error_types import ErrorType
from service.transfer.errors import TransferError
from service.transfer.files import Line, Source
from service.transfer.id_map import IdMap, MappedRecord
from service.transfer.id_translation import Translator
from service.transfer.own_keys import OwnKeyLookup
from service.transfer.part_import import PartImporter, unknown
from service.transfer.pending import resend_pending
from service.transfer.rehearsing import RehearsedParts
from service.transfer.rejects import Rejects
from service.transfer.sender import AS_BEFORE, ImportEntry, ImportOptions, Sender

_MOST_BYTES: Final = 4 * 2**20
"""Of lines in one request, which may grow on the way: the service takes twice as much."""
_Way: TypeAlias = tuple[How, str | None]
"""How a line is sent, and the own key that finds its record."""


@dataclass(frozen=True)
class Import:
    """Brings files in. What is known from earlier runs is not sent again."""

    client: Client
    sources: Sequence[Source]
    known: IdMap
    rejects: Rejects
    options: ImportOptions
    begin: Callable[[str], object]
    """Is told which collection comes now, or which part of its records."""
    tell: Callable[[list[Line]], object]
    """Is told of lines that are done: once by themselves, and once by each of the parts."""

    async def run(self) -> dict[str, Counter[str]]:
        """How many lines had which outcome, by collection; rejected ones are ``failed``.

        Ends early where something is rejected that is not to be skipped. Raises TransferError for a
        file that is no table of records, and SelvedgeError where the service refuses it all.
        """
        for source in self.sources:
            source.require_lines()
        await self._require_same_service()
        if not self.options.dry_run:
            await resend_pending(self.client, self.known)
        counts, parts = defaultdict[str, Counter[str]](Counter), list[PartImporter]()
        for sender in self._senders(counts):
            self.begin(sender.source.collection.name)
            await _FileImporter(sender, self._translator).bring()
            for part in sender.source.collection.parts:
                kind = RehearsedParts if self.options.dry_run else PartImporter
                one = kind(sender, self._translator, part, counts[part.place])
                self.begin(one.name)
                await one.early()
                parts.append(one)
        for one in parts:
            self.begin(one.name)
            await one.whole()
        return {name: found for name, found in counts.items() if found}

    @cached_property
    def _translator(self) -> Translator:
        return Translator(self.known, {source.collection.name for source in self.sources})

    def _senders(self, counts: Mapping[str, Counter[str]]) -> Iterator[Sender]:
        """What sends each file, until something is rejected that is not to be skipped."""
        for source in self.sources:
            sender = Sender(
                self.client, source, self.known, self.rejects, self.options,
                counts[source.collection.name], self.tell,
            )  # fmt: skip
            if sender.stopped:
                return
            yield sender

    async def _require_same_service(self) -> None:
        """Raise TransferError where nothing is there of what the map of ids speaks of."""
        samples = self.known.samples()
        for name, record_id in samples:
            try:
                await self.client.collection(name).read(record_id)
            except (NotFoundError, ForbiddenError):
                continue
            return
        if samples:
            raise TransferError(
                "nothing that was imported before is there: the map of ids beside the files is of "
                "another database; remove it to import anew"
            )


@dataclass
class _LineBatch:
    """Lines that go in one request, and their bytes in the file."""

    entries: list[ImportEntry] = field(default_factory=list)
    size: int = 0


@dataclass
class _FileImporter:
    """One file on its way."""

    sender: Sender
    translator: Translator
    _ready: dict[_Way, _LineBatch] = field(default_factory=lambda: defaultdict(_LineBatch))
    _conflicts: Mapping[int, Detail] = field(default_factory=dict)
    """By line number what is wrong with lines whose own key a record has already."""

    async def bring(self) -> None:
        """Send every line; those that refer to later ones after these."""
        self.sender.known.next_file()
        if not self.sender.options.match:
            self._conflicts = await self._own_key_conflicts()
        try:
            waiting, before = await self._pass(None), None
            while waiting and waiting != before and not self.sender.stopped:
                before, waiting = waiting, await self._pass(waiting)
        finally:
            await self.sender.abandon()
        if not self.sender.stopped:
            self._give_up(waiting)

    async def _own_key_conflicts(self) -> Mapping[int, Detail]:
        source = self.sender.source
        lookup = OwnKeyLookup(
            self.sender.client, source.collection, self.sender.known, self.translator
        )
        return await lookup.conflicts(source.lines())

    async def _pass(self, only: set[int] | None) -> set[int]:
        """Send the lines, or those of the given numbers; the numbers of those that have to wait."""
        waiting = set[int]()
        for line in self.sender.source.lines(only):
            if self.sender.stopped:
                break
            if not await self._came(line):
                waiting.add(line.number)
        await self._flush()
        return waiting

    async def _came(self, line: Line) -> bool:
        """Take a line; False where it refers to what is not there yet."""
        name = line.name(self.sender.source.collection.key_fields)
        first = self.sender.known.first_seen(name, line.number)
        if first != line.number:
            message = f"Line {first} is of the same record."
            self._reject(line, [Detail(ErrorType.DUPLICATE, "id", message)])
            return True
        if line.number in self._conflicts:
            self._reject(line, [self._conflicts[line.number]])
            return True
        stored = self.sender.known.find(self.sender.source.collection.name, name)
        way = self._way(line, stored)
        if way is None:
            self.sender.counts[AS_BEFORE] += 1
            self.sender.tell([line])
            return True
        entry = self._entry(line, name, way, stored)
        if entry.translated.missing and self.sender.source.collection.in_order and self._ready:
            await self._flush()
            entry = self._entry(line, name, way, stored)
        if entry.translated.missing:
            return False
        await self._add(way, entry)
        return True

    def _way(self, line: Line, stored: MappedRecord | None) -> _Way | None:
        """How a line is sent; None where its record is as the line says."""
        key_fields = self.sender.source.collection.key_fields
        is_known = stored is not None and stored.id is not None
        is_matched = self.sender.options.match and key_fields
        if is_matched and (line.has_key(key_fields) or not is_known):
            return "replace", key_fields[0]
        if stored is None or not is_known:
            return "create", None
        return None if stored.digest == line.digest else ("replace", None)

    def _entry(self, line: Line, name: str, way: _Way, stored: MappedRecord | None) -> ImportEntry:
        how, match = way
        collection = self.sender.source.collection
        fields = collection.fields if how == "create" else collection.replaced
        named = {name: value for name, value in line.document.items() if name != "id"}
        found = self.translator.translate(fields, named, is_new=stored is None)
        if how == "replace" and collection.has_state:
            found.item.setdefault("state", "active")
        if how == "replace" and not match and stored:
            found.item["id"] = stored.id
        return ImportEntry(line, name, found)

    async def _add(self, way: _Way, entry: ImportEntry) -> None:
        ready = self._ready[way]
        ready.entries.append(entry)
        ready.size += entry.line.size
        if len(ready.entries) >= self.sender.source.collection.most or ready.size >= _MOST_BYTES:
            await self._send(way)

    async def _send(self, way: _Way) -> None:
        self.sender.raise_failures()
        ready = self._ready.pop(way)
        if not self.sender.stopped:
            await self.sender.send(*way, ready.entries)

    async def _flush(self) -> None:
        for way in [*self._ready]:
            await self._send(way)
        await self.sender.settled()

    def _give_up(self, numbers: set[int]) -> None:
        """Reject lines that refer to what no file brings."""
        fields = self.sender.source.collection.fields
        for line in self.sender.source.lines(numbers):
            if not self.sender.stopped:
                found = self.translator.translate(fields, line.document, is_new=True)
                self._reject(line, [unknown(*missing) for missing in found.missing])

    def _reject(self, line: Line, details: list[Detail]) -> None:
        self.sender.counts["failed"] += 1
        self.sender.reject(line, details)
