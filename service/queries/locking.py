"""The records that a write is about: found and locked, or reported where they are not there.

Locks are taken in the order of ids, after the organization's, after a turn among writers by keys.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from service.database.connections import Connection
from service.database.errors import own_locks
from service.error_types import ErrorType
from service.queries import merge_patch, own_keys
from service.queries.batch import Batch, Item
from service.queries.master_record import LockedRow, MasterRecord, WriteSet
from service.queries.matching import next_ids
from service.queries.reads import foreign_ids
from service.queries.resource import SHARED

Precondition: TypeAlias = Callable[[AsyncIterator[bytes]], Awaitable[None]]
"""Raises ApiError unless a record that has these forms may be written; reads what it needs."""


@dataclass(slots=True)
class LockedRecords:
    """The records that a batch is about, locked where they are there."""

    deletes: Callable[[Item], bool] | None = None
    """Whether an item deletes its record; none does where there is nothing to ask."""
    stored: dict[int, LockedRow] = field(default_factory=dict)
    new: set[int] = field(default_factory=set)
    """Ids that are given to records to be made."""

    def write_set(self, batch: Batch) -> WriteSet:
        """What a batch does to them, of those of its items that did not fail."""
        kept, gone = batch.subset(), batch.empty()
        if deletes := self.deletes:
            gone = batch.subset(deletes)
            kept = batch.subset(lambda item: not deletes(item))
        deleted = {one for one, stored in self.stored.items() if stored["state"] == "deleted"}
        live = [one for one in gone.ids if one not in deleted] if deleted else gone.ids
        new = [one for one in kept.ids if one in self.new] if self.new else []
        restored = [one for one in kept.ids if one in deleted] if deleted else []
        return WriteSet(batch, kept, gone, live, new, restored)


def locks_organization(resource: MasterRecord, *, creates: bool = False) -> bool:
    """Whether a write has to wait for the others of the organization."""
    return resource.locks_organization or (creates and resource.has_position)


async def assign_ids(connection: Connection, resource: MasterRecord, items: list[Item]) -> None:
    """Give each item the id of a record to be made."""
    ids = await next_ids(connection, resource.table, len(items))
    for item, one in zip(items, ids, strict=True):
        item["id"] = one


async def lock_by_key(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    deletes: Callable[[Item], bool],
) -> LockedRecords:
    """The records that have the own keys of the batch's items, locked, and ids for new ones.

    Reports keys that several have, and items that no record can be made of.
    """
    await own_keys.take_writer_lock(connection, resource, batch)
    if locks_organization(resource, creates=True):
        await lock_organization(connection, batch)
    strength = _strength(any(map(deletes, batch.items)))
    stored = await own_keys.lock_records(connection, resource, batch, strength)
    coming = batch.subset(lambda item: "id" not in item and not deletes(item))
    merge_patch.make_new(resource, coming)
    if coming.items:
        await assign_ids(connection, resource, coming.items)
    return LockedRecords(deletes, stored, {*coming.ids})


async def lock_by_id(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    guard: Precondition | None,
    deletes: Callable[[Item], bool],
) -> LockedRecords:
    """The records of the batch, locked; reports the ones that are not there."""
    if locks_organization(resource):
        await lock_organization(connection, batch)
    goes = any(map(deletes, batch.items))
    stored = await _locked(connection, resource, batch, goes)
    if missing := set(batch.ids) - stored.keys():
        await _report_missing(connection, resource, batch, missing)
    elif guard:
        await _require_precondition(connection, resource, batch, guard)
    return LockedRecords(deletes if goes else None, stored)


async def _locked(
    connection: Connection, resource: MasterRecord, batch: Batch, goes: bool
) -> dict[int, LockedRow]:
    """Those of the records that are there, locked, by their ids."""
    text = resource.lock_text(_strength(goes))
    parameters = (batch.caller.organization_id, batch.id_array, *batch.parents)
    with own_locks():
        rows = await connection.fetch(text, *parameters, record_class=LockedRow)
    return {row[0]: row for row in rows}


def _strength(goes: bool) -> str:
    """How records are locked: for good if any of them goes."""
    return "for update" if goes else "for no key update"


async def lock_organization(connection: Connection, batch: Batch) -> None:
    """Let one writer at a time do what concerns the whole organization."""
    with own_locks():
        await connection.execute(SHARED["lock_organization"].text, batch.caller.organization_id)


async def _report_missing(
    connection: Connection, resource: MasterRecord, batch: Batch, missing: set[int]
) -> None:
    """Report the items of records that are not there, or another organization's."""
    await resource.require_parents(connection, batch.caller, batch.parents)
    foreign = await foreign_ids(connection, resource, sorted(missing))
    batch.fail_records(
        dict.fromkeys(foreign, "Another organization's record."), ErrorType.FORBIDDEN_ORGANIZATION
    )
    unknown = dict.fromkeys(missing - foreign, "There is no such record.")
    batch.fail_records(unknown, ErrorType.NOT_FOUND, resource.key)


async def _require_precondition(
    connection: Connection, resource: MasterRecord, batch: Batch, guard: Precondition
) -> None:
    """Have the guard look at the record, in either of its forms."""

    async def forms() -> AsyncIterator[bytes]:
        for form in ("documents", "writables"):
            yield await resource.documents(connection, batch.caller, batch.ids, form, batch.parents)

    await guard(forms())
