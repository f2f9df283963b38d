"""Transaction: writes of several collections as one change (contract, Transactions).

Collections are written in the order of their references, each as a batch of the write engine. The
earlier ones are stored in the same database transaction when the later ones look for their keys.
Records to delete are deleted with their collection, so that their keys are free and nothing can
refer to them; whether others use them is checked at the end. Deletes that change other records are
only marked until then: the request may delete these by themselves (``late_checks``).

Lock order: writer locks of all collections by name, the organization, then the records of each
collection.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from service.batches.batch import Batch, ItemErrors, RequestItems
from service.batches.entry import DELETE, Entry, EntryOperation, Item
from service.batches.renames import NEW_KEY
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.listing.properties import stored_id
from service.records.master_record import MasterRecord
from service.records.reference_targets import TARGETS
from service.records.writable_resource import WritableResource
from service.writing import locking, own_keys
from service.writing.key_look_ups import canonical_key
from service.writing.late_checks import check_results, finish_deletes
from service.writing.outcomes import WriteOptions, WriteResult, sent_key
from service.writing.part_collections import PartCollection
from service.writing.stored_batches import (
    WrittenBatch,
    prepare,
    record_changes,
    result_of,
    store,
)


@dataclass(frozen=True, slots=True)
class CollectionEntries:
    """Entries of one collection."""

    resource: WritableResource
    operations: Mapping[int, EntryOperation]
    """Operations by request index, in request order."""


async def write_entries(
    root: Batch,
    items: RequestItems,
    collections: Sequence[CollectionEntries],
    options: WriteOptions,
) -> list[WriteResult]:
    """Write the entries that do not fail; return the results of the collections.

    ``root`` is the batch of ``items``, those of all entries. ``collections`` are in the order of
    ``reference_order``. Raise LateFailuresError for entries that fail after they were written, and
    without ``skip_failed`` ApiError with the errors of all entries.
    """
    errors, shared = root.errors, root.transaction
    shared.failed_creator = _failed_creators(collections, items, errors)
    batches = [(each.resource, _batch(root, each, items)) for each in collections]
    shared.deleted_keys = partial(_deleted_keys, batches)
    await _lock_writers(root, collections)
    for resource, batch in batches:
        if resource.own_key_within:
            await _find_parents_of_deletes(resource, batch)
    written = list[tuple[int, WrittenBatch]]()
    # A failed entry must not end the transaction before the other collections are checked.
    skipping = dataclasses.replace(options, skip_failed=True, checks_uses=False)
    for position, (resource, batch) in enumerate(batches):
        entries = collections[position]
        await _note_failed_parts(entries, batch, items)
        if batch.items:
            await prepare(resource, batch, skipping)
            written.append((position, await store(resource, batch, skipping)))
            await _note_failed_parts(entries, batch, items)
    stored_batches = [stored for _, stored in written]
    await check_results(stored_batches, errors, options)
    late_batches = await finish_deletes(stored_batches, options)
    if not options.skip_failed:
        errors.raise_any()
    if written:
        await record_changes([*stored_batches, *late_batches])
    results = {position: await result_of(stored, skipping) for position, stored in written}
    return [
        results.get(position, WriteResult(batch)) for position, (_, batch) in enumerate(batches)
    ]


def _batch(root: Batch, entries: CollectionEntries, items: RequestItems) -> Batch:
    """Return the batch of the entries of a collection that have not failed."""
    is_master = isinstance(entries.resource, MasterRecord)
    return root.of_collection(
        [
            Entry(item, index, operation, is_by_id=not is_master or "id" in item)
            for index, operation in entries.operations.items()
            if index not in root.errors
            for item in (items.items[index],)
        ]
    )


async def _lock_writers(root: Batch, collections: Sequence[CollectionEntries]) -> None:
    """Take the writer locks of all collections of master records, and the organization's lock."""
    resources = [each.resource for each in collections]
    masters = (each for each in resources if isinstance(each, MasterRecord))
    await own_keys.take_writer_lock(root, *masters)
    if any(locking.locks_organization(each, creates=True) for each in resources):
        await locking.lock_organization(root)


async def _find_parents_of_deletes(resource: WritableResource, batch: Batch) -> None:
    """Replace key objects in the own keys of deletes by ids, while their parents are live.

    Keys without a record stay: the transaction may give them to records.
    """
    assert isinstance(resource, MasterRecord)
    deletes, _ = batch.split(lambda entry: entry.deletes)
    probe = Batch.of(batch.connection, batch.caller, RequestItems(deletes.items))
    await own_keys.resolve_scopes(resource, probe, skip_failed=False)
    for item, probed in zip(deletes.items, probe.items, strict=True):
        if probed.index not in probe.errors:
            item |= {name: probed[name] for name in resource.key_fields if name in probed}


def _deleted_keys(
    batches: Sequence[tuple[WritableResource, Batch]], collection: str
) -> Mapping[Any, int]:
    """Return the records of a collection that entries delete, by which parts of them are found."""
    return {
        (row["key"], row["within_id"]) if resource.own_key_within else row["key"]: entry["id"]
        for resource, batch in batches
        if resource.collection == collection
        for entry in batch.items
        if (row := entry.stored) and entry.deletes and not entry.was_deleted
    }


async def _note_failed_parts(entries: CollectionEntries, batch: Batch, items: RequestItems) -> None:
    """Note the owners of failed entries of a part whose entries others name (``failed_parts``).

    Later collections then do not take the names, or the chart, that the part had before.
    """
    resource, errors = entries.resource, batch.errors
    target = TARGETS.get(resource.part_path) if isinstance(resource, PartCollection) else None
    failed = [index for index in entries.operations if index in errors] if target else []
    named = [index for index in failed if _names_owner(resource, errors.details_of(index))]
    if not target or not named:
        return
    owners = [{resource.key: items.items[index][resource.key]} for index in named]
    probe = Batch.of(batch.connection, batch.caller, RequestItems(owners))
    await resource.identify(probe, skip_failed=False)
    ids = [stored_id(owner[resource.key]) for owner in probe.items]
    batch.transaction.failed_parts[target.table] = dict(zip(ids, named, strict=True))


def _names_owner(resource: WritableResource, details: Iterable[ErrorDetail]) -> bool:
    """Return whether a failed entry of a part may name an owner, perhaps that of another entry."""
    types = {detail.type for detail in details if detail.path[:1] == (resource.key,)}
    return types <= {ErrorType.DUPLICATE}


def _failed_creators(
    collections: Iterable[CollectionEntries], items: RequestItems, errors: ItemErrors
) -> Callable[[str, Any], int | None]:
    """Return the function ``TransactionState.failed_creator`` of these entries."""
    creators: Mapping[tuple[str, Any], Sequence[int]] | None = None

    def find(collection: str, key: Any) -> int | None:
        nonlocal creators
        if creators is None:
            creators = _creators(collections, items)
        failed = (index for index in creators.get((collection, key), ()) if index in errors)
        return next(failed, None)

    return find


def _creators(
    collections: Iterable[CollectionEntries], items: RequestItems
) -> Mapping[tuple[str, Any], Sequence[int]]:
    """Return the request indexes of the entries that give records an own key, by the key.

    Where keys are within parents, so are these. Keys with key objects are as they were sent.
    """
    creators = defaultdict[tuple[str, Any], list[int]](list)
    for entries in collections:
        resource = entries.resource
        for index, operation in entries.operations.items():
            item = items.items[index]
            key = _key_after(resource, item)
            if operation is DELETE or not isinstance(item, dict):
                continue
            if resource.own_key_within:
                parent = item.get(resource.own_key_within)
                creators[resource.collection, key_as_sent(resource, item)].append(index)
                key = (key, stored_id(parent)) if key and type(parent) in (int, str) else None
            if key:
                creators[resource.collection, key].append(index)
    return creators


def key_as_sent(resource: WritableResource, item: Item) -> bytes | None:
    """Return the own key that an item gives its record, key objects as they are; None without."""
    if not isinstance(resource, MasterRecord) or not isinstance(item, dict):
        return None
    key = {name: item.get(name) for name in resource.key_fields}
    if isinstance(item.get(NEW_KEY), str):
        key[resource.key_fields[0]] = item[NEW_KEY]
    return None if None in key.values() else canonical_key(key)


def _key_after(resource: WritableResource, item: Any) -> Any:
    """Return the own key that an item gives its record."""
    new_key = item.get(NEW_KEY) if isinstance(item, dict) else None
    return new_key if isinstance(new_key, str) else sent_key(resource, item)
