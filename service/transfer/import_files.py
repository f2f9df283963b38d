"""File import: sends the lines of all files in the order of their references (contract, Files)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

from service.client import Client, Detail, ForbiddenError, NotFoundError
from service.client.collections import WriteMode
from service.error_types import ErrorType
from service.transfer.errors import TransferError
from service.transfer.files import Line, Source
from service.transfer.id_map import IdMap, MappedRecord
from service.transfer.id_translation import Translator
from service.transfer.missing import MissingRecords
from service.transfer.own_keys import OwnKeyLookup
from service.transfer.part_dry_run import PartDryRun
from service.transfer.part_import import PartImporter, unknown_reference
from service.transfer.pending import resend_pending
from service.transfer.rejects import Rejects
from service.transfer.sender import NOT_SENT, ImportEntry, ImportOptions, Sender

_MAX_BATCH_BYTES: Final = 4 * 2**20
"""Maximum bytes of lines in one request: half of the service's limit, as translation adds bytes."""
_WriteKind: TypeAlias = tuple[WriteMode, str | None]
"""Write mode of a line, and the own key field that matches its record, if any."""


@dataclass(frozen=True)
class Import:
    """Import of files. Lines that earlier runs imported are sent again only if they changed."""

    client: Client
    sources: Sequence[Source]
    id_map: IdMap
    rejects: Rejects
    options: ImportOptions
    on_start: Callable[[str], object]
    """Called with the name of each collection or part when its import starts."""
    on_progress: Callable[[list[Line]], object]
    """Called with finished lines: once for the record, and once for each of its parts."""

    async def run(self) -> dict[str, Counter[str]]:
        """Import all files. Return the number of lines by collection or part, and by outcome.

        Rejected lines are ``failed``; the first one ends the import unless they are skipped. Raise
        TransferError for an unreadable file, and SelvedgeError if the service refuses the import.
        """
        for source in self.sources:
            source.require_lines()
        await self._require_same_service()
        if not self.options.dry_run:
            await resend_pending(self.client, self.id_map)
        counts, parts = defaultdict[str, Counter[str]](Counter), list[PartImporter]()
        for sender in self._senders(counts):
            self.on_start(sender.source.collection.name)
            await _FileImporter(sender, self._translator).run()
            for part in sender.source.collection.parts:
                importer_class = PartDryRun if self.options.dry_run else PartImporter
                importer = importer_class(sender, self._translator, part, counts[part.path])
                self.on_start(importer.name)
                await importer.send_early()
                parts.append(importer)
        for importer in parts:
            self.on_start(importer.name)
            await importer.send_complete()
        if self.options.delete_missing and (self.options.skip or not self.rejects.count):
            self.on_start("missing records")
            await self._missing.delete(counts)
        return {name: outcomes for name, outcomes in counts.items() if outcomes}

    @cached_property
    def _translator(self) -> Translator:
        return Translator(self.id_map, {source.collection.name for source in self.sources})

    @cached_property
    def _missing(self) -> MissingRecords:
        return MissingRecords(self.client, self.options.at_most, self.options.dry_run)

    def _senders(self, counts: Mapping[str, Counter[str]]) -> Iterator[Sender]:
        """Yield the sender of each file until a rejected line ends the import."""
        for source in self.sources:
            sender = Sender(
                self.client, source, self.id_map, self.rejects, self.options,
                counts[source.collection.name], self.on_progress,
            )  # fmt: skip
            if sender.stopped:
                return
            if self.options.delete_missing:
                sender.file_sync = self._missing.sync_of(source)
            yield sender

    async def _require_same_service(self) -> None:
        """Raise TransferError if the service has none of the records that the id map names."""
        samples = self.id_map.sample_ids()
        for name, record_id in samples:
            try:
                await self.client.collection(name).read(record_id)
            except (NotFoundError, ForbiddenError):
                continue
            return
        if samples:
            raise TransferError(
                "the service has no record of earlier imports: the id map beside the files belongs "
                "to another database; remove it to import everything again"
            )


@dataclass
class _LineBatch:
    """Batch of lines for one request, and their bytes in the file."""

    entries: list[ImportEntry] = field(default_factory=list)
    size: int = 0


@dataclass
class _FileImporter:
    """Import of the records of one file."""

    sender: Sender
    translator: Translator
    _batches: dict[_WriteKind, _LineBatch] = field(default_factory=lambda: defaultdict(_LineBatch))
    _conflicts: Mapping[int, Detail] = field(default_factory=dict)
    """Errors of lines whose own key another record has already, by line number."""

    async def run(self) -> None:
        """Send every line, in as many passes as references to later lines need."""
        self.sender.id_map.start_file()
        if not self.sender.options.match:
            self._conflicts = await self._own_key_conflicts()
        try:
            deferred, previous = await self._pass(None), None
            while deferred and deferred != previous and not self.sender.stopped:
                previous, deferred = deferred, await self._pass(deferred)
        finally:
            await self.sender.cancel()
        if not self.sender.stopped:
            self._reject_unresolved(deferred)

    async def _own_key_conflicts(self) -> Mapping[int, Detail]:
        source = self.sender.source
        lookup = OwnKeyLookup(
            self.sender.client, source.collection, self.sender.id_map, self.translator
        )
        return await lookup.conflicts(source.lines())

    async def _pass(self, only: set[int] | None) -> set[int]:
        """Send all lines or those of the given numbers. Return the numbers of deferred lines."""
        deferred = set[int]()
        for line in self.sender.source.lines(only):
            if self.sender.stopped:
                break
            if not await self._process(line):
                deferred.add(line.number)
        await self._flush()
        return deferred

    async def _process(self, line: Line) -> bool:
        """Reject, skip or batch a line. Return False if it refers to a record not imported yet."""
        name = line.name(self.sender.source.collection.key_fields)
        first = self.sender.id_map.first_line(name, line.number)
        if first != line.number:
            message = f"Line {first} has the same record: remove one of the two."
            self._reject(line, [Detail(ErrorType.DUPLICATE, "id", message)])
            return True
        if line.number in self._conflicts:
            self._reject(line, [self._conflicts[line.number]])
            return True
        mapped = self.sender.id_map.find(self.sender.source.collection.name, name)
        kind = self._write_kind(line, mapped)
        if kind is None:
            self.sender.counts[NOT_SENT] += 1
            self.sender.on_progress([line])
            return True
        entry = self._entry(line, name, kind, mapped)
        if entry.translated.missing and self.sender.source.collection.is_ordered and self._batches:
            await self._flush()
            entry = self._entry(line, name, kind, mapped)
        if entry.translated.missing:
            return False
        await self._add(kind, entry)
        return True

    def _write_kind(self, line: Line, mapped: MappedRecord | None) -> _WriteKind | None:
        """Return how to write a line; None if it is unchanged since its last import."""
        key_fields = self.sender.source.collection.key_fields
        has_record = mapped is not None and mapped.id is not None
        is_matched = self.sender.options.match and key_fields
        if is_matched and (line.has_key(key_fields) or not has_record):
            return "merge" if self.sender.options.merge else "replace", key_fields[0]
        if mapped is None or not has_record:
            return "create", None
        return None if mapped.digest == line.digest else ("replace", None)

    def _entry(
        self, line: Line, name: str, kind: _WriteKind, mapped: MappedRecord | None
    ) -> ImportEntry:
        mode, match = kind
        collection = self.sender.source.collection
        fields = collection.fields if mode == "create" else collection.replace_fields
        document = {name: value for name, value in line.document.items() if name != "id"}
        translated = self.translator.translate(fields, document, is_new=mapped is None)
        if mode == "replace" and collection.has_state:
            translated.item.setdefault("state", "active")
        if mode == "replace" and not match and mapped:
            translated.item["id"] = mapped.id
        return ImportEntry(line, name, translated)

    async def _add(self, kind: _WriteKind, entry: ImportEntry) -> None:
        batch = self._batches[kind]
        batch.entries.append(entry)
        batch.size += entry.line.size
        if (
            len(batch.entries) >= self.sender.source.collection.max_items
            or batch.size >= _MAX_BATCH_BYTES
        ):
            await self._send(kind)

    async def _send(self, kind: _WriteKind) -> None:
        self.sender.raise_failures()
        batch = self._batches.pop(kind)
        if not self.sender.stopped:
            await self.sender.send(*kind, batch.entries)

    async def _flush(self) -> None:
        for kind in [*self._batches]:
            await self._send(kind)
        await self.sender.drain()

    def _reject_unresolved(self, numbers: set[int]) -> None:
        """Reject the lines whose references no file resolves."""
        fields = self.sender.source.collection.fields
        for line in self.sender.source.lines(numbers):
            if not self.sender.stopped:
                missing = self.translator.translate(fields, line.document, is_new=True).missing
                self._reject(line, [unknown_reference(*reference) for reference in missing])

    def _reject(self, line: Line, details: list[Detail]) -> None:
        self.sender.counts["failed"] += 1
        self.sender.reject(line, details)
