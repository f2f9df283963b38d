"""Every write is a batch in one transaction, in four phases: lock, check, write, render.

Locks are taken in the order of ids. A check reports what is wrong with items and returns the plan
of what hangs on them; if anything is wrong with any item nothing is written (contract, Bulk).
"""

from collections.abc import Callable
from typing import TypeAlias

import asyncpg
import orjson

from service.database.connections import Connection
from service.database.failing import own_locks
from service.queries.batch import Batch, Item
from service.queries.changed import CREATED, DELETED, Changed
from service.queries.master_record import Change, MasterRecord
from service.queries.reading import foreign_ids
from service.queries.resource import SHARED, joined
from service.queries.steps import Plan

Edit: TypeAlias = Callable[[Item], Item]
"""From the stored writable form to the one to store; raises ApiError."""
Guard: TypeAlias = Callable[[bytes], bool]
"""Whether a record whose document this is may be written."""


def locks_organization(resource: MasterRecord, *, creates: bool = False) -> bool:
    """Whether a write has to wait for the others of the organization."""
    return resource.one_writer or (creates and resource.has_position)


async def create(connection: Connection, resource: MasterRecord, batch: Batch) -> bytes:
    """The documents of new records, in request order; gives each item its id."""
    if locks_organization(resource, creates=True):
        await _lock_organization(connection, batch)
    rows = await connection.fetch(SHARED["next_ids"].text, resource.table, len(batch.items))
    for item, row in zip(batch.items, rows, strict=True):
        item["id"] = row["id"]
    change = Change(batch, kept=batch, gone=batch.part(_none), live=[], new=batch.ids)
    return await _carry_out(connection, resource, change, resource.steps(resource.inserts, batch))


async def replace(
    connection: Connection, resource: MasterRecord, batch: Batch, guard: Guard | None = None
) -> bytes:
    """The documents after a replace; items whose state is ``deleted`` are deleted."""
    change = await _lock(connection, resource, batch, guard, deletes=_is_deletion)
    steps = resource.steps(resource.updates, change.kept)
    return await _carry_out(connection, resource, change, steps)


async def delete(
    connection: Connection, resource: MasterRecord, batch: Batch, guard: Guard | None = None
) -> bytes:
    """The documents of records as they were deleted; deleting again changes nothing."""
    change = await _lock(connection, resource, batch, guard, deletes=_all)
    return await _carry_out(connection, resource, change, [])


async def patch(
    connection: Connection, resource: MasterRecord, batch: Batch, guard: Guard | None, edit: Edit
) -> bytes:
    """The document after ``edit`` changed its writable form, under the record's lock."""
    change = await _lock(connection, resource, batch, guard, deletes=_none)
    batch.failed.raise_any()
    writable = await resource.documents(connection, batch.caller, batch.ids, "writables")
    item = batch.items[0]
    edited = edit(orjson.loads(writable)) | {"id": item["id"]}
    item.clear()
    item.update(edited)
    steps = resource.steps(resource.updates, change.kept)
    return await _carry_out(connection, resource, change, steps)


def _all(_: Item) -> bool:
    return True


def _none(_: Item) -> bool:
    return False


def _is_deletion(item: Item) -> bool:
    return item.get("state") == "deleted"


async def _lock(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    guard: Guard | None,
    deletes: Callable[[Item], bool],
) -> Change:
    """The change that the batch is, its records locked; reports the ones that are not there."""
    if locks_organization(resource):
        await _lock_organization(connection, batch)
    strength = "for update" if any(map(deletes, batch.items)) else "for no key update"
    text = SHARED["lock_records"].fill(
        table=resource.table, state=resource.stored_state, strength=strength
    )
    with own_locks():
        rows = await connection.fetch(text, batch.caller.organization_id, batch.id_array)
    states = {row["id"]: row["state"] for row in rows}
    if missing := set(batch.ids) - states.keys():
        await _report_missing(connection, resource, batch, missing)
    elif guard:
        await _require(connection, resource, batch, guard)
    gone = batch.part(deletes)
    live = [one for one in gone.ids if states[one] != "deleted"]
    return Change(batch, batch.part(lambda item: not deletes(item)), gone, live)


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
    connection: Connection, resource: MasterRecord, change: Change, steps: Plan
) -> bytes:
    """Check, write and read back what a batch whose records are locked does."""
    plan = await resource.check(connection, change)
    await resource.check_unused(connection, change)
    batch = change.batch
    batch.failed.raise_any()
    documents = {**await resource.last_documents(connection, change)}
    plan = [*resource.deletions(change.live), *steps, *plan]
    changed = await _write(connection, resource, batch, plan)
    own = {resource.name: {CREATED: change.new, DELETED: change.live}}
    await changed.record(connection, batch.caller, batch.request_id, own)
    if staying := [one for one in batch.ids if one not in documents]:
        documents |= await resource.rendered(connection, batch.caller, staying)
    return joined(documents, batch.ids)


async def _write(
    connection: Connection, resource: MasterRecord, batch: Batch, plan: Plan
) -> Changed:
    """What the plan changed; raises ApiError where a constraint tells what no check could see."""
    organization_id, changed = batch.caller.organization_id, Changed()
    try:
        for step in plan:
            rows = await connection.fetch(step.text, organization_id, *step.parameters)
            changed.note(resource.name, rows)
    except asyncpg.IntegrityConstraintViolationError as error:
        refusal = resource.refusal(batch, error)
        if refusal is None:
            raise
        raise refusal from None
    return changed
