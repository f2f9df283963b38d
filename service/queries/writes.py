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
from service.queries.bound_statements import FIRST, Plan, Step
from service.queries.change_recorder import CREATED, DELETED, Changed
from service.queries.locking import (
    Guard,
    Records,
    find,
    give_ids,
    lock,
    lock_organization,
    locks_organization,
)
from service.queries.master_record import Change, MasterRecord, Reliance
from service.queries.outcomes import Manner, Written, absent, fates
from service.queries.resource import joined

Edit: TypeAlias = Callable[[Item], Item]
"""From the stored writable form to the one to store; raises ApiError."""
_ROUNDS: Final = 3
"""Of checks, after which what relies on failed items is not left to further ones to find."""


async def create(
    connection: Connection, resource: MasterRecord, batch: Batch, manner: Manner
) -> Written:
    """Make new records."""
    if locks_organization(resource, creates=True):
        await lock_organization(connection, batch)
    await give_ids(connection, resource, batch.items)
    records = Records(new={*batch.ids})
    return await _carry_out(connection, resource, batch, records, manner)


async def replace(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    manner: Manner,
    guard: Guard | None = None,
) -> Written:
    """Replace records; those of items whose state is ``deleted`` are deleted."""
    records = await lock(connection, resource, batch, guard, deletes=_is_deletion)
    return await _carry_out(connection, resource, batch, records, manner)


async def delete(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    manner: Manner,
    guard: Guard | None = None,
) -> Written:
    """Delete records; deleting again changes nothing."""
    records = await lock(connection, resource, batch, guard, deletes=_all)
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
    records = await lock(connection, resource, batch, guard, deletes=_none)
    batch.failed.raise_any()
    caller, parents = batch.caller, batch.parents
    writable = await resource.documents(connection, caller, batch.ids, "writables", parents)
    item = batch.items[0]
    edited = edit(orjson.loads(writable)) | {"id": item["id"]}
    item.clear()
    item.update(edited)
    batch.failed.order_by(batch.places[0], item)
    return await _carry_out(connection, resource, batch, records, manner)


async def replace_by_key(
    connection: Connection, resource: MasterRecord, batch: Batch, manner: Manner
) -> Written:
    """Replace, restore or delete the records that have the items' own keys; make the others."""
    records = await find(connection, resource, batch, deletes=_is_deletion)
    return await _carry_out(connection, resource, batch, records, manner)


async def merge(
    connection: Connection, resource: MasterRecord, batch: Batch, manner: Manner
) -> Written:
    """Change of each record what its item says (RFC 7396)."""
    records = await lock(connection, resource, batch, None, deletes=_none)
    await merge_patch.merge_stored(connection, resource, batch.part(), restores=False)
    return await _carry_out(connection, resource, batch, records, manner)


async def merge_by_key(
    connection: Connection, resource: MasterRecord, batch: Batch, manner: Manner
) -> Written:
    """The same of records that have the items' own keys; make the others."""
    records = await find(connection, resource, batch, deletes=_none)
    there = batch.part(lambda item: item.get("id") in records.stored)
    await merge_patch.merge_stored(connection, resource, there, restores=True)
    return await _carry_out(connection, resource, batch, records, manner)


def _all(_: Item) -> bool:
    return True


def _none(_: Item) -> bool:
    return False


def _is_deletion(item: Item) -> bool:
    return item.get("state") == "deleted"


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
    recording = changed.recording(batch.caller, batch.request_id, own)
    written = Written(change.batch.ids, batch.failed)
    staying = [] if manner.brief else [one for one in written.ids if one not in documents]
    if staying:
        documents |= await resource.rendered(
            connection, batch.caller, staying, parents=batch.parents, aside=recording
        )
    elif recording:
        await _run(connection, batch, recording(FIRST))
    if manner.brief:
        written.fates = fates(
            resource, change, records.stored, resource.changed_ids(changed, batch)
        )
        written.fates |= absent(resource, batch)
        written.stored = {
            place: (resource.outcome_id(batch, item), records.stored[item["id"]].key)
            for place, item in zip(batch.places, batch.items, strict=True)
            if item.get("id") in records.stored
        }
        return written
    written.documents = joined(documents, written.ids)
    return written


async def _checked(
    connection: Connection, resource: MasterRecord, batch: Batch, records: Records, manner: Manner
) -> tuple[Change, Plan]:
    """What is done with the items that pass all checks, and the statements that do it.

    Items that fail are left out only if the caller wants that: the others are checked again, for
    they may have relied on them.
    """
    batch = batch.part(lambda item: "id" in item)
    for rounds in count(1):
        change = records.change(batch)
        plan = await resource.check(connection, change)
        room = await resource.check_unused(connection, change)
        if not manner.skips:
            batch.failed.raise_any()
        rest = batch.part()
        if rest is batch:
            return change, room + _steps(resource, change) + plan
        if rounds >= _ROUNDS:
            relied = await resource.reliances(connection, records.change(batch), records.stored)
            _fail_relying(batch, {*batch.ids} - {*rest.ids}, relied)
            rest = rest.part()
        batch = rest
    raise AssertionError("unreachable")


def _fail_relying(batch: Batch, failed: set[int], relied: Iterable[Reliance]) -> None:
    """Report the items that rely on failed records, and those that rely on these in turn."""
    relying = defaultdict[int, list[Reliance]](list)
    for one in relied:
        relying[one.on].append(one)
    numbers = {record_id: number for number, record_id in enumerate(batch.ids)}
    waiting = [*failed]
    while waiting:
        for one in relying.pop(waiting.pop(), ()):
            if one.id in numbers and one.id not in failed:
                failed.add(one.id)
                waiting.append(one.id)
                batch.fail(numbers[one.id], one.type, one.field, message=one.message)


def _steps(resource: MasterRecord, change: Change) -> Plan:
    """What writes the records themselves: what goes and what changes makes room for what comes."""
    new, staying = {*change.new}, change.kept
    coming: Plan = []
    if new:
        staying = change.kept.part(lambda item: item["id"] not in new)
        made = change.kept.part(lambda item: item["id"] in new)
        coming = resource.steps(resource.inserts, made)
    return [
        *resource.deletions(change.live, resource.deletes),
        *resource.steps(resource.updates, staying),
        *coming,
    ]


async def _write(
    connection: Connection, resource: MasterRecord, change: Change, plan: Plan, manner: Manner
) -> Changed:
    """What the plan changed; raises ApiError where a constraint tells what no check could see."""
    batch, changed = change.batch, Changed()
    try:
        for step in plan:
            resource.note(changed, batch, await _run(connection, batch, step))
    except asyncpg.IntegrityConstraintViolationError as error:
        refusal = resource.refusal(batch, error)
        if refusal is None:
            raise
        if manner.skips:
            # What was not there yet when it was checked is seen when all is done again.
            raise asyncpg.SerializationError(str(error)) from error
        raise refusal from None
    return changed


async def _run(connection: Connection, batch: Batch, step: Step) -> Sequence[asyncpg.Record]:
    """The rows that a step answers."""
    rows: Sequence[asyncpg.Record] = await connection.fetch(
        step.text, batch.caller.organization_id, *step.parameters
    )
    return rows
