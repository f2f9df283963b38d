"""Record locks: lock the stored rows of a batch, or report the ones that do not exist.

Lock order, which prevents deadlocks between writers of a collection: writer lock (writes by own
key; where own keys are unique, other writes too, unless they only delete), organization, parents of
which one record is chosen, rows by id. A wait for one of these locks of more than ``WRITE_SECONDS``
is 429. All of them last until the end of the transaction. Checks lock referenced records later,
with one exception: parents of own keys are locked before the rows if all items name them by key
objects (``resolve_scopes``).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final

import asyncpg
import orjson

from service.batches.batch import Batch
from service.batches.change_recorder import BoundStatement
from service.batches.entry import DELETES, IMPORT, Entry, LockedRow
from service.batches.write_set import ORGANIZATION
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

_CREATES: Final = attrgetter("creates")
_IS_BY_ID: Final = attrgetter("is_by_id")


def locks_organization(resource: WritableResource, *, creates: bool = False) -> bool:
    """Return whether a write locks the organization's row; ``creates``: it may create records."""
    return bool(resource.locks_organization) or (creates and "position" in resource.properties)


def begins_unlocked(resource: WritableResource, raw: bytes) -> bool:
    """Return whether a replace by id with this body begins without the organization's lock."""
    words = resource.locks_organization
    return not isinstance(words, bool) and not any(word in raw for word in words)


async def lock_entries(resource: WritableResource, batch: Batch, options: WriteOptions) -> None:
    """Lock the records of a batch's entries; set the entries' ids and what is known of their rows.

    Entries of new records get ids. Add errors to the batch for records that cannot be written.
    """
    await resource.identify(batch, skip_failed=options.skip_failed)
    created, named = batch.split(_CREATES)
    by_id, by_key = named.split(_IS_BY_ID)
    if created.items:
        await lock_unique_keys(resource, batch)
        if locks_organization(resource, creates=True):
            await lock_organization(batch)
        await assign_ids(resource, created)
    if by_key.items:
        assert isinstance(resource, MasterRecord)
        # All in the order of ids, or other writers and this one could block.
        await _lock_by_key(resource, by_key, options, beside=by_id.ids)
    if by_id.items:
        await _lock_by_id(resource, by_id, options)
    if by_id.items and by_key.items:
        _report_repeated(resource, named)


async def assign_ids(resource: WritableResource, batch: Batch) -> None:
    """Make each entry that of a new record, with an id from the sequence of its table."""
    ids = await next_ids(batch.connection, resource.table, len(batch.items))
    for entry, record_id in zip(batch.items, ids, strict=True):
        entry["id"], entry.is_new = record_id, True


async def _lock_by_key(
    resource: MasterRecord, batch: Batch, options: WriteOptions, *, beside: Sequence[int]
) -> None:
    """Lock the records with the entries' own keys, and set ``id`` on the entries.

    Take the writer lock first, then the organization's if ``locks_organization`` returns true. The
    id is that of the matching record, else a new one; ambiguous entries, those that delete and
    match no record, and those that failed without a match get none. Entries with ``newKey`` get
    that key. Add errors to the batch for unknown parents of keys, for keys that several live
    records share, for entries to create that fail the create schema, and for entries whose
    precondition no live record meets. Raise ApiError if that of a single write fails. The records
    of the ids in ``beside`` are locked, too.
    """
    await own_keys.take_writer_lock(batch, resource)
    if locks_organization(resource, creates=True):
        await lock_organization(batch)
    if resource.own_key_within:
        skip_failed = options.skip_failed
        await own_keys.resolve_scopes(resource, batch, skip_failed=skip_failed, spares_deletes=True)
    strength = _lock_strength(any(map(DELETES, batch.items)))
    await _lock_parents_with_next(resource, batch)
    await own_keys.lock_records(resource, batch, options, strength, beside)
    await check_preconditions(resource, batch, options)
    new = batch.subset(_is_of_new_record)
    merge_patch.make_new(resource, new)
    if new.items:
        await assign_ids(resource, new)


def _is_of_new_record(entry: Entry) -> bool:
    """Return whether the entry creates a record, given that the stored ones are locked.

    Imports do so also by the state ``deleted``: then they delete none.
    """
    if "id" in entry:
        return False
    entry.deletes = entry.deletes and entry.operation is not IMPORT
    return not entry.deletes


async def _lock_by_id(resource: WritableResource, batch: Batch, options: WriteOptions) -> None:
    """Lock the records with the entries' ids, then check the preconditions.

    Read the writable forms of those to be edited in the same round trip. Unless all entries delete,
    take the writer lock where keys are unique. Then lock the organization if ``locks_organization``
    returns true and the write does not begin without. Entries that have failed already are left
    out. Add errors to the batch for records that do not exist, and for entries that fail their
    precondition. Raise ApiError if the precondition of a single write fails or a parent of the path
    does not exist, and SerializationError if the record has lost the own key by which the path
    names it.
    """
    if not all(map(DELETES, batch.items)):
        await lock_unique_keys(resource, batch)
    batch = batch.subset()
    await _hide_from_supplier(resource, batch)
    stored = {row["id"]: row for row in await _locked_rows(resource, batch, options)}
    for entry in batch.items:
        if row := stored.get(entry["id"]):
            entry.stored = row
            if row["state"] == "deleted":
                entry.was_deleted = True
    if options.path_key is not None and not resource.parents:
        _require_key(stored, options.path_key)
    if missing := {*batch.ids} - stored.keys():
        await _report_missing(resource, batch, missing)
    await check_preconditions(resource, batch, options)


async def _locked_rows(
    resource: WritableResource, batch: Batch, options: WriteOptions
) -> Sequence[LockedRow]:
    """Lock the records with the entries' ids, and return their rows; read the forms to edit."""
    statement = resource.locks_by_id[_lock_strength(any(map(DELETES, batch.items)))]
    lock = BoundStatement(statement, (batch.id_array, *batch.parents))
    edited = [entry["id"] for entry in batch.items if entry.is_edited]
    with own_locks():
        if locks_organization(resource) and not options.unlocked:
            await _lock_organization_with_next(batch)
        await _lock_parents_with_next(resource, batch)
        if edited:
            request = DocumentRequest(edited, "writables", batch.parents)
            return await _lock_and_read(resource, batch, lock, request)
        rows: Sequence[LockedRow] = await batch.fetch(lock.text, *lock.parameters)
        return rows


async def _hide_from_supplier(resource: WritableResource, batch: Batch) -> None:
    """Let entries name no record if a supplier's key may not see theirs."""
    if batch.caller.scopes.restricted and not batch.parents:
        visible = supplier_scopes.visible(batch.connection, resource, batch.caller, WRITE)
        seen = await visible(batch.ids) if visible else batch.ids
        for entry in batch.items:
            if entry["id"] not in seen:
                entry["id"] = 0


async def _lock_and_read(
    resource: WritableResource, batch: Batch, lock: BoundStatement, request: DocumentRequest
) -> Sequence[LockedRow]:
    """Return the rows that ``lock`` locks; set the requested forms, read in the same round trip."""
    read, organization_id = resource.render_statement(request), batch.caller.organization_id
    locked, forms = await batch.connection.fetch_in_turn(
        [
            (json_text(lock.text), (organization_id, *lock.parameters)),
            (read.text, (organization_id, *read.parameters)),
        ]
    )
    merge_patch.set_forms(batch, rendered(forms))
    return json_rows(locked)


def _report_repeated(resource: WritableResource, batch: Batch) -> None:
    """Add ``duplicate`` to the entries that name one record, by id and by own key."""
    indexes = defaultdict[int, list[int]](list)
    for index, entry in enumerate(batch.items):
        if "id" in entry and entry.index not in batch.errors:
            indexes[entry["id"]].append(index)
    for same in indexes.values():
        for index in same if len(same) > 1 else ():
            others = ", ".join(str(batch.items[each].index) for each in same if each != index)
            message = f"Entry {others} is of the same record."
            batch.fail(index, ErrorType.DUPLICATE, resource.key, message=message)


async def lock_unique_keys(resource: WritableResource, batch: Batch) -> None:
    """Take the writer lock of the collection if the caller's records have unique keys in it."""
    if unique_keys.unique_keys(resource, batch.caller):
        await own_keys.take_writer_lock(batch, resource)


def _lock_strength(deletes_any: bool) -> str:
    """Return ``for update`` if an entry deletes its record, else ``for no key update``."""
    return FOR_UPDATE if deletes_any else FOR_NO_KEY_UPDATE


async def lock_organization(batch: Batch) -> None:
    """Lock the organization's row, unless the transaction has: such writes run one at a time."""
    if ORGANIZATION not in batch.transaction.locks:
        with own_locks():
            await batch.fetch(SHARED["lock_organization"].text)
        batch.transaction.locks.add(ORGANIZATION)


async def _lock_organization_with_next(batch: Batch) -> None:
    """Lock the organization's row as ``lock_organization`` does, with the next statement."""
    if ORGANIZATION not in batch.transaction.locks:
        text, organization_id = SHARED["lock_organization_first"].text, batch.caller.organization_id
        await batch.connection.defer(text, organization_id)
        batch.transaction.locks.add(ORGANIZATION)


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
