"""Own keys: writes find records by the keys of the customer's own systems (contract, Own keys).

Resources here have an own key. Where they have ``own_key_within``, a key is one within that parent.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from service.batches.batch import Batch
from service.batches.entry import Item, LockedRow
from service.batches.renames import NEW_KEY, stored_keys
from service.database.connections import Connection
from service.database.errors import own_locks
from service.database.statements import load
from service.error_types import ErrorType
from service.listing.properties import stored_id
from service.records.master_record import MasterRecord
from service.records.path_keys import ambiguous_message
from service.records.writable_resource import WritableResource
from service.schemas.extra_checks import duplicate_errors
from service.schemas.visible_text import Fold, as_sent, normal, normal_forms
from service.writing.keyed_references import KeyedReferences
from service.writing.outcomes import WriteOptions, sent_key
from service.writing.unique_keys import TWICE, is_own_key_unique

_WRITER_LOCKS: Final = load("writer_locks")


class _OwnKey(NamedTuple):
    """Own key of an item or record, with the parent within which it is looked up."""

    key: Any
    """A text, or the id of a record."""
    within: int | None
    """Id of the parent, if the resource has one; otherwise None."""


async def take_writer_lock(batch: Batch, *resources: WritableResource) -> None:
    """Lock the writer lock rows of the collections, by name, if the transaction has not yet.

    Writes by own key take the lock: otherwise two of them could both miss a key and create it
    twice. Where own keys are unique, other writes of the collection take it, too, unless they only
    delete. It comes before all other locks. Raise 429 on a timeout.
    """
    if names := {each.name for each in resources} - batch.transaction.locks:
        await lock_writers(batch.connection, batch.caller.organization_id, names)
        batch.transaction.locks.update(names)


async def lock_writers(connection: Connection, organization_id: int, names: set[str]) -> None:
    """Lock writer lock rows until the end of the transaction; insert those that are missing."""
    lock, insert = _WRITER_LOCKS["lock"].text, _WRITER_LOCKS["insert"].text
    with own_locks():
        rows = await connection.fetch(lock, organization_id, sorted(names))
        while missing := names - {row["purpose"] for row in rows}:
            for name in sorted(missing):
                await connection.execute(insert, organization_id, name)
            rows = await connection.fetch(lock, organization_id, sorted(names))


async def resolve_scopes(
    resource: MasterRecord, batch: Batch, *, skip_failed: bool, spares_deletes: bool = False
) -> None:
    """Replace key objects in the fields of the items' own keys, parents included, by ids.

    The resource has ``own_key_within``. Add errors to the batch for key objects that do not name
    one record, and for own keys that turn out to be equal; with ``skip_failed`` all of these fail,
    else all but the first. With ``spares_deletes``, deletes may name records that are not there.
    Without key objects do nothing.
    """
    references = KeyedReferences.of(resource, batch, resource.key_fields)
    if not references:
        return
    references.spares_deletes = spares_deletes
    await references.resolve(batch)
    own_key, within = resource.key_fields
    groups = defaultdict[int, list[tuple[int, Item]]](list)
    for index, item in enumerate(batch.items):
        if isinstance(item[within], int | str):
            groups[stored_id(item[within])].append((index, item))
    for group in groups.values():
        for detail in duplicate_errors(group, own_key, all_of_them=skip_failed):
            batch.fail(int(detail.path[0]), detail.type, own_key, message=detail.message or "")


async def lock_records(
    resource: MasterRecord,
    batch: Batch,
    options: WriteOptions,
    strength: str,
    beside: Sequence[int],
) -> None:
    """Lock the records with the keys of entries that have not failed, and set them on these.

    Items without a match have no id. The live record with a key matches,
    else the deleted one with the highest id. With ``newKey`` the live record has the key, or by an
    earlier request the new one; the item gets the new key as its key, and deleted records match by
    the new one alone. Add ``conflict.ambiguous_key`` for keys that several live records share:
    these match none.

    The records of the ids in ``beside`` are locked in the same order, unless keys are within a
    parent.
    """
    batch = batch.subset()
    if options.path_key is None:
        batch.errors.name_by(str(resource.own_key), (entry.index for entry in batch.items))
    fold = as_sent
    if is_own_key_unique(resource.name, batch.caller) or options.path_key is not None:
        fold, batch = normal, _without_repeated(resource, batch, options)
    sent = [_key_of(resource, item) for item in batch.items]
    new = [_new_key_of(key, item) for key, item in zip(sent, batch.items, strict=True)]
    sought = _in_forms([*sent, *filter(None, new)], fold)
    ids = [key.within for key in sought] if resource.own_key_within else beside
    with own_locks():
        rows = await batch.fetch(resource.locks_by_key[strength], [key.key for key in sought], ids)
    live, deleted = _by_key(rows, fold)
    keys, new_keys = (
        [_folded(key, fold) for key in sent],
        [key and _folded(key, fold) for key in new],
    )
    current_keys = stored_keys(keys, new_keys, live) if any(new_keys) else keys
    for index, (stored_key, item) in enumerate(zip(current_keys, batch.items, strict=True)):
        item.pop("id", None)
        matches = live.get(stored_key, ()) if stored_key else ()
        _lock_match(
            resource, batch, index, matches or deleted.get(new_keys[index] or keys[index], ())
        )
        if NEW_KEY in item:
            _rename(resource, batch, index)


def _lock_match(
    resource: MasterRecord, batch: Batch, index: int, matches: Sequence[LockedRow]
) -> None:
    """Set the only matching row on an item; add ``conflict.ambiguous_key`` if there are several."""
    if len(matches) > 1:
        message = ambiguous_message([row["id"] for row in matches])
        batch.fail(index, ErrorType.CONFLICT_AMBIGUOUS_KEY, resource.key, message=message)
    elif matches:
        batch.items[index].lock(matches[0])


def _in_forms(keys: Sequence[_OwnKey], fold: Fold) -> Sequence[_OwnKey]:
    """Return the keys in all forms that are one key."""
    if fold is as_sent:
        return keys
    return [_OwnKey(form, key.within) for key in keys for form in normal_forms([key.key])]


def _folded(key: _OwnKey, fold: Fold) -> _OwnKey:
    return _OwnKey(fold(key.key), key.within)


def _without_repeated(resource: MasterRecord, batch: Batch, options: WriteOptions) -> Batch:
    """Return the items that have not failed, after those whose keys differ in normal form alone.

    All but the first fail, with ``skip_failed`` all of them.
    """
    indexes = defaultdict[_OwnKey, list[int]](list)
    for index, item in enumerate(batch.items):
        indexes[_folded(_key_of(resource, item), normal)].append(index)
    for first, *others in indexes.values():
        for index in [first] * options.skip_failed + others if others else ():
            batch.fail(index, ErrorType.DUPLICATE, str(resource.own_key), message=TWICE)
    return batch.subset()


def _by_key(
    rows: Iterable[LockedRow], fold: Fold
) -> tuple[Mapping[_OwnKey, Sequence[LockedRow]], Mapping[_OwnKey, Sequence[LockedRow]]]:
    """Return the live rows of each own key, and the last one of its deleted rows."""
    live: defaultdict[_OwnKey, list[LockedRow]] = defaultdict(list)
    deleted: dict[_OwnKey, Sequence[LockedRow]] = {}
    for row in rows:
        key = _folded(_OwnKey(row["key"], row["within_id"]), fold)
        if row["state"] == "deleted":
            deleted[key] = (row,)
        else:
            live[key].append(row)
    return live, deleted


def _rename(resource: MasterRecord, batch: Batch, index: int) -> None:
    """Give an item its new key as own key; errors of that key are reported at ``newKey``.

    A new key that is null is dropped.
    """
    item, own_key = batch.items[index], str(resource.own_key)
    new_key = item.pop(NEW_KEY)
    if new_key is not None:
        item[own_key], item.is_renamed = new_key, True
        batch.errors.report_at(item.index, (own_key,), (NEW_KEY,))


def _key_of(resource: MasterRecord, item: Item) -> _OwnKey:
    """Return the own key of an item."""
    within = resource.own_key_within
    return _OwnKey(sent_key(resource, item), stored_id(item[within]) if within else None)


def _new_key_of(key: _OwnKey, item: Item) -> _OwnKey | None:
    """Return the own key that an item's record gets instead of ``key``, if any."""
    new_key = item.get(NEW_KEY)
    return None if new_key is None else _OwnKey(new_key, key.within)
