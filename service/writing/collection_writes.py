"""Writes of collections: the phases after the lock, and what they changed."""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final, TypeGuard

import orjson

from service.batches import change_recorder
from service.batches.batch import Batch
from service.batches.entry import IMPORT, UPSERT
from service.batches.write_set import Dependency, WriteSet
from service.database.new_ids import next_id
from service.database.statements import SHARED, id_array
from service.error_types import ErrorType
from service.errors import unavailable
from service.records.master_record import MasterRecord
from service.records.relation_statements import finding_hidden
from service.records.rendering import joined
from service.records.writable_resource import WritableResource
from service.schemas.write_forms import FIXED, SINCE
from service.writing import before_images, outcomes, plan_execution, unique_keys
from service.writing.keyed_references import KeyedReferences
from service.writing.merge_patch import edit_stored
from service.writing.previews import set_changes

_MAX_CHECK_ROUNDS: Final = 3
"""Check rounds after which items also fail by their ``dependencies`` on failed items.

Further rounds check the remaining items as before.
"""
_FIXED: Final = "This is set at creation. Leave it out, or repeat it."


@dataclass(slots=True)
class CollectionWrite:
    """Write of one collection's entries: what it changed, and the forms before and after it."""

    resource: WritableResource
    batch: Batch
    """All entries whose records are looked up."""
    write_set: WriteSet
    """Entries that passed all checks; none before the check."""
    recorder: change_recorder.ChangeRecorder = field(default_factory=change_recorder.ChangeRecorder)
    forms: tuple[plan_execution.Documents, plan_execution.Documents] = field(
        default_factory=lambda: ({}, {})
    )

    @classmethod
    def of(cls, resource: WritableResource, batch: Batch) -> "CollectionWrite":
        """Return the write of a batch that has yet to be locked, checked and stored."""
        empty = batch.empty()
        return cls(resource, batch, WriteSet(empty, empty, empty, []))


async def set_contents(resource: WritableResource, batch: Batch) -> None:
    """Give the locked entries the content that their records are to have."""
    await edit_stored(resource, batch)
    _keep_newer_fields(resource, batch)


async def store(
    write: CollectionWrite, plan: change_recorder.WritePlan, options: outcomes.WriteOptions
) -> None:
    """Execute the plan of a collection that has been checked; read what the response shows."""
    batch = write.write_set.batch
    requests = plan_execution.requested_documents(write.resource, write.write_set, options)
    with plan_execution.constraint_errors(write.resource, batch, options):
        write.forms = await plan_execution.execute_plan(
            write.resource, batch, plan, requests, write.recorder
        )


async def record_changes(written: Sequence[CollectionWrite]) -> None:
    """Insert one change of all batches into the outbox, with the next statement."""
    batch = written[0].batch
    changes = (
        change_recorder.WriteChange(
            each.resource.feed_name,
            each.recorder,
            each.write_set.operations(each.resource.name, each.resource.parts),
        )
        for each in written
    )
    change = change_recorder.change_statement(
        batch.caller, batch.request_id, changes, batch.connection.history
    )
    if change:
        change_id = await next_id(batch.connection, "change")
        parameters = (batch.caller.organization_id, change_id, *change.parameters)
        await batch.connection.defer(change.text, *parameters)
        if batch.connection.history is not None:
            await _insert_versions(written, change_id)
    elif any(each.write_set.created_ids for each in written):
        raise unavailable()  # the organization has just moved to another cell


async def _insert_versions(written: Sequence[CollectionWrite], change_id: int) -> None:
    """Insert what the records were before the change, with the next statement."""
    batch, images = written[0].batch, {**written[0].batch.transaction.images}
    for each in written:
        if before_images.keeps(batch, each.resource):
            name = each.resource.feed_name
            new = change_recorder.Image(1, None)
            images |= {(name, id_, 0): new for id_ in each.write_set.created_ids}
    if images:
        await before_images.insert(batch, images, change_id)


async def result_of(
    written: CollectionWrite, options: outcomes.WriteOptions
) -> outcomes.WriteResult:
    """Return the outcomes or documents of a stored batch."""
    resource, batch, write_set = written.resource, written.batch, written.write_set
    result = outcomes.WriteResult(batch, write_set.batch.ids, write_set.created_ids)
    if not batch.items:
        return result
    if not options.outcomes_only:
        before, after = written.forms
        result.documents = joined(before | after, result.ids)
        return result
    outcomes.set_outcomes(resource, batch, written.recorder.ids[resource.feed_name])
    if "key_texts" in resource.statements:
        keys = {outcomes.sent_key(resource, entry) for entry in batch.items}
        keys.update(entry.stored["key"] for entry in batch.items if entry.stored)
        rows = await batch.fetch(resource.statements["key_texts"].text, [*keys - {None}])
        result.key_texts = dict(map(tuple, rows))
    if options.preview:
        await set_changes(resource, write_set, written.forms)
    return result


async def check(
    write: CollectionWrite, options: outcomes.WriteOptions
) -> change_recorder.WritePlan:
    """Set the write set of the entries that pass all checks; return its plan.

    Without ``skip_failed``, raise ApiError with all errors after the first round. With it, drop
    failed entries and check the others again until none fails, because they may depend on dropped
    ones. Entries that delete and match no record are left out. Without ``checks_uses``, records
    whose references a delete clears are only marked as deleted, and ``removals`` of the write set
    are left to the caller.
    """
    resource = write.resource
    write_set = WriteSet.of(write.batch.identified())
    references = KeyedReferences.of(resource, write_set.upserts)
    for round_number in count(1):
        plans = await _check_once(resource, write_set, references, options)
        batch = write_set.batch
        if not options.skip_failed:
            batch.errors.raise_any()
        remaining = batch.subset()
        if remaining is batch:
            write.write_set = write_set
            return _whole_plan(resource, write_set, plans, options)
        if round_number >= _MAX_CHECK_ROUNDS:
            dependencies = await resource.dependencies(WriteSet.of(batch))
            fail_dependents(batch, {*batch.ids} - {*remaining.ids}, dependencies)
        write_set = WriteSet.of(remaining.subset())
    raise AssertionError("unreachable")


async def _check_once(
    resource: WritableResource,
    write_set: WriteSet,
    references: KeyedReferences,
    options: outcomes.WriteOptions,
) -> tuple[change_recorder.WritePlan, change_recorder.WritePlan]:
    """Check the entries of a write set; return the plans of the check and of the uses."""
    upserts = write_set.upserts
    if references:
        await references.resolve(upserts, write_set)
    _keep_stored_fields(resource, upserts)
    unique_keys.fail_invisible_keys(resource, write_set)
    plan = await resource.check(write_set)
    if options.checks_uses:
        await resource.check_result(write_set)
    renames = any(entry.is_renamed for entry in upserts.items)
    for key in unique_keys.unique_keys(resource, upserts.caller, renames=renames):
        await unique_keys.check(resource, key, write_set)
    return plan, await resource.check_unused(write_set) if options.checks_uses else []


def _whole_plan(
    resource: WritableResource,
    write_set: WriteSet,
    plans: tuple[change_recorder.WritePlan, change_recorder.WritePlan],
    options: outcomes.WriteOptions,
) -> change_recorder.WritePlan:
    """Return the plan of a write set that has passed all checks."""
    plan, clearing_plan = plans
    if options.checks_uses:
        plan = plan + write_set.removals
    elif deletes_late(resource):
        return _marking_plan(resource, write_set) + plan
    return clearing_plan + resource.record_statements(write_set) + plan


def _keep_newer_fields(resource: WritableResource, batch: Batch) -> None:
    """Give entries that replace a record the stored values of newer fields that they omit."""
    names = {name for name, keyword in resource.stored_fields.items() if keyword == SINCE}
    for entry in batch.items if names else ():
        replaces = entry.operation in (UPSERT, IMPORT) and not entry.deletes
        if replaces and entry.stored and not names <= entry.keys():
            for name, value in orjson.loads(entry.stored["fields"]).items():
                entry.setdefault(name, value)


def _keep_stored_fields(resource: WritableResource, batch: Batch) -> None:
    """Give items the stored values of fixed fields, and of kept ones that they do not have.

    Report other values of fixed fields.
    """
    keywords = {name: kind for name, kind in resource.stored_fields.items() if kind != SINCE}
    for index, entry in enumerate(batch.items if keywords else ()):
        fields = orjson.loads(entry.stored["fields"]) if entry.stored else {}
        for name in keywords if fields else ():
            is_kept = entry.get(name) in (None, fields[name])
            if keywords[name] == FIXED and not is_kept:
                batch.fail(index, ErrorType.READ_ONLY_FIELD, name, message=_FIXED)
            if keywords[name] == FIXED or entry.get(name) is None:
                entry[name] = fields[name]


def deletes_late(resource: WritableResource) -> TypeGuard[MasterRecord]:
    """Return whether a delete changes more than its record's own row and what belongs to it.

    The request may delete the other records by themselves, or turn their references: only its end
    shows whether they are in use.
    """
    if not isinstance(resource, MasterRecord):
        return False
    removes_used = "purge" in resource.deletes and bool(resource.uses)
    return len(resource.deletes) > 1 or removes_used


def _marking_plan(resource: MasterRecord, write_set: WriteSet) -> change_recorder.WritePlan:
    """Return the plan for the records that only marks those to delete as deleted."""
    text = SHARED["mark_deleted"].fill(table=resource.table)
    names = finding_hidden(resource.statements)
    hidden = [resource.statements[name].text for name in names]
    ids = (id_array(write_set.live_deletes),)
    marks = [change_recorder.BoundStatement(each, ids) for each in (*hidden, text)]
    others = dataclasses.replace(write_set, live_deletes=[])
    return [*marks, *resource.record_statements(others)]


def fail_dependents(batch: Batch, failed: set[int], dependencies: Iterable[Dependency]) -> None:
    """Fail the items that depend on failed records, directly or transitively."""
    dependents = defaultdict[int, list[Dependency]](list)
    for dependency in dependencies:
        dependents[dependency.depends_on].append(dependency)
    indexes = {record_id: index for index, record_id in enumerate(batch.ids)}
    pending = [*failed]
    while pending:
        for dependency in dependents.pop(pending.pop(), ()):
            if dependency.id in indexes and dependency.id not in failed:
                failed.add(dependency.id)
                pending.append(dependency.id)
                batch.fail(
                    indexes[dependency.id],
                    dependency.type,
                    dependency.field,
                    message=dependency.message,
                )
