"""Write engine: every write is a batch in one transaction: lock, check, write, render.

Rows are locked in the order of ids. Checks add errors to the batch and return the plan for
dependent rows. Any error aborts the write by an ApiError with all errors; with ``skip_failed``, the
items without errors are written (contract, Bulk). The change for the outbox is sent with the next
statement, the commit at the latest. The caller begins and ends the transaction, retries it with a
new batch, and rolls a dry run back.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias, TypeVar

from service.batches.batch import Batch, Item
from service.batches.change_recorder import DELETED, insert_statement
from service.database.errors import own_locks
from service.database.new_ids import next_id
from service.limits import MAX_BATCH_BYTES
from service.records.master_record import MasterRecord
from service.records.writable_resource import WritableResource
from service.writing import locking, merge_patch
from service.writing.keyed_references import with_ids
from service.writing.outcomes import WriteOptions, WriteResult
from service.writing.stored_batches import keep_newer_fields, record_changes, result_of, store

ResourceT = TypeVar("ResourceT", bound=WritableResource)
Write: TypeAlias = Callable[[ResourceT, Batch, WriteOptions], Awaitable[WriteResult]]
"""Function of the engine that writes a batch and returns outcomes or documents."""


class Edit(NamedTuple):
    """Edit of a stored writable form."""

    apply: Callable[[Item, Sequence[Item]], Item]
    """Returns the new form, given the stored one and ``values`` with ids; raises ApiError."""
    values: Sequence[Item] = ()
    """Items whose key objects are compared with ids; they become ids before ``apply``."""


async def create(resource: MasterRecord, batch: Batch, options: WriteOptions) -> WriteResult:
    """Create records; the items have passed the create schema and have no ids yet."""
    await locking.lock_unique_keys(resource, batch)
    if locking.locks_organization(resource, creates=True):
        await locking.lock_organization(batch)
    await locking.assign_ids(resource, batch)
    records = locking.LockedRecords(new={*batch.ids})
    return await _execute(resource, batch, records, options)


async def _write_by_id(
    resource: WritableResource, batch: Batch, options: WriteOptions, deletes: Callable[[Item], bool]
) -> WriteResult:
    """Delete the records of the items that ``deletes`` accepts; replace the other records."""
    await resource.identify(batch, skip_failed=options.skip_failed)
    records = await locking.lock_by_id(resource, batch, options, deletes)
    keep_newer_fields(resource, batch, records, deletes)
    return await _execute(resource, batch, records, options)


async def patch(
    resource: WritableResource, batch: Batch, options: WriteOptions, edit: Edit
) -> WriteResult:
    """Replace a record's writable form by the result of ``edit``, under the record's lock.

    The batch has one item, which has the record's id.
    """
    records = await locking.lock_and_read(resource, batch, options)
    batch.errors.raise_any()
    item = batch.items[0]
    values = await with_ids(resource, batch, records.stored, edit.values)
    edited = edit.apply(records.forms[item["id"]], values) | {"id": item["id"]}
    item.clear()
    item.update(edited)
    batch.merged[batch.request_indexes[0]] = {}
    batch.errors.order_by(batch.request_indexes[0], item)
    return await _execute(resource, batch, records, options)


async def replace_by_key(
    resource: MasterRecord, batch: Batch, options: WriteOptions
) -> WriteResult:
    """Upsert by own key: replace the records with the items' keys, else create them.

    Deleted records are restored. Items whose ``state`` is ``deleted`` delete theirs, leave it as it
    is if it is deleted already, or are absent.
    """
    records = await locking.lock_by_key(resource, batch, options, deletes=_is_deletion)
    keep_newer_fields(resource, batch, records, _is_deletion)
    return await _execute(resource, batch, records, options)


async def delete(resource: MasterRecord, batch: Batch, options: WriteOptions) -> WriteResult:
    """Delete the records with the items' ids; a deleted record stays unchanged."""
    result = await delete_directly(resource, batch, options)
    return result or await _write_by_id(resource, batch, options, _always)


async def delete_directly(
    resource: MasterRecord, batch: Batch, options: WriteOptions
) -> WriteResult | None:
    """Delete records for good in two round trips; None, with nothing deleted, if that may not do.

    The first one locks them, which returns their last documents, and looks for references to them.
    The second one deletes them, records the change and commits. The resource needs the statement
    ``lock_last``. All records must exist, and no row may refer to one.
    """
    caller, statements, connection = batch.caller, resource.statements, batch.connection
    if "lock_last" not in statements or resource.parts or caller.scopes.restricted or batch.errors:
        return None
    if options.outcomes_only or options.precondition or options.path_key is not None:
        return None
    ids, parameters = batch.ids, (caller.organization_id, batch.id_array)
    with own_locks():
        rows = await connection.fetch_in_turn(
            [(statements[name].text, parameters) for name in ("lock_last", "used")]
        )
    documents = dict(rows)
    if len(documents) < len(ids) or not all(documents.values()):
        return None
    joined = ",".join([documents[record_id] for record_id in ids]).encode()
    if len(joined) > MAX_BATCH_BYTES:
        return None
    await connection.defer(statements["remove"].text, *parameters)
    records = {resource.feed_name: {DELETED: [*documents]}}
    change = insert_statement(records, {}, caller.key_id, batch.request_id)
    change_id = await next_id(connection, "change")
    await connection.defer(change.text, caller.organization_id, change_id, *change.parameters)
    return WriteResult(ids, batch.errors, documents=joined)


async def delete_by_key(resource: MasterRecord, batch: Batch, options: WriteOptions) -> WriteResult:
    """Delete the live records with the items' keys; items without a record are absent.

    A deleted record with the key, if no live one has it, stays unchanged.
    """
    records = await locking.lock_by_key(resource, batch, options, deletes=_always)
    return await _execute(resource, batch, records, options)


async def merge(resource: WritableResource, batch: Batch, options: WriteOptions) -> WriteResult:
    """Merge items into the records with their ids (RFC 7396).

    A deleted record stays deleted, unless its item has a ``state``.
    """
    await resource.identify(batch, skip_failed=options.skip_failed)
    records = await locking.lock_by_id(resource, batch, options, deletes=_never)
    await merge_patch.merge_stored(resource, batch.subset(), restores=False)
    return await _execute(resource, batch, records, options)


async def merge_by_key(resource: MasterRecord, batch: Batch, options: WriteOptions) -> WriteResult:
    """Upsert by own key: merge items into the records with their keys, else create them.

    Deleted records are restored, as ``active`` unless their item has a ``state``. Items whose
    ``state`` is ``deleted`` delete theirs, or are absent.
    """
    records = await locking.lock_by_key(resource, batch, options, deletes=_is_deletion)
    stored_items = batch.subset(
        lambda item: item.get("id") in records.stored and not _is_deletion(item)
    )
    await merge_patch.merge_stored(resource, stored_items, restores=True)
    return await _execute(resource, batch, records, options)


def _always(_: Item) -> bool:
    return True


def _never(_: Item) -> bool:
    return False


def _is_deletion(item: Item) -> bool:
    return item.get("state") == "deleted"


replace: Final[Write[WritableResource]] = partial(_write_by_id, deletes=_is_deletion)
"""Replace the records with the items' ids; delete those of items whose ``state`` is ``deleted``."""


async def _execute(
    resource: WritableResource, batch: Batch, records: locking.LockedRecords, options: WriteOptions
) -> WriteResult:
    """Check, write and render a batch whose records are locked."""
    written = await store(resource, batch, records, options)
    await record_changes([written])
    return await result_of(written, options)
