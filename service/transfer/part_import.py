"""Part import: sends the parts of many owners in one request, in up to three stages.

Problem: entries of a part can refer to lines that come later in the files, and records can refer to
entries that the file marks as deactivated, which the service refuses as new references. Chosen:
first without unresolved references, then with them, in both cases with all entries active; after
all files in the final form. A part that needs fewer stages is sent fewer times.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any, Final

from service.client import Outcome
from service.limits import MAX_PAGE_SIZE
from service.transfer.collections import TransferPart
from service.transfer.files import Line
from service.transfer.line_importer import LineImporter
from service.transfer.nested_ids import placeholders
from service.transfer.outcomes import CHECKED, NOT_SENT
from service.transfer.sender import ImportEntry, Sender

_EARLY: Final = b"early"
_ACTIVE: Final = b"active"
_COMPLETE: Final = b"whole"
_STAGES: Final = (_EARLY, _ACTIVE, _COMPLETE)
"""Stages that a part has reached, stored before the digest of its line in the id map: sent without
unresolved references; sent with all references, but some entries active that are not; complete."""
_SIZE: Final = "sizeRangeSizeId"
_LARGEST_ID: Final = 2**63 - 1


class PartSender(Sender):
    """Sender of parts.

    Requests have no key of the id map and are not pending: replacing a part again does no harm. A
    part counts once, when it is complete.
    """

    def _idempotency_key(self) -> str:
        return ""

    def _forgiven(self, outcome: Outcome) -> str:  # noqa: ARG002
        return CHECKED

    def _count(self, entry: ImportEntry, outcome: Outcome) -> None:
        id_field = self.source.collection.id_field
        if outcome.outcome == CHECKED or id_field in entry.translated.placeholders:
            self.counts[CHECKED] += 1
        elif entry.stage == _COMPLETE or self.options.dry_run:
            self.counts[outcome.outcome] += 1

    def reject(self, line: Line, details: Any) -> None:
        """Reject a line, or with its field paths the owner's line that has it as a member."""
        part = self.source.collection
        if line.owner_line and isinstance(part, TransferPart):
            details = [replace(row, field=part.field_of_owner(row.field)) for row in details]
        super().reject(line.owner_line or line, details)


@dataclass
class PartImporter(LineImporter):
    """Importer of the parts of one file: ``send_early``, after all files ``send_complete``."""

    part: TransferPart
    on_progress: Callable[[list[Line]], object]
    """Called with each line once, when it is read for the first time."""

    async def send_early(self) -> None:
        """Send every new or changed line, in the first and second stage.

        Until a part has been complete once, its deactivated entries are sent as active. Lines with
        references that no line resolves are rejected, and so are repeated owners.
        """
        self.sender.id_map.start_file()
        await self._pass(self._early_entry)
        await self._pass(self._referring_entry)

    async def send_complete(self) -> None:
        """Send the parts that were sent with activated entries again, in their final form."""
        await self._pass(self._complete_entry)

    async def _pass(self, entry_of: Callable[[Line], ImportEntry | None]) -> None:
        try:
            for line in self.lines():
                if self.sender.stopped:
                    break
                entry = entry_of(line)
                if entry:
                    await self.add(("replace", None), entry)
            await self.flush()
        finally:
            await self.sender.cancel()

    def lines(self) -> Iterator[Line]:
        """Yield the lines to import, with the owner's digest in theirs.

        Members of owners' lines are left out unless the owner's line was imported as it is now. A
        replaced owner can lose its part: a color without languages has no translations. Parts are
        therefore sent again once their owners are.
        """
        for line in self.sender.source.lines():
            mapped = self.sender.id_map.find(self.part.owner, self._name(line))
            owner_digest = mapped.digest if mapped else None
            if line.owner_line is None:
                yield replace(line, digest=line.digest + (owner_digest or b""))
            elif owner_digest == line.digest:
                yield line

    def first_entry(self, line: Line, *, omits_missing: bool) -> ImportEntry | None:
        """Return the entry of a line in its first pass; None if it is not to be sent.

        That is so if its owner is repeated or a reference missing, which rejects it, or if its part
        is complete, which counts it as not sent. With ``omits_missing``, references to entries of
        this part collection may be missing: they are null in the entry.
        """
        self.on_progress([line])
        if self.is_repeated(line, self._name(line)):
            return None
        if self._stage(line) == _COMPLETE:
            self.sender.counts[NOT_SENT] += 1
            return None
        entry = self.entry(line, omits_missing=omits_missing)
        missing = [
            reference
            for reference in entry.translated.missing
            if not omits_missing or reference[1] != self.part.path
        ]
        if missing:
            self.reject_unresolved(line, missing)
        return None if missing else entry

    def _early_entry(self, line: Line) -> ImportEntry | None:
        """Return the entry without references to later entries; None if it was sent before."""
        entry = self.first_entry(line, omits_missing=True)
        return None if self._stage(line) else entry

    def _referring_entry(self, line: Line) -> ImportEntry | None:
        if self._stage(line) != _EARLY:
            return None
        entry = self.entry(line)
        if entry.translated.missing:
            self.reject_unresolved(line, entry.translated.missing)
        return None if entry.translated.missing else entry

    def _complete_entry(self, line: Line) -> ImportEntry | None:
        return self.entry(line, activates=False) if self._stage(line) == _ACTIVE else None

    def entry(
        self, line: Line, *, omits_missing: bool = False, activates: bool | None = None
    ) -> ImportEntry:
        """Translate a line; return its entry with the stage that sending it reaches.

        Unless ``activates`` says otherwise, deactivated entries are sent as active until the part
        has been complete once, in any earlier run.
        """
        translated = self.translator.translate(
            self.part.fields,
            line.document,
            omits_missing=omits_missing,
            activates=not self._was_complete(line) if activates is None else activates,
        )
        stage = _EARLY if translated.missing else _ACTIVE if translated.is_activated else _COMPLETE
        return ImportEntry(line, self._name(line), translated, stage)

    def _name(self, line: Line) -> str:
        """Return the name of the line in the id map: its owner's, or without one the digest."""
        owner = line.document.get(self.part.id_field)
        return f"content:{line.digest.hex()}" if owner is None else str(owner)

    def _sent_digest(self, line: Line) -> bytes:
        mapped = self.sender.id_map.find(self.part.map_name, self._name(line))
        return mapped.digest or b"" if mapped else b""

    def _was_complete(self, line: Line) -> bool:
        return self._sent_digest(line).startswith(_COMPLETE)

    def _stage(self, line: Line) -> bytes:
        """Return the stage of the line's part; empty if it was not sent, or the line changed."""
        digest = self._sent_digest(line)
        return next((stage for stage in _STAGES if digest == stage + line.digest), b"")


class PartDryRun(PartImporter):
    """Dry run of parts.

    The service has no owners that only a real import creates. Their parts are checked as parts of
    up to 100 other owners, each once in a request; without any, by the schema alone.
    """

    _owner_ids: Iterator[Any] = iter(())

    async def send_early(self) -> None:
        """Add the entries of all lines to the id map, a copy or temporary, then check every line.

        Stages do not matter: references to entries of later lines are placeholders. Lines without
        an imported owner add none, because a real import rejects them and what refers to them.
        """
        self.sender.id_map.start_file()
        for line in self.lines():
            if self._lacks_owner(line):
                continue
            for target, mappings in placeholders(
                self.part, self.sender.id_map, line.document
            ).items():
                if self.translator.has_file_ids(target):
                    self.sender.id_map.store(target, mappings)
        await self._pass(self._entry_of_stored_owner)
        owner_ids = await self._live_owner_ids() or [
            *range(_LARGEST_ID - self.max_items, _LARGEST_ID)
        ]
        self._owner_ids, self.max_items = cycle(owner_ids), min(len(owner_ids), self.max_items)
        await self._pass(self._entry_of_new_owner)

    def _lacks_owner(self, line: Line) -> bool:
        """Return whether a line names its owner by the id of a line that is not imported."""
        owner, id_map = line.document.get(self.part.id_field), self.sender.id_map
        is_file_id = self.translator.has_file_ids(self.part.owner) and isinstance(owner, int | str)
        return is_file_id and id_map.find(self.part.owner, str(owner)) is None

    async def send_complete(self) -> None:
        """Do nothing: every line has been checked completely."""

    async def _live_owner_ids(self) -> list[Any]:
        """Return the ids of up to 100 live owners; [] if a part fits its own owner alone."""
        if self.part.fits_any_owner:
            owners = self.sender.client.collection(self.part.owner)
            async for page in owners.pages(page_size=MAX_PAGE_SIZE):
                return [owner["id"] for owner in page.records]
        return []

    def _entry_of_stored_owner(self, line: Line) -> ImportEntry | None:
        entry = self.first_entry(line, omits_missing=False)
        if entry is None or self._is_of_new_owner(entry):
            return None
        entry.translated.placeholders += self._added_references(entry)
        return entry

    def _entry_of_new_owner(self, line: Line) -> ImportEntry | None:
        first_line = self.sender.id_map.first_line(self._name(line), line.number)
        if first_line != line.number or self._stage(line):
            return None
        entry = self.entry(line)
        if entry.translated.missing or not self._is_of_new_owner(entry):
            return None
        entry.translated.item[self.part.id_field] = next(self._owner_ids)
        return entry

    def _is_of_new_owner(self, entry: ImportEntry) -> bool:
        return self.part.id_field in entry.translated.placeholders

    def _added_references(self, entry: ImportEntry) -> Iterator[str]:
        """Yield the paths of references to sizes that this import may add to a sample request."""
        sizes = entry.translated.item.get(self.part.list_field)
        if self.part.fits_any_owner or not isinstance(sizes, list):
            return
        ids = [size.get(_SIZE) if isinstance(size, dict) else None for size in sizes]
        for index, size_id in enumerate(ids):
            if isinstance(size_id, int) and size_id not in ids[:index]:
                yield f"{self.part.list_field}[{index}].{_SIZE}"
