"""Dry run of parts: each is checked by its schema, and by the service as far as it can be.

The service checks parts against records that exist. A part of a record that only a real import
would create is checked against another record of the collection, where there is one: this finds
references that lead nowhere and features that are off, but says less than a rehearsal.
"""

from typing import Any, Final

from service.client import Detail, FailureError, NotFoundError
from service.transfer.files import Line
from service.transfer.id_translation import Translated
from service.transfer.nested_ids import own_ids
from service.transfer.part_import import WHOLE, PartImporter, unknown
from service.transfer.sender import AS_BEFORE

CHECKED: Final = "checked"
"""The outcome of parts that were checked, but not rehearsed as they will be sent."""
_SERVER_ERROR: Final = 500


class RehearsedParts(PartImporter):
    """A part of one file's records; nothing of it is written."""

    _stand_ins: list[Any] | None = None

    async def early(self) -> None:
        """Let references find the objects that the lines would bring, then check every line."""
        await self._each(self._announce, tell=self.sender.tell)
        await self._each(self._check)

    async def whole(self) -> None:
        """Do nothing: every line was checked as a whole."""

    async def _announce(self, line: Line, _: Any) -> None:
        for owner, name in own_ids(self.part.fields, line.document[self.part.member]):
            if not self.sender.known.find(owner, name):
                self.sender.known.keep(owner, [(name, None, None)])

    async def _check(self, line: Line, record_id: Any) -> None:
        if self._stage(line) == WHOLE:
            self.counts[AS_BEFORE] += 1
            return
        details, is_rehearsed = await self._details(line, record_id)
        if details:
            self._reject(line, details)
        else:
            self.counts["updated" if is_rehearsed else CHECKED] += 1

    async def _details(self, line: Line, record_id: Any) -> tuple[list[Detail], bool]:
        """Return what is wrong with the part, and whether it was rehearsed as it will be sent."""
        if faults := self.part.faults(line.document):
            return faults, False
        translated = self._translated(line)
        details = [unknown(*reference) for reference in translated.missing]
        details = details or self.part.failures(translated.item)
        if details:
            return details, False
        if record_id is None:
            details, _ = await self._rehearse(await self._stand_in(), translated)
            return details, False
        return await self._rehearse(record_id, translated)

    async def _stand_in(self) -> Any:
        """Return the id of a record that parts of new ones are checked against; None without."""
        if self._stand_ins is None:
            self._stand_ins = [await self.part.stand_in(self.sender.client)]
        return self._stand_ins[0]

    async def _rehearse(self, record_id: Any, translated: Translated) -> tuple[list[Detail], bool]:
        if record_id is None:
            return [], False
        try:
            return [], await self.part.rehearse(self.sender.client, record_id, translated.item)
        except NotFoundError:
            return [], False
        except FailureError as error:
            if error.status >= _SERVER_ERROR:
                raise
            # Placeholders of what would be created lead nowhere yet.
            return [row for row in error.details if row.field not in translated.unmade], False
