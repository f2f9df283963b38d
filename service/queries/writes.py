"""Write engine: every write is a batch in one transaction: lock, check, write, render.

Rows are locked in the order of ids. Checks add errors to the batch and return the plan for
dependent rows. Any error aborts the write by an ApiError with all errors; with ``skip_failed``, the
items without errors are written (contract, Bulk). The change for the outbox is sent with the next
statement, the commit at the latest. The caller begins and ends the transaction, retries it with a
new batch, and rolls a dry run back.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from itertools import count
from typing import Final, NamedTuple, TypeAlias, TypeVar

from service.database.connections import Connection
from service.database.errors import unavailable
from service.queries import merge_patch, unique_keys
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.keyed_references import KeyedReferences, with_ids
from service.queries.locking import (
    LockedRecords,
    assign_ids,
    lock_and_read,
    lock_by_id,
    lock_by_key,
    lock_organization,
    lock_unique_keys,
    locks_organization,
)
from service.queries.master_record import MasterRecord
from service.queries.new_ids import next_id
from service.queries.outcomes import (
    WriteOptions,
    WriteResult,
    absent_outcomes,
    item_outcomes,
    outcome_id,
    sent_key,
)
from service.queries.plan_execution import constraint_errors, execute_plan, requested_documents
from service.queries.previews import field_changes
from service.queries.rendering import joined
from service.queries.writable_resource import WritableResource
from service.queries.write_set import Dependency, WriteSet

ResourceT = TypeVar("ResourceT", bound=WritableResource)
Write: TypeAlias = Callable[[Connection, ResourceT, Batch, WriteOptions], Awaitable[WriteResult]]
"""Function of the engine that writes a batch and returns outcomes or documents."""


class Edit(NamedTuple):
    """Edit of a stored writable form."""

    apply: Callable[[Item, Sequence[Item]], Item]
    """Returns the new form, given the stored one and ``values`` with ids; raises ApiError."""
    values: Sequence[Item] = ()
    """Items whose key objects are compared with ids; they become ids before ``apply``."""


_MAX_CHECK_ROUNDS: Final = 3
"""Check rounds after which items also fail by their ``dependencies`` on failed items.

Further rounds check the remaining items as before.
"""


async def create(
    connection: Connection, resource: MasterRecord, batch: Batch, options: WriteOptions
) -> WriteResult:
    """Create records; the items have passed the create schema and have no ids yet."""
    await lock_unique_keys(connection, resource, batch)
    if locks_organization(resource, creates=True):
        await lock_organization(connection, batch)
    await assign_ids(connection, resource, batch.items)
    records = LockedRecords(new={*batch.ids})
    return await _execute(connection, resource, batch, records, options)


async def _write_by_id(
    connection: Connection,
    resource: WritableResource,
    batch: Batch,
    options: WriteOptions,
    deletes: Callable[[Item], bool],
) -> WriteResult:
    """Delete the records of the items that ``deletes`` accepts; replace the other records."""
    await resource.identify(connection, batch, skip_failed=options.skip_failed)
    records = await lock_by_id(connection, resource, batch, options, deletes)
    return await _execute(connection, resource, batch, records, options)


async def patch(
    connection: Connection,
    resource: WritableResource,
    batch: Batch,
    options: WriteOptions,
    edit: Edit,
) -> WriteResult:
    """Replace a record's writable form by the result of ``edit``, under the record's lock.

    The batch has one item, which has the record's id.
    """
    records = await lock_and_read(connection, resource, batch, options)
    batch.errors.raise_any()
    item = batch.items[0]
    values = await with_ids(connection, resource, batch, records.stored, edit.values)
    edited = edit.apply(records.forms[item["id"]], values) | {"id": item["id"]}
    item.clear()
    item.update(edited)
    batch.errors.order_by(batch.request_indexes[0], item)
    return await _execute(connection, resource, batch, records, options)


async def replace_by_key(
    connection: Connection, resource: MasterRecord, batch: Batch, options: WriteOptions
) -> WriteResult:
    """Upsert by own key: replace the records with the items' keys, else create them.

    Deleted records are restored. Items whose ``state`` is ``deleted`` delete theirs, leave it as it
    is if it is deleted already, or are absent.
    """
    records = await lock_by_key(connection, resource, batch, options, deletes=_is_deletion)
    return await _execute(connection, resource, batch, records, options)


async def delete_by_key(
    connection: Connection, resource: MasterRecord, batch: Batch, options: WriteOptions
) -> WriteResult:
    """Delete the live records with the items' keys; items without a record are absent.

    A deleted record with the key, if no live one has it, stays unchanged.
    """
    records = await lock_by_key(connection, resource, batch, options, deletes=_always)
    return await _execute(connection, resource, batch, records, options)


async def merge(
    connection: Connection, resource: WritableResource, batch: Batch, options: WriteOptions
) -> WriteResult:
    """Merge items into the records with their ids (RFC 7396).

    A deleted record stays deleted, unless its item has a ``state``.
    """
    await resource.identify(connection, batch, skip_failed=options.skip_failed)
    records = await lock_by_id(connection, resource, batch, options, deletes=_never)
    await merge_patch.merge_stored(connection, resource, batch.subset(), restores=False)
    return await _execute(connection, resource, batch, records, options)


async def merge_by_key(
    connection: Connection, resource: MasterRecord, batch: Batch, options: WriteOptions
) -> WriteResult:
    """Upsert by own key: merge items into the records with their keys, else create them.

    Deleted records are restored, as ``active`` unless their item has a ``state``. Items whose
    ``state`` is ``deleted`` delete theirs, or are absent.
    """
    records = await lock_by_key(connection, resource, batch, options, deletes=_is_deletion)
    stored_items = batch.subset(
        lambda item: item.get("id") in records.stored and not _is_deletion(item)
    )
    await merge_patch.merge_stored(connection, resource, stored_items, restores=True)
    return await _execute(connection, resource, batch, records, options)


def _always(_: Item) -> bool:
    return True


def _never(_: Item) -> bool:
    return False


def _is_deletion(item: Item) -> bool:
    return item.get("state") == "deleted"


replace: Final[Write[WritableResource]] = partial(_write_by_id, deletes=_is_deletion)
"""Replace the records with the items' ids; delete those of items whose ``state`` is ``deleted``."""
delete: Final[Write[WritableResource]] = partial(_write_by_id, deletes=_always)
"""Delete the records with the items' ids; a deleted record stays unchanged."""


async def _execute(
    connection: Connection,
    resource: WritableResource,
    batch: Batch,
    records: LockedRecords,
    options: WriteOptions,
) -> WriteResult:
    """Check, write and render a batch whose records are locked."""
    write_set, plan = await _check(connection, resource, batch, records, options)
    result = WriteResult(write_set.batch.ids, batch.errors, created_ids=write_set.created_ids)
    requests = requested_documents(resource, write_set, options)
    with constraint_errors(resource, write_set.batch, options):
        recorder, (before, after) = await execute_plan(
            connection, resource, write_set.batch, plan, requests
        )
    operations = write_set.operations(resource.name, resource.parts)
    change = recorder.insert_statement(batch.caller, batch.request_id, operations)
    if change:
        change_id = await next_id(connection, "change")
        parameters = (batch.caller.organization_id, change_id, *change.parameters)
        await connection.defer(change.text, *parameters)
    elif write_set.created_ids:
        raise unavailable()  # the organization has just moved to another cell
    if options.outcomes_only:
        result.outcomes = item_outcomes(
            resource, write_set, records.stored, recorder.ids[resource.feed_name]
        )
        result.outcomes |= absent_outcomes(resource, batch)
        result.stored = {
            request_index: (outcome_id(batch, item), records.stored[item["id"]]["key"])
            for request_index, item in zip(batch.request_indexes, batch.items, strict=True)
            if item.get("id") in records.stored
        }
        keys = {sent_key(resource, item) for item in batch.items}
        keys.update(row["key"] for row in records.stored.values())
        if "key_texts" in resource.statements:
            text = resource.statements["key_texts"].text
            rows = await connection.fetch(text, batch.caller.organization_id, [*keys - {None}])
            result.key_texts = dict(map(tuple, rows))
        if options.preview:
            forms = (before, after)
            result.changes = await field_changes(resource, write_set, records.stored, forms)
        return result
    result.documents = joined(before | after, result.ids)
    return result


async def _check(
    connection: Connection,
    resource: WritableResource,
    batch: Batch,
    records: LockedRecords,
    options: WriteOptions,
) -> tuple[WriteSet, WritePlan]:
    """Return the write set of the items that pass all checks, and its plan.

    Without ``skip_failed``, raise ApiError with all errors after the first round. With it, drop
    failed items and check the others again until none fails, because they may depend on dropped
    ones. Items that delete and match no record are left out.
    """
    batch = batch.subset(lambda item: "id" in item)
    references = KeyedReferences.of(resource, records.write_set(batch).upserts)
    references.stored = records.stored
    for round_number in count(1):
        write_set = records.write_set(batch)
        if references:
            await references.resolve(connection, write_set.upserts, write_set)
        plan = await resource.check(connection, write_set)
        if (batch.caller.unique_keys or records.renames) and unique_keys.have_text_keys(resource):
            await unique_keys.check(connection, resource, write_set, records.stored)
        clearing_plan = await resource.check_unused(connection, write_set)
        if not options.skip_failed:
            batch.errors.raise_any()
        remaining = batch.subset()
        if remaining is batch:
            return write_set, clearing_plan + resource.record_statements(write_set) + plan
        if round_number >= _MAX_CHECK_ROUNDS:
            dependencies = await resource.dependencies(
                connection, records.write_set(batch), records.stored
            )
            _fail_dependents(batch, {*batch.ids} - {*remaining.ids}, dependencies)
            remaining = remaining.subset()
        batch = remaining
    raise AssertionError("unreachable")


def _fail_dependents(batch: Batch, failed: set[int], dependencies: Iterable[Dependency]) -> None:
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
