"""Parts of records on their way in: early without what is not there yet, in the end as a whole.

A size may relate to one that comes later, and what is deactivated has to be there first for those
who need it: so charts come before sample requests, and what is deactivated after them.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from service.client import Detail, FailureError
from service.transfer.files import Line
from service.transfer.nested import ids_of_part, own_ids
from service.transfer.parts import TravellingPart
from service.transfer.sending import AT_ONCE, Sender
from service.transfer.translating import Translated, Translator

_EARLY: Final = b"early"
_WHOLE: Final = b"whole"
"""What is kept before the digest of a line, by how much of its part was sent."""


@dataclass
class PartsOf:
    """A part of one file's records."""

    sender: Sender
    translator: Translator
    part: TravellingPart
    counts: Counter[str]

    async def early(self) -> None:
        """Send what can be sent now of every line that has the part."""
        await self._each(self._early)

    async def whole(self) -> None:
        """Send again, as a whole, what was not sent so."""
        await self._each(self._whole)

    async def _each(self, send: Any) -> None:
        under_way = set[asyncio.Task[None]]()
        try:
            for line, record_id in self._lines():
                if self.sender.stopped:
                    break
                if len(under_way) >= AT_ONCE:
                    done, under_way = await asyncio.wait(
                        under_way, return_when=asyncio.FIRST_COMPLETED
                    )
                    for task in done:
                        task.result()
                under_way.add(asyncio.create_task(send(line, record_id)))
            await asyncio.gather(*under_way)
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    def _lines(self) -> Iterator[tuple[Line, Any]]:
        """The lines that have the part, and the ids of their records; not those rejected."""
        collection = self.sender.source.collection
        for line in self.sender.source.lines():
            if line.document.get(self.part.member) is not None:
                stored = self.sender.known.find(collection.name, line.name(collection.own_key))
                if stored and stored.digest == line.digest:
                    yield line, stored.id

    async def _early(self, line: Line, record_id: Any) -> None:
        if self._sent(line) is not None:
            self.counts["as before"] += 1
        elif self.sender.options.dry_run:
            self._rehearse(line)
        else:
            found = self._translated(line, is_early=True)
            is_whole = not found.missing and not found.is_withheld
            await self._send(line, record_id, found, _WHOLE if is_whole else _EARLY)

    async def _whole(self, line: Line, record_id: Any) -> None:
        if self._sent(line) != _EARLY:
            return
        found = self._translated(line, is_early=False)
        if found.missing:
            self._reject(line, [unknown(*one) for one in found.missing])
        else:
            await self._send(line, record_id, found, _WHOLE)

    def _rehearse(self, line: Line) -> None:
        """Parts are not rehearsed; what refers to their objects is."""
        for owner, one in own_ids(self.part.fields, line.document[self.part.member]):
            if not self.sender.known.find(owner, one):
                self.sender.known.keep(owner, [(one, None, None)])

    def _translated(self, line: Line, *, is_early: bool) -> Translated:
        value = line.document[self.part.member]
        return self.translator.translate(self.part.fields, value, is_early=is_early)

    async def _send(self, line: Line, record_id: Any, found: Translated, stage: bytes) -> None:
        client, in_file = self.sender.client, line.document[self.part.member]
        try:
            shown = await self.part.replace(client, record_id, found.item)
        except FailureError as error:
            self._reject(line, error.details)
            return
        if shown is not None:
            for owner, named in ids_of_part(self.part.fields, in_file, found.item, shown):
                self.sender.known.keep(owner, [named])
        self.counts["updated"] += stage == _WHOLE
        name = line.name(self.sender.source.collection.own_key)
        self.sender.known.keep(self._mark, [(name, None, stage + line.digest)])

    @property
    def _mark(self) -> str:
        """Under which it is kept how much was sent."""
        return f"{self.part.collection}/{self.part.below}/sent"

    def _sent(self, line: Line) -> bytes | None:
        """How much of the line's part was sent."""
        name = line.name(self.sender.source.collection.own_key)
        stored = self.sender.known.find(self._mark, name)
        found = stored.digest if stored and stored.digest else b""
        for stage in (_EARLY, _WHOLE):
            if found == stage + line.digest:
                return stage
        return None

    def _reject(self, line: Line, details: Any) -> None:
        self.counts["failed"] += 1
        self.sender.reject(line, [_below(self.part.member, one) for one in details])


def unknown(path: str, target: str, one: str) -> Detail:
    """What is wrong with a reference to what no file brought."""
    message = f"Nothing that came in is {target} {one}."
    return Detail("validation_error.unknown_reference", path, message)


def _below(member: str, one: Detail) -> Detail:
    path = one.field or ""
    return replace(one, field=member + ("." if path and path[0] != "[" else "") + path)
