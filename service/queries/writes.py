"""Every write is a batch in one transaction, in four phases: lock, check, write, render.

Locks are taken in the order of ids. A check reports what is wrong with items and returns the plan
of what hangs on them; if anything is wrong with any item nothing is written, or else, where the
caller wants that, the others are (contract, Bulk).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Final, TypeAlias

import asyncpg
import orjson

from service.database.connections import Connection
from service.queries import merge_patch
from service.queries.batch import Batch, Item
from service.queries.bound_statements import FIRST_PARAMETER, BoundStatement, WritePlan
from service.queries.change_recorder import CREATED, DELETED, ChangeRecorder
from service.queries.locking import (
    LockedRecords,
    Precondition,
    assign_ids,
    lock_by_id,
    lock_by_key,
    lock_organization,
    locks_organization,
)
from service.queries.master_record import Dependency, MasterRecord, WriteSet
from service.queries.outcomes import WriteOptions, WriteResult, absent_outcomes, item_outcomes
from service.queries.resource import joined

Edit: TypeAlias = Callable[[Item], Item]
"""From the stored writable form to the one to store; raises ApiError."""
_MAX_CHECK_ROUNDS: Final = 3
"""Of checks, after which what relies on failed items is not left to further ones to find."""


async def create(
    connection: Connection, resource: MasterRecord, batch: Batch, manner: WriteOptions
) -> WriteResult:
    """Make new records."""
    if locks_organization(resource, creates=True):
        await lock_organization(connection, batch)
    await assign_ids(connection, resource, batch.items)
    records = LockedRecords(new={*batch.ids})
    return await _execute(connection, resource, batch, records, manner)


async def replace(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    manner: WriteOptions,
    guard: Precondition | None = None,
) -> WriteResult:
    """Replace records; those of items whose state is ``deleted`` are deleted."""
    records = await lock_by_id(connection, resource, batch, guard, deletes=_is_deletion)
    return await _execute(connection, resource, batch, records, manner)


async def delete(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    manner: WriteOptions,
    guard: Precondition | None = None,
) -> WriteResult:
    """Delete records; deleting again changes nothing."""
    records = await lock_by_id(connection, resource, batch, guard, deletes=_all)
    return await _execute(connection, resource, batch, records, manner)


async def patch(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    manner: WriteOptions,
    guard: Precondition | None,
    edit: Edit,
) -> WriteResult:
    """Change a record's writable form by ``edit``, under the record's lock."""
    records = await lock_by_id(connection, resource, batch, guard, deletes=_none)
    batch.errors.raise_any()
    caller, parents = batch.caller, batch.parents
    writable = await resource.documents(connection, caller, batch.ids, "writables", parents)
    item = batch.items[0]
    edited = edit(orjson.loads(writable)) | {"id": item["id"]}
    item.clear()
    item.update(edited)
    batch.errors.order_by(batch.request_indexes[0], item)
    return await _execute(connection, resource, batch, records, manner)


async def replace_by_key(
    connection: Connection, resource: MasterRecord, batch: Batch, manner: WriteOptions
) -> WriteResult:
    """Replace, restore or delete the records that have the items' own keys; make the others."""
    records = await lock_by_key(connection, resource, batch, deletes=_is_deletion)
    return await _execute(connection, resource, batch, records, manner)


async def merge(
    connection: Connection, resource: MasterRecord, batch: Batch, manner: WriteOptions
) -> WriteResult:
    """Change of each record what its item says (RFC 7396)."""
    records = await lock_by_id(connection, resource, batch, None, deletes=_none)
    await merge_patch.merge_stored(connection, resource, batch.subset(), restores=False)
    return await _execute(connection, resource, batch, records, manner)


async def merge_by_key(
    connection: Connection, resource: MasterRecord, batch: Batch, manner: WriteOptions
) -> WriteResult:
    """The same of records that have the items' own keys; make the others."""
    records = await lock_by_key(connection, resource, batch, deletes=_none)
    there = batch.subset(lambda item: item.get("id") in records.stored)
    await merge_patch.merge_stored(connection, resource, there, restores=True)
    return await _execute(connection, resource, batch, records, manner)


def _all(_: Item) -> bool:
    return True


def _none(_: Item) -> bool:
    return False


def _is_deletion(item: Item) -> bool:
    return item.get("state") == "deleted"


async def _execute(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    records: LockedRecords,
    manner: WriteOptions,
) -> WriteResult:
    """Check, write and read back what a batch whose records are locked does."""
    change, plan = await _check(connection, resource, batch, records, manner)
    documents: dict[int, bytes] = {}
    if not manner.outcomes_only:
        documents = {**await resource.last_documents(connection, change)}
    changed = await _write(connection, resource, change, plan, manner)
    own = {resource.name: {CREATED: change.created_ids, DELETED: change.live_deletes}}
    recording = changed.insert_statement(batch.caller, batch.request_id, own)
    written = WriteResult(change.batch.ids, batch.errors)
    staying = [] if manner.outcomes_only else [one for one in written.ids if one not in documents]
    if staying:
        documents |= await resource.render(
            connection, batch.caller, staying, parents=batch.parents, aside=recording
        )
    elif recording:
        await _run(connection, batch, recording(FIRST_PARAMETER))
    if manner.outcomes_only:
        written.outcomes = item_outcomes(
            resource, change, records.stored, resource.changed_ids(changed, batch)
        )
        written.outcomes |= absent_outcomes(resource, batch)
        written.stored = {
            place: (resource.outcome_id(batch, item), records.stored[item["id"]].key)
            for place, item in zip(batch.request_indexes, batch.items, strict=True)
            if item.get("id") in records.stored
        }
        return written
    written.documents = joined(documents, written.ids)
    return written


async def _check(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    records: LockedRecords,
    manner: WriteOptions,
) -> tuple[WriteSet, WritePlan]:
    """What is done with the items that pass all checks, and the statements that do it.

    Items that fail are left out only if the caller wants that: the others are checked again, for
    they may have relied on them.
    """
    batch = batch.subset(lambda item: "id" in item)
    for rounds in count(1):
        change = records.write_set(batch)
        plan = await resource.check(connection, change)
        room = await resource.check_unused(connection, change)
        if not manner.skip_failed:
            batch.errors.raise_any()
        rest = batch.subset()
        if rest is batch:
            return change, room + _steps(resource, change) + plan
        if rounds >= _MAX_CHECK_ROUNDS:
            relied = await resource.dependencies(
                connection, records.write_set(batch), records.stored
            )
            _fail_dependents(batch, {*batch.ids} - {*rest.ids}, relied)
            rest = rest.subset()
        batch = rest
    raise AssertionError("unreachable")


def _fail_dependents(batch: Batch, failed: set[int], relied: Iterable[Dependency]) -> None:
    """Report the items that rely on failed records, and those that rely on these in turn."""
    relying = defaultdict[int, list[Dependency]](list)
    for one in relied:
        relying[one.depends_on].append(one)
    numbers = {record_id: number for number, record_id in enumerate(batch.ids)}
    waiting = [*failed]
    while waiting:
        for one in relying.pop(waiting.pop(), ()):
            if one.id in numbers and one.id not in failed:
                failed.add(one.id)
                waiting.append(one.id)
                batch.fail(numbers[one.id], one.type, one.field, message=one.message)


def _steps(resource: MasterRecord, change: WriteSet) -> WritePlan:
    """What writes the records themselves: what goes and what changes makes room for what comes."""
    new, staying = {*change.created_ids}, change.upserts
    coming: WritePlan = []
    if new:
        staying = change.upserts.subset(lambda item: item["id"] not in new)
        made = change.upserts.subset(lambda item: item["id"] in new)
        coming = resource.item_statements(resource.inserts, made)
    return [
        *resource.id_statements(change.live_deletes, resource.deletes),
        *resource.item_statements(resource.updates, staying),
        *coming,
    ]


async def _write(
    connection: Connection,
    resource: MasterRecord,
    change: WriteSet,
    plan: WritePlan,
    manner: WriteOptions,
) -> ChangeRecorder:
    """What the plan changed; raises ApiError where a constraint tells what no check could see."""
    batch, changed = change.batch, ChangeRecorder()
    try:
        for step in plan:
            resource.collect_changes(changed, batch, await _run(connection, batch, step))
    except asyncpg.IntegrityConstraintViolationError as error:
        refusal = resource.constraint_error(batch, error)
        if refusal is None:
            raise
        if manner.skip_failed:
            # What was not there yet when it was checked is seen when all is done again.
            raise asyncpg.SerializationError(str(error)) from error
        raise refusal from None
    return changed


async def _run(
    connection: Connection, batch: Batch, step: BoundStatement
) -> Sequence[asyncpg.Record]:
    """The rows that a step answers."""
    rows: Sequence[asyncpg.Record] = await connection.fetch(
        step.text, batch.caller.organization_id, *step.parameters
    )
    return rows
