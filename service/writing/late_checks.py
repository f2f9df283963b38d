"""Late checks of a transaction: what only the state after all of its entries shows."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from service.batches.batch import Batch
from service.batches.change_recorder import ChangeRecorder, WritePlan
from service.errors import ErrorDetail
from service.writing.collection_writes import CollectionWrite, deletes_late, fail_dependents
from service.writing.outcomes import WriteOptions
from service.writing.part_collections import PartCollection
from service.writing.plan_execution import execute_plan
from service.writing.previews import requested_forms


class LateFailuresError(Exception):
    """Entries that failed after they were written: the others are to be judged without them."""

    def __init__(self, details: Mapping[int, list[ErrorDetail]]) -> None:
        super().__init__("written entries fail")
        self.details = details
        """Errors of these entries, by request index."""


async def check_results(written: Sequence[CollectionWrite], options: WriteOptions) -> None:
    """Check what only the state after all entries shows, if this is what remains.

    Raise LateFailuresError with the errors.
    """
    if any(each.batch.errors for each in written) and not options.skip_failed:
        return
    for each in written:
        await each.resource.check_result(each.write_set)
    _raise_late([each.write_set.upserts for each in written], written, options)


async def finish_deletes(
    written: Sequence[CollectionWrite], options: WriteOptions
) -> list[CollectionWrite]:
    """Check the uses of deleted records; finish the deletes and removals; return the changes.

    Raise LateFailuresError with the errors of records in use.
    """
    deleting = [each for each in written if each.write_set.live_deletes]
    plans = [await each.resource.check_unused(each.write_set) for each in deleting]
    for each in deleting:
        await _fail_with_users(each)
    _raise_late([each.write_set.deletes for each in deleting], written, options)
    effects = list[CollectionWrite]()
    for each, clearing_plan in zip(deleting, plans, strict=True):
        if deletes_late(each.resource):
            upserts, none = each.write_set.upserts.empty(), list[int]()
            deletes = dataclasses.replace(
                each.write_set, upserts=upserts, created_ids=none, restored_ids=none
            )
            plan = clearing_plan + each.resource.record_statements(deletes)
            late = dataclasses.replace(each, recorder=ChangeRecorder())
            await execute_plan(each.resource, deletes.batch, plan, (None, None), late.recorder)
            effects.append(late)
    for each in reversed(written):  # users of entries are written after these
        removals = each.write_set.removals
        if isinstance(each.resource, PartCollection):
            removals = await each.resource.part.late_removals(each.write_set)
        if removals:
            await _remove_entries(each, removals, options)
    return effects


async def _remove_entries(
    written: CollectionWrite, removals: WritePlan, options: WriteOptions
) -> None:
    """Remove the entries of lists that the request removes; a preview reads the forms again."""
    write_set, before = written.write_set, written.forms[0]
    requests = requested_forms(write_set) if options.preview else (None, None)
    _, after = await execute_plan(
        written.resource, write_set.batch, removals, (None, requests[1]), written.recorder
    )
    if options.preview:
        written.forms = (before, after)


async def _fail_with_users(written: CollectionWrite) -> None:
    """Fail the deletes of records that records of the same collection use whose deletes fail.

    Further transactions would find a chain of them link by link.
    """
    write_set = written.write_set
    failed = {item["id"] for item in write_set.deletes.items} - {*write_set.deletes.subset().ids}
    if failed:
        dependencies = await written.resource.dependencies(write_set)
        fail_dependents(write_set.batch, failed, dependencies)


def _raise_late(
    stored: Iterable[Batch], written: Iterable[CollectionWrite], options: WriteOptions
) -> None:
    """Raise LateFailuresError if items of the stored batches fail.

    It has their errors; without ``skip_failed`` it has those of all entries, to be reported.
    """
    if details := _details(stored):
        everything = (each.batch for each in written)
        raise LateFailuresError(details if options.skip_failed else _details(everything))


def _details(batches: Iterable[Batch]) -> dict[int, list[ErrorDetail]]:
    """Return the errors of the batches' items, by request index."""
    return {
        entry.index: batch.errors.details_of(entry.index)
        for batch in batches
        for entry in batch.items
        if entry.index in batch.errors
    }
