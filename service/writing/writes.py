"""Write engine: every write is a transaction of one collection or several.

Rows are locked in the order of ids. Checks add errors to the batch and return the plan for
dependent rows. Any error aborts the write by an ApiError with all errors; with ``skip_failed``, the
items without errors are written (contract, Bulk). The change for the outbox is sent with the next
statement, the commit at the latest. The caller begins and ends the transaction, retries it with new
batches, and rolls a dry run back.

The collections of a transaction (contract, Transactions) are written in the order of their
references: the earlier ones are stored when the later ones look for their keys. Records to delete
are deleted with their collection, so that their keys are free and nothing can refer to them;
whether others use them is checked at the end. Deletes that change other records are only marked
until then: the request may delete these by themselves (``late_checks``).
"""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from service.batches.batch import Batch
from service.batches.change_recorder import DELETED, Image, ImageKey, insert_statement
from service.batches.entry import DELETE
from service.database.errors import own_locks
from service.database.new_ids import next_id
from service.limits import MAX_BATCH_BYTES
from service.records.writable_resource import WritableResource
from service.writing import before_images
from service.writing.collection_writes import (
    CollectionWrite,
    check,
    record_changes,
    result_of,
    set_contents,
    store,
)
from service.writing.late_checks import check_results, finish_deletes
from service.writing.locking import lock_entries
from service.writing.outcomes import WriteOptions, WriteResult


async def write(
    batches: Sequence[tuple[WritableResource, Batch]], options: WriteOptions
) -> list[WriteResult]:
    """Write the batches of collections as one change; return their outcomes or documents.

    They are of one transaction, in the order of their references. Raise ApiError with the errors of
    all entries, or with ``skip_failed`` write the others. Raise LateFailuresError for entries that
    fail after they were written: only then the uses of several collections can be checked.
    """
    if result := await delete_directly(*batches[0], options):
        return [result]
    collections = [CollectionWrite.of(resource, batch) for resource, batch in batches]
    transaction, errors = batches[0][1].transaction, batches[0][1].errors
    is_late = not options.checks_uses
    # A failed entry must not end the transaction before its other collections are checked.
    of_each = dataclasses.replace(options, skip_failed=True) if is_late else options
    await transaction.begin()
    for each in collections:
        await transaction.note_failed_parts(each.resource.collection)
        if each.batch.items:
            await lock_entries(each.resource, each.batch, of_each)
            await set_contents(each.resource, each.batch)
            plan = await check(each, of_each)
            await store(each, plan, of_each)
            await transaction.note_failed_parts(each.resource.collection)
    effects = list[CollectionWrite]()
    if is_late:
        await check_results(collections, options)
        effects = await finish_deletes(collections, options)
    if not options.skip_failed:
        errors.raise_any()
    await record_changes([*collections, *effects])
    return [await result_of(each, of_each) for each in collections]


async def delete_directly(
    resource: WritableResource, batch: Batch, options: WriteOptions
) -> WriteResult | None:
    """Delete records for good in two round trips; None, with nothing deleted, if that may not do.

    The first one locks them, which returns their last documents, and looks for references to them.
    The second one deletes them, records the change and commits. The resource needs the statement
    ``lock_last``. All records must exist, and no row may refer to one.
    """
    if not _may_delete_directly(resource, batch, options):
        return None
    caller, statements, connection = batch.caller, resource.statements, batch.connection
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
        await before_images.insert(batch, dict(_images(resource, rows)), change_id)
    return WriteResult(batch, ids, documents=joined)


def _images(
    resource: WritableResource, rows: Iterable[tuple[int, str]]
) -> Iterator[tuple[ImageKey, Image]]:
    """Yield the forms that ``forms_text`` reads, under negative ids, by their keys."""
    for record_id, text in rows:
        if record_id < 0:
            version, _, form = text.partition(" ")
            yield (resource.feed_name, -record_id, 0), Image(int(version), form)


def _may_delete_directly(resource: WritableResource, batch: Batch, options: WriteOptions) -> bool:
    """Return whether the request is a plain delete of records that their own rows alone show."""
    if "lock_last" not in resource.statements or resource.parts:
        return False
    if options.outcomes_only or options.precondition or options.path_key is not None:
        return False
    if batch.caller.scopes.restricted or batch.errors:
        return False
    return all(entry.operation is DELETE and entry.is_by_id for entry in batch.items)
