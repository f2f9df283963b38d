"""File import: sends the lines of all files in the order of their references (contract, Files)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from service.client import Client, Detail, ForbiddenError, NotFoundError
from service.transfer.collections import TransferPart
from service.transfer.errors import TransferError
from service.transfer.files import Line, Source
from service.transfer.id_map import IdMap, MappedRecord
from service.transfer.id_translation import Translator
from service.transfer.line_importer import LineImporter, WriteKind
from service.transfer.missing import MissingRecords
from service.transfer.outcomes import NOT_SENT
from service.transfer.own_keys import OwnKeyLookup
from service.transfer.part_import import PartDryRun, PartImporter, PartSender
from service.transfer.pending import resend_pending
from service.transfer.rejects import Rejects
from service.transfer.sender import ImportEntry, ImportOptions, Sender


@dataclass(frozen=True)
class Import:
    """Import of files, for one run.

    Lines that earlier runs imported are sent again only if they changed, parts also if their
    owner's line did. With ``options.match`` every line is sent. The order of ``sources`` is that of
    their references: collections before those that refer to them.
    """

    client: Client
    sources: Sequence[Source]
    id_map: IdMap
    rejects: Rejects
    options: ImportOptions
    on_start: Callable[[str], object]
    """Called with the name of each collection when its import starts.

    Names of part collections come again before the last stage, ``missing records`` before deletes.
    """
    on_progress: Callable[[list[Line]], object]
    """Called with lines that are done, for an estimate of progress.

    A line comes once for its record and once for each part that is its member. Not every
    rejected line comes.
    """

    async def run(self) -> dict[str, Counter[str]]:
        """Import all files. Return the number of lines by collection or part, and by outcome.

        Steps: check every line of all files, check that the service is that of the id map, resend
        the pending requests of an interrupted run (not in a dry run), send the files in order,
        complete the parts, delete missing records if requested. Rejected lines are ``failed``; the
        first one ends the import without an exception unless they are skipped.
        Deleted missing records are counted, too; collections without a count are left out. Raise
        TransferError for what the operator can mend: an unreadable file, another service's id map,
        a key that may only read, missing records that are too many or in use. Raise SelvedgeError
        for any other refusal or failure of a request.
        """
        for source in self.sources:
            source.require_lines()
        await self._require_same_service()
        if not self.options.dry_run:
            await resend_pending(self.client, self.id_map)
        counts, parts = defaultdict[str, Counter[str]](Counter), list[PartImporter]()
        for source in self.sources:
            importer = self._importer(source, counts[source.collection.name])
            if importer.sender.stopped:
                break
            self.on_start(source.collection.name)
            if isinstance(importer, PartImporter):
                await importer.send_early()
                parts.append(importer)
            else:
                await importer.run()
        for part in parts:
            self.on_start(part.part.name)
            await part.send_complete()
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

    def _importer(self, source: Source, counts: Counter[str]) -> "RecordImporter | PartImporter":
        context = (self.client, source, self.id_map, self.rejects, self.options, counts)
        part = source.collection
        if isinstance(part, TransferPart):
            importer_class = PartDryRun if self.options.dry_run else PartImporter
            return importer_class(PartSender(*context), self._translator, part, self.on_progress)
        sender = Sender(*context, self.on_progress)
        if self.options.delete_missing:
            sender.file_sync = self._missing.sync_of(source)
        return RecordImporter(sender, self._translator)

    async def _require_same_service(self) -> None:
        """Raise TransferError if the service has none of the id map's ``sample_ids``."""
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
class RecordImporter(LineImporter):
    """Import of the records of one file.

    Lines without a record in the id map create one, and edited lines replace theirs. With ``match``
    lines replace, or are merged into, the records with their own keys.
    """

    _conflicts: Mapping[int, Detail] = field(init=False, default_factory=dict)
    """Errors of new lines whose own key a stored record has, by line number; {} with ``match``."""

    async def run(self) -> None:
        """Send the new and changed lines, in as many passes as references to later lines need.

        When a pass resolves no more references, the remaining lines are rejected.
        """
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
            self._reject_deferred(deferred)

    async def _own_key_conflicts(self) -> Mapping[int, Detail]:
        source = self.sender.source
        lookup = OwnKeyLookup(
            self.sender.client, source.collection, self.sender.id_map, self.translator
        )
        return await lookup.conflicts(source.lines())

    async def _pass(self, only: set[int] | None) -> set[int]:
        """Process all lines or those of the given numbers, and wait for the responses.

        Return the numbers of lines that refer to lines not imported yet.
        """
        deferred = set[int]()
        for line in self.sender.source.lines(only):
            if self.sender.stopped:
                break
            if not await self._process(line):
                deferred.add(line.number)
        await self.flush()
        return deferred

    async def _process(self, line: Line) -> bool:
        """Reject, count as not sent, or batch a line. Return False if a reference is missing."""
        name = line.name(self.sender.source.collection.key_fields)
        if self.is_repeated(line, name):
            return True
        if line.number in self._conflicts:
            self.reject(line, [self._conflicts[line.number]])
            return True
        mapped = self.sender.id_map.find(self.sender.source.collection.name, name)
        kind = self._write_kind(line, mapped)
        if kind is None:
            self.sender.counts[NOT_SENT] += 1
            self.sender.on_progress([line])
            return True
        entry = self._entry(line, name, kind, mapped)
        if entry.translated.missing and self.sender.source.collection.is_ordered and self._batches:
            await self.flush()
            entry = self._entry(line, name, kind, mapped)
        if entry.translated.missing:
            return False
        await self.add(kind, entry)
        return True

    def _write_kind(self, line: Line, mapped: MappedRecord | None) -> WriteKind | None:
        """Return how to write a line; None if it is unchanged since its last import.

        It is never None with ``match``, in collections with an own key.
        """
        key_fields = self.sender.source.collection.key_fields
        has_record = mapped is not None and mapped.id is not None
        is_matched = self.sender.options.match and key_fields
        if is_matched and (line.has_key(key_fields) or not has_record):
            return "merge" if self.sender.options.merge else "replace", key_fields[0]
        if mapped is None or not has_record:
            return "create", None
        return None if mapped.digest == line.digest else ("replace", None)

    def _entry(
        self, line: Line, name: str, kind: WriteKind, mapped: MappedRecord | None
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

    def _reject_deferred(self, numbers: set[int]) -> None:
        """Reject the lines whose references no file resolves."""
        fields = self.sender.source.collection.fields
        for line in self.sender.source.lines(numbers):
            if not self.sender.stopped:
                missing = self.translator.translate(fields, line.document, is_new=True).missing
                self.reject_unresolved(line, missing)
