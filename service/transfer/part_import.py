"""Parts of records on their way in: early without what is not there yet, in the end as a whole.

A size may relate to one that comes later, and what is deactivated has to be there first for those
who need it: so charts come before sample requests, and what is deactivated after them.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from service.client import Detail, FailureError
from service.error_types import ErrorType
from service.transfer.files import Line
from service.transfer.forms import below
from service.transfer.id_translation import Translated, Translator
from service.transfer.nested_ids import ids_of_part
from service.transfer.parts import TransferPart
from service.transfer.sender import AS_BEFORE, AT_ONCE, Sender

_EARLY: Final = b"early"
_ACTIVE: Final = b"active"
WHOLE: Final = b"whole"
_STAGES: Final = (_EARLY, _ACTIVE, WHOLE)
"""What is kept before the digest of a line, by how much of its part was sent: without references
to what came later; all of it, but active; as it is."""


@dataclass
class PartImporter:
    """A part of one file's records."""

    sender: Sender
    translator: Translator
    part: TransferPart
    counts: Counter[str]

    @property
    def name(self) -> str:
        """The part, for people: ``size-ranges/sizes``."""
        return self.part.place

    async def early(self) -> None:
        """Send what every line has of the part, but deactivate nothing yet."""
        await self._each(self._early, tell=self.sender.tell)
        await self._each(self._referring)

    async def whole(self) -> None:
        """Send again, as a whole, what was not sent so."""
        await self._each(self._whole)

    async def _each(self, send: Any, *, tell: Callable[[list[Line]], object] = len) -> None:
        under_way = set[asyncio.Task[None]]()
        try:
            for line, record_id in self._lines(tell):
                if self.sender.stopped:
                    break
                if len(under_way) >= AT_ONCE:
                    done, under_way = await asyncio.wait(
                        under_way, return_when=asyncio.FIRST_COMPLETED
                    )
                    await asyncio.gather(*done)
                under_way.add(asyncio.create_task(send(line, record_id)))
            await asyncio.gather(*under_way)
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    def _lines(self, tell: Callable[[list[Line]], object]) -> Iterator[tuple[Line, Any]]:
        """The lines that have the part, and the ids of their records; not those rejected."""
        collection = self.sender.source.collection
        for line in self.sender.source.lines():
            tell([line])
            if line.document.get(self.part.member) is not None:
                stored = self.sender.known.find(collection.name, self._name(line))
                if stored and stored.digest == line.digest:
                    yield line, stored.id

    async def _early(self, line: Line, record_id: Any) -> None:
        """Of what refers to its own kind, some may not be there yet: without that."""
        if self._stage(line):
            self.counts[AS_BEFORE] += self._stage(line) == WHOLE
        elif faults := self.part.faults(line.document):
            self._reject(line, faults)
        else:
            await self._send(line, record_id, self._translated(line, leaves_out=True))

    async def _referring(self, line: Line, record_id: Any) -> None:
        if self._stage(line) != _EARLY:
            return
        found = self._translated(line)
        if found.missing:
            self._reject(line, [unknown(*one) for one in found.missing])
        else:
            await self._send(line, record_id, found)

    async def _whole(self, line: Line, record_id: Any) -> None:
        if self._stage(line) == _ACTIVE:
            found = self.translator.translate(self.part.fields, line.document[self.part.member])
            await self._send(line, record_id, found)

    def _translated(self, line: Line, *, leaves_out: bool = False) -> Translated:
        """The part, all of it active where it was never sent as a whole."""
        stored = self.sender.known.find(self._mark, self._name(line))
        was_whole = stored is not None and (stored.digest or b"").startswith(WHOLE)
        return self.translator.translate(
            self.part.fields,
            line.document[self.part.member],
            leaves_out=leaves_out,
            activates=not was_whole,
        )

    async def _send(self, line: Line, record_id: Any, found: Translated) -> None:
        client, in_file = self.sender.client, line.document[self.part.member]
        try:
            shown = await self.part.replace(client, record_id, found.item)
        except FailureError as error:
            self._reject(line, error.details)
            return
        if shown is not None:
            for owner, named in ids_of_part(self.part.fields, in_file, found.item, shown):
                self.sender.known.keep(owner, [named])
        stage = _EARLY if found.missing else _ACTIVE if found.is_activated else WHOLE
        self.counts["updated"] += stage == WHOLE
        kept = (self._name(line), None, stage + line.digest)
        self.sender.known.keep(self._mark, [kept])

    @property
    def _mark(self) -> str:
        """Under which it is kept how much was sent."""
        return f"{self.part.place}/sent"

    def _name(self, line: Line) -> str:
        return line.name(self.sender.source.collection.key_fields)

    def _stage(self, line: Line) -> bytes:
        """How much was sent of the part as the line has it; empty for nothing."""
        stored = self.sender.known.find(self._mark, self._name(line))
        found = stored.digest or b"" if stored else b""
        stages = (stage for stage in _STAGES if found == stage + line.digest)
        return next(stages, b"")

    def _reject(self, line: Line, details: Any) -> None:
        self.counts["failed"] += 1
        self.sender.reject(line, [below(self.part.member, one) for one in details])


def unknown(path: str, target: str, one: str) -> Detail:
    """What is wrong with a reference to what no file brought."""
    message = f"There is no {one} among the {target} that came in."
    return Detail(ErrorType.UNKNOWN_REFERENCE, path, message)
