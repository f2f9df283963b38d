"""Dry run of parts: checks each part by its schema, and by a dry run in the service if possible.

The service dry-runs parts of existing records only. A part of a record that the import would create
is checked against another record of the collection, if there is one. This finds unknown references
and disabled features, but not all errors that depend on stored data.
"""

from typing import Any, Final

from service.client import Detail, FailureError, NotFoundError
from service.transfer.files import Line
from service.transfer.id_translation import Translated
from service.transfer.nested_ids import own_ids
from service.transfer.part_import import COMPLETE, PartImporter, unknown_reference
from service.transfer.sender import NOT_SENT

CHECKED: Final = "checked"
"""Outcome of parts that were checked, but not dry-run against their own record."""
_SERVER_ERROR: Final = 500


class PartDryRun(PartImporter):
    """Dry run of a part of one file's records; writes nothing."""

    _substitute_ids: list[Any] | None = None

    async def send_early(self) -> None:
        """Add the objects of all lines to the copied id map, then check every line."""
        await self._for_each_line(self._add_placeholders, on_progress=self.sender.on_progress)
        await self._for_each_line(self._check)

    async def send_complete(self) -> None:
        """Do nothing: every line has been checked completely."""

    async def _add_placeholders(self, line: Line, _: Any) -> None:
        for owner, name in own_ids(self.part.fields, line.document[self.part.member]):
            if not self.sender.id_map.find(owner, name):
                self.sender.id_map.store(owner, [(name, None, None)])

    async def _check(self, line: Line, record_id: Any) -> None:
        if self._stage(line) == COMPLETE:
            self.counts[NOT_SENT] += 1
            return
        details, is_complete = await self._details(line, record_id)
        if details:
            self._reject(line, details)
        else:
            self.counts["updated" if is_complete else CHECKED] += 1

    async def _details(self, line: Line, record_id: Any) -> tuple[list[Detail], bool]:
        """Return the errors of the part, and whether it was dry-run against its own record."""
        if errors := self.part.structure_errors(line.document):
            return errors, False
        translated = self._translated(line)
        details = [unknown_reference(*reference) for reference in translated.missing]
        details = details or self.part.schema_errors(translated.item)
        if details:
            return details, False
        if record_id is None:
            details, _ = await self._dry_run(await self._substitute_id(), translated)
            return details, False
        return await self._dry_run(record_id, translated)

    async def _substitute_id(self) -> Any:
        """Return the id of a record to check parts of new records against, or None."""
        if self._substitute_ids is None:
            self._substitute_ids = [await self.part.substitute_id(self.sender.client)]
        return self._substitute_ids[0]

    async def _dry_run(self, record_id: Any, translated: Translated) -> tuple[list[Detail], bool]:
        if record_id is None:
            return [], False
        try:
            return [], await self.part.dry_run(self.sender.client, record_id, translated.item)
        except NotFoundError:
            return [], False
        except FailureError as error:
            if error.status >= _SERVER_ERROR:
                raise
            # The service has no records of the placeholder ids.
            details = [row for row in error.details if row.field not in translated.placeholders]
            return details, False
