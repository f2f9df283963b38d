"""Record locks: lock the stored rows of a batch, or report the ones that do not exist.

Lock order, which prevents deadlocks between writers of a collection: writer lock (writes by own
key; where own keys are unique, other writes too, unless they only delete), organization, parents of
which one record is chosen, rows by id. A wait for one of these locks of more than ``WRITE_SECONDS``
is 429. All of them last until the end of the transaction. Checks lock referenced records later,
with one exception: parents of own keys are locked before the rows if all items name them by key
objects (``resolve_scopes``).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import asyncpg
import orjson

from service.batches.batch import Batch, Item
from service.batches.change_recorder import BoundStatement
from service.batches.renames import NEW_KEY
from service.batches.write_set import ORGANIZATION, LockedRow, WriteSet
from service.database.errors import own_locks
from service.database.new_ids import next_ids
from service.database.statements import SHARED, id_array
from service.error_types import ErrorType
from service.listing.page_sql import column_of
from service.organizations.scopes import WRITE
from service.records import supplier_scopes
from service.records.master_record import MasterRecord
from service.records.reads import ids_of_others
from service.records.rendering import json_rows, json_text, rendered
from service.records.resource import DocumentRequest
from service.records.writable_resource import FOR_NO_KEY_UPDATE, FOR_UPDATE, WritableResource
from service.schemas.visible_text import normal, normal_forms
from service.writing import merge_patch, own_keys, unique_keys
from service.writing.outcomes import WriteOptions
from service.writing.preconditions import check_preconditions


@dataclass(slots=True)
class LockedRecords:
    """Locked rows of a batch's records, and the ids of records to create."""

    deletes: Callable[[Item], bool] | None = None
    """Returns whether an item deletes its record; None for a write without deletes."""
    stored: dict[int, LockedRow] = field(default_factory=dict)
    """Locked rows, by id."""
    new: set[int] = field(default_factory=set)
    """Ids of the records to create."""
    forms: Mapping[int, Item] = field(default_factory=dict)
    """Writable forms of the stored records, by id, if ``lock_and_read`` has read them."""
    renames: bool = False
    """Whether items have a ``newKey``."""

    def write_set(self, batch: Batch) -> WriteSet:
        """Return the write set of the batch's items that have not failed; all items have ids.

        ``WriteSet.batch`` is the given batch itself.
        """
        upserts, deletions = batch.subset(), batch.empty()
        if self.deletes:
            deletions, upserts = upserts.split(self.deletes)
        deleted = {id_ for id_, row in self.stored.items() if row["state"] == "deleted"}
        live_deletes = [id_ for id_ in deletions.ids if id_ not in deleted]
        created = [id_ for id_ in upserts.ids if id_ in self.new] if self.new else []
        restored = [id_ for id_ in upserts.ids if id_ in deleted] if deleted else []
        return WriteSet(
            *(batch, upserts, deletions, live_deletes, created, restored),
            stored_forms=self.forms,
            stored=self.stored,
        )


def locks_organization(resource: WritableResource, *, creates: bool = False) -> bool:
    """Return whether a write locks the organization's row; ``creates``: it may create records."""
    return bool(resource.locks_organization) or (creates and "position" in resource.properties)


def begins_unlocked(resource: WritableResource, raw: bytes) -> bool:
    """Return whether a replace by id with this body begins without the organization's lock."""
    words = resource.locks_organization
    return not isinstance(words, bool) and not any(word in raw for word in words)


async def assign_ids(resource: MasterRecord, batch: Batch) -> None:
    """Set a new id on each item, from the sequence of the resource's table."""
    ids = await next_ids(batch.connection, resource.table, len(batch.items))
    for item, record_id in zip(batch.items, ids, strict=True):
        item["id"] = record_id


async def lock_by_key(
    resource: MasterRecord, batch: Batch, options: WriteOptions, deletes: Callable[[Item], bool]
) -> LockedRecords:
    """Lock the records with the items' own keys, and set ``id`` on the items.

    Take the writer lock first, then the organization's if ``locks_organization`` returns true. The
    id is that of the matching record, else a new one; ambiguous items, items that delete and match
    no record, and items that failed without a match get none. Items with ``newKey`` get that key.
    Add errors to the batch for unknown parents of keys, for keys that several live records share,
    for items to create that fail the create schema, and for items whose precondition no live record
    meets. Raise ApiError if that of a single write fails.
    """
    await own_keys.take_writer_lock(batch, resource)
    if locks_organization(resource, creates=True):
        await lock_organization(batch)
    if resource.own_key_within:
        skip_failed = options.skip_failed
        await own_keys.resolve_scopes(resource, batch, skip_failed=skip_failed, deletes=deletes)
    strength = _lock_strength(any(map(deletes, batch.items)))
    renames = any(item.get(NEW_KEY) is not None for item in batch.items)
    await _lock_parents_with_next(resource, batch)
    stored = await own_keys.lock_records(resource, batch, options, strength)

    def is_live(record_id: int) -> bool:
        return record_id in stored and stored[record_id]["state"] != "deleted"

    await check_preconditions(resource, batch, options, is_live)
    new_items = batch.subset(lambda item: "id" not in item and not deletes(item))
    merge_patch.make_new(resource, new_items)
    if new_items.items:
        await assign_ids(resource, new_items)
    return LockedRecords(deletes, stored, {*new_items.ids}, renames=renames)


async def lock_by_id(
    resource: WritableResource, batch: Batch, options: WriteOptions, deletes: Callable[[Item], bool]
) -> LockedRecords:
    """Lock the records with the items' ids, then check the preconditions.

    Unless all items delete, call ``lock_unique_keys`` first. Then lock the organization if
    ``locks_organization`` returns true and the write does not begin without. Items that have failed
    already are left out. Add errors to the batch for records that do not exist, and for items that
    fail their precondition. Raise ApiError if the precondition of a single write fails or a parent
    of the path does not exist, and SerializationError if the record has lost the own key by which
    the path names it.
    """
    if not all(map(deletes, batch.items)):
        await lock_unique_keys(resource, batch)
    batch = batch.subset()
    if batch.caller.scopes.restricted and not batch.parents:
        visible = supplier_scopes.visible(batch.connection, resource, batch.caller, WRITE)
        seen = await visible(batch.ids) if visible else batch.ids
        for item in batch.items:
            item["id"] *= item["id"] in seen
    deletes_any = any(map(deletes, batch.items))
    lock = _lock_statement(resource, batch, _lock_strength(deletes_any))
    with own_locks():
        if locks_organization(resource) and not options.unlocked:
            await _lock_organization_with_next(batch)
        await _lock_parents_with_next(resource, batch)
        rows = await batch.fetch(lock.text, *lock.parameters)
    stored = {row["id"]: row for row in rows}
    await _check_locked(resource, batch, options, stored)
    return LockedRecords(deletes if deletes_any else None, stored)


async def lock_and_read(
    resource: WritableResource, batch: Batch, options: WriteOptions
) -> LockedRecords:
    """Lock like :func:`lock_by_id`, and read the writable forms in the same round trip.

    The items have ids, none has failed, and none deletes its record.
    """
    await lock_unique_keys(resource, batch)
    lock = _lock_statement(resource, batch, FOR_NO_KEY_UPDATE)
    request = DocumentRequest(batch.ids, "writables", batch.parents)
    read, organization_id = resource.render_statement(request), batch.caller.organization_id
    with own_locks():
        if locks_organization(resource):
            await _lock_organization_with_next(batch)
        await _lock_parents_with_next(resource, batch)
        locked, writables = await batch.connection.fetch_in_turn(
            [
                (json_text(lock.text), (organization_id, *lock.parameters)),
                (read.text, (organization_id, *read.parameters)),
            ]
        )
    stored: dict[int, LockedRow] = {row["id"]: row for row in json_rows(locked)}
    await _check_locked(resource, batch, options, stored)
    forms = {record_id: orjson.loads(form) for record_id, form in rendered(writables).items()}
    return LockedRecords(None, stored, forms=forms)


async def _check_locked(
    resource: WritableResource, batch: Batch, options: WriteOptions, stored: Mapping[int, LockedRow]
) -> None:
    """Add errors to the batch for missing records; check the preconditions of the others.

    First raise SerializationError if the record has lost the path's own key.
    """
    if options.path_key is not None and not resource.parents:
        _require_key(stored, options.path_key)
    if missing := set(batch.ids) - stored.keys():
        await _report_missing(resource, batch, missing)
    await check_preconditions(resource, batch, options, stored.__contains__)


async def lock_unique_keys(resource: WritableResource, batch: Batch) -> None:
    """Take the writer lock of the collection if the caller's records have unique keys in it."""
    if unique_keys.unique_keys(resource, batch.caller):
        await own_keys.take_writer_lock(batch, resource)


def _lock_statement(resource: WritableResource, batch: Batch, strength: str) -> BoundStatement:
    """Return the statement that locks the rows of the batch's records that exist."""
    return BoundStatement(resource.locks_by_id[strength], (batch.id_array, *batch.parents))


def _lock_strength(deletes_any: bool) -> str:
    """Return ``for update`` if an item deletes its record, else ``for no key update``."""
    return FOR_UPDATE if deletes_any else FOR_NO_KEY_UPDATE


async def lock_organization(batch: Batch) -> None:
    """Lock the organization's row, unless the transaction has: such writes run one at a time."""
    if ORGANIZATION not in batch.locks:
        with own_locks():
            await batch.fetch(SHARED["lock_organization"].text)
        batch.locks.add(ORGANIZATION)


async def _lock_organization_with_next(batch: Batch) -> None:
    """Lock the organization's row as ``lock_organization`` does, with the next statement."""
    if ORGANIZATION not in batch.locks:
        text, organization_id = SHARED["lock_organization_first"].text, batch.caller.organization_id
        await batch.connection.defer(text, organization_id)
        batch.locks.add(ORGANIZATION)


async def _lock_parents_with_next(resource: WritableResource, batch: Batch) -> None:
    """Lock the parents of the batch's records with the next statement, if one is chosen of each.

    Writers of such records lock their parents ``for no key update``. Two of them that did so after
    their records would wait for each other's: each changes the former choice, which it does not
    name. The parents are those stored of the records with the items' ids and own keys, and those
    that items name by id.
    """
    for reference in resource.references:
        if reference.lock == FOR_NO_KEY_UPDATE:
            key = str(resource.own_key)
            parents = [item.get(reference.field) for item in batch.items]
            keys = [] if resource.own_key_within else [item.get(key) for item in batch.items]
            await batch.connection.defer(
                SHARED["lock_parents_first"].fill(
                    parent=reference.table,
                    table=resource.table,
                    column=column_of(reference.field),
                    key=column_of(key),
                ),
                batch.caller.organization_id,
                id_array(item["id"] for item in batch.items if "id" in item),
                id_array(parent for parent in parents if isinstance(parent, int)),
                orjson.dumps(normal_forms(key for key in keys if isinstance(key, str))).decode(),
            )


async def _report_missing(resource: WritableResource, batch: Batch, missing: set[int]) -> None:
    """Add errors for ids without a record of the organization.

    They are ``forbidden.organization`` for another's records, if the resource reveals these, else
    ``not_found``. Raise ``not_found`` if a parent of the path does not exist.
    """
    await resource.require_parents(batch.connection, batch.caller, batch.parents)
    foreign = await ids_of_others(batch.connection, resource, sorted(missing))
    forbidden, unknown = ErrorType.FORBIDDEN_ORGANIZATION, ErrorType.NOT_FOUND
    batch.fail_records(dict.fromkeys(foreign, forbidden.message), forbidden, resource.key)
    messages = dict.fromkeys(missing - foreign, unknown.message)
    batch.fail_records(messages, unknown, resource.key)


def _require_key(stored: Mapping[int, LockedRow], key: str) -> None:
    """Raise SerializationError if the record is deleted or has another key by now.

    The transaction is repeated then, and finds the key anew. No stored record is no error here.
    """
    if any(
        row["state"] == "deleted" or normal(row["key"]) != normal(key) for row in stored.values()
    ):
        raise asyncpg.SerializationError("the record has changed since it was found by its key")
