"""Part import: sends each part in up to three stages.

Problem: entries of a part can refer to lines that come later in the files, and records can refer to
entries that the file marks as deactivated, which the service refuses as new references. Chosen:
first without unresolved references, then with them and with all entries active, after all files in
the final form.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from service.client import Detail, FailureError
from service.error_types import ErrorType
from service.transfer.files import Line
from service.transfer.forms import prefixed
from service.transfer.id_translation import Translated, Translator
from service.transfer.nested_ids import ids_of_part
from service.transfer.parts import TransferPart
from service.transfer.sender import MAX_CONCURRENT, NOT_SENT, Sender

_EARLY: Final = b"early"
_ACTIVE: Final = b"active"
COMPLETE: Final = b"whole"
_STAGES: Final = (_EARLY, _ACTIVE, COMPLETE)
"""Stages of a part, stored before the digest of its line: without unresolved references; with all
references, but active; complete."""


@dataclass
class PartImporter:
    """Importer of one part of the records of one file."""

    sender: Sender
    translator: Translator
    part: TransferPart
    counts: Counter[str]

    @property
    def name(self) -> str:
        """Path of the part for progress and summary: ``size-ranges/sizes``."""
        return self.part.path

    async def send_early(self) -> None:
        """Send the part of every line.

        Until a part has been complete once, its deactivated entries are sent as active.
        """
        await self._for_each_line(self._send_early, on_progress=self.sender.on_progress)
        await self._for_each_line(self._send_references)

    async def send_complete(self) -> None:
        """Send the parts that are not complete yet in their final form."""
        await self._for_each_line(self._send_complete)

    async def _for_each_line(
        self, send: Any, *, on_progress: Callable[[list[Line]], object] = len
    ) -> None:
        tasks = set[asyncio.Task[None]]()
        try:
            for line, record_id in self._lines(on_progress):
                if self.sender.stopped:
                    break
                if len(tasks) >= MAX_CONCURRENT:
                    done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                    await asyncio.gather(*done)
                tasks.add(asyncio.create_task(send(line, record_id)))
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _lines(self, on_progress: Callable[[list[Line]], object]) -> Iterator[tuple[Line, Any]]:
        """Yield the imported lines that have the part, with the ids of their records."""
        collection = self.sender.source.collection
        for line in self.sender.source.lines():
            on_progress([line])
            if line.document.get(self.part.member) is not None:
                mapped = self.sender.id_map.find(collection.name, self._name(line))
                if mapped and mapped.digest == line.digest:
                    yield line, mapped.id

    async def _send_early(self, line: Line, record_id: Any) -> None:
        """Send the part without references to entries that are not imported yet."""
        if self._stage(line):
            self.counts[NOT_SENT] += self._stage(line) == COMPLETE
        elif errors := self.part.structure_errors(line.document):
            self._reject(line, errors)
        else:
            await self._send(line, record_id, self._translated(line, omits_missing=True))

    async def _send_references(self, line: Line, record_id: Any) -> None:
        if self._stage(line) != _EARLY:
            return
        translated = self._translated(line)
        if translated.missing:
            self._reject(line, [unknown_reference(*reference) for reference in translated.missing])
        else:
            await self._send(line, record_id, translated)

    async def _send_complete(self, line: Line, record_id: Any) -> None:
        if self._stage(line) == _ACTIVE:
            content = line.document[self.part.member]
            translated = self.translator.translate(self.part.fields, content)
            await self._send(line, record_id, translated)

    def _translated(self, line: Line, *, omits_missing: bool = False) -> Translated:
        """Translate the part; all entries are active until the part has been complete once."""
        mapped = self.sender.id_map.find(self._stage_collection, self._name(line))
        was_complete = mapped is not None and (mapped.digest or b"").startswith(COMPLETE)
        return self.translator.translate(
            self.part.fields,
            line.document[self.part.member],
            omits_missing=omits_missing,
            activates=not was_complete,
        )

    async def _send(self, line: Line, record_id: Any, translated: Translated) -> None:
        """Replace the part in the service; store the ids of its objects and the new stage."""
        client, in_file = self.sender.client, line.document[self.part.member]
        try:
            stored = await self.part.replace(client, record_id, translated.item)
        except FailureError as error:
            self._reject(line, error.details)
            return
        if stored is not None:
            for owner, mapping in ids_of_part(self.part.fields, in_file, translated.item, stored):
                self.sender.id_map.store(owner, [mapping])
        stage = _EARLY if translated.missing else _ACTIVE if translated.is_activated else COMPLETE
        self.counts["updated"] += stage == COMPLETE
        entry = (self._name(line), None, stage + line.digest)
        self.sender.id_map.store(self._stage_collection, [entry])

    @property
    def _stage_collection(self) -> str:
        """Collection name under which the id map has the stages of the part."""
        return f"{self.part.path}/sent"

    def _name(self, line: Line) -> str:
        return line.name(self.sender.source.collection.key_fields)

    def _stage(self, line: Line) -> bytes:
        """Return the stage of the line's part; empty if it was not sent, or the line changed."""
        mapped = self.sender.id_map.find(self._stage_collection, self._name(line))
        digest = mapped.digest or b"" if mapped else b""
        stages = (stage for stage in _STAGES if digest == stage + line.digest)
        return next(stages, b"")

    def _reject(self, line: Line, details: Any) -> None:
        self.counts["failed"] += 1
        self.sender.reject(line, [prefixed(self.part.member, detail) for detail in details])


def unknown_reference(path: str, target: str, file_id: str) -> Detail:
    """Return the error of a reference to an id that no imported line has."""
    message = f"No imported line of {target} has the id {file_id}."
    return Detail(ErrorType.UNKNOWN_REFERENCE, path, message)
