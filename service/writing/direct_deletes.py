"""Direct deletes: for good, in two round trips, of records that are all there and unused.

The first one locks them, which returns their last documents, and looks for references to them. The
second one deletes them, records the change and commits.
"""

from functools import cache

from service.batches.batch import Batch
from service.batches.change_recorder import DELETED, insert_statement
from service.batches.new_ids import next_id
from service.database.errors import own_locks
from service.database.statements import SHARED
from service.limits import MAX_BATCH_BYTES
from service.records.master_record import MasterRecord
from service.records.usage import uses_text
from service.writing.outcomes import WriteOptions, WriteResult


async def delete_directly(
    resource: MasterRecord, batch: Batch, options: WriteOptions
) -> WriteResult | None:
    """Delete the records with the items' ids, and return their last documents.

    Return None, with the records locked at most, for anything else than a whole delete of records
    that exist and to which no row refers, of a collection with the statement ``lock_last``.
    """
    caller, statements, connection = batch.caller, resource.statements, batch.connection
    if (
        "lock_last" not in statements
        or resource.parts
        or batch.errors
        or caller.scopes.restricted
        or options.outcomes_only
        or options.precondition
        or options.path_key is not None
    ):
        return None
    ids, parameters = batch.ids, (caller.organization_id, batch.id_array)
    texts = [statements["lock_last"].text, *([_used_text(resource)] if resource.uses else ())]
    with own_locks():
        rows = await connection.fetch_in_turn([(text, parameters) for text in texts])
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


@cache
def _used_text(resource: MasterRecord) -> str:
    """Return the statement with a row without a document for each id that is referred to."""
    return SHARED["used"].fill(uses=uses_text(resource.uses))
