"""Every write is a batch in one transaction, in four phases: lock, check, write, render.

Locks are taken in the order of ids. A check reports what is wrong with items and returns the plan
of what hangs on them; if anything is wrong with any item nothing is written, or else, where the
caller wants that, the others are (contract, Bulk).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import asyncpg
import orjson

from service.database.connections import Connection
from service.database.failing import own_locks
from service.queries.batch import Batch, Item
from service.queries.changed import CREATED, DELETED, Changed
from service.queries.master_record import Change, MasterRecord
from service.queries.outcomes import Manner, Stored, Written, fates
from service.queries.reading import foreign_ids
from service.queries.resource import SHARED, joined
from service.queries.steps import Plan

Edit: TypeAlias = Callable[[Item], Item]
"""From the stored writable form to the one to store; raises ApiError."""
Guard: TypeAlias = Callable[[bytes], bool]
"""Whether a record whose document this is may be written."""


@dataclass(slots=True)
class Records:
    """The records that a batch is about, locked where they are there."""

    deletes: Callable[[Item], bool]
    """Whether an item deletes its record."""
    stored: dict[int, Stored] = field(default_factory=dict)
    new: set[int] = field(default_factory=set)
    """Ids that are given to records to be made."""

    def change(self, batch: Batch) -> Change:
        """What a batch does to them, of those of its items that did not fail."""
        gone = batch.part(self.deletes)
        kept = batch.part(lambda item: not self.deletes(item))
        live = [one for one in gone.ids if self.stored[one].state != "deleted"]
        return Change(batch, kept, gone, live, [one for one in kept.ids if one in self.new])


def locks_organization(resource: MasterRecord, *, creates: bool = False) -> bool:
    """Whether a write has to wait for the others of the organization."""
    return resource.one_writer or (creates and resource.has_position)


async def create(
    connection: Connection, resource: MasterRecord, batch: Batch, manner: Manner
) -> Written:
    """Make new records."""
    if locks_organization(resource, creates=True):
        await _lock_organization(connection, batch)
    await _give_ids(connection, resource, batch.items)
    records = Records(_none, new={*batch.ids})
    return await _carry_out(connection, resource, batch, records, manner)


async def replace(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    manner: Manner,
    guard: Guard | None = None,
) -> Written:
    """Replace records; those of items whose state is ``deleted`` are deleted."""
    records = await _lock(connection, resource, batch, guard, deletes=_is_deletion)
    return await _carry_out(connection, resource, batch, records, manner)


async def delete(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    manner: Manner,
    guard: Guard | None = None,
) -> Written:
    """Delete records; deleting again changes nothing."""
    records = await _lock(connection, resource, batch, guard, deletes=_all)
    return await _carry_out(connection, resource, batch, records, manner)


async def patch(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    manner: Manner,
    guard: Guard | None,
    edit: Edit,
) -> Written:
    """Change a record's writable form by ``edit``, under the record's lock."""
    records = await _lock(connection, resource, batch, guard, deletes=_none)
    batch.failed.raise_any()
    writable = await resource.documents(connection, batch.caller, batch.ids, "writables")
    item = batch.items[0]
    edited = edit(orjson.loads(writable)) | {"id": item["id"]}
    item.clear()
    item.update(edited)
    return await _carry_out(connection, resource, batch, records, manner)


def _all(_: Item) -> bool:
    return True


def _none(_: Item) -> bool:
    return False


def _is_deletion(item: Item) -> bool:
    return item.get("state") == "deleted"


async def _give_ids(connection: Connection, resource: MasterRecord, items: list[Item]) -> None:
    """Give each item the id of a record to be made."""
    rows = await connection.fetch(SHARED["next_ids"].text, resource.table, len(items))
    for item, row in zip(items, rows, strict=True):
        item["id"] = row["id"]


async def _lock(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    guard: Guard | None,
    deletes: Callable[[Item], bool],
) -> Records:
    """The records of the batch, locked; reports the ones that are not there."""
    if locks_organization(resource):
        await _lock_organization(connection, batch)
    strength = "for update" if any(map(deletes, batch.items)) else "for no key update"
    text = SHARED["lock_records"].fill(
        table=resource.table, key=resource.key_column, strength=strength
    )
    with own_locks():
        rows = await connection.fetch(text, batch.caller.organization_id, batch.id_array)
    stored = {row["id"]: Stored(row["state"], row["key"]) for row in rows}
    if missing := set(batch.ids) - stored.keys():
        await _report_missing(connection, resource, batch, missing)
    elif guard:
        await _require(connection, resource, batch, guard)
    return Records(deletes, stored)


async def _lock_organization(connection: Connection, batch: Batch) -> None:
    """Let one writer at a time do what concerns the whole organization."""
    with own_locks():
        await connection.execute(SHARED["lock_organization"].text, batch.caller.organization_id)


async def _report_missing(
    connection: Connection, resource: MasterRecord, batch: Batch, missing: set[int]
) -> None:
    """Report the items of records that are not there, or another organization's."""
    foreign = await foreign_ids(connection, resource, sorted(missing))
    batch.fail_records(
        dict.fromkeys(foreign, "Another organization's record."), "forbidden.organization"
    )
    batch.fail_records(dict.fromkeys(missing - foreign, "There is no such record."), "not_found")


async def _require(
    connection: Connection, resource: MasterRecord, batch: Batch, guard: Guard
) -> None:
    """Report a record that is not as the caller knows it, in either of its forms."""
    for form in ("documents", "writables"):
        if guard(await resource.documents(connection, batch.caller, batch.ids, form)):
            return
    batch.fail(0, "precondition_failed", message="The record has changed since it was read.")


async def _carry_out(
    connection: Connection, resource: MasterRecord, batch: Batch, records: Records, manner: Manner
) -> Written:
    """Check, write and read back what a batch whose records are locked does."""
    change, plan = await _checked(connection, resource, batch, records, manner)
    documents: dict[int, bytes] = {}
    if not manner.brief:
        documents = {**await resource.last_documents(connection, change)}
    changed = await _write(connection, resource, change, plan, manner)
    own = {resource.name: {CREATED: change.new, DELETED: change.live}}
    await changed.record(connection, batch.caller, batch.request_id, own)
    found = fates(resource, change, records.stored, changed.ids[resource.name])
    named = {
        place: (item["id"], records.stored[item["id"]].key)
        for place, item in zip(batch.places, batch.items, strict=True)
        if item["id"] in records.stored
    }
    written = Written(found, named, batch.failed)
    if not manner.brief:
        ids = change.batch.ids
        if staying := [one for one in ids if one not in documents]:
            documents |= await resource.rendered(connection, batch.caller, staying)
        written.documents = joined(documents, ids)
    return written


async def _checked(
    connection: Connection, resource: MasterRecord, batch: Batch, records: Records, manner: Manner
) -> tuple[Change, Plan]:
    """What is done with the items that pass all checks, and the statements that do it.

    Items that fail are left out only if the caller wants that: the others are checked again, for
    they may have relied on them.
    """
    batch = batch.part(_all)
    while True:
        change = records.change(batch)
        plan = await resource.check(connection, change)
        await resource.check_unused(connection, change)
        if not manner.skips:
            batch.failed.raise_any()
        rest = batch.part(_all)
        if rest is batch:
            return change, _steps(resource, change) + plan
        batch = rest


def _steps(resource: MasterRecord, change: Change) -> Plan:
    """What writes the records themselves: what goes and what changes makes room for what comes."""
    new = {*change.new}
    staying = change.kept.part(lambda item: item["id"] not in new)
    coming = change.kept.part(lambda item: item["id"] in new)
    return [
        *resource.deletions(change.live),
        *resource.steps(resource.updates, staying),
        *resource.steps(resource.inserts, coming),
    ]


async def _write(
    connection: Connection, resource: MasterRecord, change: Change, plan: Plan, manner: Manner
) -> Changed:
    """What the plan changed; raises ApiError where a constraint tells what no check could see."""
    batch, changed = change.batch, Changed()
    try:
        for step in plan:
            rows = await connection.fetch(step.text, batch.caller.organization_id, *step.parameters)
            changed.note(resource.name, rows)
    except asyncpg.IntegrityConstraintViolationError as error:
        refusal = resource.refusal(batch, error)
        if refusal is None:
            raise
        if manner.skips:
            # What was not there yet when it was checked is seen when all is done again.
            raise asyncpg.SerializationError(str(error)) from error
        raise refusal from None
    return changed
