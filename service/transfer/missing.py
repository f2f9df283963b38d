"""Deletes of an import: records of its collections that none of its files has (contract, Files).

Only live records with an own key are meant, in collections that have a file. It is the option
``--delete-missing``, which needs ``--match``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from service.client import Client, Outcome, TooManyMissingError
from service.client.sync import Sync
from service.transfer.errors import TransferError
from service.transfer.files import Line, Source
from service.transfer.outcomes import CHECKED


@dataclass
class MissingRecords:
    """Records without a line, of all files of an import."""

    client: Client
    at_most: float
    """Share from 0 to 1 of a collection's live records with an own key that may be missing."""
    dry_run: bool
    """Whether deletes are dry runs."""
    _syncs: list[tuple[str, Sync]] = field(default_factory=list)

    def sync_of(self, source: Source) -> "FileSync":
        """Return the collector of a file's records; ``delete`` deletes the collection's others.

        Call it once for each file of records, in the order of the import.
        """
        collection = source.collection
        sync = Sync(
            self.client.collection(collection.name), collection.key_fields[0], dry_run=self.dry_run
        )
        self._syncs.append((collection.name, sync))
        refers = bool(collection.fields.members[collection.key_fields[0]].refers_to)
        return FileSync(sync, refers)

    async def delete(self, counts: Mapping[str, Counter[str]]) -> None:
        """Delete them, collections in reverse order, and add the outcomes to ``counts``.

        Raise TransferError if more than ``at_most`` of a collection is missing, with nothing
        deleted in any, or if some cannot be deleted because they are in use, with the others
        deleted. A dry run counts those in use as ``checked`` and does not raise for them.
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
                counted = CHECKED if is_failed and self.dry_run else outcome.outcome
                counts[name][counted] += 1
                failed += [_failure(name, outcome)] * (is_failed and not self.dry_run)
        if failed:
            raise TransferError(f"not deleted: {len(failed)}; the first is {failed[0]}")


@dataclass(frozen=True)
class FileSync:
    """Collector of what a file has: outcomes of its lines, and the lines that were rejected."""

    sync: Sync
    has_reference_as_key: bool
    """Whether the own key is an id of another record, as of style relations."""

    def collect(self, outcomes: Iterable[Outcome]) -> None:
        """Add the outcomes of lines; records of those that did not fail are not missing."""
        for outcome in outcomes:
            self.sync.collect(outcome)

    def collect_rejected(self, line: Line) -> None:
        """Add a rejected line: the record with its own key is not missing.

        A line without a key may mean any record, and so may one whose key is a reference, because
        that can be an id of the file. After such a line no record of the collection is missing.
        """
        self.sync.failed.append({} if self.has_reference_as_key else line.document)


def _failure(name: str, outcome: Outcome) -> str:
    reasons = "; ".join(str(detail.value) for detail in outcome.details)
    return f"{name} {outcome.record['id']}: {reasons}"
