"""Transactions: what entries of several collections mean for each other (contract, Transactions).

Lock order: writer locks of all collections by name, the organization, then the records of each
collection.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.batches.batch import Batch, RequestItems, WriteTransaction
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
from service.writing.outcomes import sent_key
from service.writing.part_collections import PartCollection


@dataclass(frozen=True, slots=True)
class CollectionEntries:
    """Entries of one collection in a request."""

    resource: WritableResource
    operations: Mapping[int, EntryOperation]
    """Operations by request index, in request order."""

    def entries(self, items: RequestItems) -> list[Entry]:
        """Return the entries that have not failed, as shallow copies."""
        is_master = isinstance(self.resource, MasterRecord)
        sent = ((index, items.items[index]) for index in self.operations)
        return [
            Entry(item, index, self.operations[index], is_by_id=not is_master or "id" in item)
            for index, item in sent
            if index not in items.details
        ]


class SeveralCollections(WriteTransaction):
    """Transaction of several collections, whose entries mean something for each other."""

    def __init__(self, items: RequestItems, collections: Sequence[CollectionEntries]) -> None:
        """Take the items of all entries; ``collections`` are in the order of their references."""
        super().__init__()
        self._items = items
        self._entries = {each.resource.collection: each for each in collections}
        self._batches = dict[str, Batch]()
        self._creators: Mapping[tuple[str, Any], Sequence[int]] | None = None

    def batches(self, root: Batch) -> list[tuple[WritableResource, Batch]]:
        """Return the batches of the collections, in the transaction of ``root``."""
        root.transaction = self
        self._batches = {
            name: root.of_collection(each.entries(self._items))
            for name, each in self._entries.items()
        }
        return [(each.resource, self._batches[name]) for name, each in self._entries.items()]

    async def begin(self) -> None:
        """Take the locks that come before those of records; find the parents of deletes."""
        resources = [each.resource for each in self._entries.values()]
        root = next(iter(self._batches.values()))
        masters = (each for each in resources if isinstance(each, MasterRecord))
        await own_keys.take_writer_lock(root, *masters)
        if any(locking.locks_organization(each, creates=True) for each in resources):
            await locking.lock_organization(root)
        for each in resources:
            if each.own_key_within:
                await _find_parents_of_deletes(each, self._batches[each.collection])

    async def note_failed_parts(self, collection: str) -> None:
        """Note the owners of failed entries of a part whose entries others name.

        These then do not take the names, or the chart, that the part had before.
        """
        entries, batch = self._entries[collection], self._batches[collection]
        resource, errors = entries.resource, batch.errors
        target = TARGETS.get(resource.part_path) if isinstance(resource, PartCollection) else None
        if target is None or not errors:
            return
        failed = (index for index in entries.operations if index in errors)
        named = [index for index in failed if _names_owner(resource, errors.details_of(index))]
        if not named:
            return
        owners = [{resource.key: self._items.items[index][resource.key]} for index in named]
        probe = Batch.of(batch.connection, batch.caller, RequestItems(owners))
        await resource.identify(probe, skip_failed=False)
        ids = [stored_id(owner[resource.key]) for owner in probe.items]
        self.failed_parts[target.table] = dict(zip(ids, named, strict=True))

    def deleted_keys(self, collection: str) -> Mapping[Any, int]:
        """Return the records of a collection that entries delete, by which parts are found."""
        entries = self._entries.get(collection)
        within = entries and entries.resource.own_key_within
        return {
            (row["key"], row["within_id"]) if within else row["key"]: row["id"]
            for entry in (self._batches[collection].items if entries else ())
            if (row := entry.stored) and entry.deletes and not entry.was_deleted
        }

    def failed_creator(self, collection: str, key: Any) -> int | None:
        """Return the request index of the failed entry that would create a record with the key."""
        if self._creators is None:
            self._creators = _creators(self._entries.values(), self._items)
        errors = next(iter(self._batches.values())).errors
        failed = (index for index in self._creators.get((collection, key), ()) if index in errors)
        return next(failed, None)


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


def _names_owner(resource: WritableResource, details: Iterable[ErrorDetail]) -> bool:
    """Return whether a failed entry of a part may name an owner, perhaps that of another entry."""
    types = {detail.type for detail in details if detail.path[:1] == (resource.key,)}
    return types <= {ErrorType.DUPLICATE}


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
