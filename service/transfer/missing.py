"""Deletes of an import: records of its collections that none of its files has (contract, Files)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from service.client import Client, Outcome, TooManyMissingError
from service.client.sync import Sync
from service.transfer.errors import TransferError
from service.transfer.files import Line, Source


@dataclass
class MissingRecords:
    """Records without a line, of all files; ``at_most`` is the share that may be deleted."""

    client: Client
    at_most: float
    dry_run: bool
    _syncs: list[tuple[str, Sync]] = field(default_factory=list)

    def sync_of(self, source: Source) -> "FileSync":
        """Return the collector of a file's records; ``delete`` deletes those that it has not."""
        collection = source.collection
        sync = Sync(
            self.client.collection(collection.name), collection.key_fields[0], dry_run=self.dry_run
        )
        self._syncs.append((collection.name, sync))
        refers = bool(collection.fields.members[collection.key_fields[0]].refers_to)
        return FileSync(sync, refers)

    async def delete(self, counts: Mapping[str, Counter[str]]) -> None:
        """Delete them, collections in reverse order, and add the outcomes to ``counts``.

        Raise TransferError if a collection misses too many, with nothing deleted, or if some cannot
        be deleted because they are in use, with the others deleted.
        """
        try:
            missing = [(name, sync, await sync.missing(self.at_most)) for name, sync in self._syncs]
        except TooManyMissingError as error:
            raise TransferError(f"{error} (--at-most)") from error
        failed = list[str]()
        for name, sync, records in reversed(missing):
            async for outcome in sync.delete(records):
                is_failed = outcome.outcome == "failed"
                # A dry run deletes nothing, so that records are still used by other missing ones.
                counted = "checked" if is_failed and self.dry_run else outcome.outcome
                counts[name][counted] += 1
                failed += [_failure(name, outcome)] * (is_failed and not self.dry_run)
        if failed:
            raise TransferError(f"not deleted: {len(failed)}; the first is {failed[0]}")


@dataclass(frozen=True)
class FileSync:
    """Collector of what a file has: ids of its records, and the lines that were rejected."""

    sync: Sync
    has_reference_as_key: bool

    def collect(self, record_ids: Sequence[Any]) -> None:
        """Remember the records of lines."""
        self.sync.sent_ids.update(int(record_id) for record_id in record_ids)

    def collect_rejected(self, line: Line) -> None:
        """Remember a rejected line, whose record is not missing.

        Its key names no record of the service if it is a reference of the file.
        """
        self.sync.failed.append({} if self.has_reference_as_key else line.document)


def _failure(name: str, outcome: Outcome) -> str:
    reasons = "; ".join(str(detail.value) for detail in outcome.details)
    return f"{name} {outcome.record['id']}: {reasons}"
