"""Unique keys: one live record of a collection may have a key (contract, Unique keys).

Where keys are within a parent, this holds within each parent. These are own keys where the
organization has the setting, and those of ``always_unique``. Writes of collections with unique keys
take the writer lock, unless they only delete, so that of two concurrent writers one sees the
other's keys. The state after the whole request counts: within one request, keys can move from
record to record. Without unique keys, only requests with ``newKey`` are checked.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypeGuard

from service import schemas
from service.batches.batch import Batch
from service.batches.entry import Item, LockedRow
from service.batches.write_set import WriteSet
from service.database.statements import SHARED
from service.error_types import ErrorType
from service.listing.page_sql import column_of
from service.listing.properties import stored_id
from service.organizations.caller import Caller
from service.records.master_record import MasterRecord
from service.records.resource import Resource
from service.records.writable_resource import WritableResource
from service.schemas.key_forms import ALWAYS_UNIQUE, OWN_KEY
from service.schemas.visible_text import (
    VISIBLE_SQL,
    Fold,
    as_sent,
    is_blank,
    key_problem,
    normal,
    normal_forms,
)
from service.schemas.write_forms import FIXED

_MAX_SHARED_KEYS: Final = 10
"""Maximum number of keys that ``shared_keys`` returns."""
TWICE: Final = "Another item of this request has this key."

_Key: TypeAlias = tuple[str | int, int | None]
"""Key, with the id of the parent within which it is unique, if any."""


class UniqueKey(NamedTuple):
    """Field of a key, and the field of the parent within which it is unique, if any."""

    field: str
    within: str | None


class _Claim(NamedTuple):
    """Key of a record that is live after the request."""

    item_index: int
    key: _Key
    """Key in the normal form NFC, if keys that differ in it are one."""
    sent: str | int
    is_new: bool
    """Whether the record did not have the key before, or was not live."""
    field: str
    """Field of errors: that of the key, or the state of a restored record with a fixed key."""


def have_text_keys(resource: Resource) -> TypeGuard[MasterRecord]:
    """Return whether the records have own keys that are texts.

    Other keys consist of references, which the collection itself keeps unique.
    """
    return (
        isinstance(resource, MasterRecord)
        and resource.own_key is not None
        and resource.properties[resource.own_key].stored_kind == "string"
    )


def is_own_key_unique(collection: str, caller: Caller) -> bool:
    """Return whether own keys of a collection belong to one live record of the caller's each.

    Then keys that differ in normal form alone are one key.
    """
    file = schemas.load().get(collection, {})
    if OWN_KEY not in file:
        return False  # Entries of lists within records have keys of their own.
    return caller.unique_keys or [*schemas.key_fields(collection)] in file.get(ALWAYS_UNIQUE, ())


def unique_keys(
    resource: WritableResource, caller: Caller, *, renames: bool = False
) -> list[UniqueKey]:
    """Return the keys that writes of the caller keep unique; with ``renames``, also own keys."""
    keys = dict.fromkeys(UniqueKey(*key) for key in resource.always_unique)
    if (caller.unique_keys or renames) and have_text_keys(resource):
        keys[UniqueKey(str(resource.own_key), resource.own_key_within)] = None
    return [*keys]


def fail_invisible_keys(resource: WritableResource, write_set: WriteSet) -> None:
    """Add ``invalid_value`` to the items that give a record a key with what cannot be seen."""
    name, upserts = str(resource.own_key), write_set.upserts
    for index, item in enumerate(upserts.items if resource.own_key else ()):
        key, row = item.get(name), item.stored
        is_new = isinstance(key, str) and (row is None or row["key"] != key)
        if is_new and (problem := key_problem(str(key))):
            upserts.fail(index, ErrorType.INVALID_VALUE, name, message=problem)
            upserts.errors.close(item.index, (name,))


async def check(resource: WritableResource, key: UniqueKey, write_set: WriteSet) -> None:
    """Add an error to each upsert that takes a key of another live record after the request.

    It is ``duplicate`` if an item of the request takes the key, too, but for the first of these,
    and ``conflict.duplicate`` if another record has the key already. Keys that records keep are not
    checked. Of ``unique_fields`` the collection checks equal keys, and this other normal forms.
    The caller has the writer lock.
    """
    batch = write_set.upserts
    is_unique = batch.caller.unique_keys or key in resource.always_unique
    fold = normal if is_unique else as_sent
    claims = [*_claims(resource, key, batch, fold)]
    leaves_equal = key.field in resource.unique_fields
    if leaves_equal:
        claims = [claim for claim in claims if not str(claim.sent).isascii()]
    new_claims = [claim for claim in claims if claim.is_new]
    if not new_claims:
        return
    _report_claims(batch, claims, leaves_equal=leaves_equal)
    for claim, holder in await _holders(resource, key, write_set, new_claims, fold):
        if not (leaves_equal and holder["key"] == claim.sent):
            _report_taken(batch, claim, holder["id"])


async def shared_keys(
    connection: Any, resource: MasterRecord, organization_id: int
) -> list[tuple[str, Sequence[int]]]:
    """Return up to 10 own keys that several live records share, each with up to 10 of their ids.

    Keys and ids are sorted. A key within a parent is listed for each parent that has it twice.
    """
    text = SHARED["shared_keys"].fill(
        table=resource.table,
        key=resource.key_columns[0],
        within=resource.key_columns[1],
        state=resource.stored_state,
        visible=VISIBLE_SQL,
    )
    rows = await connection.fetch(text, organization_id, _MAX_SHARED_KEYS)
    return [(row["key"], row["ids"]) for row in rows]


def _holders_text(resource: WritableResource, key: UniqueKey) -> str:
    """Return the statement that finds the live records with the keys ``$2``.

    Where keys are within a parent, the records are those within any of the ids ``$3``.
    """
    within = column_of(key.within) if key.within else "null::bigint"
    return SHARED["key_holders"].fill(
        table=resource.table,
        key=column_of(key.field),
        key_type="text" if resource.properties[key.field].stored_kind == "string" else "bigint",
        within=within,
        is_within=f" and {within} = any($3::bigint[])" if key.within else "",
        state=resource.stored_state,
    )


def _claims(
    resource: WritableResource,
    key: UniqueKey,
    batch: Batch,
    fold: Fold,
) -> Iterator[_Claim]:
    """Yield the keys of the items whose records are live after the request."""
    is_fixed = resource.stored_fields.get(key.field) == FIXED
    is_own = key.field == resource.own_key
    for index, item in enumerate(batch.items):
        row = item.stored
        value = _key_after(resource, key, item, row)
        if value is not None and _state_after(resource, item, row) != "deleted":
            folded = _folded(value, fold)
            is_restored = row is not None and row["state"] == "deleted"
            is_new = row is None or is_restored
            if row is not None and is_own and not is_fixed:
                is_new = is_restored or _folded((row["key"], row["within_id"]), fold) != folded
            field = "state" if is_fixed and is_restored else key.field
            yield _Claim(index, folded, value[0], is_new, field)


def _folded(key: _Key, fold: Fold) -> _Key:
    return fold(key[0]), key[1]


def _key_after(
    resource: WritableResource, key: UniqueKey, item: Item, row: LockedRow | None
) -> _Key | None:
    value, within = item.get(key.field), None
    if value is None and row and resource.keeps_omitted:
        value = row["key"]
    if key.within:
        parent = item.get(key.within)
        within = row["within_id"] if row else None
        if parent is not None:
            within = stored_id(parent)
    # Stored keys may be blank; these belong to nobody. Key objects that failed stay objects.
    if isinstance(value, str):
        return None if is_blank(value) else (value, within)
    return (value, within) if isinstance(value, int) else None


def _state_after(resource: WritableResource, item: Item, row: LockedRow | None) -> str:
    state = item.get("state")
    if state is None and row and resource.keeps_omitted:
        return str(row["state"])
    return str(state)


def _report_claims(batch: Batch, claims: Sequence[_Claim], *, leaves_equal: bool) -> None:
    """Add an error to each new claim of a key that another item of the request has.

    If all claims of a key are new, the first one is valid. With ``leaves_equal`` those that were
    sent alike are valid, too.
    """
    by_key = defaultdict[_Key, list[_Claim]](list)
    for claim in sorted(claims, key=lambda claim: claim.is_new):
        by_key[claim.key].append(claim)
    for first, *others in by_key.values():
        for claim in others:
            if leaves_equal and claim.sent == first.sent:
                continue
            if first.is_new:
                batch.fail(claim.item_index, ErrorType.DUPLICATE, claim.field, message=TWICE)
            else:
                _report_taken(batch, claim, batch.items[first.item_index]["id"])


def _report_taken(batch: Batch, claim: _Claim, record_id: int) -> None:
    key = f"the key {claim.sent}" if isinstance(claim.sent, str) else "this key"
    type_, message = ErrorType.CONFLICT_DUPLICATE, f"Record {record_id} has {key}."
    batch.fail(claim.item_index, type_, claim.field, message=message)


async def _holders(
    resource: WritableResource,
    key: UniqueKey,
    write_set: WriteSet,
    claims: Sequence[_Claim],
    fold: Fold,
) -> list[tuple[_Claim, LockedRow]]:
    """Return the claims of keys that live records outside the write set have, with one of these."""
    keys: list[Sequence[Any]] = [
        normal_forms(key for claim in claims for key in (claim.sent, claim.key[0]))
    ]
    if key.within:
        keys.append([claim.key[1] for claim in claims])
    rows = await write_set.batch.fetch(_holders_text(resource, key), *keys)
    written = {*write_set.upserts.ids, *write_set.deletes.ids}
    holders = {
        _folded((row["key"], row["within_id"]), fold): row
        for row in rows
        if row["id"] not in written
    }
    return [(claim, holders[claim.key]) for claim in claims if claim.key in holders]
