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
from enum import StrEnum
from typing import Any, Final

from service.batches.batch import Batch, Item, ItemErrors, RequestItems
from service.batches.renames import NEW_KEY
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.listing.properties import stored_id
from service.records.master_record import MasterRecord
from service.records.reference_targets import TARGETS
from service.records.writable_resource import WritableResource
from service.writing import locking, merge_patch, own_keys
from service.writing.key_look_ups import canonical_key
from service.writing.late_checks import check_results, finish_deletes
from service.writing.outcomes import WriteOptions, WriteResult, sent_key
from service.writing.part_collections import PartCollection
from service.writing.stored_batches import (
    WrittenBatch,
    keep_newer_fields,
    record_changes,
    result_of,
    store,
)


class EntryOperation(StrEnum):
    """Operation of an entry."""

    UPSERT = "upsert"
    MERGE = "merge"
    IMPORT = "import"
    CREATE = "create"
    DELETE = "delete"


_DELETE: Final = EntryOperation.DELETE  # a member of an enumeration takes longer to look up


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
    errors = root.errors
    copies = dict(zip(root.request_indexes, root.items, strict=True))
    failed_creator = _failed_creators(collections, items, errors)
    batches = list[tuple[CollectionEntries, Batch]]()
    for each in collections:
        indexes = [index for index in each.operations if index in copies]
        batch = root.of_items([copies[index] for index in indexes], indexes)
        batch.failed_creator = failed_creator
        batch.imported = {n for n in indexes if each.operations[n] is EntryOperation.IMPORT}
        batches.append((each, batch))
    await _lock_writers(root, collections)
    for entries, batch in batches:
        if entries.resource.own_key_within:
            await _find_parents_of_deletes(entries, batch)
    written = list[tuple[int, WrittenBatch]]()
    # A failed entry must not end the transaction before the other collections are checked.
    skipping = dataclasses.replace(options, skip_failed=True, checks_uses=False)
    for position, (entries, batch) in enumerate(batches):
        await _note_failed_parts(entries, batch, items)
        if batch.items:
            lock = _lock_records if isinstance(entries.resource, MasterRecord) else _lock_owners
            records = await lock(entries, batch, skipping)
            _note_deleted_keys(entries.resource, batch, records)
            stored = await store(entries.resource, batch, records, skipping)
            written.append((position, stored))
            await _note_failed_parts(entries, batch, items)
    stored_batches = [stored for _, stored in written]
    await check_results(stored_batches, errors, options)
    late_batches = await finish_deletes(stored_batches, options)
    if not options.skip_failed:
        errors.raise_any()
    if written:
        await record_changes([*stored_batches, *late_batches])
    results = {position: await result_of(stored, skipping) for position, stored in written}
    return [results.get(position, WriteResult([], errors)) for position in range(len(collections))]


async def _lock_writers(root: Batch, collections: Sequence[CollectionEntries]) -> None:
    """Take the writer locks of all collections of master records, and the organization's lock."""
    resources = [each.resource for each in collections]
    masters = (each for each in resources if isinstance(each, MasterRecord))
    await own_keys.take_writer_lock(root, *masters)
    if any(locking.locks_organization(each, creates=True) for each in resources):
        await locking.lock_organization(root)


async def _find_parents_of_deletes(entries: CollectionEntries, batch: Batch) -> None:
    """Replace key objects in the own keys of deletes by ids, while their parents are live.

    Keys without a record stay: the transaction may give them to records.
    """
    operations, resource = _Operations(entries, batch), entries.resource
    assert isinstance(resource, MasterRecord)
    deletes, _ = batch.split(operations.deletes)
    probe = Batch.of(batch.connection, batch.caller, RequestItems(deletes.items))
    await own_keys.resolve_scopes(resource, probe, skip_failed=False)
    for index, (item, probed) in enumerate(zip(deletes.items, probe.items, strict=True)):
        if index not in probe.errors:
            item |= {name: probed[name] for name in resource.key_fields if name in probed}


class _Operations:
    """Operations of the items of a batch, which writes change in place."""

    def __init__(self, entries: CollectionEntries, batch: Batch) -> None:
        self._operations = {
            id(item): entries.operations[index]
            for index, item in zip(batch.request_indexes, batch.items, strict=True)
        }
        self._by_id = {id(item) for item in batch.items if "id" in item}
        self._stored_deleted = set[int]()

    def __getitem__(self, item: Item) -> EntryOperation:
        return self._operations[id(item)]

    def is_by_id(self, item: Item) -> bool:
        """Return whether the request names the record by id."""
        return id(item) in self._by_id

    def deletes(self, item: Item) -> bool:
        """Return whether the item deletes its record."""
        operation = self._operations[id(item)]
        if operation is _DELETE or item.get("state") != "deleted":
            return operation is _DELETE
        if operation is EntryOperation.IMPORT:
            return id(item) not in self._stored_deleted
        return not (operation is EntryOperation.MERGE and self.is_by_id(item))

    def stores_deleted(self, item: Item) -> bool:
        """Return whether the item is to be a new record that is deleted; it then deletes none."""
        is_import = self[item] is EntryOperation.IMPORT and item.get("state") == "deleted"
        if is_import and "id" not in item:
            self._stored_deleted.add(id(item))
        return id(item) in self._stored_deleted


async def _lock_records(
    entries: CollectionEntries, batch: Batch, options: WriteOptions
) -> locking.LockedRecords:
    """Lock the items' records, and set ``id``; merge; add ``duplicate`` to items of one record."""
    resource, operations = entries.resource, _Operations(entries, batch)
    assert isinstance(resource, MasterRecord)
    created, others = batch.split(lambda item: operations[item] is EntryOperation.CREATE)
    by_id, by_key = others.split(operations.is_by_id)
    by_key.beside = by_id.ids  # all in the order of ids, or other writers and this one could block
    records = locking.LockedRecords(operations.deletes)
    for part, lock in ((by_key, locking.lock_by_key), (by_id, locking.lock_by_id)):
        if part.items:
            of_part = await lock(resource, part, options, operations.deletes)
            records.stored |= of_part.stored
            records.new |= of_part.new
            records.renames |= of_part.renames
    deleted = by_key.subset(operations.stores_deleted)
    merge_patch.make_new(resource, deleted)
    for part in (created, deleted.subset()):
        if part.items:
            await locking.assign_ids(resource, part)
            records.new |= {*part.ids}
    _report_repeated(resource, others)
    merged = others.subset(
        lambda item: (
            operations[item] is EntryOperation.MERGE
            and item.get("id") in records.stored
            and not operations.deletes(item)
        )
    )
    for part, restores in zip(merged.split(operations.is_by_id), (False, True), strict=True):
        await merge_patch.merge_stored(resource, part, restores=restores)
    replaced = others.subset(lambda item: operations[item] is not EntryOperation.MERGE)
    keep_newer_fields(resource, replaced, records, operations.deletes)
    return records


async def _lock_owners(
    entries: CollectionEntries, batch: Batch, options: WriteOptions
) -> locking.LockedRecords:
    """Lock the owners of the parts; merge the items to be merged."""
    resource, operations = entries.resource, _Operations(entries, batch)
    await resource.identify(batch, skip_failed=True)
    records = await locking.lock_by_id(resource, batch, options, deletes=lambda _: False)
    merged = batch.subset(lambda item: operations[item] is EntryOperation.MERGE)
    await merge_patch.merge_stored(resource, merged, restores=False)
    return records


def _note_deleted_keys(
    resource: WritableResource, batch: Batch, records: locking.LockedRecords
) -> None:
    """Note the own keys of the records to delete, by which parts of them are found."""
    keys = batch.deleted_keys[resource.collection]
    for record_id in records.write_set(batch.subset(lambda item: "id" in item)).live_deletes:
        row = records.stored[record_id]
        keys[(row["key"], row["within_id"]) if resource.own_key_within else row["key"]] = record_id


def _report_repeated(resource: MasterRecord, batch: Batch) -> None:
    """Add ``duplicate`` to the items that name one record, by id and by own key."""
    indexes = defaultdict[int, list[int]](list)
    for index, item in enumerate(batch.items):
        if "id" in item and batch.request_indexes[index] not in batch.errors:
            indexes[item["id"]].append(index)
    for same in indexes.values():
        for index in same if len(same) > 1 else ():
            others = ", ".join(str(batch.request_indexes[each]) for each in same if each != index)
            message = f"Entry {others} is of the same record."
            batch.fail(index, ErrorType.DUPLICATE, resource.key, message=message)


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
    batch.failed_parts[target.table] = dict(zip(ids, named, strict=True))


def _names_owner(resource: WritableResource, details: Iterable[ErrorDetail]) -> bool:
    """Return whether a failed entry of a part may name an owner, perhaps that of another entry."""
    types = {detail.type for detail in details if detail.path[:1] == (resource.key,)}
    return types <= {ErrorType.DUPLICATE}


def _failed_creators(
    collections: Iterable[CollectionEntries], items: RequestItems, errors: ItemErrors
) -> Callable[[str, Any], int | None]:
    """Return the function ``Batch.failed_creator`` of these entries."""
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
            if operation is EntryOperation.DELETE or not isinstance(item, dict):
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
