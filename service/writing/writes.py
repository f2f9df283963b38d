"""Write engine: every write is a batch in one transaction: lock, check, write, render.

Rows are locked in the order of ids. Checks add errors to the batch and return the plan for
dependent rows. Any error aborts the write by an ApiError with all errors; with ``skip_failed``, the
items without errors are written (contract, Bulk). The change for the outbox is sent with the next
statement, the commit at the latest. The caller begins and ends the transaction, retries it with a
new batch, and rolls a dry run back.
"""

from service.batches.batch import Batch
from service.batches.change_recorder import DELETED, Image, insert_statement
from service.batches.entry import DELETE
from service.database.errors import own_locks
from service.database.new_ids import next_id
from service.limits import MAX_BATCH_BYTES
from service.records.writable_resource import WritableResource
from service.writing import before_images
from service.writing.outcomes import WriteOptions, WriteResult
from service.writing.stored_batches import prepare, record_changes, result_of, store


async def write(resource: WritableResource, batch: Batch, options: WriteOptions) -> WriteResult:
    """Write the entries of a batch of one collection; return their outcomes or documents."""
    if result := await delete_directly(resource, batch, options):
        return result
    await prepare(resource, batch, options)
    written = await store(resource, batch, options)
    await record_changes([written])
    return await result_of(written, options)


async def delete_directly(
    resource: WritableResource, batch: Batch, options: WriteOptions
) -> WriteResult | None:
    """Delete records for good in two round trips; None, with nothing deleted, if that may not do.

    The first one locks them, which returns their last documents, and looks for references to them.
    The second one deletes them, records the change and commits. The resource needs the statement
    ``lock_last``. All records must exist, and no row may refer to one.
    """
    caller, statements, connection = batch.caller, resource.statements, batch.connection
    if "lock_last" not in statements or resource.parts or caller.scopes.restricted or batch.errors:
        return None
    if not all(entry.operation is DELETE and entry.is_by_id for entry in batch.items):
        return None
    if options.outcomes_only or options.precondition or options.path_key is not None:
        return None
    ids, parameters = batch.ids, (caller.organization_id, batch.id_array)
    texts = [statements[name].text for name in ("lock_last", "used")]
    keeps_forms = before_images.keeps(batch, resource)
    if keeps_forms:
        texts.append(before_images.forms_text(resource))
    with own_locks():
        rows = await connection.fetch_in_turn([(text, parameters) for text in texts])
    documents = {record_id: text for record_id, text in rows if record_id > 0}
    if len(documents) < len(ids) or not all(documents.values()):
        return None
    joined = ",".join([documents[record_id] for record_id in ids]).encode()
    if len(joined) > MAX_BATCH_BYTES:
        return None
    await connection.defer(statements["remove"].text, *parameters)
    records = {resource.feed_name: {DELETED: [*documents]}}
    history = connection.history
    change = insert_statement(records, {}, caller.key_id, batch.request_id, history)
    change_id = await next_id(connection, "change")
    await connection.defer(change.text, caller.organization_id, change_id, *change.parameters)
    if keeps_forms:
        images = {
            (resource.feed_name, -id_, 0): Image(int(version), form)
            for id_, text in rows
            if id_ < 0
            for version, _, form in [text.partition(" ")]
        }
        await before_images.insert(batch, images, change_id)
    return WriteResult(batch, ids, documents=joined)
