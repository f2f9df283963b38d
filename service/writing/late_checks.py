"""Late checks of a transaction: what only the state after all of its entries shows."""

import dataclasses
from collections.abc import Mapping, Sequence

from service.batches.batch import ItemErrors
from service.errors import ErrorDetail
from service.writing.outcomes import WriteOptions
from service.writing.plan_execution import execute_plan
from service.writing.stored_batches import WrittenBatch, clears_references


class LateFailuresError(Exception):
    """Entries that failed after they were written: the transaction cannot go on."""

    def __init__(self, details: Mapping[int, list[ErrorDetail]]) -> None:
        super().__init__("written entries fail")
        self.details = details
        """Errors of these entries, by request index."""


async def check_results(
    written: Sequence[WrittenBatch], errors: ItemErrors, options: WriteOptions
) -> None:
    """Add the errors that the state after all entries shows, if this is what remains.

    With ``skip_failed`` raise LateFailuresError with them: the entries are stored already.
    """
    if errors and not options.skip_failed:
        return
    for each in written:
        await each.resource.check_result(each.write_set)
    indexes = [index for each in written for index in each.write_set.upserts.request_indexes]
    failed = {index: errors.details_of(index) for index in indexes if index in errors}
    if failed and options.skip_failed:
        raise LateFailuresError(failed)


async def finish_deletes(
    written: Sequence[WrittenBatch], errors: ItemErrors, options: WriteOptions
) -> list[WrittenBatch]:
    """Check the uses of deleted records, delete those that were only marked; return the changes.

    Add errors for records in use; with ``skip_failed`` raise LateFailuresError with them.
    """
    deleting = [each for each in written if each.write_set.live_deletes]
    plans = [await each.resource.check_unused(each.write_set) for each in deleting]
    indexes = [index for each in deleting for index in each.write_set.deletes.request_indexes]
    used = {index: errors.details_of(index) for index in indexes if index in errors}
    if used and options.skip_failed:
        raise LateFailuresError(used)
    late_batches = list[WrittenBatch]()
    for each, clearing_plan in zip(deleting, plans, strict=True):
        if clears_references(each.resource) and not errors:
            upserts, none = each.write_set.upserts.empty(), list[int]()
            deletes = dataclasses.replace(
                each.write_set, upserts=upserts, created_ids=none, restored_ids=none
            )
            plan = clearing_plan + each.resource.record_statements(deletes)
            recorder, forms = await execute_plan(each.resource, deletes.batch, plan, (None, None))
            late_batches.append(dataclasses.replace(each, recorder=recorder, forms=forms))
    return late_batches
