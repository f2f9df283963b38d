"""Write set: the items that a write stores and deletes, their locked rows and dependencies."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from service.batches.batch import Batch
from service.batches.change_recorder import CREATED, DELETED, WritePlan
from service.batches.entry import DELETES, LockedRow
from service.database.statements import SHARED

ORGANIZATION: Final = "organization"
"""Name of the lock of the organization's row, in ``Batch.locks``."""


class OrganizationLockError(Exception):
    """A write that began without the organization's lock needs it: begin again with the lock."""


@dataclass(frozen=True, slots=True)
class WriteSet:
    """Write set: the items that a batch stores and deletes, with their records locked.

    ``upserts`` and ``deletes`` exclude items that had failed when the write set was made.
    """

    batch: Batch
    """Items that are checked, in request order.

    Items that fail in the checks stay; items that failed before and absent ones are not included.
    """
    upserts: Batch
    deletes: Batch
    """Items whose records are to be deleted."""
    live_deletes: list[int]
    """Ids of ``deletes`` whose records are not deleted yet, in request order."""
    created_ids: Sequence[int] = ()
    """Ids of ``upserts`` to insert."""
    restored_ids: Sequence[int] = ()
    """Ids of ``upserts`` whose records were deleted before the write; patches may leave them so."""
    removals: WritePlan = field(default_factory=list)
    """Plan, set by the check, that removes entries which other records may use.

    It runs after the check of the result: a transaction may turn the uses.
    """
    removed_ids: list[int] = field(default_factory=list)
    """Ids of the entries that ``removals`` remove."""

    @classmethod
    def of(cls, batch: Batch) -> "WriteSet":
        """Return the write set of a batch's entries that have not failed; all have ids.

        Its ``batch`` is the given one itself.
        """
        deletes, upserts = batch.subset().split(DELETES)
        return cls(
            batch,
            upserts,
            deletes,
            [entry["id"] for entry in deletes.items if not entry.was_deleted],
            [entry["id"] for entry in upserts.items if entry.is_new],
            [entry["id"] for entry in upserts.items if entry.was_deleted],
        )

    @property
    def stored(self) -> Mapping[int, LockedRow]:
        """Locked rows of the batch's records, by id."""
        return {entry["id"]: entry.stored for entry in self.batch.items if entry.stored}

    def require_organization_lock(self) -> None:
        """Raise OrganizationLockError unless the transaction has locked the organization."""
        if ORGANIZATION not in self.batch.transaction.locks:
            raise OrganizationLockError

    async def try_organization_lock(self) -> None:
        """Lock the organization unless it is; raise OrganizationLockError if that has to wait.

        For checks that come after it: it protects nothing that was read before. Without it every
        replace that removes allowed values would run twice.
        """
        if ORGANIZATION not in self.batch.transaction.locks:
            if not await self.batch.fetch(SHARED["try_lock_organization"].text):
                raise OrganizationLockError
            self.batch.transaction.locks.add(ORGANIZATION)

    def operations(self, collection: str, parts: Iterable[str]) -> dict[str, dict[str, set[int]]]:
        """Return the ids of created and deleted records, by collection, then by operation.

        Records that are created as deleted count as deleted.

        ``parts`` are those of the collection's records. Records of parts are created and deleted
        with their owners, and with their content (``Batch.part_operations``). Owners whose part is
        empty are included: the change recorder drops ids that no statement returned. All other
        changed ids count as updated, those of restored records included.
        """
        items = self.upserts.items if self.created_ids else []
        deleted = {item["id"] for item in items if item.get("state") == "deleted"}
        created, stored_deleted = {*self.created_ids} - deleted, {*self.created_ids} & deleted
        operations = {CREATED: created, DELETED: {*self.live_deletes} | stored_deleted}
        of_parts = self.batch.part_operations
        return {collection: operations} | {
            part: {
                name: ids | of_parts.get(part, {}).get(name, set())
                for name, ids in operations.items()
            }
            for part in {*parts, *of_parts}
        }


class Dependency(NamedTuple):
    """Dependency between items: that of record ``id`` fails if that of ``depends_on`` fails.

    It fails with an error of ``type`` and ``message`` at ``field``. Dependencies are transitive.
    """

    id: int
    depends_on: int
    type: str
    field: str
    message: str
