"""Unique own keys: one live record of a collection may have a key (contract, Unique keys).

Where keys are within a parent, this holds within each parent. Writes of organizations with this
setting take the collection's writer lock, unless they only delete, so that of two concurrent
writers one sees the other's keys. The state after the whole request counts: within one request,
keys can move from record to record. Without the setting, only requests with ``newKey`` are checked.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypeGuard

from service.database.connections import Connection
from service.database.statements import SHARED
from service.error_types import ErrorType
from service.listing.properties import stored_id
from service.organizations.caller import Caller
from service.queries.batch import Batch, Item
from service.queries.master_record import MasterRecord
from service.queries.outcomes import sent_key
from service.queries.resource import Resource
from service.queries.write_set import LockedRow, WriteSet

_MAX_SHARED_KEYS: Final = 10
"""Maximum number of keys that ``shared_keys`` returns."""
_WHITE_SPACE: Final = "Remove the white space at the ends of the key."
_TWICE: Final = "Another item of this request has this key."

_OwnKey: TypeAlias = tuple[str, int | None]
"""Own key, with the id of the parent within which it is unique, if any."""


class _Claim(NamedTuple):
    """Own key of a record that is live after the request."""

    item_index: int
    key: _OwnKey
    is_new: bool
    """Whether the record did not have the key before, or was not live."""


def have_text_keys(resource: Resource) -> TypeGuard[MasterRecord]:
    """Return whether the records have own keys that are texts.

    Other keys consist of references, which the collection itself keeps unique.
    """
    return (
        isinstance(resource, MasterRecord)
        and resource.own_key is not None
        and resource.properties[resource.own_key].stored_kind == "string"
    )


def are_unique(resource: Resource, caller: Caller) -> TypeGuard[MasterRecord]:
    """Return whether writes of the caller keep the resource's own keys unique."""
    return caller.unique_keys and have_text_keys(resource)


async def check(
    connection: Connection,
    resource: MasterRecord,
    write_set: WriteSet,
    stored: Mapping[int, LockedRow],
) -> None:
    """Add an error to each upsert that takes an own key of another live record after the request.

    It is ``duplicate`` if an item of the request takes the key, too, but for the first of these,
    and ``conflict.duplicate`` if another record has the key already. Keys that records keep are not
    checked, nor are those of ``unique_fields``, which the collection checks. Where keys are unique,
    also add ``invalid_value`` for new keys with white space at their ends, those of
    ``unique_fields`` included: two such keys may look alike. ``stored`` has the locked rows by id;
    the caller has the writer lock.
    """
    batch = write_set.upserts
    claims = [*_claims(resource, batch, stored)]
    new_claims = [claim for claim in claims if claim.is_new]
    if not new_claims:
        return
    for claim in new_claims:
        if batch.caller.unique_keys and claim.key[0] != claim.key[0].strip():
            batch.fail(
                claim.item_index, ErrorType.INVALID_VALUE, *_path(resource), message=_WHITE_SPACE
            )
    if resource.own_key in resource.unique_fields:
        return  # The collection keeps its keys unique for every organization.
    _report_claims(resource, batch, claims)
    holders = await _holders(connection, resource, write_set, new_claims)
    for claim in new_claims:
        if claim.key in holders:
            _report_taken(resource, batch, claim, holders[claim.key])


async def shared_keys(
    connection: Any, resource: MasterRecord, organization_id: int
) -> list[tuple[str, Sequence[int]]]:
    """Return up to 10 own keys that several live records share, each with up to 10 of their ids.

    Keys and ids are sorted. A key within a parent is listed for each parent that has it twice.
    """
    text = SHARED["shared_keys"].fill(
        table=resource.table,
        key=resource.key_column,
        within=resource.within_column,
        state=resource.stored_state,
    )
    rows = await connection.fetch(text, organization_id, _MAX_SHARED_KEYS)
    return [(row["key"], row["ids"]) for row in rows]


def _holders_text(resource: MasterRecord) -> str:
    """Return the statement that finds the live records with the own keys ``$2``.

    Where keys are within a parent, the records are those within any of the ids ``$3``.
    """
    within = f" and {resource.within_column} = any($3::bigint[])"
    return SHARED["key_holders"].fill(
        table=resource.table,
        key=resource.key_column,
        within=resource.within_column,
        is_within=within if resource.own_key_within else "",
        state=resource.stored_state,
    )


def _claims(
    resource: MasterRecord, batch: Batch, stored: Mapping[int, LockedRow]
) -> Iterator[_Claim]:
    """Yield the own keys of the items whose records are live after the request."""
    for index, item in enumerate(batch.items):
        row = stored.get(item["id"])
        key = _key_after(resource, item, row)
        if key is not None and _state_after(resource, item, row) != "deleted":
            is_new = (
                row is None or row["state"] == "deleted" or (row["key"], row["within_id"]) != key
            )
            yield _Claim(index, key, is_new)


def _key_after(resource: MasterRecord, item: Item, row: LockedRow | None) -> _OwnKey | None:
    key, within = sent_key(resource, item), None
    if key is None and row and resource.keeps_omitted:
        key = row["key"]
    if resource.own_key_within:
        parent = item.get(resource.own_key_within)
        within = row["within_id"] if row else None
        if parent is not None:
            within = stored_id(parent)
    # Stored keys may be blank; these belong to nobody.
    return (key, within) if key and key.strip() else None


def _state_after(resource: MasterRecord, item: Item, row: LockedRow | None) -> str:
    state = item.get("state")
    if state is None and row and resource.keeps_omitted:
        return str(row["state"])
    return str(state)


def _report_claims(resource: MasterRecord, batch: Batch, claims: Sequence[_Claim]) -> None:
    """Add an error to each new claim of a key that another item of the request has.

    If all claims of a key are new, the first one is valid.
    """
    by_key = defaultdict[_OwnKey, list[_Claim]](list)
    for claim in sorted(claims, key=lambda claim: claim.is_new):
        by_key[claim.key].append(claim)
    for first, *others in by_key.values():
        for claim in others:
            if first.is_new:
                batch.fail(claim.item_index, ErrorType.DUPLICATE, *_path(resource), message=_TWICE)
            else:
                _report_taken(resource, batch, claim, batch.items[first.item_index]["id"])


def _report_taken(resource: MasterRecord, batch: Batch, claim: _Claim, record_id: int) -> None:
    type_, message = ErrorType.CONFLICT_DUPLICATE, f"Record {record_id} has this key."
    batch.fail(claim.item_index, type_, *_path(resource), message=message)


async def _holders(
    connection: Connection,
    resource: MasterRecord,
    write_set: WriteSet,
    claims: Sequence[_Claim],
) -> dict[_OwnKey, int]:
    """Return the ids of live records outside the write set that have the claimed keys, by key."""
    keys: list[Sequence[Any]] = [[claim.key[0] for claim in claims]]
    if resource.own_key_within:
        keys.append([claim.key[1] for claim in claims])
    organization_id = write_set.batch.caller.organization_id
    rows = await connection.fetch(_holders_text(resource), organization_id, *keys)
    written = {*write_set.upserts.ids, *write_set.deletes.ids}
    return {(row["key"], row["within_id"]): row["id"] for row in rows if row["id"] not in written}


def _path(resource: MasterRecord) -> tuple[str, ...]:
    return (str(resource.own_key),)
